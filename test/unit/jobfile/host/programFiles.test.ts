import assert from 'node:assert/strict';
import os from 'node:os';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { waits } from '../../../support/editorStandIn/waits.ts';

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

  it('say where they are to be, in which kind of file, and that no name was free', async () => {
    const folder = (path: string) => ({ uri: standIn.Uri.file(path), name: path });
    const asked: unknown[] = [];
    standIn.workspace.workspaceFolders = [folder('/work'), folder('/other')];
    Object.assign(standIn.window, {
      showWorkspaceFolderPick: async (options: unknown) => void asked.push(options),
      showSaveDialog: async (options: { filters: unknown }) => void asked.push(options.filters),
    });
    await createJobFile('etl.job.yml', '');
    standIn.workspace.workspaceFolders = undefined;
    assert.equal(await createJobFile('etl.job.yml', ''), undefined, 'nobody has chosen a place');
    assert.deepEqual(asked, [{ placeHolder: 'The folder that gets the job file' }, { 'Job files': ['job.yml'] }]);
    assert.deepEqual([editor.written, editor.shownDocuments], [[], []]);
    standIn.workspace.workspaceFolders = [folder('/work')];
    const names = Array.from({ length: 200 }, (_, index) => `/work/etl${index < 1 ? '' : `-${index + 1}`}.job.yml`);
    editor.files = new Set(names);
    const failed = await createJobFile('etl.job.yml', '').then(
      (uri) => uri,
      (error: { message: string }) => error.message,
    );
    assert.equal(failed, 'etl.job.yml could not be written into /work.');
    editor.files.delete('/work/etl-101.job.yml');
    assert.equal(await createFile('etl.job.yml', ''), undefined, 'no more than a hundred are tried');
    editor.files.delete('/work/etl-100.job.yml');
    assert.equal(await createFile('etl.job.yml', ''), '/etl-100.job.yml');
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

  it('are not made where nothing can be made, which is told in words', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    const { applyEdit } = standIn.workspace;
    try {
      standIn.workspace.applyEdit = async () => false;
      await assert.rejects(createJobFile('a.job.yml', ''), {
        kind: 'unavailable',
        message: 'a.job.yml could not be written into work.',
        remedy: 'See whether files can be made in that folder.',
      });
      assert.deepEqual(editor.shownDocuments, []);
    } finally {
      standIn.workspace.applyEdit = applyEdit;
    }
  });

  it('are shown once they are written, and offered the home of the user where there is no folder', async () => {
    const make = (): Promise<unknown> => createJobFile('etl.job.yml', 'name: etl');
    assert.deepEqual(await waits(standIn.window, 'showTextDocument', make), [false, true]);
    standIn.workspace.workspaceFolders = [];
    editor.saveTo = standIn.Uri.file('/else/etl.job.yml');
    assert.deepEqual(await waits(standIn.workspace.fs, 'writeFile', make), [false, true]);
    const { defaultUri } = editor.asked.at(-1) as { defaultUri: standIn.Uri };
    assert.equal(defaultUri.path, standIn.Uri.joinPath(standIn.Uri.file(os.homedir()), 'etl.job.yml').path);
  });
});
