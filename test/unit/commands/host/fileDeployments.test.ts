import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { FileDeployments } = await import('../../../../src/commands/host/fileDeployments.ts');
const { SharedDeploys } = await import('../../../../src/commands/host/sharedDeploys.ts');

const file = 'file:///work/etl.job.yml';
const given = { name: 'etl', max_retries: 9007199254740993n } as never;
const settings = { sent: given, settings: { ...(given as object), run_as_owner: true } };
const bothOf = (both: object) => ({ sent: { ...both }, settings: { ...both } });

describe('what is remembered of deploys', () => {
  holdTrail(import.meta.url);
  let state: ReturnType<typeof memento>;
  let connections: FakeConnections;
  let store: RunStore;
  let deployments: InstanceType<typeof FileDeployments>;
  let changes: number;
  /** No file is there, so that nothing is shared. */
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

  it('belongs to a file and a profile, and outlives the window', async () => {
    await deployments.set('local', file, '1', settings);
    const later = new FileDeployments(state, connections, store, shared());
    assert.equal(later.jobIdOf('local', file), '1');
    assert.deepEqual([later.jobIdOf('staging', file), later.jobIdOf('local', `${file}x`)], [undefined, undefined]);
    assert.deepEqual(later.lastDeployOf('local', file, '1'), settings);
    assert.equal(later.lastDeployOf('local', file, '2'), undefined);
    await deployments.set('local', file, '1', { sent: given, settings: given });
    // What was sent is kept once if the service has the same.
    assert.deepEqual(later.lastDeployOf('local', file, '1'), { settings: given });
    later.dispose();
    assert.equal(changes, 2);
  });

  it('tells the files of a job on a profile', async () => {
    await deployments.set('local', file, '1', settings);
    await deployments.set('local', 'untitled:Untitled-1', '1', settings);
    await deployments.set('staging', `${file}2`, '1', settings);
    await deployments.set('local', `${file}3`, '2', settings);
    state.values[`deployment:local:${file}4`] = '1';
    assert.deepEqual(deployments.filesOf('local', '1'), [file, `${file}4`, 'untitled:Untitled-1']);
    assert.deepEqual(deployments.filesOf('staging', '1'), [`${file}2`]);
  });

  it('tells how a file stands to the job that the view has, while that is known', async () => {
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

  it('tells by the text alone that a job may be another by now, and when a change of it was first seen', async () => {
    await deployments.set('local', file, '1', bothOf({ name: 'etl' }));
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    assert.deepEqual([deployments.files(), deployments.mayHaveMoved()], [[file], false]);
    store.setJobs([{ job_id: '1', settings: { name: 'etl', max_retries: 2 } }], 2);
    assert.equal(deployments.mayHaveMoved(), true);
    const first = deployments.firstSeen(file, 'a');
    assert.equal(first.age, 'just now');
    state.values[`changed:local:${file}`] = { change: 'a', ms: 5 };
    assert.equal(new FileDeployments(state, connections, store, shared()).firstSeen(file, 'a').ms, 5);
    assert.ok(deployments.firstSeen(file, 'b').ms >= first.ms, 'another change is a new one');
  });

  it('is the newest of what this window and others know', async () => {
    mock.timers.enable({ apis: ['Date'], now: 5000 });
    try {
      await deployments.set('local', file, '1', settings);
    } finally {
      mock.timers.reset();
    }
    const kept = state.values[`deployment:local:${file}`] as { at: number };
    assert.equal(kept.at, 5000);
  });

  it('is the job alone where the settings are too long, or were written by an earlier version', async () => {
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

  it('is kept only while it is open for a file that was never saved', async () => {
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

  it('tells what the job has by now, and not what it had before the last deploy', async () => {
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

  it("tells the last run of the current profile's job, and whether that is current", async () => {
    assert.equal(deployments.stateOf(file), undefined);
    await deployments.set('local', file, '1', settings);
    assert.deepEqual(deployments.stateOf(file), { profileId: 'local', jobId: '1' });
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], Date.now());
    store.mergeRuns(
      [
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          start_time: 1,
          end_time: Date.now() - 300_000,
          state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
        },
      ],
      Date.now(),
    );
    assert.deepEqual(deployments.stateOf(file)?.lastRun, { runId: '5', text: 'Succeeded, 5 min ago' });
    store.mergeRuns(
      [{ run_id: '6', job_id: '1', run_type: 'JOB_RUN', start_time: 2, state: { life_cycle_state: 'RUNNING' } }],
      Date.now(),
    );
    assert.equal(deployments.stateOf(file)?.lastRun?.text, 'Running');
    store.mergeRuns(
      [{ run_id: '7', job_id: '1', run_type: 'JOB_RUN', start_time: 3, state: { life_cycle_state: 'SKIPPED' } }],
      Date.now(),
    );
    assert.deepEqual(deployments.stateOf(file)?.lastRun, { runId: '6', text: 'Running, newer run skipped' });
    store.markStale(new AppError('network', 'away'));
    assert.deepEqual(deployments.stateOf(file)?.lastRun?.text, 'Running when last seen, newer run skipped');
    connections.change(staging);
    assert.equal(deployments.stateOf(file), undefined);
  });

  it('says when another profile or a run changes what is told, and nothing after its end', () => {
    connections.change(staging);
    assert.equal(changes, 1);
    store.setJobs([], Date.now());
    assert.equal(changes, 2);
    deployments.dispose();
    assert.equal(editor.events.closed.isHeard, false);
  });

  it('remembers a change of a job until it is another one, and looks at every file for one', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    try {
      assert.deepEqual(deployments.firstSeen(file, 'a'), { ms: 1_000_000, age: 'just now' });
      assert.deepEqual(state.values[`changed:local:${file}`], { change: 'a', ms: 1_000_000 });
      mock.timers.tick(5 * 60_000);
      assert.deepEqual(deployments.firstSeen(file, 'a'), { ms: 1_000_000, age: '5 min ago' });
      assert.equal(deployments.firstSeen(file, 'b').ms, 1_300_000);
      connections.change(staging);
      mock.timers.tick(1000);
      assert.equal(deployments.firstSeen(file, 'b').ms, 1_301_000, 'on another profile it is another');
      connections.change({ ...staging, id: 'local' });
    } finally {
      mock.timers.reset();
    }
    assert.deepEqual(deployments.files(), [], 'what was seen is no deploy');
    await deployments.set('local', file, '1', bothOf({ name: 'etl' }));
    await deployments.set('local', `${file}2`, '2', bothOf({ name: 'two' }));
    state.values[`deployment:local:${file}3`] = '3';
    store.setJobs(
      ['1', '2', '3'].map((job_id) => ({ job_id, settings: { name: job_id === '1' ? 'etl' : 'two' } })),
      1,
    );
    assert.equal(deployments.mayHaveMoved(), false, 'of an older deploy nothing is known to compare with');
    store.setJobs(
      [
        { job_id: '2', settings: { name: 'other' } },
        { job_id: '1', settings: { name: 'etl' } },
      ],
      2,
    );
    assert.equal(deployments.mayHaveMoved(), true, 'one of them is enough');
  });

  it('keeps settings of up to a million characters, those that were sent with them counted', async () => {
    const sized = (length: number) => ({ name: 'x'.repeat(length - '{"name":""}'.length) });
    for (const [length, isKept] of [
      [500_000, true],
      [500_001, false],
    ] as const) {
      await deployments.set('local', file, '1', bothOf(sized(length)) as never);
      assert.equal(deployments.lastDeployOf('local', file, '1') !== undefined, isKept, String(length));
      assert.equal(deployments.jobIdOf('local', file), '1');
    }
  });
});
