import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRuns.ts';
import { parseSettings } from '../../../../src/service/engine/engineSettings.ts';
import { toRunRequest } from '../../../../src/service/engine/runExecution.ts';
import { durations, outcomeParts } from '../../../../src/service/engine/runWire.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';

describe('Run output JSON', () => {
  const run = (more: object): RunRecord => ({ detail: '', message: 'No Python.', endedAt: 5, ...more }) as never;

  it("has the run's own error, or why the service ended it", () => {
    const failed = { error: 'ValueError: no', errorTrace: 'Traceback' };
    assert.deepEqual(outcomeParts(run({ result: 'FAILED' }), failed), {
      error: 'ValueError: no',
      error_trace: 'Traceback',
    });
    assert.deepEqual(outcomeParts(run({}), undefined), { error: 'No Python.' });
    assert.deepEqual(outcomeParts(run({ endedAt: undefined }), undefined), {});
    assert.deepEqual(outcomeParts(run({ result: 'SUCCESS' }), undefined), {});
  });
});

describe('Run durations', () => {
  for (const [what, run, expected] of [
    ['one that waits', { lifeCycle: 'PENDING' }, [0, 0, 0, 0]],
    ['one that runs', { lifeCycle: 'RUNNING', dispatchedAt: 120, runningAt: 130 }, [20, 10, 0, 0]],
    ['one that is over', { lifeCycle: 'TERMINATED', runningAt: 130, terminatingAt: 170, endedAt: 175 }, [0, 30, 40, 5]],
    ['one that never ran', { lifeCycle: 'TERMINATED', terminatingAt: 160, endedAt: 175 }, [60, 0, 0, 15]],
    ['one that was skipped', { lifeCycle: 'SKIPPED', endedAt: 100 }, [0, 0, 0, 0]],
    ['one whose end is not stored yet', { lifeCycle: 'TERMINATING', terminatingAt: 160, endedAt: 175 }, [60, 0, 0, 0]],
  ] as const)
    it(`are right for ${what}`, () => {
      const { queue, setup, execution, cleanup } = durations({ createdAt: 100, ...run } as unknown as RunRecord);
      assert.deepEqual([queue, setup, execution, cleanup], expected);
    });
});

describe('Run request', () => {
  const at = Date.UTC(2026, 0, 2, 23, 59, 58);
  const store = { runs: {}, runParts: {} } as unknown as Store;
  const request = (
    settings: object,
    record: Partial<RunRecord> = {},
    more: { parameters?: object; debug?: boolean } = {},
  ) => {
    const text = JSON.stringify(settings);
    const whole = {
      runId: '4',
      jobId: '7',
      runName: 'named',
      attemptNumber: 2,
      createdAt: at,
      trigger: 'ONE_TIME',
      ...record,
    };
    return toRunRequest(
      {
        record: whole,
        settings: parseSettings(text),
        plan: { settings: text, parameters: JSON.stringify(more.parameters ?? {}) },
        ...(more.debug && { debug: { progress: { phase: 'waiting' } } }),
      } as unknown as ActiveRun,
      { store, dataFolder: '/data' },
    );
  };
  const file = { spark_python_task: { python_file: '/a.py' } };

  it('turns lists of pairs into maps and drops null', () => {
    const pairs = [{ key: 'a', value: '1' }];
    const made = request(
      { notebook_task: { notebook_path: '/n', base_parameters: pairs } },
      {},
      { parameters: { notebook_params: pairs, jar_params: null } },
    );
    assert.deepEqual(
      [made.task.notebook_task?.base_parameters, made.parameters],
      [{ a: '1' }, { notebook_params: { a: '1' } }],
    );
  });

  it('writes every Spark setting as text', () => {
    const cluster = { spark_version: 'x', spark_conf: { a: 1, b: true, c: 'd' } };
    const made = request({
      ...file,
      new_cluster: cluster,
      libraries: [{ jar: 'dfs:/a.jar' }],
      existing_cluster_id: 'e',
    });
    assert.deepEqual(made.clusterSpec, {
      existing_cluster_id: 'e',
      new_cluster: { spark_version: 'x', spark_conf: { a: '1', b: 'true', c: 'd' } },
      libraries: [{ jar: 'dfs:/a.jar' }],
    });
    assert.deepEqual(request({ ...file, new_cluster: { spark_version: 'x' } }).clusterSpec.new_cluster, {
      spark_version: 'x',
    });
    assert.equal(request(file).clusterSpec.new_cluster, undefined);
  });

  it('resolves each {{name}}', () => {
    // A Friday.
    const times = Object.entries({
      timestamp_ms: String(at),
      iso_date: '2026-01-02',
      iso_datetime: '2026-01-02T23:59:58.000Z',
      ...{ iso_weekday: '5', is_weekday: 'true', year: '2026', month: '1', day: '2' },
      ...{ hour: '23', minute: '59', second: '58' },
    });
    const always = {
      run_id: '4',
      start_date: '2026-01-02',
      start_time: String(at),
      task_retry_count: '2',
      task_key: 'named',
      'run.id': '4',
      'task.name': 'named',
      'task.run_id': '4',
      'task.execution_count': '3',
      'job.trigger.type': 'one_time',
      'job.run_id': '4',
      ...Object.fromEntries(
        times.flatMap(([part, value]) => ['start_time', 'trigger.time'].map((name) => [`job.${name}.${part}`, value])),
      ),
    };
    assert.deepEqual(request({ ...file, name: 'nightly' }).dynamicValues, {
      ...always,
      parent_run_id: '4',
      'job.name': 'nightly',
      job_id: '7',
      'job.id': '7',
    });
    assert.deepEqual(request(file, { jobId: undefined, oneTimeJobId: '9', parentRunId: '3' }).dynamicValues, {
      ...always,
      parent_run_id: '3',
      'job.name': 'named',
      job_id: '9',
      'job.id': '9',
    });
    assert.equal('job_id' in request(file, { jobId: undefined }).dynamicValues, false);
  });
});
