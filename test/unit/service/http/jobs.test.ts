import assert from 'node:assert/strict';
import { pythonTask, type Reply, startTestService, type TestService } from '../support/testService.ts';

describe('Jobs over HTTP', () => {
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

  describe('Job routes', () => {
    let test: TestService;
    before(async () => {
      test = await startTestService();
    });
    after(() => test.close());

    it('return a job as it was written, digit for digit', async () => {
      const created = await test.post('/api/2.0/jobs/create', realSettings, { 'content-type': 'text/plain' });
      assert.equal(created.status, 200, created.text);
      const reply = await test.get(`/api/2.0/jobs/get?job_id=${created.json.job_id}`);
      assert.ok(reply.text.includes(`"settings":${realSettings}`), reply.text);
      assert.equal(typeof reply.json.created_time, 'number');
      const listed = (await test.get('/api/2.0/jobs/list?limit=5&expand_tasks=false')).json.jobs[0];
      assert.deepEqual(listed, reply.json);
    });

    it('take numbers and booleans as text, as the operators of Airflow send them', async () => {
      const texts = {
        ...pythonTask,
        existing_cluster_id: null,
        new_cluster: {
          spark_version: '7.3.x-scala2.12',
          node_type_id: 'x',
          autoscale: { min_workers: '1', max_workers: '2' },
        },
        timeout_seconds: '3600',
        retry_on_timeout: 'True',
        health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: '60' }] },
      };
      const job = await test.createJob(texts);
      const { settings } = (await test.get(`/api/2.0/jobs/get?job_id=${job}`)).json;
      assert.deepEqual(
        [settings.timeout_seconds, settings.retry_on_timeout, settings.new_cluster.autoscale, settings.health.rules],
        [3600, true, { min_workers: 1, max_workers: 2 }, [{ ...texts.health.rules[0], value: 60 }]],
      );
      const changed = await test.post('/api/2.0/jobs/update', { job_id: job, new_settings: { max_retries: '2' } });
      assert.equal(changed.status, 200, changed.text);
      const refused = await test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, timeout_seconds: 'soon' });
      assert.equal(refused.status, 400);
    });

    it('refuse a destination of logs or an init script that no run could use', async () => {
      for (const [field, value] of [
        ['cluster_log_conf', { dfs: { destination: 'true' } }],
        ['init_scripts', [{ workspace: { destination: 'ftp://host/init.sh' } }]],
      ] as const) {
        const cluster = { spark_version: '7.3.x-scala2.12', node_type_id: 'x', num_workers: 1, [field]: value };
        const settings = { ...pythonTask, existing_cluster_id: undefined, new_cluster: cluster };
        const reply = await test.post('/api/2.0/jobs/create', settings);
        assert.equal(reply.status, 400);
        assert.match(reply.json.message, new RegExp(`^new_cluster\\.${field}`));
      }
    });

    it('keep a small change made during a large one', async () => {
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

    it('name an unknown id digit for digit', async () => {
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

    it('keep ids beyond 2^53 exact', async () => {
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

    it('reset all settings, update some and remove some', async () => {
      const jobId = await test.createJob({ name: 'old', libraries: [{ jar: 'dfs:/a.jar' }], timeout_seconds: 5 });
      const settings = async (): Promise<unknown> =>
        (await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).json.settings;
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
      const refused = await test.post('/api/2.0/jobs/update', {
        job_id: jobId,
        fields_to_remove: ['spark_python_task'],
      });
      assert.equal(refused.status, 400);
      assert.match(refused.json.message, /no task is given/i);
      assert.deepEqual(await settings(), { name: 'Untitled', ...pythonTask, max_retries: 2 });
    });

    it('refuse an update to settings larger than a request may be', async () => {
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

    it('check run-now parameters', async () => {
      const jobId = await test.createJob();
      const broken: [Record<string, unknown>, RegExp][] = [
        [{ python_params: ['a'], jar_params: ['b'] }, /only the kind/],
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

    it('hold 12,000 jobs and 10,000 creations an hour', async function () {
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
  });
});

describe('Rules', () => {
  const newCluster = { spark_version: '3.5', node_type_id: 'n', num_workers: 1 };
  const sparkSubmit = (...parameters: string[]): object => ({
    new_cluster: newCluster,
    spark_submit_task: { parameters },
  });

  describe('Job rules', () => {
    let test: TestService;
    beforeEach(async () => {
      test = await startTestService();
    });
    afterEach(() => test.close());

    /** A reply in short: the status, and what a refusal says. */
    const post = async (path: string, body: unknown): Promise<Reply> => test.post(`/api/2.0/jobs/${path}`, body);
    async function refuses(path: string, body: unknown, words: RegExp): Promise<void> {
      const { status, text, json } = await post(path, body);
      assert.equal(status, 400, text);
      assert.match(json.message, words);
    }
    async function takes(path: string, body: unknown): Promise<Reply> {
      const reply = await post(path, body);
      assert.equal(reply.status, 200, reply.text);
      return reply;
    }

    it('are the same for create, reset, update and submit', async () => {
      const jobId = await test.createJob();
      const wrong: [object, RegExp][] = [
        [
          { ...pythonTask, email_notifications: { on_start: ['x'] } },
          /must be an e-mail address, such as someone@example\.com/,
        ],
        [{ ...pythonTask, libraries: [{ foo: 'x' }] }, /libraries\[0\]: .*one of jar/i],
        [{ ...pythonTask, timeout_seconds: -1 }, /must be at least 0/],
        [sparkSubmit('--master', 'x', '--class', 'A', 'dfs:/a.jar'), /--master is set automatically/],
      ];
      for (const [settings, words] of wrong) {
        await refuses('create', settings, words);
        await refuses('reset', { job_id: jobId, new_settings: settings }, words);
        await refuses('runs/submit', settings, words);
        // Merged with the job's own task these are of two.
        if (!('tasks' in settings) && !('new_cluster' in settings))
          await refuses('update', { job_id: jobId, new_settings: settings }, words);
      }
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, 1);
      // What has a wrong shape does not hide what else is wrong.
      const both = { ...pythonTask, libraries: [{}], timeout_seconds: 'x' };
      for (const [path, body] of [
        ['create', both],
        ['reset', { job_id: jobId, new_settings: both }],
        ['runs/submit', both],
      ] as const)
        await refuses(path, body, /timeout_seconds: .*libraries\[0\]/);
    });

    it('name a field that would be dropped, and a likely one', async () => {
      const job_id = await test.createJob();
      await refuses(
        'run-now',
        { job_id, notebook_param: {} },
        /notebook_param: is not a field of this request\. Did you mean notebook_params\?/,
      );
      await refuses('run-now', { job_id, wait: true }, /wait: is not a field of this request, whose fields are job_id/);
      for (const name of ['job_parameters', 'python_named_params'])
        await refuses('run-now', { job_id, [name]: { a: 'b' } }, new RegExp(`${name} is for jobs with tasks`));
      await refuses('runs/cancel', { run_id: 1, jobid: 1 }, /jobid: is not a field/);
      await refuses('delete', { job_id, force: true }, /force: is not a field/);
      await refuses('reset', { job_id, new_setting: {}, new_settings: pythonTask }, /new_setting: is not a field/);
      await refuses('update', { job_id, newsettings: {} }, /Did you mean new_settings\?/);
      const list = await test.get('/api/2.0/jobs/runs/list?activ_only=true');
      assert.deepEqual(
        [list.status, list.json.message],
        [400, 'activ_only is not a field of this request. Did you mean active_only? Nothing was done.'],
      );
      assert.equal((await test.get('/api/2.0/jobs/runs/list?expand_tasks=true&page_token=')).status, 200);
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, 1);
    });

    it('keep __proto__ as a field and the largest INT64', async () => {
      const { json } = await takes(
        'create',
        '{"existing_cluster_id":"c","run_job_task":{"job_id":9223372036854775807},"__proto__":{"polluted":true}}',
      );
      const { text } = await test.get(`/api/2.0/jobs/get?job_id=${json.job_id}`);
      assert.ok(text.includes('"run_job_task":{"job_id":9223372036854775807},"__proto__":{"polluted":true}'), text);
      await refuses(
        'create',
        '{"run_job_task":{"job_id":9223372036854775808}}',
        /run_job_task\.job_id: must be a whole number between/,
      );
      await refuses('runs/cancel', '{"run_id":9223372036854775807}', /Run 9223372036854775807 does not exist/);
    });

    it('tell what has no effect on this machine when a run starts', async () => {
      const cluster = {
        ...newCluster,
        cloud_attributes: { availability: 'SPOT' },
        ssh_public_keys: ['k'],
        cluster_log_conf: { objstore: { destination: 'objstore://b/l', region: 'r', kms_key: 'k' } },
      };
      const health = { rules: [{ metric: 'STREAMING_BACKLOG_FILES', operator: 'GREATER_THAN', value: 1 }] };
      const { run_id: runId } = (
        await takes('runs/submit', {
          spark_python_task: { python_file: '/a.py' },
          new_cluster: cluster,
          libraries: [{ requirements: '/r' }],
          health,
        })
      ).json as { run_id: number };
      await test.untilTasks(1);
      test.runners.last.started();
      const { state } = await test.untilState(runId, 'RUNNING');
      assert.equal(
        state.state_message,
        'In run. On this machine node_type_id, cloud_attributes, ssh_public_keys, kms_key, requirements and STREAMING_BACKLOG_FILES have no effect.',
      );
      const plain = await test.runNow(await test.createJob());
      await test.untilTasks(2);
      test.runners.last.started();
      assert.equal((await test.untilState(plain, 'RUNNING')).state.state_message, 'In run');
    });

    it('give a one-time run a hidden job of its own', async () => {
      const jobId = await test.createJob();
      const { run_id: runId } = (
        await takes('runs/submit', {
          ...pythonTask,
          spark_python_task: { python_file: '/a.py', parameters: ['{{job_id}}'] },
        })
      ).json as { run_id: number };
      const run = await test.getRun(runId);
      assert.deepEqual([run.run_type, run.number_in_job, run.job_id > jobId], ['SUBMIT_RUN', 1, true]);
      assert.equal(
        (await test.get(`/api/2.0/jobs/get?job_id=${run.job_id}`)).json.error_code,
        'RESOURCE_DOES_NOT_EXIST',
      );
      const runsOf = async (query: string): Promise<number[]> =>
        ((await test.get(`/api/2.0/jobs/runs/list?${query}`)).json.runs as { run_id: number }[]).map(
          (each) => each.run_id,
        );
      assert.deepEqual(
        [await runsOf(`job_id=${run.job_id}`), await runsOf('run_type=SUBMIT_RUN'), await runsOf(`job_id=${jobId}`)],
        [[runId], [runId], []],
      );
      await test.untilTasks(1);
      assert.equal(test.runners.last.request.dynamicValues['job_id'], String(run.job_id));
      assert.ok((await test.createJob()) > run.job_id);
      await test.restart();
      assert.equal((await test.getRun(runId)).job_id, run.job_id);
    });

    it('need no token for what an SDK asks before it signs in', async () => {
      const reply = await test.get('/.well-known/databricks-config', { authorization: '' });
      assert.deepEqual([reply.status, reply.text], [200, '{}']);
    });
  });
});
