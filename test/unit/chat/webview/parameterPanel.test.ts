import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, page, pageShown, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { ParameterPanel } = await import('../../../../src/chat/webview/parameterPanel.ts');
leavePage();

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
    assert.equal(await panel.isValid(), true);
    assert.deepEqual([calls.length, control('temperature').value, control('stop').value], [1, '0.7', 'x']);
    preset.value = 'creative';
    preset.does('change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls.at(-1), [{ temperature: 1.3, stop: ['x'] }]);
  });

  it('are read as what they are, and what is only space is nothing', async () => {
    const { panel, control } = make();
    const kinds = ['number', 'integer', 'boolean', 'choice', 'text', 'lines', 'json'];
    panel.update(kinds.map((kind) => ({ name: kind, kind, description: 'd', options: ['a'] })) as never, {});
    const hand = async (values: Record<string, string>): Promise<unknown> => {
      for (const kind of kinds) control(kind).value = values[kind] ?? '';
      control('text').does('change');
      await panel.isValid();
      return calls.splice(0);
    };
    assert.deepEqual(
      await hand({
        number: ' 1.5 ',
        integer: '2',
        boolean: 'false',
        choice: 'a',
        text: ' t ',
        lines: 'x',
        json: '[1]',
      }),
      [[{ number: 1.5, integer: 2, boolean: false, choice: 'a', text: ' t ', lines: ['x'], json: [1] }]],
    );
    assert.deepEqual(await hand({ boolean: 'true', text: '  ', lines: '\n', json: ' ', number: ' ' }), [
      [{ boolean: true }],
    ]);
    assert.deepEqual(await hand({ number: 'x', integer: '1e999', json: 'x' }), [[{}]]);
    assert.match(of(panel.element).textContent, /not a number.*not a number.*not JSON/);
    pageShown.length = 0;
    panel.focusProblem();
    assert.ok(page.activeElement === control('number'));
    assert.deepEqual(pageShown.splice(0), ['This is not a number.']);
  });
});
