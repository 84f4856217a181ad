import assert from 'node:assert/strict';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { EditorActions } = await import('../../../../src/chat/host/editorActions.ts');

describe('what the chat does in the editor', () => {
  let shows = 0;
  const actions = new EditorActions(memento(), {
    show: async () => void (shows += 1),
    showHistory: async () => undefined,
    applyCode: async () => undefined,
  });
  beforeEach(() => editor.reset());
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
});
