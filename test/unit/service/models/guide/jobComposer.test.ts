import assert from 'node:assert/strict';
import { asksForJobFile, composeJob } from '../../../../../src/service/models/guide/jobComposer.ts';
import { stringifyJson } from '../../../../../src/shared/json.ts';
import { holdPhrases } from './phrases.ts';

describe('a job file from a description', () => {
  const made = (description: string): string | undefined => {
    const answer = composeJob(description);
    return answer && `${stringifyJson(answer.facts['settings'])} ${/\n\n- ([^]*)$/.exec(answer.markdown)?.[1] ?? ''}`;
  };

  it('starts another job by its exact id, however long that is', () => {
    for (const id of ['7', '9007199254740993', '9223372036854775807'])
      assert.match(made(`Write a job that runs the job ${id} every day at 6`) ?? '', new RegExp(`"job_id":${id}[,}]`));
  });

  const settingsOf = (description: string): Record<string, unknown> =>
    (composeJob(description)?.facts['settings'] ?? {}) as Record<string, unknown>;
  const onLocal = { existing_cluster_id: 'local' };
  const cluster = { spark_version: '3.5.x-scala2.12', node_type_id: 'local' };
  const mailed = (...events: string[]): object => ({
    email_notifications: Object.fromEntries(events.map((event) => [event, ['a@b.example']])),
  });
  for (const [wish, settings] of [
    ['retry 3 times with 5 minutes between', { max_retries: 3, min_retry_interval_millis: 300_000 }],
    ['2 retries 30 s apart', { max_retries: 2, min_retry_interval_millis: 30_000 }],
    ['1 retry, 1 hour pause', { max_retries: 1, min_retry_interval_millis: 3_600_000 }],
    ['retry once, ten minutes between', { max_retries: 1, min_retry_interval_millis: 600_000 }],
    ['retry twice', { max_retries: 2 }],
    ['retry, timeout 2 hours', { max_retries: 2, timeout_seconds: 7200 }],
    ['timeout of 45 s', { timeout_seconds: 45 }],
    ['stopped after 10 min', { timeout_seconds: 600 }],
    ['no retries', { max_retries: 0 }],
    ['retry on timeout', { max_retries: 2, retry_on_timeout: true }],
    ['mail a@b.example', mailed('on_failure')],
    ['mail a@b.example on start and on success', mailed('on_start', 'on_success')],
    ['at most 3 at once', { max_concurrent_runs: 3 }],
    ['4 parallel runs', { max_concurrent_runs: 4 }],
    [
      'with pandas==2.1 and requests',
      { libraries: ['pandas==2.1', 'requests'].map((name) => ({ pypi: { package: name } })) },
    ],
    ['with /libs/a.whl', { libraries: [{ whl: '/libs/a.whl' }] }],
  ] as const)
    it(`has what "${wish}" asks for`, () => {
      const { name, spark_python_task: task, ...rest } = settingsOf(`Create a job for /jobs/etl.py, ${wish}`);
      assert.deepEqual([name, task, rest], ['etl', { python_file: '/jobs/etl.py' }, { ...onLocal, ...settings }]);
    });

  for (const [wish, size] of [
    ['2 to 8 workers', { autoscale: { min_workers: 2, max_workers: 8 } }],
    ['8 to 2 workers', { num_workers: 2 }],
    ['3 workers', { num_workers: 3 }],
    ['a new cluster', { num_workers: 1 }],
  ] as const)
    it(`has a cluster of ${wish}`, () => {
      const { new_cluster: made } = settingsOf(`Create a job for /jobs/etl.py with ${wish}`);
      assert.deepEqual(made, { ...cluster, ...size });
    });

  it('is asked for by whoever wants a job and says one thing of it', () => {
    const said = [
      'at /jobs/x',
      'from dfs:x',
      'from objstore:x',
      'for a.py',
      'for a.ipynb',
      'for a.jar',
      'for every day',
    ];
    said.push(
      'for each day',
      'daily',
      'hourly',
      'weekly',
      'nightly',
      'that can retry',
      'with retries',
      'with 1 worker',
    );
    said.push('with 3 workers', 'for a@b.example');
    assert.deepEqual(
      said.filter((words) => !asksForJobFile(`make a job ${words}`)),
      [],
    );
    for (const text of ['make a job', 'make a job for me', 'make a cake daily', 'which job runs daily'])
      assert.equal(asksForJobFile(text), false, text);
  });

  holdPhrases('jobs', (phrase) => {
    const told = made(`Create a job for /jobs/etl.py, a@b.example, ${phrase}`)?.replaceAll('\n', ' ');
    return `${asksForJobFile(`${phrase} a job for /jobs/etl.py`)} ${asksForJobFile(phrase)} ${told}`;
  });
});
