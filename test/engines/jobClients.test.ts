import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { startService, type Service, type ServiceOptions } from '../../src/service/startup/service.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { selfSigned } from '../unit/service/support/selfSigned.ts';
import { engineEnvironment, nodePackages, skipBecause } from './engineEnvironment.ts';

const execute = promisify(execFile);
const token = 'token-of-a-client';

/** Programs of others, unmodified, against the service. */
describe('Existing job clients work unmodified', function () {
  this.timeout(300_000);
  let folder = '';
  let service: Service | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-clients-'));
    await writeFile(
      join(folder, 'notebook.py'),
      '# Databricks notebook source\ndbutils.widgets.text("day", "1")\nprint("day", ' +
        'dbutils.widgets.get("day"))\n# COMMAND ----------\ndbutils.notebook.exit("done " + ' +
        'dbutils.widgets.get("day"))\n',
    );
    await writeFile(join(folder, 'long.py'), 'import time\ntime.sleep(600)\n');
  });
  afterEach(async () => {
    await service?.close();
    service = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const start = (more: Partial<ServiceOptions>): Promise<Service> =>
    startService({
      root: folder,
      dataFolder: folder,
      token,
      logger: silentLogger,
      configuration: { discoverModels: false, notebookEngine: 'builtin' },
      ...more,
    });

  /** What a program in Python prints last, read as JSON, with the service at port 443, whose certificate `requests` trusts. */
  async function toldOverHttps(
    context: Context,
    python: string,
    program: string,
    variables: NodeJS.ProcessEnv,
  ): Promise<unknown> {
    const tls = selfSigned();
    try {
      service = await start({ tls, port: 443 });
    } catch (error) {
      skipBecause(context, (error as Error).message);
    }
    const certificate = join(folder, 'cert.pem');
    await writeFile(certificate, tls.cert);
    const { stdout } = await execute(python, ['-W', 'ignore', '-c', program], {
      env: { ...process.env, REQUESTS_CA_BUNDLE: certificate, ...variables },
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  }

  it('databricks-cli with Jobs API 2.0', async function () {
    const environment = await engineEnvironment('databricks-cli', ['databricks-cli==0.18.0', 'setuptools<81']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    try {
      // This client leaves the port out of an address.
      service = await start({ port: 80 });
    } catch (error) {
      skipBecause(this, (error as Error).message);
    }
    const cli = async (...parameters: string[]): Promise<string> => {
      const { stdout } = await execute(join(dirname(environment.python), 'databricks'), parameters, {
        env: {
          ...process.env,
          DATABRICKS_HOST: 'http://127.0.0.1',
          DATABRICKS_TOKEN: token,
          DATABRICKS_CONFIG_FILE: join(folder, 'none'),
          LC_ALL: 'C.UTF-8',
        },
      });
      return stdout;
    };
    const json = async (...parameters: string[]): Promise<Record<string, never>> =>
      JSON.parse(await cli(...parameters)) as Record<string, never>;
    const settings = {
      existing_cluster_id: 'any',
      notebook_task: { notebook_path: '/notebook' },
      max_concurrent_runs: 5,
    };
    const { job_id: jobId } = await json(
      'jobs',
      'create',
      '--json',
      JSON.stringify({ name: 'from the cli', ...settings }),
    );
    assert.match(await cli('jobs', 'list'), /1 +from the cli/);
    assert.deepEqual((await json('jobs', 'get', '--job-id', String(jobId)))['settings'], {
      name: 'from the cli',
      ...settings,
    });
    await cli('jobs', 'reset', '--job-id', String(jobId), '--json', JSON.stringify({ name: 'reset', ...settings }));
    const { run_id: runId } = await json(
      'jobs',
      'run-now',
      '--job-id',
      String(jobId),
      '--notebook-params',
      '{"day": "7"}',
    );
    await service.engine.whenOver(String(runId));
    assert.match(await cli('runs', 'list'), /reset +TERMINATED +SUCCESS +http/);
    assert.deepEqual((await json('runs', 'get', '--run-id', String(runId)))['overriding_parameters'], {
      notebook_params: { day: '7' },
    });
    assert.deepEqual((await json('runs', 'get-output', '--run-id', String(runId)))['notebook_output'], {
      result: 'done 7',
      truncated: false,
    });
    const { run_id: longId } = await json(
      'runs',
      'submit',
      '--json',
      JSON.stringify({ run_name: 'long', existing_cluster_id: 'any', spark_python_task: { python_file: '/long.py' } }),
    );
    await cli('runs', 'cancel', '--run-id', String(longId));
    assert.equal((await service.engine.whenOver(String(longId)))?.result, 'CANCELED');
    for (const list of ['list-node-types', 'spark-versions', 'list-zones'])
      assert.ok(Object.keys(await json('clusters', list)).length > 0);
    await cli('jobs', 'delete', '--job-id', String(jobId));
    assert.equal((await cli('jobs', 'list')).trim(), '');
  });

  it('databricks-api of PyPI and nutter, which require HTTPS and omit the port', async function () {
    const environment = await engineEnvironment('nutter', [
      'nutter==0.1.35',
      'databricks-api==0.9.0',
      'databricks-cli==0.18.0',
      'setuptools<81',
    ]);
    if ('reason' in environment) skipBecause(this, environment.reason);
    const told = await toldOverHttps(this, environment.python, pythonScript, {
      DATABRICKS_HOST: 'https://127.0.0.1',
      DATABRICKS_TOKEN: token,
      DATABRICKS_CONFIG_FILE: join(folder, 'none'),
    });
    assert.deepEqual(told, {
      names: ['one'],
      base: [{ key: 'day', value: '3' }],
      result: 'done 3',
      nutter: ['TERMINATED', 'SUCCESS', 'done 5'],
      jobsLeft: 0,
    });
  });

  it('databricks-sdk of PyPI with Jobs API 2.2', async function () {
    const environment = await engineEnvironment('databricks-sdk', ['databricks-sdk']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    service = await start({});
    await writeFile(join(folder, 'ok.py'), 'import sys\nprint(sys.argv[1:])\n');
    await writeFile(
      join(folder, 'flaky.py'),
      'import pathlib, sys\nflag = pathlib.Path(__file__).with_name("flag")\n' +
        'if not flag.exists():\n    flag.touch()\n    sys.exit(3)\n',
    );
    const { stdout } = await execute(environment.python, ['-c', sdkScript, service.url, token]);
    assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
      ran: ['FAILED', { a: 'SUCCESS', b: 'FAILED', c: 'UPSTREAM_FAILED' }],
      repaired: ['SUCCESS', { a: 'SUCCESS', b: 'SUCCESS', c: 'SUCCESS' }],
      history: ['ORIGINAL', 'REPAIR'],
      output: "['Friday']\n",
      cancelled: 'CANCELED',
      listed: [1, 5],
    });
  });

  it('the Databricks hook of Airflow, in its last release for 2.0', async function () {
    const environment = await engineEnvironment('airflow', [
      'apache-airflow-core',
      'apache-airflow-providers-databricks==2.0.2',
    ]);
    if ('reason' in environment) skipBecause(this, environment.reason);
    const address = { conn_type: 'databricks', host: 'https://127.0.0.1', extra: { token } };
    const told = await toldOverHttps(this, environment.python, airflowScript, {
      AIRFLOW_HOME: join(folder, 'airflow'),
      AIRFLOW_CONN_DATABRICKS_DEFAULT: JSON.stringify(address),
    });
    assert.deepEqual(told, {
      once: ['TERMINATED', 'SUCCESS'],
      hasJob: true,
      ran: ['TERMINATED', 'SUCCESS'],
      sameJob: true,
      page: true,
      cancelled: ['TERMINATED', 'CANCELED'],
      missing: 'Job 999999 does not exist; nothing was changed. Look the job_id up with jobs/list.',
    });
  });

  it('databricks-api of npm, which requires HTTPS', async function () {
    const packages = await nodePackages('databricks-api', ['databricks-api@2.0.4']);
    if ('reason' in packages) skipBecause(this, packages.reason);
    const client = join(packages.folder, 'node_modules', 'databricks-api');
    const tls = selfSigned();
    service = await start({ tls });
    const certificate = join(folder, 'cert.pem');
    await writeFile(certificate, tls.cert);
    const { stdout } = await execute(process.execPath, ['-e', script, client, new URL(service.url).host, token], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    });
    assert.deepEqual(JSON.parse(stdout), {
      names: ['one', 'two'],
      result: 'SUCCESS',
      output: { result: 'done 1', truncated: false },
      views: 1,
      active: 1,
      cancelled: 'CANCELED',
      jobsLeft: 0,
      runsLeft: 1,
    });
  });
});

const pythonScript = `
import json, os, time
from databricks_api import DatabricksAPI
from common.apiclient import DatabricksAPIClient

db = DatabricksAPI(host='127.0.0.1', token=os.environ['DATABRICKS_TOKEN'])
pairs = [{'key': 'day', 'value': '3'}]
job_id = db.jobs.create_job(name='one', existing_cluster_id='any', notebook_task={'notebook_path': '/notebook', 'base_parameters': pairs})['job_id']
listed = db.jobs.list_jobs()['jobs']
run_id = db.jobs.run_now(job_id=job_id)['run_id']
while db.jobs.get_run(run_id)['state']['life_cycle_state'] not in ('TERMINATED', 'INTERNAL_ERROR'):
    time.sleep(0.1)
result = db.jobs.get_run_output(run_id)['notebook_output']['result']
done = DatabricksAPIClient().execute_notebook('/notebook', 'any', pull_wait_time=2, notebook_params={'day': '5'})
db.jobs.delete_job(job_id)
left = db.jobs.list_jobs().get('jobs', [])
print(json.dumps({
    'names': [job['settings']['name'] for job in listed], 'base': listed[0]['settings']['notebook_task']['base_parameters'], 'result': result,
    'nutter': [done.task_result_state, done.notebook_result.result_state, done.notebook_result.exit_output], 'jobsLeft': len(left),
}))
`;

const sdkScript = `
import json, sys
from datetime import timedelta
from databricks.sdk import WorkspaceClient
from databricks.sdk.service import jobs

w = WorkspaceClient(host=sys.argv[1], token=sys.argv[2], auth_type='pat')
limit = timedelta(minutes=2)

def task(key, file, *before):
    return jobs.Task(task_key=key, spark_python_task=jobs.SparkPythonTask(python_file=file, parameters=['{{job.parameters.day}}']),
        depends_on=[jobs.TaskDependency(task_key=each) for each in before])

def results(run):
    return [run.state.result_state.value, {each.task_key: each.state.result_state.value for each in run.tasks}]

parameters = [jobs.JobParameterDefinition(name='day', default='Monday')]
job_id = w.jobs.create(name='graph', tasks=[task('a', '/ok.py'), task('b', '/flaky.py', 'a'), task('c', '/ok.py', 'b')], parameters=parameters).job_id
ran = w.jobs.run_now_and_wait(job_id, job_parameters={'day': 'Friday'}, timeout=limit)
repaired = w.jobs.repair_run_and_wait(ran.run_id, rerun_all_failed_tasks=True, timeout=limit)
history = w.jobs.get_run(ran.run_id, include_history=True).repair_history
output = w.jobs.get_run_output(repaired.tasks[-1].run_id).logs
long = w.jobs.submit(run_name='long', tasks=[jobs.SubmitTask(task_key='x', spark_python_task=jobs.SparkPythonTask(python_file='/long.py'))])
cancelled = w.jobs.cancel_run_and_wait(long.run_id, timeout=limit)
print(json.dumps({
    'ran': results(ran), 'repaired': results(repaired), 'history': [each.type.value for each in history], 'output': output,
    'cancelled': cancelled.state.result_state.value, 'listed': [len(run.tasks) for run in w.jobs.list_runs(expand_tasks=True, limit=1)],
}))
`;

const airflowScript = `
import json, os, re, time, requests
from airflow.providers.databricks.hooks.databricks import DatabricksHook

hook = DatabricksHook(retry_limit=1)
task = {'existing_cluster_id': 'any', 'notebook_task': {'notebook_path': '/notebook', 'base_parameters': {'day': '4'}}}

def over(run_id):
    while not hook.get_run_state(run_id).is_terminal:
        time.sleep(0.1)
    state = hook.get_run_state(run_id)
    return [state.life_cycle_state, state.result_state]

once = hook.submit_run({'run_name': 'once', **task})
connection = json.loads(os.environ['AIRFLOW_CONN_DATABRICKS_DEFAULT'])
headers = {'Authorization': 'Bearer ' + connection['extra']['token']}
created = requests.post(connection['host'] + '/api/2.0/jobs/create', json={'name': 'job', **task}, headers=headers)
job_id = created.json()['job_id']
run = hook.run_now({'job_id': job_id, 'notebook_params': {'day': '9'}})
long = hook.submit_run({'run_name': 'long', 'existing_cluster_id': 'any', 'spark_python_task': {'python_file': '/long.py'}})
hook.cancel_run(long)
try:
    hook.run_now({'job_id': 999999})
    missing = ''
except Exception as error:
    missing = re.search(r'"message":"(.*?)"', str(error)).group(1)
print(json.dumps({
    'once': over(once), 'hasJob': hook.get_job_id(once) > 0, 'ran': over(run), 'sameJob': hook.get_job_id(run) == job_id,
    'page': hook.get_run_page_url(run).startswith('https://127.0.0.1'), 'cancelled': over(long), 'missing': missing,
}))
`;

const script = `
const [module, domain, token] = process.argv.slice(1);
const Client = require(module);
const { Jobs, Runs } = new (Client.default ?? Client)({ domain, token });
const cluster = { existing_cluster_id: 'any' };
const over = async (run_id) => {
  for (;;) {
    const { state } = await Runs.get({ run_id });
    if (['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(state.life_cycle_state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
(async () => {
  const { job_id } = await Jobs.create({ name: 'one', ...cluster, spark_python_task: { python_file: '/long.py' } });
  const names = [(await Jobs.list()).jobs[0].settings.name];
  await Jobs.reset({ job_id, new_settings: { name: 'two', ...cluster, spark_python_task: { python_file: '/long.py' } } });
  names.push((await Jobs.get({ job_id })).settings.name);
  const { run_id } = await Runs.submit({ run_name: 'once', ...cluster, notebook_task: { notebook_path: '/notebook' } });
  const { result_state } = await over(run_id);
  const { notebook_output } = await Runs.getOutput({ run_id });
  const { views } = await Runs.export({ run_id, views_to_export: 'CODE' });
  const long = await Jobs.runNow({ job_id });
  const { runs } = await Runs.list({ job_id, active_only: true, limit: 10 });
  await Runs.cancel({ run_id: long.run_id });
  const cancelled = (await over(long.run_id)).result_state;
  await Runs.delete({ run_id: long.run_id });
  await Jobs.delete({ job_id });
  const left = [(await Jobs.list()).jobs.length, (await Runs.list()).runs.length];
  const counts = { views: views.length, active: runs.length, jobsLeft: left[0], runsLeft: left[1] };
  console.log(JSON.stringify({ names, result: result_state, output: notebook_output, cancelled, ...counts }));
})();
`;
