import assert from 'node:assert/strict';
import { startTestService, type TestService } from '../support/testService.ts';

type Fields = Record<string, unknown>;

const newCluster: Fields = { spark_version: '15.4.x-scala2.12', node_type_id: 'local', num_workers: 1 };
const pythonFile: Fields = { spark_python_task: { python_file: '/a.py' } };
const onExisting: Fields = { existing_cluster_id: 'c', ...pythonFile };
const onNew = (more: Fields): Fields => ({ new_cluster: { ...newCluster, ...more }, ...pythonFile });
const ascii = /ASCII/;

/** One structure of the Jobs API 2.0: settings that it allows, to the edge of each limit, and settings that break one rule each. */
interface Structure {
  allowed: Fields[];
  refused: [Fields, RegExp][];
}

/** A service for these tests, and what it is asked of each structure. To be called in a `describe`. */
function structureTests(): {
  service(): TestService;
  comeBack(allowed: Structure['allowed']): Promise<void>;
  areRefused(refused: Structure['refused']): Promise<void>;
} {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.close());
  return {
    service: () => test,
    async comeBack(allowed) {
      for (const settings of allowed) {
        const created = await test.post('/api/2.0/jobs/create', { name: 'x', ...settings });
        assert.equal(created.status, 200, `${JSON.stringify(settings).slice(0, 300)}: ${created.text}`);
        const sent = JSON.parse(JSON.stringify({ name: 'x', ...settings })) as unknown;
        assert.deepEqual((await test.get(`/api/2.0/jobs/get?job_id=${created.json.job_id}`)).json.settings, sent);
        const { name: _, ...rest } = settings;
        assert.equal(
          (await test.post('/api/2.0/jobs/reset', { job_id: created.json.job_id, new_settings: rest })).text,
          '{}',
        );
      }
    },
    async areRefused(refused) {
      const jobId = await test.createJob();
      const before = (await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).text;
      const { jobs } = (await test.get('/api/2.0/jobs/list')).json;
      for (const [settings, message] of refused) {
        for (const [operation, body] of [
          ['create', settings],
          ['reset', { job_id: jobId, new_settings: settings }],
        ] as const) {
          const reply = await test.post(`/api/2.0/jobs/${operation}`, body);
          assert.deepEqual(
            [reply.status, reply.json.error_code],
            [400, 'INVALID_PARAMETER_VALUE'],
            `${operation} ${JSON.stringify(settings).slice(0, 300)}`,
          );
          assert.match(reply.json.message, message);
        }
        // An update replaces what it names, so the job's own task and cluster go first if the settings bring theirs.
        const removed = ['existing_cluster_id', 'spark_python_task'].filter((field) => !(field in settings));
        assert.equal(
          (
            await test.post('/api/2.0/jobs/update', {
              job_id: jobId,
              new_settings: settings,
              fields_to_remove: removed,
            })
          ).status,
          400,
          JSON.stringify(settings).slice(0, 300),
        );
      }
      assert.equal((await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).text, before);
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, jobs.length);
    },
  };
}

