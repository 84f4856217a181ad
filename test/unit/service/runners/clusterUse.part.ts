import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import {
  LocalCluster,
  type LocalClusterOptions,
  type PreparedCluster,
} from '../../../../src/service/runners/localCluster.ts';
import type { Python } from '../../../../src/service/runners/python.ts';
import type { RunOutcome, RunRequest } from '../../../../src/service/runners/runner.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('this machine as a cluster, without any process', () => {
  let folder: string;
  let data: string;
  let clock: FakeClock;
  const python = { command: '/p', version: '3.11.2' };
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-cluster-')));
    data = join(folder, 'data');
    clock = new FakeClock();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function use(
    request: Partial<RunRequest>,
    body: (prepared: PreparedCluster) => Promise<RunOutcome>,
    more: Partial<LocalClusterOptions> & { signal?: AbortSignal; findPython?: () => Promise<Python | undefined> } = {},
  ): Promise<RunOutcome> {
    const { signal = new AbortController().signal, findPython = async () => python as Python, ...options } = more;
    const cluster = new LocalCluster({
      dataFolder: data,
      files: createFileMap({ root: folder, dataFolder: data }),
      libraries: {
        install: async (libraries: readonly unknown[], using: unknown) => ({
          python: using,
          environment: libraries.length > 0 ? { PYTHONPATH: '/eggs', OF_LIBRARIES: '1' } : {},
          jars: [],
          packages: [],
          repositories: [],
          exclusions: [],
        }),
      } as never,
      clock,
      environment: { PATH: '/bin', PYTHONUTF8: '0', SECRET_KEY: 'x', NAMED: 'yes', OTHER: 'no' },
      environmentNames: ['NAMED'],
      ...options,
    });
    const whole = {
      runId: '4',
      clusterId: 'c',
      clusterSpec: {},
      task: {},
      folder: join(data, 'runs', '4'),
      ...request,
    } as RunRequest;
    const events = { onStarted: () => undefined };
    return cluster.use({ request: whole, events, signal, findPython }, body);
  }
  const done = async (): Promise<RunOutcome> => ({ resultState: 'SUCCESS' });

  it('gives a task its environment: the usual, the libraries, and over both what the job says', async () => {
    const seen: PreparedCluster[] = [];
    const look = async (prepared: PreparedCluster): Promise<RunOutcome> => (seen.push(prepared), done());
    await use({}, look);
    const usual = { PATH: '/bin', NAMED: 'yes', PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', PYTHONUTF8: '1' };
    assert.deepEqual([seen[0]?.environment, seen[0]?.python], [usual, python]);
    const clusterSpec = {
      libraries: [{ egg: '/a.egg' }],
      new_cluster: { spark_env_vars: { PYTHONPATH: '/own', OF_LIBRARIES: '2', PYTHONUTF8: '0' } },
    };
    await use({ clusterSpec } as never, look);
    assert.deepEqual(seen[1]?.environment, { ...usual, PYTHONPATH: '/own:/eggs', OF_LIBRARIES: '2', PYTHONUTF8: '0' });
    await use({ clusterSpec: { libraries: [{ egg: '/a.egg' }] } }, look);
    assert.equal(seen[2]?.environment['PYTHONPATH'], '/eggs');
  });

  it('is needed with a Python, unless the task needs none', async () => {
    await assert.rejects(use({}, done, { findPython: () => Promise.reject(new Error('no Python')) }), /no Python/);
    const without = async ({ python: found }: PreparedCluster): Promise<RunOutcome> => {
      assert.equal(found, undefined);
      return done();
    };
    assert.deepEqual(await use({}, without, { findPython: async () => undefined }), { resultState: 'SUCCESS' });
  });

  it('tells what differs from the cluster and the pins behind what the task says, and notes down the versions', async () => {
    writeFileSync(join(folder, 'a.py'), 'import os\n');
    const request = { task: { spark_python_task: { python_file: '/a.py' } } };
    assert.deepEqual(await use(request, done), { resultState: 'SUCCESS' });
    assert.equal(readFileSync(join(data, 'runs', '4', 'versions.txt'), 'utf8'), 'Python 3.11.2');
    const said = async (): Promise<RunOutcome> => ({ resultState: 'FAILED', note: 'Left.' });
    const clusterSpec = { new_cluster: { spark_version: '9.1.x-scala2.12' } };
    const { note } = await use({ ...request, clusterSpec } as never, said);
    assert.match(note ?? '', /^Left\. It ran with Python 3\.11\.2, and 9\.1\.x-scala2\.12 has Python 3\.8: /);
  });

  it('is left before the task where the run is cancelled, and fails with what else goes wrong', async () => {
    const cancelled = { resultState: 'CANCELED', stateMessage: 'The run was cancelled before its task began.' };
    const never = (): never => assert.fail('it was run');
    const signal = AbortSignal.abort(new Error('stop'));
    assert.deepEqual(await use({}, never, { signal }), cancelled);
    const controller = new AbortController();
    const stop = async (): Promise<RunOutcome> => {
      controller.abort();
      throw new Error('ended');
    };
    assert.deepEqual(await use({}, stop, { signal: controller.signal }), cancelled);
    await assert.rejects(
      use({}, () => Promise.reject(new Error('a defect'))),
      /a defect/,
    );
  });

  for (const [what, storage, place] of [
    ['the file store', { dfs: { destination: 'dfs:/logs//' } }, ['dfs', 'logs']],
    ['object storage', { objstore: { destination: 'objstore://bucket/logs' } }, ['objstore', 'bucket', 'logs']],
  ] as const)
    it(`delivers logs to ${what} at the end, under their plain names`, async () => {
      const clusterSpec = { new_cluster: { cluster_log_conf: storage } };
      const print = async (): Promise<RunOutcome> => {
        assert.equal(clock.pending, 1);
        for (const name of ['stdout', 'stderr']) writeFileSync(join(data, 'runs', '4', `${name}.log`), name);
        return done();
      };
      await use({ clusterSpec } as never, print);
      for (const name of ['stdout', 'stderr'])
        assert.equal(readFileSync(join(data, ...place, 'c', 'driver', name), 'utf8'), name);
      assert.equal(clock.pending, 0);
      await assert.rejects(use({ clusterSpec } as never, () => Promise.reject(new Error('no'))));
      assert.equal(clock.pending, 0);
    });

  it('goes on where logs cannot be delivered, and says so beside the run', async () => {
    const clusterSpec = { new_cluster: { cluster_log_conf: { dfs: { destination: 'dfs:/../out' } } } };
    assert.deepEqual(await use({ clusterSpec } as never, done), { resultState: 'SUCCESS' });
    assert.match(
      readFileSync(join(data, 'runs', '4', 'setup.log'), 'utf8'),
      /^The logs were not delivered to dfs:\/\.\.\/out: The path .* leads out of .*\n$/,
    );
  });
});
