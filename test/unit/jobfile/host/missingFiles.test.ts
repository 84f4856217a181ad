import assert from 'node:assert/strict';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { MissingFiles } = await import('../../../../src/jobfile/host/missingFiles.ts');

const folder = (path: string, name = path.slice(1)) => ({ uri: standIn.Uri.file(path), name }) as never;
const notes = { candidates: ['/n.py', '/n.ipynb'], start: 0, end: 1 };
const plain = { candidates: ['/a.py'], start: 2, end: 3 };

describe('files that a job names in vain', () => {
  let references: (typeof plain)[];
  let watched: unknown[][];
  let watchersLeft: number;
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
    watchersLeft = 0;
    changes = 0;
    connections = new FakeConnections();
    standIn.workspace.workspaceFolders = [folder('/work')];
    standIn.workspace.createFileSystemWatcher = ((...args: unknown[]) => (
      watched.push(args),
      { ...createFileSystemWatcher(), dispose: () => (watchersLeft += 1) }
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
    const alike = { candidates: ['/n.py', '/n.sql'], start: 4, end: 5 };
    references = [notes, alike];
    assert.equal(await missing.refresh(language, tree), true, 'others than the first may be meant');
    assert.deepEqual(problems(), [alike]);
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
    assert.deepEqual([changes, connections.isHeard, watchersLeft], [3, false, 1]);
  });

});
