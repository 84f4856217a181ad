/** A request that is meant to keep the service busy. */
export interface Attack {
  readonly title: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** Made when it is sent: some are as large as a request may be. */
  readonly body?: () => string;
  /** The statuses with which it may be answered. Default: any below 500. */
  readonly answers?: readonly number[];
}

/** As large as a request may be, with room for what stands around it. */
const nearlyTenMb = 10 * 1024 * 1024 - 4096;

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
const costly = ['variables that are not ASCII', 'a parameter that is not ASCII', 'backslashes and quotes'] as const;

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

const guide = '/serving-endpoints/guide/invocations';
const completion = '/serving-endpoints/guide-completion/invocations';
const embedding = '/serving-endpoints/guide-embedding/invocations';

const messages = [{ role: 'user', content: 'What is max_retries?' }];
const chat = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: guide,
  body: () => JSON.stringify({ stream: false, messages, ...more() }),
  answers,
});
const complete = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: completion,
  body: () => JSON.stringify({ stream: false, ...more() }),
  answers,
});
const embed = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: embedding,
  body: () => JSON.stringify(more()),
  answers,
});

const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const self = { $ref: '#' };
const place = (name: string | number): object => ({ $ref: `#/$defs/${name}` });
const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const required = (properties: object): object => ({ type: 'object', properties, required: Object.keys(properties) });
/** Each of so many places asks for the next one so many times. */
const chain = (length: number, step: (next: object) => object): object => ({
  ...place(0),
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_unused, index) => [index, step(place(index + 1))]),
    [length, { type: 'string' }],
  ]),
});

/** Schemas that have a value, which is found, and those that have none, or none that is found, and are refused. */
const schemas: readonly (readonly [title: string, schema: object, answer: number])[] = [
  [
    'a binary tree',
    { ...place('node'), $defs: { node: required({ left: orNull(place('node')), right: orNull(place('node')) }) } },
    200,
  ],
  ['a map of itself', { type: 'object', additionalProperties: self, minProperties: 3 }, 400],
  [
    'two places that ask for each other for ever',
    { ...place('a'), $defs: { a: required({ b: place('b') }), b: required({ a: place('a') }) } },
    400,
  ],
  ['40 places, each twice the next', chain(40, (next) => required({ x: next, y: next })), 400],
  ['a thousand million items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }, 400],
  ['9,000 values of an enum', { enum: Array.from({ length: 9000 }, (_unused, index) => `v${index}`) }, 200],
  ['24 choices, each twice the next', chain(24, (next) => ({ anyOf: [next, next] })), 400],
  ['a pattern that tries every split', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', minLength: 60 }, 400],
];

/** Requests to models that would keep a service busy which did all of its work in its event loop. */
export const modelAttacks: readonly Attack[] = [
  ...schemas.map(([title, schema, answer]) =>
    chat(
      `a schema of ${title}`,
      () => ({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
      [answer],
    ),
  ),
  chat('a function with a schema of itself', () => ({
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: required({ a: orNull(place('a')) }) } },
    ],
    tool_choice: 'required',
  })),
  chat('a message of one character', () => ({ messages: [{ role: 'user', content: 'a'.repeat(nearlyTenMb) }] }), [400]),
  chat('a message of back quotes', () => ({ messages: [{ role: 'user', content: '`'.repeat(30_000) }] })),
  chat('100,000 messages', () => ({ messages: repeat(100_000, messages[0]) }), [400]),
  chat(
    '100,000 parts',
    () => ({ messages: [{ role: 'user', content: repeat(100_000, { type: 'text', text: 'x' }) }] }),
    [400],
  ),
  chat('100,000 stop sequences', () => ({ stop: repeat(100_000, 'x') }), [400]),
  chat('very many choices', () => ({ n: 2_000_000_000 }), [400]),
  {
    title: 'a number of nine million digits',
    path: guide,
    body: () => `{"n": ${'9'.repeat(9_000_000)}}`,
    answers: [400],
  },
  {
    title: 'lists nested 100,000 deep',
    path: guide,
    body: () => `{"messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    answers: [400],
  },
  complete('a prompt of one character', () => ({ prompt: 'a'.repeat(nearlyTenMb) }), [400]),
  complete('1,000 prompts', () => ({ prompt: repeat(1000, 'What is max_retries?') }), [200]),
  complete('a long suffix', () => ({ prompt: repeat(100, 'x'), suffix: 's'.repeat(1_000_000) }), [400]),
  embed('an input of one character', () => ({ input: 'a'.repeat(nearlyTenMb) })),
  embed('20,000 inputs', () => ({ input: repeat(20_000, 'What is max_retries?') }), [400]),
];
