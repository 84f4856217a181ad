import assert from 'node:assert/strict';
import { blur, click, find, fire, inPage, onPage, scrolledTo } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

const { ParameterPanel } = await onPage(() => import('../../../../src/chat/webview/parameterPanel.ts'));

describe('ParameterPanel', () => {
  const calls: unknown[][] = [];
  const noted = notedIn(() => calls);
  inPage();
  beforeEach(() => {
    calls.length = 0;
    blur();
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
      noted('choosePreset'),
    );
    panel.update(fields, {});
    const control = (name: string) => panel.element.querySelector<HTMLInputElement>(`#parameter-${name}`)!;
    document.body.append(panel.element);
    return { panel, control };
  };

  it('groups its fields by purpose, the most used first and unknown ones last', () => {
    const { panel } = make();
    const names = 'zeta n top_k tool_choice max_tokens stop top_p temperature system tools';
    panel.update(names.split(' ').map((name) => ({ name, kind: 'text', description: 'd' })) as never, {});
    assert.deepEqual(
      [...panel.element.querySelectorAll('textarea')].map(({ id }) => id.slice('parameter-'.length)),
      'system temperature top_p top_k max_tokens stop n zeta tools tool_choice'.split(' '),
    );
  });

  it('passes valid parameters on and marks invalid ones', async () => {
    const { panel, control } = make();
    control('temperature').value = '0,5';
    control('stop').value = 'a\n\nb';
    control('extra').value = '{';
    fire(control('extra'), 'change');
    assert.equal(await panel.isValid(), false);
    assert.deepEqual(calls, [[{ temperature: 0.5, stop: ['a', 'b'] }]]);
    assert.deepEqual(
      [control('extra').getAttribute('aria-invalid'), control('stop').getAttribute('aria-invalid')],
      ['true', 'false'],
    );
    panel.focusProblem();
    assert.ok(document.activeElement === control('extra'));
    click(find(panel.element, 'Reset all'));
    assert.equal(await panel.isValid(), true);
    assert.deepEqual([calls.at(-1), control('stop').value], [[{}], '']);
  });

  it('omits the parameters that the host refuses', async () => {
    const { panel, control } = make(['temperature is too large']);
    control('temperature').value = '9';
    fire(control('temperature'), 'change');
    assert.equal(await panel.isValid(), false);
    assert.deepEqual(calls, [[{ temperature: 9 }], [{}]]);
    panel.update(fields, { temperature: 1 });
    assert.equal(control('temperature').value, '9');
  });

  it('does not overwrite a field that has the focus', () => {
    const { panel, control } = make();
    control('temperature').focus();
    panel.update(fields, { temperature: 1, stop: ['x', 'y'] });
    assert.deepEqual([control('temperature').value, control('stop').value], ['', 'x\ny']);
  });

  it('has presets that change only the sampling', async () => {
    const { panel, control } = make();
    const preset = find(panel.element, 'select');
    panel.update(fields, { stop: ['x'] });
    assert.equal(preset.value, 'default');
    preset.value = 'precise';
    fire(preset, 'change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls, [[{ temperature: 0.2, stop: ['x'] }]]);
    panel.update(fields, { temperature: 0.7, stop: ['x'] });
    assert.deepEqual([control('temperature').value, preset.value], ['0.7', '']);
    preset.value = '';
    fire(preset, 'change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual([calls.length, control('temperature').value, control('stop').value], [1, '0.7', 'x']);
    preset.value = 'creative';
    fire(preset, 'change');
    assert.equal(await panel.isValid(), true);
    assert.deepEqual(calls.at(-1), [{ temperature: 1.3, stop: ['x'] }]);
  });

  it('reads each kind of field and omits blank ones', async () => {
    const { panel, control } = make();
    const kinds = ['number', 'integer', 'boolean', 'choice', 'text', 'lines', 'json'];
    panel.update(kinds.map((kind) => ({ name: kind, kind, description: 'd', options: ['a'] })) as never, {});
    const hand = async (values: Record<string, string>): Promise<unknown> => {
      for (const kind of kinds) control(kind).value = values[kind] ?? '';
      fire(control('text'), 'change');
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
    assert.match(panel.element.textContent, /not a number.*not a number.*JSON/);
    panel.focusProblem();
    assert.ok(document.activeElement === control('number'));
    assert.deepEqual(scrolledTo, ['This is not a number.']);
  });
});
