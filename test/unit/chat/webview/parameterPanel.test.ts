import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertApproved } from '../../../support/approved.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, leavePage, page, pageShown, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { ParameterPanel } = await import('../../../../src/chat/webview/parameterPanel.ts');
leavePage();

describe("the parameters of the chat's page", () => {
  holdTrail(import.meta.url);
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
    assert.equal(await panel.isValid(), true);
    assert.deepEqual([calls.length, control('temperature').value, control('stop').value], [1, '0.7', 'x']);
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

  it('are told each with its name, limits, default and choices, in groups', () => {
    const panel = new ParameterPanel(async () => undefined, noted('close'), noted('fromFile'));
    const every = [
      { name: 'system', kind: 'text', description: 'Who it is' },
      { name: 'each_line', kind: 'boolean', description: 'd', defaultText: 'false' },
      { name: 'temperature', kind: 'number', description: 'd', minimum: 0, maximum: 2, defaultText: '1' },
      { name: 'top_p', kind: 'number', description: 'd', minimum: 0, maximum: 1, aboveMinimum: true },
      { name: 'top_k', kind: 'integer', description: 'd', minimum: 1 },
      { name: 'max_tokens', kind: 'integer', description: 'd', minimum: 0, aboveMinimum: true },
      { name: 'n', kind: 'integer', description: 'd', defaultText: '' },
      { name: 'stream', kind: 'boolean', description: 'd', defaultText: 'true' },
      { name: 'logprobs', kind: 'boolean', description: 'd' },
      { name: 'tool_choice', kind: 'choice', description: 'd', options: ['auto', 'none'], defaultText: 'auto' },
      { name: 'response_format', kind: 'json', description: 'd' },
      { name: 'tools', kind: 'json', description: 'd' },
      { name: 'stop', kind: 'lines', description: 'd' },
      { name: 'new_one', kind: 'text', description: 'd' },
    ] as never;
    panel.update(every, {
      stream: false,
      logprobs: true,
      stop: ['x', 'y'],
      response_format: { type: 'text' },
      top_p: 0.5,
      system: 'You are',
    });
    panel.element.hidden = false;
    const all = outline(panel.element);
    panel.update([{ name: 'stop', kind: 'lines', description: 'd' }], { stop: 'x' });
    assertApproved('chat-parameter-panel', `${all}\nof another endpoint\n${outline(panel.element)}`);
    for (const { tag, attributes } of of(panel.element).all())
      if (attributes.has('for')) assert.equal(attributes.get('for'), 'parameter-stop', tag);
    of(panel.element).find('Close parameters').does('click');
    assert.deepEqual(
      calls.map(([name]) => name),
      ['close'],
    );
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

  it('that a refusal does not name have it above them all, and names are not taken for longer ones', async () => {
    const { panel, control } = make(['temperature_max is unknown', undefined]);
    control('temperature').value = '1';
    control('temperature').does('change');
    assert.equal(await panel.isValid(), false);
    const above = of(panel.element).find('panel-problem');
    assert.deepEqual(
      [above.textContent, control('temperature').getAttribute('aria-invalid')],
      ['temperature_max is unknown', 'false'],
    );
    control('temperature').does('change');
    assert.equal(await panel.isValid(), true);
    assert.equal(above.textContent, '');
  });

  it('are tried again where others come from a file, and forgotten with their conversation', async () => {
    const { panel, control } = make(['temperature does not go with stop', undefined]);
    control('temperature').value = '1';
    control('temperature').does('change');
    assert.equal(await panel.isValid(), false);
    calls.length = 0;
    panel.update(fields, {});
    assert.equal(calls.length, 0, 'nothing is another');
    panel.update(fields, { stop: ['x'] });
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls, [[{ temperature: 1, stop: ['x'] }]]);
    const other = make(['temperature is odd', 'none of them']);
    other.control('temperature').value = '9';
    other.control('temperature').does('change');
    assert.equal(await other.panel.isValid(), false);
    other.panel.forget();
    assert.equal(await other.panel.isValid(), true);
    assert.deepEqual(
      [other.control('temperature').value, other.control('temperature').getAttribute('aria-invalid')],
      ['', 'false'],
    );
  });

  it('are neither written over nor marked by what comes late, of before a change or of another conversation', async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const panel = new ParameterPanel((given) => (calls.push([given]), promise), noted('close'), noted('fromFile'));
    panel.update(fields, { stop: ['x'] });
    const control = of(panel.element).find('textarea');
    control.value = 'y';
    control.does('change');
    panel.update(fields, { stop: ['x'] });
    assert.equal(control.value, 'y', 'what is on its way is newer');
    await nextTurn();
    control.does('change');
    panel.forget();
    panel.update(fields, { stop: ['of the other'] });
    resolve('refused');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(
      [of(panel.element).find('panel-problem').textContent, control.value, calls],
      ['', 'of the other', [[{ stop: ['y'] }]]],
      'and the second change, which waited, was of the conversation before',
    );
  });

  it('of the sampling are all taken away by a preset', async () => {
    const { panel, control } = make();
    const sampling = ['temperature', 'top_p', 'top_k', 'n'].map((name) => ({ name, kind: 'number', description: 'd' }));
    panel.update(sampling as never, { temperature: 1, top_p: 0.5, top_k: 3, n: 2 });
    const preset = of(panel.element).find('select');
    assert.equal(preset.value, '');
    preset.value = 'precise';
    preset.does('change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls, [[{ temperature: 0.2, n: 2 }]]);
    control('top_k').value = '1';
    control('top_k').does('input');
    assert.equal(preset.value, '', 'it is the preset no more');
  });
});
