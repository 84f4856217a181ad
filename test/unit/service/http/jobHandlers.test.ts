import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { settingsOf } from '../../../../src/service/http/jobHandlers.ts';
import { pythonTask, startTestService, type Reply, type TestService } from '../support/testService.ts';
import './document.part.ts';
import './documentClusters.part.ts';
import './jobRules.part.ts';

/** As job files of public repositories are: fields this document does not have, nulls, numbers as they were written. */
const realSettings = `{
  "name": "nightly etl", "email_notifications": {"on_failure": ["team@example.com"], "no_alert_for_skipped_runs": false},
  "timeout_seconds": 3600, "max_concurrent_runs": 1, "format": "SINGLE_TASK",
  "schedule": {"quartz_cron_expression": "0 0 2 * * ?", "timezone_id": "Europe/Berlin", "pause_status": "PAUSED"},
  "new_cluster": {"spark_version": "7.3.x-scala2.12", "node_type_id": "i3.xlarge", "num_workers": 2,
    "aws_attributes": {"zone_id": "us-west-2a", "first_on_demand": 1.0},
    "spark_conf": {"spark.speculation": true}, "spark_env_vars": null, "init_scripts": [{"dbfs": {"destination": "dbfs:/init.sh"}}]},
  "libraries": [{"jar": "dbfs:/lib.jar"}, {"pypi": {"package": "simplejson==3.8.0"}}],
  "spark_jar_task": {"main_class_name": "com.example.Main", "parameters": ["a", "b"]}, "custom": {"big": 9007199254740993, "ratio": 1.50}
}`;

