import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { parseSettings } from '../../../../src/service/engine/engineSettings.ts';
import { toRunRequest } from '../../../../src/service/engine/runExecution.ts';
import { durations, outcomeParts, runToJson } from '../../../../src/service/engine/runWire.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { runRecord } from '../support/runRecord.ts';

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
    ['one that waits', { lifeCycle: 'PENDING' }, [0, 0, 0]],
    ['one that runs', { lifeCycle: 'RUNNING', runningAt: 130 }, [30, 0, 0]],
    ['one that is being ended', { lifeCycle: 'TERMINATING', runningAt: 130, terminatingAt: 170 }, [30, 40, 0]],
    ['one that is over', { lifeCycle: 'TERMINATED', runningAt: 130, terminatingAt: 170, endedAt: 175 }, [30, 40, 5]],
    ['one that ended at once', { lifeCycle: 'INTERNAL_ERROR', runningAt: 130, endedAt: 175 }, [30, 45, 0]],
    ['one that never ran', { lifeCycle: 'TERMINATED', terminatingAt: 160, endedAt: 175 }, [60, 0, 15]],
    ['one that was lost before it ran', { lifeCycle: 'INTERNAL_ERROR', endedAt: 175 }, [75, 0, 0]],
    ['one that was skipped', { lifeCycle: 'SKIPPED', endedAt: 100 }, [0, 0, 0]],
    ['one whose end is not stored yet', { lifeCycle: 'TERMINATING', terminatingAt: 160, endedAt: 175 }, [60, 0, 0]],
  ] as const)
    it(`are right for ${what}`, () => {
      const { setup, execution, cleanup } = durations({ createdAt: 100, ...run } as unknown as RunRecord);
      assert.deepEqual([setup, execution, cleanup], expected);
    });
});

describe('Run JSON', () => {
  const tell = (more: object): Record<string, unknown> =>
    JSON.parse(
      runToJson(
        runRecord({
          runId: '5',
          numberInJob: 2,
          runName: 'n "x"',
          creator: 'me',
          message: 'm "y"',
          createdAt: 100,
          ...more,
        }),
        (runId) => `page of ${runId}`,
      ),
    ) as Record<string, unknown>;

  it('names the job, or the hidden job of a one-time run', () => {
    assert.deepEqual([tell({})['job_id'], tell({ jobId: undefined, oneTimeJobId: '70' })['job_id']], [3, 70]);
    const { run_id: runId, run_name: name, number_in_job: number, run_page_url: url, start_time: start } = tell({});
    assert.deepEqual([runId, name, number, url, start], [5, 'n "x"', 2, 'page of 5', 100]);
  });

  it('has a result once the run has one, and says whether a user ended it', () => {
    const state = (more: object): unknown => tell(more)['state'];
    assert.deepEqual(state({}), {
      life_cycle_state: 'PENDING',
      state_message: 'm "y"',
      user_cancelled_or_timedout: false,
    });
    for (const [result, isEnded] of [
      ['SUCCESS', false],
      ['FAILED', false],
      ['CANCELED', true],
      ['TIMEDOUT', true],
    ] as const)
      assert.deepEqual(
        state({ lifeCycle: 'TERMINATED', result, endedAt: 200, stopping: isEnded ? result : undefined }),
        {
          life_cycle_state: 'TERMINATED',
          result_state: result,
          state_message: 'm "y"',
          user_cancelled_or_timedout: isEnded,
        },
      );
  });
});

describe('Run request', () => {
  const at = Date.UTC(2026, 0, 2, 23, 59, 58);
  const request = (
    settings: object,
    record: Partial<RunRecord> = {},
    more: { parameters?: object; debug?: boolean } = {},
  ) => {
    const text = JSON.stringify(settings);
    const whole = { runId: '4', jobId: '7', runName: 'named', attemptNumber: 2, createdAt: at, ...record };
    return toRunRequest(
      {
        record: whole,
        settings: parseSettings(text),
        plan: { settings: text, parameters: JSON.stringify(more.parameters ?? {}) },
        ...(more.debug && { debug: { progress: { phase: 'waiting' } } }),
      } as unknown as ActiveRun,
      '/data',
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
    const always = {
      run_id: '4',
      start_date: '2026-01-02',
      start_time: String(at),
      task_retry_count: '2',
      task_key: 'named',
      'run.id': '4',
      'job.run_id': '4',
      'job.start_time.iso_date': '2026-01-02',
      'job.start_time.iso_datetime': '2026-01-02T23:59:58.000Z',
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
