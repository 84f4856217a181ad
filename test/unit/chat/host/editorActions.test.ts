import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';
import './editorActionsWait.part.ts';

const { EditorActions } = await import('../../../../src/chat/host/editorActions.ts');

describe('what the chat does in the editor', () => {
  holdTrail(import.meta.url);
  let shows = 0;
  const actions = new EditorActions(memento(), {
    show: async () => void (shows += 1),
    showHistory: async () => undefined,
    applyCode: async () => undefined,
  });
  beforeEach(() => editor.reset());
  const select = (...[line, character, endLine, endCharacter]: [number, number, number, number]): void => {
    standIn.window.activeTextEditor = {
      document: textFile('file:///work/a.job.yml', 'name: a\nother: b\n'),
      selection: new standIn.Range(line, character, endLine, endCharacter),
    };
  };

  it('takes the selection, or the whole file where nothing is selected', async () => {
    assert.equal(await actions.selection(), undefined);
    select(0, 0, 0, 4);
    assert.deepEqual(await actions.selection(), { label: 'a.job.yml:1-1', language: 'yaml', text: 'name' });
    select(0, 0, 0, 0);
    assert.deepEqual(await actions.selection(), { label: 'a.job.yml', language: 'yaml', text: 'name: a\nother: b\n' });
    select(0, 5, 0, 6);
    assert.equal(await actions.selection(), undefined);
  });

  it('opens what was sent and received under the name of the endpoint, which is no path', async () => {
    await actions.showExchange('c-1', { id: 'a-2', endpoint: 'org/team\\model' });
    const [shown] = editor.opened as { scheme?: string; path?: string; query?: string }[];
    assert.deepEqual([shown?.path, shown?.query], ['/org-team-model.json', 'c-1/a-2']);
  });

  it("opens code in the editor's own language, and as plain text where it has none", async () => {
    for (const language of ['PySpark', 'bash', 'klingon', 'yml']) await actions.newFile({ text: 'x', language });
    assert.deepEqual(
      editor.opened,
      ['python', 'shellscript', 'plaintext', 'yaml'].map((language) => ({ content: 'x', language })),
    );
  });

  it('opens code under the name that the answer gives, where no file has it and it is one of the workspace', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    editor.files.add('/work/taken.py');
    for (const path of ['jobs/new.py', 'taken.py', '../out.py', '.git/hooks.py'])
      await actions.newFile({ text: 'x', language: 'python', path });
    const [named, ...others] = editor.opened;
    assert.equal(String(named), 'untitled:/work/jobs/new.py');
    assert.deepEqual(
      others,
      ['taken.py', '../out.py', '.git/hooks.py'].map(() => ({ content: 'x', language: 'python' })),
    );
    assert.equal(editor.edits.length, 1);
  });

  it('puts text over what is selected, or into a file of its own', async () => {
    await actions.insertAtCursor('x');
    assert.deepEqual(editor.opened, [{ content: 'x', language: 'plaintext' }]);
    const replaced: unknown[] = [];
    const document = {};
    standIn.window.visibleTextEditors = [
      {
        document,
        viewColumn: 2,
        selections: ['one', 'two'],
        edit: async (run: (edit: unknown) => void) => run({ replace: (...edit: unknown[]) => replaced.push(edit) }),
      },
    ];
    await actions.insertAtCursor('y');
    assert.deepEqual(
      [replaced, editor.shownDocuments.at(-1)],
      [
        [
          ['one', 'y'],
          ['two', 'y'],
        ],
        [document, 2],
      ],
    );
  });

  it('brings the chat back to the front when an endpoint was chosen, and leaves who chose none where they are', async () => {
    const asked = actions.pickEndpoint(Promise.resolve([{ name: 'm', server: 'S' }]), undefined);
    await nextTurn();
    const [box] = editor.boxes;
    Object.assign(box ?? {}, { selectedItems: [((box?.['items'] ?? []) as unknown[])[1]] });
    box?.events.accept.fire(undefined as never);
    assert.deepEqual([await asked, shows], [{ name: 'm', task: undefined }, 1]);
    const left = actions.pickEndpoint(Promise.resolve([]), undefined);
    editor.boxes[1]?.events.hide.fire(undefined as never);
    assert.deepEqual([await left, shows], [undefined, 1]);
  });

  it('opens strict addresses, and remembers the conversation', async () => {
    await actions.openExternal('https://example.com/');
    await assert.rejects(actions.openExternal('nothing'));
    assert.deepEqual(editor.external, ['https://example.com/']);
    await actions.rememberConversation('a');
    assert.equal(actions.recallConversation(), 'a');
    await actions.chooseProfile();
    await actions.signIn();
    assert.deepEqual(editor.executed, [['millrace.profile.choose'], ['millrace.profile.signIn']]);
  });

  it('asks for one or several of what the chat offers, and says what it has to', async () => {
    const items = [
      { label: 'a', detail: '1' },
      { label: 'b', detail: '2' },
    ];
    const asked: unknown[] = [];
    editor.pick = (offered, options) => (asked.push(offered, options), offered[0]);
    assert.equal(await actions.pick('One', items), items[0]);
    await actions.pickSeveral('Some', items);
    assert.deepEqual(asked, [
      items,
      { title: 'One' },
      items.map((item) => ({ ...item, picked: true })),
      { title: 'Some', canPickMany: true },
    ]);
    actions.inform('[x](command:y) is said');
    assert.ok(!editor.shown[0]?.text.includes('](command:'));
    await actions.signIn();
    await actions.chooseProfile();
    await actions.copy('text');
    assert.deepEqual(
      [editor.executed, editor.clipboard],
      [[['millrace.profile.signIn'], ['millrace.profile.choose']], 'text'],
    );
  });

  it('opens no second file of a name that one has which is not saved yet, nor one of a folder elsewhere', async () => {
    const named = async (name: string): Promise<boolean> => {
      editor.opened = [];
      await actions.newFile({ text: 'x', language: 'python', path: name });
      return String(editor.opened[0]).startsWith('untitled:');
    };
    assert.equal(await named('a.py'), false, 'there is no folder');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    assert.equal(await named('/jobs//a.py'), true);
    assert.equal(String(editor.opened[0]), 'untitled:/work/jobs/a.py');
    standIn.workspace.textDocuments = [{ uri: standIn.Uri.file('/work/b.py') }];
    assert.deepEqual([await named('b.py'), await named('c.py')], [false, true]);
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.parse('vscode-vfs://github/x/y'), name: 'y' }];
    assert.equal(await named('c.py'), false);
  });

  it('calls the language of what is selected by the name of the editor, but for job files', async () => {
    const document = textFile('file:///work/a.py', 'a = 1\n', 'python');
    standIn.window.activeTextEditor = { document, selection: new standIn.Range(0, 0, 0, 1) };
    assert.deepEqual(await actions.selection(), { label: 'a.py:1-1', language: 'python', text: 'a' });
  });

  it('says what is selected, of the editor that is seen, and nothing where nothing is', async () => {
    assert.equal(actions.selected, undefined);
    const document = textFile('file:///work/a.py', 'a = 1\nb = 2\n', 'python');
    const seen = { document, selection: new standIn.Range(0, 0, 1, 0) };
    standIn.window.visibleTextEditors = [seen, { document, selection: new standIn.Range(0, 0, 1, 3) }];
    assert.equal(actions.selected, 'a.py:1-1', 'nothing of the second line is selected');
    assert.equal((await actions.selection())?.label, 'a.py:1-1');
    standIn.window.activeTextEditor = { document, selection: new standIn.Range(0, 1, 1, 2) };
    assert.equal(actions.selected, 'a.py:1-2');
    standIn.window.activeTextEditor = { document, selection: new standIn.Range(1, 2, 1, 2) };
    assert.equal(actions.selected, undefined);
  });

  it('takes a drop without addresses for rows of the jobs, and asks for a JSON file by what it is for', async () => {
    assert.deepEqual([await actions.pickContext([]), editor.asked], [[], []]);
    assert.deepEqual(editor.executed, [['millrace.run.attachDragged']]);
    assert.equal(await actions.pickJsonFile('Schema of the Answer'), undefined);
    assert.equal((editor.asked.at(-1) as { title: string }).title, 'Schema of the Answer');
  });
});
