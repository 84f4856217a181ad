import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { parseSettings } from '../../../../src/service/engine/engineSettings.ts';
import { toRunRequest } from '../../../../src/service/engine/runExecution.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';

describe('what a runner gets for a run', () => {
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

  it('is the run, its task and the folder that holds all that it leaves', () => {
    const made = request(file, { clusterId: 'local' });
    assert.deepEqual(
      [made.runId, made.jobId, made.runName, made.attemptNumber, made.clusterId, made.debug, made.folder],
      ['4', '7', 'named', 2, 'local', false, join('/data', 'runs', '4')],
    );
    assert.deepEqual(made.task.spark_python_task, { python_file: '/a.py' });
    assert.deepEqual([request(file).clusterId, request(file, {}, { debug: true }).debug], ['', true]);
  });

  it('has maps for what clients write as lists of pairs, and nothing for null', () => {
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

  it('has every setting of Spark as a text', () => {
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

  it('says what each {{name}} stands for', () => {
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