const structures: Record<string, Structure> = {
  JobSettings: {
    allowed: [
      onExisting,
      onNew({}),
      {
        ...onExisting,
        name: 'ü'.repeat(2000),
        libraries: [],
        timeout_seconds: 0,
        max_retries: -1,
        min_retry_interval_millis: 0,
        retry_on_timeout: true,
        max_concurrent_runs: 0,
      },
      {
        ...onExisting,
        timeout_seconds: 2_147_483_647,
        max_retries: 0,
        min_retry_interval_millis: 2_147_483_647,
        retry_on_timeout: false,
        max_concurrent_runs: 1000,
      },
      { ...onExisting, tasks: undefined, job_clusters: [] },
      { tasks: Array.from({ length: 100 }, (_, index) => ({ task_key: `t${index}` })) },
    ],
    refused: [
      [{ ...onExisting, new_cluster: newCluster }, /both given/],
      [pythonFile, /no cluster is given/i],
      [{ existing_cluster_id: 'c' }, /no task is given/i],
      [{ ...onExisting, notebook_task: { notebook_path: '/n' } }, /a job has one task/],
      [
        { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' }, spark_jar_task: { main_class_name: 'M' } },
        /a job has one task/,
      ],
      [{ ...onExisting, max_concurrent_runs: 1001 }, /1000/],
      [{ ...onExisting, max_concurrent_runs: -1 }, /at least 0/],
      [{ ...onExisting, max_retries: -2 }, /-1/],
      [{ ...onExisting, timeout_seconds: 2_147_483_648 }, /timeout_seconds/],
      [{ ...onExisting, timeout_seconds: '5' }, /timeout_seconds/],
      [{ ...onExisting, retry_on_timeout: 'yes' }, /retry_on_timeout/],
      [{ ...onExisting, name: 5 }, /name/],
      [{ ...onExisting, libraries: {} }, /libraries/],
      [{ tasks: Array.from({ length: 101 }, (_, index) => ({ task_key: `t${index}` })) }, /at most 100/],
    ],
  },
  tasks: {
    allowed: [
      {
        existing_cluster_id: 'c',
        notebook_task: {
          notebook_path: '/Users/me/n',
          revision_timestamp: 1_700_000_000_000,
          base_parameters: { a: 'b' },
        },
      },
      {
        existing_cluster_id: 'c',
        spark_jar_task: { jar_uri: 'dfs:/a.jar', main_class_name: 'com.example.Main', parameters: ['{{run_id}}', 'ü'] },
        libraries: [{ jar: 'dfs:/a.jar' }],
      },
      { existing_cluster_id: 'c', spark_python_task: { python_file: 'objstore://bucket/a.py', parameters: ['--a'] } },
      { new_cluster: newCluster, spark_submit_task: { parameters: ['--class', 'Main', 'dfs:/a.jar', '10'] } },
      { pipeline_task: { pipeline_id: 'mill' } },
      { run_job_task: { job_id: 9_007_199_254_740_991 } },
    ],
    refused: [
      [{ existing_cluster_id: 'c', notebook_task: { notebook_path: 'n' } }, /starts with a slash/],
      [{ existing_cluster_id: 'c', notebook_task: {} }, /notebook_path/],
      [{ existing_cluster_id: 'c', notebook_task: { notebook_path: '/n', base_parameters: { a: 'ü' } } }, ascii],
      [{ existing_cluster_id: 'c', notebook_task: { notebook_path: '/n', base_parameters: { ü: 'a' } } }, ascii],
      [{ existing_cluster_id: 'c', spark_python_task: {} }, /python_file/],
      [
        { existing_cluster_id: 'c', spark_python_task: { python_file: 'ok.py' } },
        /python_file: a workspace path starts with a slash; nothing was stored/,
      ],
      [
        { existing_cluster_id: 'c', spark_python_task: { python_file: 'ftp://host/ok.py' } },
        /the scheme ftp: is not known here.* Write \/folder\/file/,
      ],
      [
        { existing_cluster_id: 'c', spark_jar_task: { main_class_name: 'M', jar_uri: 'a.jar' } },
        /jar_uri: a workspace path starts with a slash/,
      ],
      [{ existing_cluster_id: 'c', spark_submit_task: { parameters: [] } }, /only on a new cluster/],
      [
        { new_cluster: newCluster, spark_submit_task: {}, libraries: [{ jar: 'dfs:/a.jar' }] },
        /libraries are not supported/,
      ],
      [
        { new_cluster: { ...newCluster, spark_conf: { a: 'b' } }, spark_submit_task: {} },
        /spark_conf is not supported/,
      ],
      ...['--master', '--deploy-mode', '--executor-cores', '--master=x'].map((flag): [Fields, RegExp] => [
        { new_cluster: newCluster, spark_submit_task: { parameters: [flag, 'x'] } },
        /is set automatically/,
      ]),
      [{ pipeline_task: {} }, /pipeline_id/],
      [{ run_job_task: {} }, /job_id/],
      [{ run_job_task: { job_id: 'x' } }, /job_id/],
    ],
  },
  CronSchedule: {
    allowed: [
      {
        ...onExisting,
        schedule: {
          quartz_cron_expression: '0 0 12 ? * MON-FRI 2030',
          timezone_id: 'Europe/Berlin',
          pause_status: 'PAUSED',
        },
      },
      {
        ...onExisting,
        schedule: { quartz_cron_expression: '0 15 10 L-3 * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' },
      },
    ],
    refused: [
      [{ ...onExisting, schedule: { timezone_id: 'UTC' } }, /quartz_cron_expression/],
      [{ ...onExisting, schedule: { quartz_cron_expression: '0 0 12 * * ?' } }, /timezone_id/],
      [
        { ...onExisting, schedule: { quartz_cron_expression: '0 0 12 * * *', timezone_id: 'UTC' } },
        /quartz_cron_expression/,
      ],
      [
        { ...onExisting, schedule: { quartz_cron_expression: '0 0 12 * * ?', timezone_id: 'Mars/Base' } },
        /timezone_id/,
      ],
      [
        {
          ...onExisting,
          schedule: { quartz_cron_expression: '0 0 12 * * ?', timezone_id: 'UTC', pause_status: 'STOPPED' },
        },
        /PAUSED/,
      ],
    ],
  },
  'notification structures': {
    allowed: [
      {
        ...onExisting,
        email_notifications: {
          on_start: ['a@example.com'],
          on_success: [],
          on_failure: ['b@example.com'],
          on_duration_warning_threshold_exceeded: ['c@example.com'],
          no_alert_for_skipped_runs: true,
        },
        webhook_notifications: {
          on_start: [{ id: '1' }, { id: '2' }, { id: '3' }],
          on_success: [],
          on_failure: [{ id: '1' }],
          on_duration_warning_threshold_exceeded: [{ id: '1' }],
        },
        notification_settings: {
          no_alert_for_skipped_runs: true,
          no_alert_for_canceled_runs: true,
          alert_on_last_attempt: true,
        },
        health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 10 }] },
      },
    ],
    refused: [
      ...['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'].flatMap(
        (event): [Fields, RegExp][] => [
          [{ ...onExisting, email_notifications: { [event]: ['jörg@example.com'] } }, ascii],
          [
            { ...onExisting, webhook_notifications: { [event]: ['1', '2', '3', '4'].map((id) => ({ id })) } },
            /at most 3/,
          ],
        ],
      ),
      [{ ...onExisting, webhook_notifications: { on_start: [{}] } }, /id/],
      [{ ...onExisting, notification_settings: { alert_on_last_attempt: 1 } }, /alert_on_last_attempt/],
      [
        { ...onExisting, health: { rules: [{ metric: 'SPEED', operator: 'GREATER_THAN', value: 1 }] } },
        /RUN_DURATION_SECONDS/,
      ],
      [
        { ...onExisting, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'LESS_THAN', value: 1 }] } },
        /GREATER_THAN/,
      ],
      [{ ...onExisting, health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN' }] } }, /value/],
    ],
  },
};

