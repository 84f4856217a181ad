import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DeployMemory } from '../../../../src/deployments/deployMemory.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { FileDeployments } = await import('../../../../src/commands/host/fileDeployments.ts');

const { SharedDeploys } = await import('../../../../src/commands/host/sharedDeploys.ts');

const file = 'file:///work/etl.job.yml';

const given = { name: 'etl', max_retries: 9007199254740993n } as never;

const settings = { sent: given, settings: { ...(given as object), run_as_owner: true } };

const bothOf = (both: object) => ({ sent: { ...both }, settings: { ...both } });

describe('remembered deploys of the editor', () => {
  let state: ReturnType<typeof memento>;
  let connections: FakeConnections;
  let store: RunStore;
  let deployments: InstanceType<typeof FileDeployments>;
  let changes: number;
  /** Nothing is shared, because the folder does not exist. */
  const shared = () => new SharedDeploys(connections, ({ id }) => `/nowhere/${id}`);
  beforeEach(() => {
    editor.reset();
    state = memento();
    connections = new FakeConnections();
    store = new RunStore();
    deployments = new FileDeployments(state, connections, store, shared());
    changes = 0;
    deployments.onDidChange(() => (changes += 1));
  });
  afterEach(() => deployments.dispose());

  it('belong to a file and a profile, and outlive the window', async () => {
    await deployments.set('local', file, '1', settings);
    const later = new FileDeployments(state, connections, store, shared());
    assert.equal(later.jobIdOf('local', file), '1');
    assert.deepEqual([later.jobIdOf('staging', file), later.jobIdOf('local', `${file}x`)], [undefined, undefined]);
    assert.deepEqual(later.lastDeployOf('local', file, '1'), settings);
    assert.equal(later.lastDeployOf('local', file, '2'), undefined);
    await deployments.set('local', file, '1', { sent: given, settings: given });
    // Equal settings are stored only once.
    assert.deepEqual(later.lastDeployOf('local', file, '1'), { settings: given });
    later.dispose();
    assert.equal(changes, 2);
  });

  it('show how a file relates to the listed job', async () => {
    const task = { existing_cluster_id: 'c', spark_python_task: { python_file: '/m.py' } };
    const text = 'name: etl\nexisting_cluster_id: c\nspark_python_task: { python_file: /m.py }\n';
    standIn.workspace.textDocuments = [{ uri: standIn.Uri.parse(file), getText: () => text }];
    const syncOf = (profileId = 'local', jobId = '1', uri = file) => deployments.syncOf(profileId, jobId, uri);
    assert.equal(await syncOf(), undefined, 'it was never deployed');
    await deployments.set('local', file, '1', bothOf({ name: 'etl', ...task }));
    assert.equal(await syncOf(), undefined, 'the view has no such job yet');
    store.setJobs([{ job_id: '1', settings: { name: 'etl', ...task } } as never], 1);
    assert.deepEqual(await syncOf(), { kind: 'same', rows: [] });
    store.setJobs([{ job_id: '1', settings: { name: 'etl', ...task, max_retries: 2 } } as never], 2);
    assert.equal((await syncOf())?.kind, 'there');
    assert.deepEqual([await syncOf('staging'), await syncOf('local', '2')], [undefined, undefined]);
    await deployments.set('local', `${file}x`, '1', bothOf({ name: 'etl', ...task }));
    store.setJobs([{ job_id: '1', settings: { name: 'etl', ...task } } as never], 3);
    const { readFile } = standIn.workspace.fs;
    standIn.workspace.fs.readFile = async () => assert.fail('it is not there');
    assert.equal(await syncOf('local', '1', `${file}x`), undefined);
    standIn.workspace.fs.readFile = readFile;
  });

  it('have a timestamp', async () => {
    mock.timers.enable({ apis: ['Date'], now: 5000 });
    try {
      await deployments.set('local', file, '1', settings);
    } finally {
      mock.timers.reset();
    }
    const kept = state.values[`deployment:local:${file}`] as { at: number };
    assert.equal(kept.at, 5000);
  });

  it('keep only the job when the settings are too long or from an earlier version', async () => {
    await deployments.set('local', file, '1', bothOf({ name: 'x'.repeat(500_001) }));
    assert.deepEqual(
      [deployments.jobIdOf('local', file), deployments.lastDeployOf('local', file, '1')],
      ['1', undefined],
    );
    await deployments.set('local', file, '1', bothOf({ name: 'x'.repeat(490_000) }));
    assert.ok(deployments.lastDeployOf('local', file, '1'));
    state.values[`deployment:local:${file}`] = '7';
    assert.deepEqual(
      [deployments.jobIdOf('local', file), deployments.lastDeployOf('local', file, '7')],
      ['7', undefined],
    );
  });

  it('are kept for an untitled file only while it is open', async () => {
    await deployments.set('local', 'untitled:Untitled-1', '1', settings);
    await deployments.set('local', 'untitled:Untitled-2', '2', settings);
    assert.deepEqual(state.values, {});
    editor.events.closed.fire({ uri: standIn.Uri.parse('untitled:Untitled-1') });
    assert.deepEqual(
      [deployments.jobIdOf('local', 'untitled:Untitled-1'), deployments.jobIdOf('local', 'untitled:Untitled-2')],
      [undefined, '2'],
    );
    await deployments.set('local', file, '3', settings);
    editor.events.closed.fire({ uri: standIn.Uri.parse(file) });
    assert.equal(deployments.jobIdOf('local', file), '3');
  });

  it('follow the job after the deploy', async () => {
    const list = (retries: number) =>
      store.setJobs([{ job_id: '1', settings: { name: 'etl', max_retries: retries } }], Date.now());
    let lists = 0;
    deployments.onDidListJobs(() => (lists += 1));
    list(1);
    await deployments.set('local', file, '1', settings);
    assert.equal(deployments.stateOf(file)?.remote, undefined);
    list(2);
    const remote = deployments.stateOf(file)?.remote;
    assert.deepEqual([remote?.profileName, remote?.settings['max_retries'], lists], ['Local', 2, 2]);
    assert.deepEqual(remote?.last(), settings);
    await deployments.set('local', file, '1', bothOf({ name: 'other' }));
    list(3);
    assert.notEqual(deployments.stateOf(file)?.remote?.deploy, remote?.deploy);
  });

  it('report changes, and nothing after disposal', () => {
    connections.change(staging);
    assert.equal(changes, 1);
    store.setJobs([], Date.now());
    assert.equal(changes, 2);
    deployments.dispose();
    assert.equal(editor.events.closed.isHeard, false);
  });
});

