import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChosenEndpoint } from '../../../../src/chat/chatPorts.ts';
import type { Endpoint } from '../../../../src/chat/protocol.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

const { pickEndpoint } = await import('../../../../src/chat/host/endpointPicker.ts');

interface Item {
  label: string;
  kind?: number;
  description?: string;
  detail?: string;
}

describe('the list of endpoints to choose from', () => {
  beforeEach(() => editor.reset());
  const endpoints: Endpoint[] = [
    { name: 'emb', server: 'Local', task: 'embedding' },
    { name: 'guide', server: 'Local', detail: 'Built in' },
    { name: 'base', server: 'Local, not ready', task: 'completion' },
    { name: 'mine', server: 'named in the profile' },
  ];

  const itemsOf = (): Item[] => (editor.boxes.at(-1)?.['items'] ?? []) as Item[];

  /** Opens the list, and chooses the row of a name in it. */
  async function choose(
    name: string,
    current?: ChosenEndpoint,
    items = endpoints,
  ): Promise<ChosenEndpoint | undefined> {
    const asked = pickEndpoint(Promise.resolve(items), current);
    await nextTurn();
    const box = editor.boxes.at(-1);
    const item = itemsOf().find(({ label, kind }) => label === name && kind === undefined);
    Object.assign(box ?? {}, { selectedItems: [item] });
    box?.events.accept.fire(undefined as never);
    const chosen = await asked;
    assert.equal(box?.isDisposed, true);
    return chosen;
  }

  const shown = (): string[] =>
    itemsOf().map(({ label, kind, description }) =>
      kind === undefined ? [label, description].filter(Boolean).join(' | ') : `— ${label}`,
    );

  it('stand under what they do, each name once, with server and state, and are found by all of it', async () => {
    assert.deepEqual(await choose('base', { name: 'guide' }), { name: 'base', task: 'completion' });
    assert.deepEqual(shown(), [
      '— Chat',
      'guide | Local, current',
      'mine | named in the profile',
      '— Completions',
      'base | Local, not ready',
      '— Embeddings',
      'emb | Local',
      '— ',
      'Another endpoint…',
    ]);
    const box = editor.boxes.at(-1) ?? {};
    const { matchOnDescription, matchOnDetail, activeItems, busy } = box as Record<string, unknown>;
    assert.deepEqual([matchOnDescription, matchOnDetail, busy], [true, true, false]);
    assert.deepEqual(
      (activeItems as Item[]).map(({ label, detail }) => [label, detail]),
      [['guide', 'Built in']],
    );
  });

  it('are waited for in sight: what is accepted before is nothing, and who leaves chooses nothing', async () => {
    let fill: (items: Endpoint[]) => void = () => undefined;
    const asked = pickEndpoint(new Promise((resolve) => (fill = resolve)), undefined);
    const [box] = editor.boxes;
    assert.deepEqual([box?.isShown, box?.['busy']], [true, true]);
    box?.events.accept.fire(undefined as never);
    fill(endpoints);
    await nextTurn();
    assert.deepEqual([box?.isDisposed, box?.['busy']], [false, false]);
    Object.assign(box ?? {}, { selectedItems: itemsOf().slice(1, 2) });
    box?.events.hide.fire(undefined as never);
    assert.equal(await asked, undefined, 'whatever was selected');
  });

  it('have room for another name, with its task as a profile writes it', async () => {
    const another = (task?: 'embedding'): Promise<ChosenEndpoint | undefined> =>
      choose('Another endpoint…', { name: 'guide', task });
    for (const [typed, name, task] of [
      [' mine ', 'mine', undefined],
      ['e5:embedding', 'e5', 'embedding'],
      ['a:7b:chat', 'a:7b', undefined],
      ['qwen3:8b', 'qwen3:8b', undefined],
    ]) {
      editor.input = () => typed;
      assert.deepEqual(await another(), { name, task });
    }
    editor.input = () => undefined;
    assert.equal(await another(), undefined);
    const { value, validateInput } = editor.asked[0] as { value: string; validateInput(name: string): unknown };
    assert.deepEqual([value, validateInput('x'), typeof validateInput(' ')], ['guide', undefined, 'string']);
    await another('embedding');
    assert.equal((editor.asked.at(-1) as { value: string }).value, 'guide:embedding');
  });
});