describe('the structures of jobs, to the edge of each limit', () => {
  const { service: test, comeBack, areRefused } = structureTests();

  for (const [name, { allowed, refused }] of Object.entries(structures)) {
    it(`${name}: what is allowed comes back as it was sent`, () => comeBack(allowed));
    it(`${name}: what breaks a rule is refused by create, reset and update, in words`, () => areRefused(refused));
  }

  it('RunParameters: 10,000 bytes, ASCII, one kind, and the one that the task takes', async () => {
    const tasks: Record<string, [Fields, (text: string) => unknown]> = {
      jar_params: [{ spark_jar_task: { main_class_name: 'M' } }, (text) => [text]],
      notebook_params: [{ notebook_task: { notebook_path: '/n' } }, (text) => ({ a: text })],
      python_params: [pythonFile, (text) => [text]],
      spark_submit_params: [
        { new_cluster: newCluster, existing_cluster_id: undefined, spark_submit_task: {} },
        (text) => [text],
      ],
    };
    for (const [kind, [task, make]] of Object.entries(tasks)) {
      const created = await test().post('/api/2.0/jobs/create', {
        name: kind,
        existing_cluster_id: 'c',
        max_concurrent_runs: 0,
        ...task,
      });
      assert.equal(created.status, 200, created.text);
      const run = async (parameters: Fields): Promise<number> =>
        (await test().post('/api/2.0/jobs/run-now', { job_id: created.json.job_id, ...parameters })).status;
      const around = JSON.stringify(make('')).length;
      assert.equal(await run({ [kind]: make('x'.repeat(10_000 - around)) }), 200, kind);
      assert.equal(await run({ [kind]: make('x'.repeat(10_001 - around)) }), 400, kind);
      // JAR parameters may hold any text, and its bytes are what counts.
      assert.equal(await run({ [kind]: make('ü') }), kind === 'jar_params' ? 200 : 400, kind);
      assert.equal(await run({ [kind]: make('ü'.repeat(5000)) }), 400, kind);
      for (const other of Object.keys(tasks))
        if (other !== kind) assert.equal(await run({ [other]: tasks[other]![1]('a') }), 400, `${other} for ${kind}`);
      assert.equal(await run({ [kind]: 'text' }), 400, kind);
    }
  });
});
