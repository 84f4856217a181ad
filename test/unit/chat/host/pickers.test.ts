import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChosenEndpoint } from '../../../../src/chat/chatPorts.ts';
import { emptyConversation } from '../../../../src/chat/conversation.ts';
import type { Endpoint } from '../../../../src/chat/protocol.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';
import { heldConversations } from './heldConversations.ts';

const { showHistory } = await import('../../../../src/chat/host/historyPicker.ts');
const { deleteConversation, exportConversation } = await import('../../../../src/chat/host/conversationCommands.ts');
const { pickPreset } = await import('../../../../src/chat/host/presetPicker.ts');
const { pickEndpoint } = await import('../../../../src/chat/host/editorActions.ts');

describe('the chat history', () => {
  const calls: unknown[][] = [];
  const searched: string[] = [];
  let unread: string | undefined;
  const { noted, service: held } = heldConversations(calls, searched, (id) => id === unread);
  const service = {
    ...held,
    currentConversation: { id: 'a', title: 'A' },
  };
  const itemsOf = <T>(box: Record<string, unknown> | undefined): T[] => (box?.['items'] ?? []) as T[];
  beforeEach(() => {
    editor.reset();
    calls.length = searched.length = 0;
    unread = undefined;
  });

  it('marks conversations that are being written or unread', async () => {
    unread = 'a';
    await showHistory(service as never, noted('shown'), () => undefined);
    const items = editor.boxes[0]?.['items'] as { description?: string; iconPath?: { id: string } }[];
    assert.deepEqual(
      items.slice(1).map(({ description, iconPath }) => [description?.split(', ').at(-1), iconPath?.id]),
      [
        ['new answer', 'circle-filled'],
        ['writing', 'loading~spin'],
      ],
    );
  });

  it('finds conversations by their text and reads each of them once', async () => {
    await showHistory(service as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    const type = async (value: string): Promise<(string | undefined)[]> => {
      Object.assign(box ?? {}, { value });
      box?.events.value.fire(value as never);
      await nextTurn();
      const items = (box?.['items'] ?? []) as { detail?: string; alwaysShow?: boolean }[];
      return items.filter(({ alwaysShow }) => alwaysShow).map(({ detail }) => detail);
    };
    assert.deepEqual([await type('Da'), searched], [[], []], 'two letters are everywhere');
    assert.deepEqual(await type('DAYS'), ['the days are empty in b']);
    assert.deepEqual(await type('empty in'), ['the days are empty in b']);
    assert.deepEqual(await type('nowhere'), []);
    assert.deepEqual(searched, ['a', 'b']);
  });

  it('marks cut-off answers, unless they are being written or unread', async () => {
    unread = 'u';
    const listed = ['b', 'u', 'x', 'a'].map((id) => ({
      id,
      title: id,
      updatedAtMs: 1,
      hasContent: true,
      isCutOff: true,
    }));
    await showHistory({ ...service, listConversations: async () => listed } as never, noted('shown'), () => undefined);
    const items = itemsOf<{ description?: string; iconPath?: { id: string } }>(editor.boxes[0]);
    assert.deepEqual(
      items.slice(1).map(({ description, iconPath }) => [description?.split(', ').slice(1).join(), iconPath?.id]),
      [
        ['writing', 'loading~spin'],
        ['new answer', 'circle-filled'],
        ['cut off', 'warning'],
        ['cut off,shown', 'warning'],
      ],
    );
  });
});

describe('presets', () => {
  beforeEach(() => editor.reset());

  it('save parameters and instructions under a name, offer them, and can be deleted', async () => {
    const memory = memento();
    const choose = (label: string, current = {}): ReturnType<typeof pickPreset> => {
      editor.pick = (items, options) => {
        const found = (items as { label: string }[]).filter((item) => item.label.startsWith(label));
        return (options as { canPickMany?: boolean }).canPickMany ? items : found[0];
      };
      return pickPreset(memory, current);
    };
    const values = { temperature: 0.2, system: 'Be brief.' };
    editor.input = () => ' Brief ';
    assert.equal(await choose('Save', values), undefined);
    assert.deepEqual(await choose('Brief'), values);
    await choose('Delete');
    assert.equal(await choose('Brief'), undefined);
  });
});

describe('conversation commands', () => {
  const calls: unknown[][] = [];
  const { service } = heldConversations(calls, [], () => false);
  const failed = (error: unknown, what: string): void => void calls.push(['failure', String(error), what]);
  const remove = (title: string, of: object = service): Promise<void> =>
    deleteConversation(of as never, 'a', title, failed);
  beforeEach(() => {
    editor.reset();
    calls.length = 0;
  });

  it('undo a deletion on request and report failures', async () => {
    const answered = Promise.withResolvers<string | undefined>();
    editor.answer = () => answered.promise as never;
    // The deletion completes before the user answers the message.
    await remove('A');
    await settle();
    assert.deepEqual(calls, [['delete', 'a']]);
    answered.resolve('Undo');
    await settle();
    assert.deepEqual(calls.splice(0), [
      ['delete', 'a'],
      ['restore', 'a'],
    ]);
    for (const answer of [undefined, 'Close']) {
      editor.answer = () => answer;
      await remove('A');
      await settle();
    }
    assert.deepEqual(calls.splice(0), [
      ['delete', 'a'],
      ['delete', 'a'],
    ]);
    editor.answer = () => 'Undo';
    await remove('A', { ...service, restoreConversation: () => Promise.reject(new Error('EIO')) });
    await settle();
    assert.deepEqual(calls.slice(1), [['failure', 'Error: EIO', 'millrace.chat.delete']]);
  });

  const exported = (title: string): Promise<void> => exportConversation({ ...emptyConversation('a', 0), title });

  it('export under a valid file name, as Markdown or JSON', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }, { uri: standIn.Uri.file('/other') }];
    for (const [title, name] of [
      ['?!', 'conversation.md'],
      ['', 'conversation.md'],
      [`${'x'.repeat(59)} ${'y'.repeat(20)}`, `${'x'.repeat(59)}-.md`],
      ['  Zürich: 2 Läufe. ', 'Zürich-2-Läufe.md'],
    ] as const) {
      await exported(title);
      const { defaultUri, ...rest } = editor.asked.at(-1) as { defaultUri: { path: string } };
      assert.equal(defaultUri.path, `/work/${name}`);
      assert.deepEqual(rest, {
        title: 'Export Chat',
        filters: { Markdown: ['md'], 'JSON with All Variants': ['json'] },
      });
    }
    standIn.workspace.workspaceFolders = undefined;
    await exported('A');
    assert.equal('defaultUri' in (editor.asked.at(-1) as object), false, 'the editor says where');
  });

  it("export in the format of the file's extension, and nothing without a file", async () => {
    await exported('Why / how?');
    assert.deepEqual([editor.written, editor.shownDocuments], [[], []]);
    for (const name of ['a.json.md', 'a.json']) {
      editor.saveTo = standIn.Uri.file(`/out/${name}`);
      await exported('Why / wäre → so?');
    }
    assert.deepEqual(
      editor.written.map(([{ path }]) => path),
      ['/out/a.json.md', '/out/a.json'],
    );
    assert.match(editor.written[0]?.[1] ?? '', /^# Why \/ wäre → so\?/);
    assert.equal((JSON.parse(editor.written[1]?.[1] ?? '') as { title: string }).title, 'Why / wäre → so?');
    assert.deepEqual(
      editor.shownDocuments.map(([uri]) => String(uri)),
      ['file:///out/a.json.md', 'file:///out/a.json'],
    );
  });
});