const both = (retries: number) => {
  const settings = { name: 'etl', max_retries: retries, big: 9007199254740993n } as never;
  return { sent: settings, settings };
};

describe('deploys that the editor and the command line share', () => {
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

  it('reach the command line', async () => {
    await deployments.set('staging', uri, '7', both(1));
    const kept = commandLine().recall(file);
    assert.deepEqual([kept?.jobId, kept?.sent, kept?.settings], ['7', both(1).sent, both(1).settings]);
    assert.equal(commandLine('local').recall(file), undefined);
    assert.doesNotMatch(JSON.stringify(state.values), /max_retries/);
    assert.deepEqual(deployments.lastDeployOf('staging', uri, '7'), both(1));
    // A window with another workspace knows the deploy, too.
    assert.equal(windowOf(memento()).jobIdOf('staging', uri), '7');
  });

  it('reach the editor', async () => {
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

  it('are shared by all paths to the file', async function () {
    if (process.platform === 'win32') this.skip();
    fs.symlinkSync(folder, `${folder}-link`);
    try {
      commandLine().remember(join(`${folder}-link`, 'etl.job.yml'), { jobId: '7', ...both(1) });
      assert.equal(deployments.jobIdOf('staging', uri), '7');
    } finally {
      fs.rmSync(`${folder}-link`);
    }
  });

  it('are kept with the workspace if they cannot be shared', async function () {
    commandLine().remember(file, { jobId: '7', ...both(1) });
    const [name = ''] = fs.readdirSync(memoryFolder('staging'));
    const place = join(memoryFolder('staging'), name);
    // A folder blocks the path of the file.
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

  it('are private to the user and survive a torn file and a clock that is set back', function () {
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
    // An earlier version wrote no timestamp.
    fs.writeFileSync(place, text.replace(/,"at":\d+/, ''));
    assert.equal(commandLine().recall(file)?.at, 0);
    fs.utimesSync(place, 1, 1);
    fs.chmodSync(place, 0o600);
    assert.equal(deployments.jobIdOf('staging', uri), '7');
  });
});
