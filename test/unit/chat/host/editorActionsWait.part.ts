import assert from 'node:assert/strict';
import { AppError } from '../../../../src/shared/errors.ts';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { waits } from '../../../support/editorStandIn/waits.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';

const { EditorActions } = await import('../../../../src/chat/host/editorActions.ts');

describe('what the chat asks of the editor', () => {
  holdTrail(import.meta.url);
  const { env, commands, window, workspace } = standIn;
  const before = [
    [env, { ...env }],
    [env.clipboard, { ...env.clipboard }],
    [commands, { ...commands }],
    [window, { ...window }],
    [workspace, { ...workspace }],
  ] as const;
  let memory: ReturnType<typeof memento>;
  let calls: unknown[][];
  let actions: InstanceType<typeof EditorActions>;

  beforeEach(() => {
    editor.reset();
    [memory, calls] = [memento(), []];
    actions = new EditorActions(memory, {
      show: async () => void calls.push(['show']),
      showHistory: async () => void calls.push(['showHistory']),
      applyCode: async (code) => void calls.push(['applyCode', code]),
    });
  });
  afterEach(() => {
    for (const [target, whole] of before) Object.assign(target, whole);
  });

  it('is done when the editor has done it', async () => {
    const document = textFile('file:///work/a.py', 'a = 1\n', 'python');
    workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    const file = (path?: string) => (): Promise<void> =>
      actions.newFile({ text: 'x', language: 'python', ...(path !== undefined && { path }) });
    const table: [target: object, name: string, run: () => Promise<unknown>][] = [
      [env, 'openExternal', () => actions.openExternal('https://example.com/')],
      [env.clipboard, 'writeText', () => actions.copy('x')],
      [window, 'showTextDocument', () => actions.showExchange('c', { id: 'a', endpoint: 'e' })],
      [workspace, 'openTextDocument', () => actions.showExchange('c', { id: 'a', endpoint: 'e' })],
      [workspace, 'openTextDocument', file()],
      [workspace, 'openTextDocument', file('new.py')],
      [workspace, 'applyEdit', file('new.py')],
      [window, 'showTextDocument', file()],
      [commands, 'executeCommand', () => actions.signIn()],
      [commands, 'executeCommand', () => actions.chooseProfile()],
      [memory, 'update', () => actions.rememberConversation('c')],
    ];
    for (const [target, name, run] of table) assert.deepEqual(await waits(target, name, run), [false, true], name);
    const shown = { document, viewColumn: 1, selections: [], edit: async () => true };
    window.activeTextEditor = shown;
    assert.deepEqual(await waits(shown, 'edit', () => actions.insertAtCursor('x')), [false, true]);
    assert.deepEqual(await waits(window, 'showTextDocument', () => actions.insertAtCursor('x')), [false, true]);
  });

  it('is handed on to who shows the conversations and who changes files', async () => {
    await actions.showHistory();
    await actions.applyCode({ text: 'x', language: 'python' });
    assert.deepEqual(calls, [['showHistory'], ['applyCode', { text: 'x', language: 'python' }]]);
  });

  it('shows a new file with its text, at its start, and an exchange under its own scheme', async () => {
    workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    await actions.newFile({ text: 'x = 1', language: 'python', path: 'new.py' });
    const [[uri, range, text] = []] = editor.edits as [unknown, unknown, string][];
    assert.deepEqual([String(uri), range, text], ['untitled:/work/new.py', new standIn.Range(0, 0, 0, 0), 'x = 1']);
    await actions.newFile({ text: 'y', language: 'python' });
    await actions.showExchange('c', { id: 'a', endpoint: 'm' });
    assert.deepEqual(
      editor.shownDocuments.map(([document]) => (document as { content?: string }).content ?? String(document)),
      ['untitled:/work/new.py', 'y', 'millrace-chat:///m.json?c/a'],
    );
  });

  it('is about the file that has the focus, else the first that is seen', async () => {
    const seen = (name: string) => ({
      document: textFile(`file:///work/${name}`, 'text\n', 'python'),
      selection: new standIn.Range(0, 0, 0, 0),
      selections: [name],
      edit: async () => void calls.push([name]),
    });
    window.visibleTextEditors = [seen('b.py'), seen('c.py')];
    assert.equal((await actions.selection())?.label, 'b.py');
    await actions.insertAtCursor('x');
    window.activeTextEditor = seen('a.py');
    assert.equal((await actions.selection())?.label, 'a.py');
    await actions.insertAtCursor('x');
    assert.deepEqual(calls, [['b.py'], ['a.py']]);
  });

  it('calls every language that models write by the name that the editor has', async () => {
    const written = {
      shellscript: ['bash', 'sh', 'Shell', 'console'],
      python: ['py', 'PySpark', 'Python'],
      typescript: ['ts'],
      javascript: ['js'],
      yaml: ['yml'],
      markdown: ['md'],
      plaintext: ['text', 'txt', 'rust', ''],
    };
    const { getLanguages } = standIn.languages;
    standIn.languages.getLanguages = async () => Object.keys(written);
    try {
      for (const language of Object.values(written).flat()) await actions.newFile({ text: 'x', language });
      assert.deepEqual(
        editor.opened.map((opened) => (opened as { language: string }).language),
        Object.entries(written).flatMap(([id, names]) => names.map(() => id)),
      );
      // Not even one that the editor has is missed among those that it does not.
      standIn.languages.getLanguages = async () => ['plaintext', 'text', 'txt'];
      await actions.newFile({ text: 'x', language: 'text' });
      assert.equal((editor.opened.at(-1) as { language: string }).language, 'plaintext');
    } finally {
      standIn.languages.getLanguages = getLanguages;
    }
  });

  it('is an endpoint, after which the chat is shown before anything else is done', async () => {
    const choosing = actions.pickEndpoint(Promise.resolve([{ name: 'm', server: 'S' }]), {
      name: 'm',
      task: undefined,
    });
    await settle();
    const [box] = editor.boxes;
    assert.deepEqual(
      ((box?.['activeItems'] ?? []) as { label: string }[]).map(({ label }) => label),
      ['m'],
    );
    Object.assign(box ?? {}, { selectedItems: box?.['activeItems'] });
    const shown = Promise.withResolvers<void>();
    const slow = new EditorActions(memory, {
      show: () => shown.promise,
      showHistory: async () => undefined,
      applyCode: async () => undefined,
    });
    box?.events.accept.fire(undefined as never);
    assert.deepEqual([await choosing, calls], [{ name: 'm', task: undefined }, [['show']]]);
    let done = false;
    const waiting = slow.pickEndpoint(Promise.resolve([{ name: 'm', server: 'S' }]), undefined);
    void waiting.then(() => (done = true));
    await settle();
    Object.assign(editor.boxes[1] ?? {}, { selectedItems: [((editor.boxes[1]?.['items'] ?? []) as unknown[])[1]] });
    editor.boxes[1]?.events.accept.fire(undefined as never);
    await settle();
    assert.equal(done, false);
    shown.resolve();
    await waiting;
  });

  it('is what was dropped, or what the user chooses of all that there is', async () => {
    await assert.rejects(
      actions.pickContext(Array.from({ length: 101 }, () => 'file:///work/a.py')),
      (error) => error instanceof AppError && error.kind === 'tooLarge',
    );
    assert.deepEqual([await actions.pickContext(), editor.asked.length], [[], 1]);
  });

  it('remembers one conversation in each workspace', async () => {
    await actions.rememberConversation('c');
    assert.deepEqual(memory.values, { 'millrace.chat.lastConversation': 'c' });
    assert.equal(actions.recallConversation(), 'c');
    actions.inform('It is done.');
    assert.equal(editor.shown.at(-1)?.text, 'It is done.');
  });
});
