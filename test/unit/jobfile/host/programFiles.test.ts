import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { createFile, createJobFile, programFiles, pythonFiles, readProgram } =
  await import('../../../../src/jobfile/host/programFiles.ts');
const { ignoredFolders } = await import('../../../../src/jobfile/host/localRoot.ts');

describe('programs of the workspace', () => {
  const window = { ...standIn.window };
  afterEach(() => {
    Object.assign(standIn.window, { showWorkspaceFolderPick: undefined, showSaveDialog: window.showSaveDialog });
  });
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
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

  it('stand beside new job files, which keep both parts of their ending', async () => {
    editor.files = new Set(['/work/etl.job.yml']);
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), 'file:///work/etl-2.job.yml');
    assert.equal(editor.edits.length, 1);
    assert.equal(String(editor.shownDocuments[0]), 'file:///work/etl-2.job.yml');
  });

  it('are asked for a folder where there are several, and for a place where there is none', async () => {
    const folder = (path: string) => ({ uri: standIn.Uri.file(path), name: path });
    standIn.workspace.workspaceFolders = [folder('/work'), folder('/other')];
    const picked: unknown[] = [];
    const choices = [folder('/other'), undefined];
    Object.assign(standIn.window, {
      showWorkspaceFolderPick: async (options: unknown) => (picked.push(options), choices.shift()),
      showSaveDialog: async ({ defaultUri }: { defaultUri: standIn.Uri }) => defaultUri,
    });
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), 'file:///other/etl.job.yml');
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), undefined);
    assert.equal(picked.length, 2);
    standIn.workspace.workspaceFolders = undefined;
    assert.match((await createJobFile('etl.job.yml', 'name: etl')) ?? '', /\/etl\.job\.yml$/);
    assert.equal((editor.written[0] as unknown[])[1], 'name: etl');
  });

  it("are searched for without what is nobody's", async () => {
    editor.files = new Set(['/work/a.py', '/work/b/n.ipynb']);
    editor.contents.set('/work/a.py', 'print("ü")');
    assert.deepEqual(await programFiles(), ['/a.py', '/b/n.ipynb']);
    await pythonFiles();
    const [root] = standIn.workspace.workspaceFolders ?? [];
    assert.deepEqual(editor.asked, [
      [new standIn.RelativePattern(root, '**/*.{py,ipynb,sql,scala,r,R}'), ignoredFolders, 1000],
      [new standIn.RelativePattern(root, '**/*.py'), ignoredFolders, 1000],
    ]);
    assert.equal(await readProgram('/a.py'), 'print("ü")');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.parse('vscode-vfs://github/x') }, ...(root ? [root] : [])];
    assert.equal(await readProgram('/a.py'), 'print("ü")', 'jobs of this machine take it from there');
    standIn.workspace.workspaceFolders = undefined;
    assert.deepEqual([await programFiles(), await readProgram('/a.py')], [[], '']);
  });
});