describe('the endpoint picker', () => {
  interface Item {
    label: string;
    kind?: number;
    description?: string;
    detail?: string;
  }

  beforeEach(() => editor.reset());
  const endpoints: Endpoint[] = [
    { name: 'emb', server: 'Local', task: 'embedding' },
    { name: 'guide', server: 'Local', detail: 'Built in' },
    { name: 'base', server: 'Local, not ready', task: 'completion' },
    { name: 'mine', server: 'named in the profile' },
  ];

  const itemsOf = (): Item[] => (editor.boxes.at(-1)?.['items'] ?? []) as Item[];

  /** Opens the list and chooses the entry with a name. */
  async function choose(name: string, current?: ChosenEndpoint, items = endpoints): ReturnType<typeof pickEndpoint> {
    const asked = pickEndpoint(Promise.resolve(items), current, true);
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

  it('groups endpoints by task, with server and state', async () => {
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
      'Add Model…',
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

  it('is busy until the list is loaded, and chooses nothing when it is closed', async () => {
    let fill: (items: Endpoint[]) => void = () => undefined;
    const asked = pickEndpoint(new Promise((resolve) => (fill = resolve)), undefined, false);
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

  it('accepts another name, optionally with its task', async () => {
    const another = (task?: 'embedding'): ReturnType<typeof pickEndpoint> =>
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
