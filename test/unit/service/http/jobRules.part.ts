import assert from 'node:assert/strict';
import { request } from 'node:https';
import { selfSigned } from '../support/selfSigned.ts';
import { pythonTask, startTestService, type Reply, type TestService } from '../support/testService.ts';

const newCluster = { spark_version: '3.5', node_type_id: 'n', num_workers: 1 };
const sparkSubmit = (...parameters: string[]): object => ({
  new_cluster: newCluster,
  spark_submit_task: { parameters },
});

describe('the rules of requests about jobs', () => {
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
      [{ ...pythonTask, email_notifications: { on_start: [''] } }, /on_start\[0\]: must be an e-mail address/],
      [
        { ...pythonTask, email_notifications: { on_start: ['not an address'] } },
        /must be an e-mail address, such as someone@example\.com/,
      ],
      [{ ...pythonTask, libraries: [{ foo: 'x' }] }, /libraries\[0\]: one of jar, .* is required/],
      [{ ...pythonTask, libraries: [{ jar: '' }] }, /libraries\[0\]\.jar: must not be empty/],
      [{ ...pythonTask, libraries: [{ maven: { coordinates: 'abc' } }] }, /Maven coordinates/],
      [
        { ...pythonTask, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: -1 }] } },
        /must be at least 0/,
      ],
      [{ ...pythonTask, tasks: [], spark_python_task: undefined }, /no task is given/i],
      [sparkSubmit('--master', 'x', '--class', 'A', 'dfs:/a.jar'), /--master is set automatically/],
      [sparkSubmit('--executor-cores=4', 'dfs:/a.jar'), /--executor-cores is set automatically/],
      [
        {
          ...pythonTask,
          existing_cluster_id: undefined,
          new_cluster: {
            ...newCluster,
            cloud_attributes: {
              block_volume_type: 'THROUGHPUT_OPTIMIZED_HDD',
              block_volume_size: 500,
              block_volume_iops: 3000,
            },
          },
        },
        /block_volume_iops goes with general purpose SSD/,
      ],
      [
        { ...pythonTask, spark_python_task: { python_file: `/${'x'.repeat(5000)}` } },
        /python_file: has more than 4,096 characters/,
      ],
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

  it('judge the options of spark-submit up to the application', async () => {
    const { json } = await takes('create', sparkSubmit('--class', 'A', 'dfs:/a.jar', '--master', 'local[1]'));
    await takes('create', sparkSubmit('--name', '--master', 'dfs:/a.jar'));
    await takes('run-now', {
      job_id: json.job_id,
      spark_submit_params: ['--class', 'A', 'dfs:/a.jar', '--deploy-mode', 'x'],
    });
    await refuses(
      'run-now',
      { job_id: json.job_id, spark_submit_params: ['--class', 'A', '--master', 'local[1]', 'dfs:/a.jar'] },
      /spark_submit_params\[2\]: --master is set automatically/,
    );
  });

  it('take what real servers have beside the document', async () => {
    await takes('create', {
      ...pythonTask,
      health: { rules: [{ metric: 'STREAMING_BACKLOG_BYTES', operator: 'GREATER_THAN', value: 1 }] },
    });
    await takes('create', { existing_cluster_id: 'x', python_wheel_task: { package_name: 'p', entry_point: 'main' } });
    await takes('create', { ...pythonTask, libraries: [{ requirements: '/r.txt' }] });
    await refuses(
      'create',
      { ...pythonTask, health: { rules: [{ metric: 'RUN_DURATION', operator: 'GREATER_THAN', value: 1 }] } },
      /metric/,
    );
  });

  it('know the time zones that the scheduler knows', async () => {
    const scheduled = (timezone: string): object => ({
      ...pythonTask,
      schedule: { quartz_cron_expression: '0 0 8 * * ?', timezone_id: timezone },
    });
    for (const zone of ['GMT+2', 'GMT+02:00', 'GMT+5:30', 'UTC', 'PST', 'Etc/GMT+5', 'Europe/Berlin'])
      await takes('create', scheduled(zone));
    for (const zone of ['+02:00', 'europe/berlin', 'GMT+99', 'Mars/Base'])
      await refuses('create', scheduled(zone), /schedule\.timezone_id: ".*" is not a time zone id/);
  });

  it('read a map of parameters that is written as pairs, and give back what came', async () => {
    const base = [
      { key: 'day', value: '1' },
      { key: 'who', value: 'Ada' },
    ];
    const { json } = await takes('create', {
      existing_cluster_id: 'x',
      notebook_task: { notebook_path: '/n', base_parameters: base },
    });
    assert.deepEqual(
      (await test.get(`/api/2.0/jobs/get?job_id=${json.job_id}`)).json.settings.notebook_task.base_parameters,
      base,
    );
    const params = [{ key: 'day', value: '7' }];
    const run = (await takes('run-now', { job_id: json.job_id, notebook_params: params })).json.run_id as number;
    await test.untilTasks(1);
    const { task, parameters } = test.runners.last.request;
    assert.deepEqual(
      [task.notebook_task?.base_parameters, parameters.notebook_params],
      [{ day: '1', who: 'Ada' }, { day: '7' }],
    );
    assert.deepEqual((await test.getRun(run)).overriding_parameters, { notebook_params: params });
    await refuses(
      'create',
      { existing_cluster_id: 'x', notebook_task: { notebook_path: '/n', base_parameters: [{ key: 'a' }] } },
      /base_parameters: must be an object with fields, not a list/,
    );
    await refuses(
      'create',
      { existing_cluster_id: 'x', notebook_task: { notebook_path: '/n', base_parameters: [{ key: 'a', value: 'é' }] } },
      /ASCII/,
    );
  });

  it('name a field of a request that would be dropped, and the one that may be meant', async () => {
    const job_id = await test.createJob();
    await refuses(
      'run-now',
      { job_id, notebook_param: {} },
      /notebook_param: is not a field of this request\. Did you mean notebook_params\?/,
    );
    for (const name of ['job_parameters', 'python_named_params', 'queue'])
      await refuses(
        'run-now',
        { job_id, [name]: {} },
        new RegExp(`${name}: is not a field of this request; it has job_id`),
      );
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

  it('take an empty list of parameters as none', async () => {
    const jobId = await test.createJob();
    await takes('run-now', {
      job_id: jobId,
      jar_params: [],
      notebook_params: {},
      python_params: ['--x'],
      spark_submit_params: [],
    });
    await test.untilTasks(1);
    assert.deepEqual(test.runners.last.request.parameters, { python_params: ['--x'] });
    await refuses(
      'run-now',
      { job_id: jobId, jar_params: ['a'], python_params: ['b'] },
      /jar_params and python_params are given/,
    );
  });

  it('take fields of the address of a POST as part of the request', async () => {
    const made = await test.post('/api/2.0/jobs/create?existing_cluster_id=c&name=n', {
      spark_python_task: { python_file: '/x.py' },
    });
    const { settings } = (await test.get(`/api/2.0/jobs/get?job_id=${made.json.job_id}`)).json;
    assert.deepEqual(settings, { existing_cluster_id: 'c', name: 'n', spark_python_task: { python_file: '/x.py' } });
    assert.match(
      (await test.post('/api/2.0/jobs/create?name=a', { ...pythonTask, name: 'b' })).json.message,
      /name is given in the address and, with another value, in the body/,
    );
    assert.equal((await test.post(`/api/2.0/jobs/run-now?job_id=${made.json.job_id}`, '')).status, 200);
  });

  it('count the last of several members of one name', async () => {
    const { json } = await takes(
      'create',
      '{"name":"a","name":"b","existing_cluster_id":"c","spark_python_task":{"python_file":"/a.py","python_file":"/b.py"},"x":[{"k":1,"k":2.50}]}',
    );
    const { text } = await test.get(`/api/2.0/jobs/get?job_id=${json.job_id}`);
    assert.ok(
      text.includes(
        '"settings":{"name":"b","existing_cluster_id":"c","spark_python_task":{"python_file":"/b.py"},"x":[{"k":2.50}]}',
      ),
      text,
    );
  });

  it('refuse a filter that nothing can match', async () => {
    assert.match(
      (await test.get('/api/2.0/jobs/runs/list?run_type=FOO')).json.message,
      /run_type: must be one of JOB_RUN, SUBMIT_RUN or WORKFLOW_RUN/,
    );
    assert.equal((await test.get('/api/2.0/jobs/runs/list?run_type=WORKFLOW_RUN')).status, 200);
    const unknown = await test.get('/api/2.0/jobs/runs/list?job_id=77');
    assert.deepEqual([unknown.status, unknown.json.error_code], [400, 'RESOURCE_DOES_NOT_EXIST']);
  });

  it('tell the active runs of a job, not its limit, where a run is skipped', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 3 });
    for (let count = 0; count < 3; count += 1) await test.runNow(jobId);
    await takes('update', { job_id: jobId, new_settings: { max_concurrent_runs: 1 } });
    const skipped = await test.getRun(await test.runNow(jobId));
    assert.equal(skipped.state.state_message, 'The job has 3 active runs already, and its max_concurrent_runs is 1.');
  });

  it('keep a __proto__ of a job as a field like others, and the largest INT64', async () => {
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

  it('tell where a run starts what has no effect on this machine', async () => {
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

  it('give a one-time run a job of its own that nobody can get, and its run a place in the lists', async () => {
    const jobId = await test.createJob();
    const { run_id: runId } = (
      await takes('runs/submit', {
        ...pythonTask,
        spark_python_task: { python_file: '/a.py', parameters: ['{{job_id}}'] },
      })
    ).json as { run_id: number };
    const run = await test.getRun(runId);
    assert.deepEqual([run.run_type, run.number_in_job, run.job_id > jobId], ['SUBMIT_RUN', 1, true]);
    assert.equal((await test.get(`/api/2.0/jobs/get?job_id=${run.job_id}`)).json.error_code, 'RESOURCE_DOES_NOT_EXIST');
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

  it('say for a path that is not there what to do instead', async () => {
    const words = async (path: string): Promise<string> => (await test.get(path)).json.message as string;
    assert.match(await words('/api/2.0/jobs/run/get'), /Did you mean \/api\/2\.0\/jobs\/runs\/get\?/);
    assert.match(await words('/api/2.1/jobs/list'), /speaks version 2\.0; 2\.1 is not there/);
    assert.match(await words('/api/2.0/workspace/list'), /it runs those of the folder that it was started for/);
    assert.match(await words('/api/2.0/unity'), /Of \/api\/2\.0\/ this service has jobs/);
    assert.match(await words('/nothing'), /below \/api\/2\.0\//);
  });
});

describe('the usual port of https', () => {
  it('may be left out of the Host header', async function () {
    const tls = selfSigned();
    const test = await startTestService({ tls, port: 443 }).catch(() => undefined);
    if (!test) this.skip();
    try {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        request(
          {
            host: '127.0.0.1',
            port: 443,
            path: '/api/2.0/jobs/list',
            rejectUnauthorized: false,
            headers: { host: '127.0.0.1', authorization: 'Bearer token-of-a-test', connection: 'close' },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .on('error', reject)
          .end();
      });
      assert.equal(status, 200);
    } finally {
      await test.close();
    }
  });
});