describe('the routes of jobs', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.close());

  it('gives a job back as it was written, digit for digit', async () => {
    const created = await test.post('/api/2.0/jobs/create', realSettings, { 'content-type': 'text/plain' });
    assert.equal(created.status, 200, created.text);
    const reply = await test.get(`/api/2.0/jobs/get?job_id=${created.json.job_id}`);
    assert.ok(reply.text.includes(`"settings":${realSettings}`), reply.text);
    assert.equal(typeof reply.json.created_time, 'number');
    const listed = (await test.get('/api/2.0/jobs/list?limit=5&expand_tasks=false')).json.jobs[0];
    assert.deepEqual(listed, reply.json);
  });

  it('holds settings of a job that a one-time run is sent with to their own rules', async () => {
    for (const [field, value] of [
      ['name', { x: 1 }],
      ['email_notifications', 5],
      ['health', 'well'],
    ] as const) {
      const refused = await test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, [field]: value });
      assert.deepEqual([refused.status, refused.json.error_code], [400, 'INVALID_PARAMETER_VALUE'], field);
      assert.ok(refused.json.message.includes(field), refused.text);
    }
  });

  it('keeps what is changed while a large change is under way', async () => {
    const job = await test.createJob({ max_retries: 1 });
    const change = (settings: object): Promise<Reply> =>
      test.post('/api/2.0/jobs/update', { job_id: job, new_settings: settings });
    const changes = [
      change({ note: '"'.repeat(2_000_000) }),
      change({ max_retries: 2 }),
      change({ other: '"'.repeat(2_000_000) }),
      change({ min_retry_interval_millis: 3 }),
    ];
    for (const reply of await Promise.all(changes)) assert.equal(reply.status, 200, reply.text.slice(0, 300));
    const { settings } = (await test.get(`/api/2.0/jobs/get?job_id=${job}`)).json;
    assert.deepEqual(
      { ...settings, note: settings.note.length, other: settings.other.length },
      {
        name: 'job',
        ...pythonTask,
        max_retries: 2,
        min_retry_interval_millis: 3,
        note: 2_000_000,
        other: 2_000_000,
      },
    );
  });

  it('names an id that does not exist digit for digit', async () => {
    for (const call of [
      test.get('/api/2.0/jobs/get?job_id=9007199254740993'),
      test.post('/api/2.0/jobs/run-now', '{"job_id":9007199254740993}'),
      test.post('/api/2.0/jobs/runs/cancel-all', '{"job_id":"9007199254740993"}'),
      test.get('/api/2.0/jobs/runs/get?run_id=9007199254740993'),
      test.post('/api/2.0/jobs/runs/cancel', '{"run_id":9007199254740993}'),
      test.get('/api/2.0/jobs/runs/get-output?run_id=9007199254740993'),
    ]) {
      const reply = await call;
      assert.equal(reply.status, 400);
      assert.equal(reply.json.error_code, 'RESOURCE_DOES_NOT_EXIST');
      assert.match(reply.json.message, /\b9007199254740993\b/);
    }
  });

  it('keeps ids beyond 2^53 exact', async () => {
    const strict = await startTestService();
    try {
      const { connection } = strict.service.store.database;
      for (const table of ['jobs', 'runs'])
        connection.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, 9007199254740992n);
      const created = await strict.post('/api/2.0/jobs/create', { name: 'x', ...pythonTask });
      assert.equal(created.text, '{"job_id":9007199254740993}');
      const run = await strict.post('/api/2.0/jobs/run-now', created.text);
      assert.equal(run.text, '{"run_id":9007199254740993,"number_in_job":1}');
      const read = await strict.get('/api/2.0/jobs/runs/get?run_id=9007199254740993');
      assert.match(read.text, /^\{"job_id":9007199254740993,"run_id":9007199254740993,/);
      assert.match(read.json.run_page_url, /\/runs\/9007199254740993\//);
    } finally {
      await strict.close();
    }
  });

  it('resets all settings, updates some and removes some', async () => {
    const jobId = await test.createJob({ name: 'old', libraries: [{ jar: 'dfs:/a.jar' }], timeout_seconds: 5 });
    const settings = async (): Promise<unknown> => (await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).json.settings;
    assert.equal(
      (await test.post('/api/2.0/jobs/reset', { job_id: jobId, new_settings: { name: 'new', ...pythonTask } })).text,
      '{}',
    );
    assert.deepEqual(await settings(), { name: 'new', ...pythonTask });
    await test.post('/api/2.0/jobs/update', {
      job_id: jobId,
      new_settings: { max_retries: 2 },
      fields_to_remove: ['name'],
    });
    assert.deepEqual(await settings(), { name: 'Untitled', ...pythonTask, max_retries: 2 });
    const refused = await test.post('/api/2.0/jobs/update', { job_id: jobId, fields_to_remove: ['spark_python_task'] });
    assert.equal(refused.status, 400);
    assert.match(refused.json.message, /no task is given/i);
    assert.deepEqual(await settings(), { name: 'Untitled', ...pythonTask, max_retries: 2 });
  });

  it('refuses what breaks a rule of the document and changes nothing', async () => {
    const count = (await test.get('/api/2.0/jobs/list')).json.jobs.length;
    const broken: [Record<string, unknown>, RegExp][] = [
      [{ notebook_task: { notebook_path: '/n' } }, /a job has one task/],
      [
        { new_cluster: { spark_version: 'x', num_workers: 1, node_type_id: 'n' } },
        /existing_cluster_id and new_cluster are both given/,
      ],
      [{ max_concurrent_runs: 1001 }, /max_concurrent_runs.*1000/],
      [{ max_retries: -2 }, /max_retries/],
      [
        { spark_python_task: undefined, tasks: Array.from({ length: 101 }, (_, index) => ({ task_key: `t${index}` })) },
        /101 tasks are given; a job has at most 100/,
      ],
      [{ schedule: { quartz_cron_expression: '* * *', timezone_id: 'UTC' } }, /quartz_cron_expression/],
      [{ schedule: { quartz_cron_expression: '0 0 0 * * ?', timezone_id: 'Mars/Base' } }, /timezone_id/],
      [{ email_notifications: { on_start: ['jörg@example.com'] } }, /ASCII/],
      [{ webhook_notifications: { on_start: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }] } }, /at most 3/],
      [{ health: { rules: [{ metric: 'SPEED', operator: 'GREATER_THAN', value: 1 }] } }, /metric/],
      [{ spark_python_task: {} }, /python_file/],
    ];
    for (const [fields, message] of broken) {
      const reply = await test.post('/api/2.0/jobs/create', { name: 'x', ...pythonTask, ...fields });
      assert.equal(reply.status, 400, JSON.stringify(fields));
      assert.equal(reply.json.error_code, 'INVALID_PARAMETER_VALUE');
      assert.match(reply.json.message, message);
    }
    for (const body of ['{', '[1]', '5', '"x"'])
      assert.equal((await test.post('/api/2.0/jobs/create', body)).json.error_code, 'MALFORMED_REQUEST');
    assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, count);
  });

  it('updates no job to settings that are larger than any request may be', async () => {
    const jobId = await test.createJob({ 'x-a': 'a'.repeat(6_000_000) });
    const refused = await test.post('/api/2.0/jobs/update', {
      job_id: jobId,
      new_settings: { 'x-b': 'b'.repeat(6_000_000) },
    });
    assert.deepEqual([refused.status, refused.json.error_code], [400, 'INVALID_PARAMETER_VALUE']);
    assert.match(refused.json.message, /^The settings would be larger than 10 MB\. Nothing was changed\./);
    assert.doesNotMatch((await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).text, /x-b/);
    assert.equal(
      (await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { 'x-b': 'b' } })).status,
      200,
    );
  });

  it('checks run-now parameters', async () => {
    const jobId = await test.createJob();
    const broken: [Record<string, unknown>, RegExp][] = [
      [{ python_params: ['a'], jar_params: ['b'] }, /only the one kind/],
      [{ notebook_params: { a: 'b' } }, /takes python_params/],
      [{ python_params: ['ä'] }, /ASCII/],
      [{ python_params: ['x'.repeat(10_000)] }, /at most 10,000/],
      [{ idempotency_token: 'x'.repeat(65) }, /at most 64/],
    ];
    for (const [fields, message] of broken) {
      const reply = await test.post('/api/2.0/jobs/run-now', { job_id: jobId, ...fields });
      assert.equal(reply.status, 400);
      assert.match(reply.json.message, message);
    }
    assert.equal((await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`)).json.runs.length, 0);
  });

  it('holds 12,000 jobs and 10,000 creations an hour', async function () {
    this.timeout(120_000);
    const strict = await startTestService();
    try {
      const { store } = strict.service;
      const now = strict.clock.now();
      store.transaction(() => {
        for (let index = 0; index < 10_000; index += 1) store.creations.insert(now - 1000);
      });
      const hourly = await strict.post('/api/2.0/jobs/create', { name: 'x', ...pythonTask });
      assert.deepEqual([hourly.status, hourly.json.error_code], [429, 'REQUEST_LIMIT_EXCEEDED']);
      assert.equal((await strict.post('/api/2.0/jobs/runs/submit', pythonTask)).status, 429);
      assert.ok(Number(hourly.headers.get('retry-after')) > 3000);
      await strict.clock.advance(3_600_000);
      assert.equal((await strict.post('/api/2.0/jobs/runs/submit', pythonTask)).status, 200);
      store.transaction(() => {
        for (let index = 0; index < 12_000; index += 1)
          store.jobs.insert({ settings: '{"name":"x"}', creator: 'x', createdAt: 0 }, undefined);
      });
      const full = await strict.post('/api/2.0/jobs/create', { name: 'x', ...pythonTask });
      assert.deepEqual([full.status, full.json.error_code], [400, 'QUOTA_EXCEEDED']);
    } finally {
      await strict.close();
    }
  });

  it('lists the clusters honestly', async () => {
    assert.ok((await test.get('/api/2.0/clusters/spark-versions')).json.versions.length > 0);
    assert.equal((await test.get('/api/2.0/clusters/list-node-types')).json.node_types[0].node_type_id, 'local');
    assert.deepEqual((await test.get('/api/2.0/clusters/list-zones')).json, {
      zones: ['local'],
      default_zone: 'local',
    });
  });
});

describe('what a one-time run is to do', () => {
  it('is what was sent, to the digit, without the token', () =>
    assert.equal(
      settingsOf({}, '{"idempotency_token":"t","run_name":"r","timeout_seconds":1.0,"x":12345678901234567890}'),
      '{"run_name":"r","timeout_seconds":1.0,"x":12345678901234567890}',
    ));

  for (const [request, field] of [
    [{ spark_python_task: { python_file: 'c:\\a.py' } }, /spark_python_task\.python_file/],
    [{ spark_jar_task: { jar_uri: 'ftp://a.jar' } }, /spark_jar_task\.jar_uri/],
  ] as const)
    it(`is refused with ${JSON.stringify(request)}`, () =>
      assert.throws(
        () => settingsOf(request, '{}'),
        (error) => error instanceof ApiError && error.status === 400 && field.test(error.message),
      ));
});
