import { nearlyTenMb, type Attack } from './attack.ts';

/** Characters of one long text, with room for the rest of the settings. */
const megabytes = nearlyTenMb - 20_000;
const cluster = '"existing_cluster_id":"local"';
const task = `${cluster},"spark_python_task":{"python_file":"/task.py"}`;
const newCluster = '"spark_version":"3.5","node_type_id":"n","num_workers":1';

/** Settings where a route takes them. */
function bodyFor(route: string, settings: string): string {
  return route === 'reset' || route === 'update'
    ? `{"job_id":1,"new_settings":{${settings}}}`
    : `{"job_id":1,${settings}}`;
}

const repeated = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join(',');

/** Members of settings, each as JSON text. */
const settings: Record<string, () => string> = {
  'unknown fields': () => `${task},${repeated(9500, (index) => `"field_${index}":${index}`)}`,
  'more unknown fields than a request may have': () => `${task},${repeated(500_000, (index) => `"f${index}":0`)}`,
  'one unknown field again and again': () => `${task},${repeated(9500, () => '"f":0')}`,
  'addresses that are none': () =>
    `${task},"email_notifications":{"on_failure":[${repeated(9500, (index) => `"nobody ${index}"`)}]}`,
  'a long cron text': () =>
    `${task},"schedule":{"quartz_cron_expression":"${'0,'.repeat(2_000_000)}","timezone_id":"UTC"}`,
  'a schedule that never comes': () =>
    `${task},"schedule":{"quartz_cron_expression":"0 0 0 30 2 ?","timezone_id":"America/Sao_Paulo"}`,
  quotes: () => `${task},"note":"${'\\"'.repeat(megabytes / 2)}"`,
  'spaces between values': () => `${task}${' '.repeat(megabytes)},"note":1`,
  'backslashes and quotes': () => `${task},"note":"${'\\\\\\"'.repeat(megabytes / 4)}"`,
  'a long path': () => `${cluster},"notebook_task":{"notebook_path":"/${'../'.repeat(megabytes / 3)}"}`,
  'a parameter that is not ASCII': () =>
    `${cluster},"notebook_task":{"notebook_path":"/n","base_parameters":{"a":"${'x'.repeat(megabytes - 1000)}é"}}`,
  'variables that are not ASCII': () =>
    `"spark_python_task":{"python_file":"/t.py"},"new_cluster":{${newCluster},"spark_env_vars":{${repeated(9500, (index) => `"v${index}":"é"`)}}}`,
  tasks: () => `"tasks":[${repeated(4500, (index) => `{"task_key":"t${index}"}`)}]`,
  'a number of many digits': () => `${task},"note":${'9'.repeat(megabytes)}`,
  'lists in lists': () => `${task},"note":${'['.repeat(5_000_000)}${']'.repeat(4_000_000)}`,
  'lists of nothing': () => `${task},"note":[${'[],'.repeat(3_000_000)}[]]`,
};

/** Those that take longest, for the other routes. */
const costly = [
  'unknown fields',
  'variables that are not ASCII',
  'a parameter that is not ASCII',
  'spaces between values',
  'backslashes and quotes',
  'quotes',
] as const;

function attack(title: string, path: string, body?: () => string): Attack {
  return { title, path, ...(body ? { body } : { method: 'GET' as const }), answers: [200, 400, 404, 413] };
}

const digits = '9'.repeat(nearlyTenMb / 2);

export const jobAttacks: readonly Attack[] = [
  ...Object.entries(settings).map(([title, members]) =>
    attack(`jobs/create with ${title}`, '/api/2.0/jobs/create', () => `{${members()}}`),
  ),
  ...costly.flatMap((title) =>
    (['reset', 'update', 'runs/submit', 'run-now'] as const).map((route) =>
      attack(`jobs/${route} with ${title}`, `/api/2.0/jobs/${route}`, () => bodyFor(route, settings[title]?.() ?? '')),
    ),
  ),
  ...['run-now', 'runs/cancel'].map((route) =>
    attack(
      `jobs/${route} with an id of many digits`,
      `/api/2.0/jobs/${route}`,
      () => `{"job_id":${digits},"run_id":${digits}}`,
    ),
  ),
  ...['run-now', 'runs/cancel-all'].map((route) =>
    attack(
      `jobs/${route} with an id of many digits as text`,
      `/api/2.0/jobs/${route}`,
      () => `{"job_id":"${digits}","run_id":"-${digits}"}`,
    ),
  ),
  attack(
    'jobs/update that removes many fields',
    '/api/2.0/jobs/update',
    () => `{"job_id":1,"fields_to_remove":[${repeated(9500, (index) => `"tasks/t${index}"`)}]}`,
  ),
  attack('jobs/run-now of a job of 10 MB', '/api/2.0/jobs/run-now', () => '{"job_id":1}'),
  attack(
    'jobs/run-now with large parameters',
    '/api/2.0/jobs/run-now',
    () => `{"job_id":1,"notebook_params":{"a":"${'\\"'.repeat(megabytes / 2)}"}}`,
  ),
  // What the attacks above have stored: some 100 MB of jobs, and runs of 10 MB.
  attack('jobs/list', '/api/2.0/jobs/list'),
  attack('jobs/runs/list', '/api/2.0/jobs/runs/list?limit=999'),
  attack('jobs/runs/list with many filters', `/api/2.0/jobs/runs/list?${'a=b&'.repeat(7000)}`),
  attack('a path of nothing but slashes', '/'.repeat(30_000)),
  attack('a body that is no JSON', '/api/2.0/jobs/create', () => '{"a'.repeat(3_000_000)),
  attack('a body of spaces', '/api/2.0/jobs/create', () => ' '.repeat(megabytes)),
];
