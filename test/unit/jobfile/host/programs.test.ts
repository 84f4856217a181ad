import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { createFile, pythonFiles } = await import('../../../../src/jobfile/host/programs.ts');

describe('programs of the workspace', () => {
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
  });

  it('are told with the one that is shown', async () => {
    editor.files = new Set(['/work/a.py', '/work/b.py']);
    standIn.window.activeTextEditor = { document: { uri: standIn.Uri.file('/work/b.py') } };
    assert.deepEqual(await pythonFiles(), [
      { path: '/a.py', isActive: false },
      { path: '/b.py', isActive: true },
    ]);
    standIn.workspace.workspaceFolders = undefined;
    assert.deepEqual([await pythonFiles(), await createFile('c.py', '')], [[], undefined]);
  });

  it('are made under a name that is free, never over a file', async () => {
    editor.files = new Set(['/work/a.py', '/work/a-2.py']);
    assert.equal(await createFile('a.py', 'print()'), '/a-3.py');
    const [uri, options] = editor.edits[0] as [standIn.Uri, { overwrite: boolean; contents: Uint8Array }];
    assert.deepEqual(
      [uri.path, options.overwrite, new TextDecoder().decode(options.contents)],
      ['/work/a-3.py', false, 'print()'],
    );
  });
});
