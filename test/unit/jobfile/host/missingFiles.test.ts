import assert from 'node:assert/strict';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { MissingFiles } = await import('../../../../src/jobfile/host/missingFiles.ts');
const { fileOf, ignoredFolders, isThere, localRoot, severalFolders, workspacePath } =
  await import('../../../../src/jobfile/host/localRoot.ts');
const programs = await import('../../../../src/jobfile/host/programFiles.ts');

const folder = (path: string, name = path.slice(1)) => ({ uri: standIn.Uri.file(path), name }) as never;
const notes = { candidates: ['/n.py', '/n.ipynb'], start: 0, end: 1 };
const plain = { candidates: ['/a.py'], start: 2, end: 3 };

describe('files that a job names in vain', () => {
  let references: (typeof plain)[];
  let watched: unknown[][];
  const told: unknown[][] = [];
  const language = {
    fileReferences: () => references,
    missingFileProblems: (...args: unknown[]) => (told.push(args), args[1]),
  } as never;
  const tree = 'tree' as never;
  let connections: FakeConnections;
  let missing: InstanceType<typeof MissingFiles>;
  let changes: number;
  const { createFileSystemWatcher } = standIn.workspace;

  beforeEach(() => {
    editor.reset();
    references = [notes, plain];
    told.length = 0;
    watched = [];
    changes = 0;
    connections = new FakeConnections();
    standIn.workspace.workspaceFolders = [folder('/work')];
    standIn.workspace.createFileSystemWatcher = ((...args: unknown[]) => (
      watched.push(args),
      createFileSystemWatcher()
    )) as never;
    missing = new MissingFiles(connections);
    missing.onDidChange(() => (changes += 1));
  });
  afterEach(() => {
    missing.dispose();
    standIn.workspace.createFileSystemWatcher = createFileSystemWatcher;
  });
  const problems = (): unknown => missing.problemsOf(language, tree);

  it('are told once they were looked for, and are looked for once', async () => {
    assert.deepEqual(problems(), []);
    editor.files.add('/work/n.ipynb');
    assert.equal(await missing.refresh(language, tree), true);
    assert.deepEqual(problems(), [plain]);
    assert.deepEqual(told.at(-1), ['tree', [plain], undefined]);
    assert.equal(await missing.refresh(language, tree), false);
    references = [notes];
    assert.deepEqual(problems(), []);
  });

  it('are forgotten when a program comes or goes, or with another profile', async () => {
    for (const change of [
      () => editor.events.filesCreated.fire(),
      () => editor.events.filesDeleted.fire(),
      () => connections.change({ ...staging, kind: 'local' }),
    ]) {
      await missing.refresh(language, tree);
      assert.deepEqual(problems(), [notes, plain]);
      change();
      assert.deepEqual(problems(), []);
    }
    assert.equal(changes, 3);
    assert.deepEqual(watched, [
      [new standIn.RelativePattern(folder('/work'), '**/*.{py,ipynb,sql,r,R,scala}'), false, true, false],
    ]);
    missing.dispose();
    connections.change(staging);
    assert.equal(changes, 3);
  });

  it('do not come back from a look that began before they were forgotten', async () => {
    const looking = missing.refresh(language, tree);
    editor.events.filesCreated.fire();
    await looking;
    assert.deepEqual(problems(), []);
  });

  it('are none on another service, or without a folder, and are told with the folder where there are several', async () => {
    connections.current = staging;
    assert.equal(await missing.refresh(language, tree), false);
    connections.change({ ...staging, kind: 'local' });
    await missing.refresh(language, tree);
    standIn.workspace.workspaceFolders = [folder('/work', 'etl'), folder('/other')];
    assert.deepEqual(problems(), [notes, plain]);
    assert.equal(told.at(-1)?.[2], 'etl');
    connections.current = staging;
    assert.deepEqual(problems(), []);
    connections.current = { ...staging, kind: 'local' };
    standIn.workspace.workspaceFolders = undefined;
    assert.deepEqual([problems(), await missing.refresh(language, tree)], [[], false]);
    new MissingFiles(connections).dispose();
    assert.equal(watched.length, 1);
  });
});

describe('the folder that / means to the local service', () => {
  beforeEach(() => editor.reset());

  it('is the first that is on this machine', () => {
    const remote = { uri: standIn.Uri.parse('vscode-vfs://github/x'), name: 'x' };
    assert.deepEqual([localRoot(), severalFolders()], [undefined, false]);
    standIn.workspace.workspaceFolders = [remote];
    assert.deepEqual([localRoot(), severalFolders()], [undefined, false]);
    standIn.workspace.workspaceFolders = [remote, folder('/b'), folder('/c')];
    assert.deepEqual([localRoot()?.name, severalFolders()], ['b', true]);
  });

  it('has the first of the files that a path may mean', async () => {
    editor.files = new Set(['/work/n.ipynb']);
    assert.equal((await fileOf(folder('/work'), notes as never))?.path, '/work/n.ipynb');
    editor.files.add('/work/n.py');
    assert.equal((await fileOf(folder('/work'), notes as never))?.path, '/work/n.py');
    assert.equal(await fileOf(folder('/work'), plain as never), undefined);
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

  it("is searched for programs, without what is nobody's", async () => {
    standIn.workspace.workspaceFolders = [folder('/work')];
    editor.files = new Set(['/work/a.py', '/work/b/n.ipynb']);
    editor.contents.set('/work/a.py', 'print(1)');
    assert.deepEqual(await programs.programFiles(), ['/a.py', '/b/n.ipynb']);
    await programs.pythonFiles();
    const root = folder('/work');
    assert.deepEqual(editor.asked, [
      [new standIn.RelativePattern(root, '**/*.{py,ipynb,sql,scala,r,R}'), ignoredFolders, 1000],
      [new standIn.RelativePattern(root, '**/*.py'), ignoredFolders, 1000],
    ]);
    assert.equal(ignoredFolders, '**/{node_modules,.git,.venv,venv,__pycache__,.ipynb_checkpoints,site-packages}/**');
    assert.equal(await programs.readProgram('/a.py'), 'print(1)');
    standIn.workspace.workspaceFolders = undefined;
    assert.deepEqual([await programs.programFiles(), await programs.readProgram('/a.py')], [[], '']);
  });

  it('is full where no name is free, or none can be made, which is told in words', async () => {
    standIn.workspace.workspaceFolders = [folder('/work')];
    const { applyEdit } = standIn.workspace;
    try {
      standIn.workspace.applyEdit = async () => false;
      await assert.rejects(programs.createJobFile('a.job.yml', ''), {
        kind: 'unavailable',
        message: 'a.job.yml could not be written into work.',
        remedy: 'See whether files can be made in that folder.',
      });
      assert.deepEqual(editor.shownDocuments, []);
    } finally {
      standIn.workspace.applyEdit = applyEdit;
    }
  });
});
