import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localProfile } from '../../../../src/connection/connection.ts';
import { DeployMemory } from '../../../../src/deployments/deployMemory.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { FileDeployments } = await import('../../../../src/commands/host/fileDeployments.ts');
const { SharedDeploys } = await import('../../../../src/commands/host/sharedDeploys.ts');

const both = (retries: number) => {
  const settings = { name: 'etl', max_retries: retries, big: 9007199254740993n } as never;
  return { sent: settings, settings };
};

describe('deploys that the editor and the command line share', () => {
  holdTrail(import.meta.url);
  let folder: string;
  let file: string;
  let uri: string;
  let state: ReturnType<typeof memento>;
  let connections: FakeConnections;
  let deployments: InstanceType<typeof FileDeployments>;
  let changes: number;
  const memoryFolder = (id: string) => join(folder, 'memory', id);
  const commandLine = (id = 'staging') => new DeployMemory(memoryFolder(id));
  const windowOf = (kept = state) =>
    new FileDeployments(
      kept,
      connections,
      new RunStore(),
      new SharedDeploys(connections, ({ id }) => memoryFolder(id)),
    );
  beforeEach(() => {
    editor.reset();
    folder = fs.mkdtempSync(join(tmpdir(), 'millrace-shared-'));
    file = join(folder, 'etl.job.yml');
    uri = pathToFileURL(file).href;
    fs.writeFileSync(file, 'name: etl\n');
    state = memento();
    connections = new FakeConnections();
    connections.current = staging;
    deployments = windowOf();
    changes = 0;
    deployments.onDidChange(() => (changes += 1));
  });
  afterEach(() => {
    deployments.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('are known to the command line after one of the editor, and kept once', async () => {
    await deployments.set('staging', uri, '7', both(1));
    const kept = commandLine().recall(file);
    assert.deepEqual([kept?.jobId, kept?.sent, kept?.settings], ['7', both(1).sent, both(1).settings]);
    assert.equal(commandLine('local').recall(file), undefined);
    assert.doesNotMatch(JSON.stringify(state.values), /max_retries/);
    assert.deepEqual(deployments.lastDeployOf('staging', uri, '7'), both(1));
    // Another window on another workspace knows it, too.
    assert.equal(windowOf(memento()).jobIdOf('staging', uri), '7');
  });

  it('are known to the editor after one of the command line, which is told of it', async () => {
    await deployments.set('staging', uri, '7', both(1));
    const before = deployments.stateOf(uri);
    changes = 0;
    commandLine().remember(file, { jobId: '7', ...both(2) });
    editor.events.filesChanged.fire();
    assert.equal(changes, 1);
    assert.deepEqual(deployments.lastDeployOf('staging', uri, '7'), both(2));
    commandLine().remember(file, { jobId: '8', ...both(2) });
    assert.deepEqual([before?.jobId, deployments.stateOf(uri)?.jobId], ['7', '8']);
    assert.equal(deployments.jobIdOf('local', uri), undefined);
  });

  it('tell the files of a job that only the command line deployed, of this workspace alone', () => {
    const theirs = join(folder, 'other', 'theirs.job.yml');
    fs.mkdirSync(join(folder, 'other'));
    fs.writeFileSync(theirs, 'name: theirs\n');
    commandLine().remember(file, { jobId: '7', ...both(1) });
    commandLine().remember(theirs, { jobId: '7', ...both(1) });
    const { getWorkspaceFolder } = standIn.workspace;
    standIn.workspace.getWorkspaceFolder = (one) => (String(one).includes('/other/') ? undefined : {});
    try {
      assert.deepEqual([deployments.files(), deployments.filesOf('staging', '7')], [[uri], [uri]]);
      const later = join(folder, 'later.job.yml');
      fs.writeFileSync(later, 'name: later\n');
      commandLine().remember(later, { jobId: '9', ...both(1) });
      editor.events.filesCreated.fire();
      assert.deepEqual(deployments.filesOf('staging', '9'), [pathToFileURL(later).href]);
      fs.rmSync(memoryFolder('staging'), { recursive: true });
      const before = changes;
      editor.events.filesDeleted.fire();
      assert.equal(changes, before + 1);
      assert.deepEqual(deployments.filesOf('staging', '9'), []);
    } finally {
      standIn.workspace.getWorkspaceFolder = getWorkspaceFolder;
    }
  });

  it('are listed anew for a profile that was left for another one meanwhile', () => {
    const { getWorkspaceFolder } = standIn.workspace;
    standIn.workspace.getWorkspaceFolder = () => ({});
    try {
      assert.deepEqual(deployments.filesOf('staging', '7'), []);
      connections.change(localProfile);
      commandLine().remember(file, { jobId: '7', ...both(1) });
      connections.change(staging);
      assert.deepEqual(deployments.filesOf('staging', '7'), [uri]);
    } finally {
      standIn.workspace.getWorkspaceFolder = getWorkspaceFolder;
    }
  });

  it('are one file’s where the editor has it and the command line deployed it, too', async () => {
    const { getWorkspaceFolder } = standIn.workspace;
    standIn.workspace.getWorkspaceFolder = () => ({});
    try {
      await deployments.set('staging', uri, '7', both(1));
      commandLine().remember(file, { jobId: '7', ...both(2) });
      editor.events.filesChanged.fire();
      assert.deepEqual([deployments.files(), deployments.filesOf('staging', '7')], [[uri], [uri]]);
    } finally {
      standIn.workspace.getWorkspaceFolder = getWorkspaceFolder;
    }
  });

  it('are one file’s by whatever way it is reached', async function () {
    if (process.platform === 'win32') this.skip();
    fs.symlinkSync(folder, `${folder}-link`);
    try {
      commandLine().remember(join(`${folder}-link`, 'etl.job.yml'), { jobId: '7', ...both(1) });
      assert.equal(deployments.jobIdOf('staging', uri), '7');
    } finally {
      fs.rmSync(`${folder}-link`);
    }
  });

  it('are kept with the workspace where they cannot be shared, and the later one counts', async function () {
    commandLine().remember(file, { jobId: '7', ...both(1) });
    const [name = ''] = fs.readdirSync(memoryFolder('staging'));
    const place = join(memoryFolder('staging'), name);
    // A folder stands where the file is to be put.
    fs.rmSync(place);
    fs.mkdirSync(place);
    await deployments.set('staging', uri, '8', both(2));
    assert.deepEqual(deployments.lastDeployOf('staging', uri, '8')?.settings, both(2).settings);
    assert.deepEqual(fs.readdirSync(memoryFolder('staging')), [name], 'no draft is left');
    fs.rmSync(place, { recursive: true });
    commandLine().remember(file, { jobId: '9', ...both(3) });
    assert.equal(deployments.jobIdOf('staging', uri), '9');
    const remote = 'vscode-vfs://github/etl.job.yml';
    await deployments.set('staging', remote, '5', both(2));
    assert.deepEqual(deployments.lastDeployOf('staging', remote, '5')?.settings, both(2).settings);
  });

  it('are as if there were none where the file of one holds something else', () => {
    commandLine().remember(file, { jobId: '7', ...both(3) });
    const [name] = fs.readdirSync(memoryFolder('staging'));
    assert.ok(name);
    for (const text of [
      'null',
      '[]',
      '{"jobId":"7","sent":null,"settings":{}}',
      '{"jobId":"7","sent":{},"settings":null}',
      '{"jobId":"7","sent":[],"settings":{}}',
      '{"jobId":"../7","sent":{},"settings":{}}',
      '{"jobId":7,"sent":{},"settings":{}}',
    ]) {
      fs.writeFileSync(join(memoryFolder('staging'), name), text);
      assert.equal(commandLine().recall(file), undefined, text);
      assert.deepEqual(commandLine().all(), [], text);
    }
    commandLine().remember(file, { jobId: '7', ...both(3) });
    assert.equal(commandLine().recall(file)?.jobId, '7');
  });

  it('say nothing to others of this machine, and outlast a half-written file and a clock that is put back', function () {
    const kept = commandLine().remember(file, { jobId: '7', ...both(1) });
    const [name = ''] = fs.readdirSync(memoryFolder('staging'));
    const place = join(memoryFolder('staging'), name);
    if (process.platform !== 'win32') {
      assert.equal(fs.statSync(place).mode & 0o777, 0o600);
      assert.equal(fs.statSync(memoryFolder('staging')).mode & 0o777, 0o700);
    }
    const text = fs.readFileSync(place, 'utf8');
    fs.writeFileSync(place, text.replace(String(kept.at), String(kept.at + 3_600_000)));
    const later = commandLine().remember(file, { jobId: '8', ...both(2) });
    assert.equal(later.at, kept.at + 3_600_001);
    fs.writeFileSync(place, text.slice(0, 40));
    assert.deepEqual([commandLine().recall(file), deployments.jobIdOf('staging', uri)], [undefined, undefined]);
    // What an earlier version wrote has no time.
    fs.writeFileSync(place, text.replace(/,"at":\d+/, ''));
    assert.equal(commandLine().recall(file)?.at, 0);
    fs.utimesSync(place, 1, 1);
    fs.chmodSync(place, 0o600);
    assert.equal(deployments.jobIdOf('staging', uri), '7');
  });

  describe('as this window asks for them', () => {
    const { createFileSystemWatcher, getWorkspaceFolder } = standIn.workspace;
    let watchers: { folder: string; pattern: string; isOver: boolean; fire(): void }[];
    let shared: InstanceType<typeof SharedDeploys>;
    let told: number;
    beforeEach(() => {
      // The one of the other tests watches as well.
      deployments.dispose();
      watchers = [];
      standIn.workspace.getWorkspaceFolder = () => ({});
      standIn.workspace.createFileSystemWatcher = ((of: { base: unknown; pattern: string }) => {
        const changed = new standIn.EventEmitter<void>();
        const made = { folder: String(of.base), pattern: of.pattern, isOver: false, fire: () => changed.fire() };
        watchers.push(made);
        const event = changed.event;
        return { onDidCreate: event, onDidChange: event, onDidDelete: event, dispose: () => (made.isOver = true) };
      }) as never;
      shared = new SharedDeploys(connections, ({ id }) => memoryFolder(id));
      told = 0;
      shared.onDidChange(() => (told += 1));
    });
    afterEach(() => {
      shared.dispose();
      Object.assign(standIn.workspace, { createFileSystemWatcher, getWorkspaceFolder });
    });
    const folders = (): unknown[] => watchers.map(({ folder: of, isOver }) => [of.split('/').at(-1), isOver]);

    it('watch the folder of the profile that is chosen, and no other', () => {
      assert.deepEqual([folders(), watchers[0]?.pattern], [[['staging', false]], '*.json']);
      connections.change({ ...staging });
      assert.equal(watchers.length, 1, 'the folder is the same');
      connections.change(localProfile);
      assert.deepEqual(folders(), [
        ['staging', true],
        ['local', false],
      ]);
      watchers[0]?.fire();
      assert.equal(told, 0);
      watchers[1]?.fire();
      assert.ok(told > 0);
      shared.dispose();
      assert.equal(watchers[1]?.isOver, true);
      connections.change(staging);
      assert.equal(watchers.length, 2);
    });

    it('are listed once until one comes, goes or is made here', () => {
      assert.deepEqual(shared.uris('staging'), []);
      commandLine().remember(file, { jobId: '7', ...both(1) });
      assert.deepEqual(shared.uris('staging'), [], 'nobody has told of it');
      watchers[0]?.fire();
      assert.deepEqual(shared.uris('staging'), [uri]);
      const other = join(folder, 'other.job.yml');
      fs.writeFileSync(other, 'name: other\n');
      assert.ok(shared.remember('staging', pathToFileURL(other).href, { jobId: '8', ...both(1) }));
      assert.equal(shared.uris('staging').length, 2);
    });

    it('are none of profiles that are not there, and of files that are on no disk of this machine', () => {
      commandLine('gone').remember(file, { jobId: '7', ...both(1) });
      commandLine().remember(file, { jobId: '7', ...both(1) });
      assert.deepEqual([shared.uris('gone'), shared.recall('gone', uri)], [[], undefined]);
      assert.equal(shared.remember('gone', uri, { jobId: '7', ...both(1) }), undefined);
      assert.equal(shared.recall('staging', uri)?.jobId, '7');
      const remote = uri.replace('file://', 'vscode-vfs://github');
      assert.equal(shared.recall('staging', remote), undefined);
      assert.equal(shared.remember('staging', remote, { jobId: '9', ...both(1) }), undefined);
      assert.equal(shared.recall('staging', uri)?.jobId, '7');
    });
  });
});
