import assert from 'node:assert/strict';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { EditorActions } = await import('../../../../src/chat/host/editorActions.ts');

describe('what the chat does in the editor', () => {
  const actions = new EditorActions(memento(), {
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

  it('offers the endpoints under the names of their groups, and one that is not in the list', async () => {
    let offered: { label: string; kind?: number; description?: string }[] = [];
    editor.pick = async (items) => {
      offered = await (items as unknown as Promise<typeof offered>);
      return offered[2];
    };
    const endpoints = [
      { name: 'm', group: 'G', task: 'completion' as const },
      { name: 'n', group: 'H' },
    ];
    assert.deepEqual(await actions.pickEndpoint(Promise.resolve(endpoints), { name: 'gone' }), {
      name: 'm',
      task: 'completion',
    });
    assert.deepEqual(
      offered.map(({ label }) => label),
      ['gone', 'G', 'm', 'H', 'n', 'Another endpoint…'],
    );
    assert.equal(offered[2]?.description, 'completion');
    editor.pick = () => undefined;
    assert.equal(await actions.pickEndpoint(Promise.resolve(endpoints), { name: 'm' }), undefined);
  });

  it('keeps what an endpoint does that is not in the list', async () => {
    editor.pick = async (items) => (await (items as unknown as Promise<unknown[]>))[0];
    const current = { name: 'e5', task: 'embedding' as const };
    assert.deepEqual(await actions.pickEndpoint(Promise.resolve([]), current), current);
  });

  it('opens strict addresses, asks for a name that is one, and remembers the conversation', async () => {
    await actions.openExternal('https://example.com/');
    await assert.rejects(actions.openExternal('nothing'));
    assert.deepEqual(editor.external, ['https://example.com/']);
    const another = (items: readonly unknown[]): unknown => items.at(-1);
    editor.pick = async (items) => another(await (items as unknown as Promise<unknown[]>));
    editor.input = () => ' mine ';
    const endpoints = [
      { name: 'm', group: 'G', detail: 'd' },
      { name: 'n', group: 'G' },
    ];
    const chosen = (task?: 'embedding'): ReturnType<typeof actions.pickEndpoint> =>
      actions.pickEndpoint(Promise.resolve(endpoints), { name: 'm', task });
    assert.deepEqual(await chosen(), { name: 'mine', task: undefined });
    for (const [typed, name, task] of [
      ['e5:embedding', 'e5', 'embedding'],
      ['a:7b:chat', 'a:7b', undefined],
      ['qwen3:8b', 'qwen3:8b', undefined],
    ]) {
      editor.input = () => typed;
      assert.deepEqual(await chosen(), { name, task });
    }
    editor.input = () => undefined;
    assert.equal(await chosen(), undefined);
    editor.asked.shift();
    const { value, validateInput } = editor.asked[0] as { value: string; validateInput(name: string): unknown };
    assert.deepEqual([value, validateInput('x'), typeof validateInput(' ')], ['m', undefined, 'string']);
    await chosen('embedding');
    assert.equal((editor.asked.at(-1) as { value: string }).value, 'm:embedding');
    await actions.rememberConversation('a');
    assert.equal(actions.recallConversation(), 'a');
    await actions.chooseProfile();
    await actions.signIn();
    assert.deepEqual(editor.executed, [['millrace.profile.choose'], ['millrace.profile.signIn']]);
  });
});
