import assert from 'node:assert/strict';
import { type FakeElement, leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { ParameterPanel } = await import('../../../../src/chat/webview/parameterPanel.ts');
leavePage();

const of = (element: unknown): FakeElement => element as FakeElement;

describe("the parameters of the chat's page", () => {
  const calls: unknown[][] = [];
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls.length = 0;
    page.activeElement = page.body;
  });

  const fields = [
    { name: 'temperature', kind: 'number', description: 'd', minimum: 0, maximum: 2 },
    { name: 'stop', kind: 'lines', description: 'd' },
    { name: 'extra', kind: 'json', description: 'd' },
  ] as never;
  const make = (refusals: (string | undefined)[] = []) => {
    const panel = new ParameterPanel(
      async (parameters) => (calls.push([parameters]), refusals.shift()),
      noted('close'),
      noted('fromFile'),
    );
    panel.update(fields, {});
    const control = (name: string): FakeElement =>
      of(panel.element)
        .all()
        .filter((each) => (each as unknown as { id?: string }).id === `parameter-${name}`)[0] as FakeElement;
    return { panel, control };
  };

  it('are handed over where they are right, and marked where they are not', async () => {
    const { panel, control } = make();
    control('temperature').value = '0,5';
    control('stop').value = 'a\n\nb';
    control('extra').value = '{';
    control('extra').does('change');
    assert.equal(await panel.isValid(), false);
    assert.deepEqual(calls, [[{ temperature: 0.5, stop: ['a', 'b'] }]]);
    assert.deepEqual(
      [control('extra').getAttribute('aria-invalid'), control('stop').getAttribute('aria-invalid')],
      ['true', 'false'],
    );
    panel.focusProblem();
    assert.equal(page.activeElement, control('extra'));
    of(panel.element).find('link-button').does('click');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual([calls.at(-1), control('stop').value], [[{}], '']);
  });

  it('that the host refuses are named and left out', async () => {
    const { panel, control } = make(['temperature is too large']);
    control('temperature').value = '9';
    control('temperature').does('change');
    assert.equal(await panel.isValid(), false);
    assert.deepEqual(calls, [[{ temperature: 9 }], [{}]]);
    panel.update(fields, { temperature: 1 });
    assert.equal(control('temperature').value, '9');
  });

  it('are not written over while they are typed', () => {
    const { panel, control } = make();
    page.activeElement = control('temperature');
    panel.update(fields, { temperature: 1, stop: ['x', 'y'] });
    assert.deepEqual([control('temperature').value, control('stop').value], ['', 'x\ny']);
  });

  it('stand in groups, each once, with those that are set marked and counted', async () => {
    const { panel, control } = make();
    assert.deepEqual(
      of(panel.element)
        .all()
        .filter((each) => each.getAttribute('role') === 'group' && !each.hidden)
        .map((each) => each.getAttribute('aria-label')),
      ['Sampling', 'Output'],
    );
    const isMarked = (name: string): boolean => of(control(name).parent).classes.has('changed');
    const count = (): string => of(panel.element).find('changed-fields').textContent;
    assert.deepEqual([isMarked('temperature'), count()], [false, '']);
    panel.update(fields, { temperature: 1, stop: ['x'] });
    assert.deepEqual([isMarked('temperature'), isMarked('extra'), count()], [true, false, '2 changed']);
    control('extra').value = '{}';
    control('extra').does('input');
    assert.deepEqual([isMarked('extra'), count()], [true, '3 changed']);
  });

  it('have presets, which change the sampling alone and are named while they hold', async () => {
    const { panel, control } = make();
    const preset = of(panel.element)
      .all()
      .find((each) => each.tag === 'select') as FakeElement;
    panel.update(fields, { stop: ['x'] });
    assert.equal(preset.value, 'default');
    preset.value = 'precise';
    preset.does('change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls, [[{ temperature: 0.2, stop: ['x'] }]]);
    panel.update(fields, { temperature: 0.7, stop: ['x'] });
    assert.deepEqual([control('temperature').value, preset.value], ['0.7', '']);
    preset.value = '';
    preset.does('change');
    assert.equal(calls.length, 1);
    preset.value = 'creative';
    preset.does('change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls.at(-1), [{ temperature: 1.3, stop: ['x'] }]);
  });

  it('are described without the marks of code', () => {
    const { panel } = make();
    const described = (kind: 'number' | 'json'): string => {
      panel.update([{ name: 'x', kind, description: 'Only with `tools`: `auto`.' }], {});
      return of(panel.element).textContent;
    };
    assert.match(described('json'), /Only with tools: auto\./);
    assert.match(described('number'), /Only with tools: auto\./);
  });

  it('that are long are asked for from a file', () => {
    const panel = new ParameterPanel(async () => undefined, noted('close'), noted('fromFile'));
    panel.update([{ name: 'tools', kind: 'json', description: 'd' }], {});
    const buttons = of(panel.element)
      .all()
      .filter((each) => each.classes.has('link-button'));
    buttons.find((each) => each.textContent === 'Functions from a file…')?.does('click');
    assert.deepEqual(calls, [['fromFile', 'tools']]);
  });
});
