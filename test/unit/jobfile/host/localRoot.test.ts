import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { fileOf, ignoredFolders, isThere, localRoot, severalFolders, workspacePath } =
  await import('../../../../src/jobfile/host/localRoot.ts');

const folder = (path: string, name = path.slice(1)) => ({ uri: standIn.Uri.file(path), name }) as never;

describe('the folder that / means to the local service', () => {
  beforeEach(() => editor.reset());

  it('is the first that is on this machine', () => {
    const remote = { uri: standIn.Uri.parse('vscode-vfs://github/x'), name: 'x' };
    assert.deepEqual([localRoot(), severalFolders()], [undefined, false]);
    standIn.workspace.workspaceFolders = [remote];
    assert.deepEqual([localRoot(), severalFolders()], [undefined, false]);
    standIn.workspace.workspaceFolders = [folder('/b')];
    assert.deepEqual([localRoot()?.name, severalFolders()], ['b', false]);
    standIn.workspace.workspaceFolders = [remote, folder('/b'), folder('/c')];
    assert.deepEqual([localRoot()?.name, severalFolders()], ['b', true]);
    standIn.workspace.workspaceFolders = [folder('/b'), remote];
    assert.equal(severalFolders(), true, 'it has to be said, wherever the other is');
  });

  it('has the first of the files that a path may mean', async () => {
    const find = async (...candidates: string[]): Promise<string | undefined> =>
      (await fileOf(folder('/work'), { path: '', candidates, start: 0, end: 1 }))?.path;
    editor.files = new Set(['/work/n.ipynb', '/a.py']);
    assert.equal(await find('/n.py', '/n.ipynb'), '/work/n.ipynb');
    editor.files.add('/work/n.py');
    assert.equal(await find('/n.py', '/n.ipynb'), '/work/n.py');
    assert.equal(await find('/n.ipynb', '/n.py'), '/work/n.ipynb');
    assert.deepEqual([await find('/a.py'), await find()], [undefined, undefined]);
    assert.deepEqual(
      [await isThere(standIn.Uri.file('/work/n.py') as never), await isThere(standIn.Uri.file('/n.py') as never)],
      [true, false],
    );
  });

  it('is left out of the names of its files, also where it is the root itself', () => {
    const name = (root: string, path: string): string => workspacePath(folder(root), standIn.Uri.file(path) as never);
    assert.deepEqual(
      [name('/work', '/work/a/b.py'), name('/work/', '/work/b.py'), name('/', '/b.py')],
      ['/a/b.py', '/b.py', '/b.py'],
    );
  });

  it('has folders whose files are nobody’s programs', () => {
    assert.equal(ignoredFolders, '**/{node_modules,.git,.venv,venv,__pycache__,.ipynb_checkpoints,site-packages}/**');
  });
});
