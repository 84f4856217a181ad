import assert from 'node:assert/strict';
import { complete, type Completion, type LiveKind, type LiveValue } from '../../../src/jobfile/services/complete.ts';

const live: Partial<Record<LiveKind, readonly LiveValue[]>> = {
  job: [{ value: '9007199254740993', label: 'Nightly' }],
  notebook: [{ value: '/notebooks/report', detail: '.py' }],
  pythonFile: [{ value: '/main.py' }],
  sparkVersion: [{ value: '15.4.x-scala2.12', detail: '15.4 LTS' }],
  nodeType: [{ value: 'small' }],
};

const liveValues = { list: (kind: LiveKind) => Promise.resolve(live[kind] ?? []) };

/** Labels and what they insert, for a text whose cursor is at ‸. */
async function at(marked: string): Promise<[string, string][]> {
  const items = await complete(marked.replace('‸', ''), marked.indexOf('‸'), { liveValues });
  return items.map((item) => [item.label, item.snippet]);
}

async function labels(marked: string): Promise<string[]> {
  return (await at(marked)).map(([label]) => label);
}

/** In the document's order. */
const fieldsOfJob = `name existing_cluster_id new_cluster
  notebook_task spark_jar_task spark_python_task spark_submit_task pipeline_task run_job_task
  libraries webhook_notifications notification_settings timeout_seconds email_notifications
  max_retries min_retry_interval_millis retry_on_timeout schedule max_concurrent_runs health
  description tasks job_clusters environments parameters format queue tags job_id`.split(/\s+/);

describe('complete', () => {
  it('offers templates in an empty file, then the fields in order', async () => {
    assert.deepEqual(await labels('‸'), [
      'Python job',
      'Notebook job with a schedule',
      'Job with several tasks',
      'Job on a new cluster',
      ...fieldsOfJob,
    ]);
    const orders = (await complete('', 0)).map(({ order }) => order);
    assert.deepEqual(
      orders,
      orders.toSorted((one, other) => one - other),
    );
    assert.equal((await labels('name: a\n‸')).includes('Python job'), false);
  });

  it('leaves out existing and conflicting fields', async () => {
    assert.deepEqual(
      await labels(
        'name: x\nspark_python_task:\n  python_file: /a.py\nexisting_cluster_id: c\n‸\nhealth:\n  rules: []\n',
      ),
      fieldsOfJob.slice(fieldsOfJob.indexOf('libraries')).filter((name) => name !== 'health' && name !== 'tasks'),
    );
  });

  const cases: readonly (readonly [what: string, text: string, expected: Record<string, string>])[] = [
    [
      'fields of a mapping on a new line',
      'name: x\nschedule:\n  ‸',
      {
        quartz_cron_expression: 'quartz_cron_expression: ${1:0 0 8 * * ?}',
        timezone_id: 'timezone_id: ${1:UTC}',
        pause_status: 'pause_status: $1',
      },
    ],
    [
      'fields while a file above is broken',
      'name\nschedule:\n  pause‸',
      {
        quartz_cron_expression: 'quartz_cron_expression: ${1:0 0 8 * * ?}',
        timezone_id: 'timezone_id: ${1:UTC}',
        pause_status: 'pause_status: $1',
      },
    ],
    [
      'values of a choice',
      'schedule:\n  pause_status: ‸\n  timezone_id: UTC',
      { PAUSED: 'PAUSED', UNPAUSED: 'UNPAUSED' },
    ],
    ['a value right behind the colon', 'retry_on_timeout:‸', { true: ' true', false: ' false' }],
    ['a value inside quotes', 'schedule:\n  pause_status: "P‸"', { PAUSED: '"PAUSED"', UNPAUSED: '"UNPAUSED"' }],
    ['fields of an item', 'libraries:\n  - pypi:\n      ‸', { package: 'package: $1', repo: 'repo: $1' }],
    [
      'the rest of an item',
      'health:\n  rules:\n    - metric: RUN_DURATION_SECONDS\n      ‸',
      { operator: 'operator: ${1:GREATER_THAN}', value: 'value: ${1:3600}' },
    ],
    ['an item of a list', 'email_notifications:\n  on_start:\n    ‸', { '- ': '- $1' }],
    ['fields in braces', 'libraries:\n  - pypi: {‸}', { package: 'package: $1', repo: 'repo: $1' }],
    [
      'fields in JSON',
      '{"schedule": {"timezone_id": "UTC", "‸"}}',
      { quartz_cron_expression: '"quartz_cron_expression": "$1"', pause_status: '"pause_status": $1' },
    ],
    [
      'a key in JSON whose colon stands apart',
      '{"schedule": {"pau‸" : "PAUSED"}}',
      {
        quartz_cron_expression: '"quartz_cron_expression"',
        timezone_id: '"timezone_id"',
        pause_status: '"pause_status"',
      },
    ],
    [
      'a key in braces whose colon stands on the next line',
      'libraries:\n  - pypi: {pack‸\n    : x, repo: y}',
      { package: 'package' },
    ],
    [
      'fields in braces behind what is there',
      'schedule: {timezone_id: UTC, ‸, pause_status: PAUSED}',
      { quartz_cron_expression: 'quartz_cron_expression: $1' },
    ],
    [
      'a value in braces right behind its colon',
      '{"schedule": {"pause_status":‸}}',
      { PAUSED: ' "PAUSED"', UNPAUSED: ' "UNPAUSED"' },
    ],
    [
      'a value in braces that needs a space',
      'schedule: {pause_status:‸}',
      { PAUSED: ' PAUSED', UNPAUSED: ' UNPAUSED' },
    ],
    [
      'a key that has its value',
      'spark_python_task:\n  python_file: /a.py\n  par‸ams: [a]',
      { parameters: 'parameters' },
    ],
    ['a file of the workspace', 'spark_python_task:\n  python_file: /‸', { '/main.py': '/main.py' }],
    ['a notebook of the workspace', 'notebook_task:\n  notebook_path: ‸', { '/notebooks/report': '/notebooks/report' }],
    ['a job by its name', 'run_job_task:\n  job_id: ‸', { Nightly: '9007199254740993' }],
    ['a Spark version', 'new_cluster:\n  spark_version: ‸', { '15.4.x-scala2.12': '15.4.x-scala2.12' }],
    ['a node type', 'new_cluster:\n  driver_node_type_id: ‸', { small: 'small' }],
    [
      'the settings of a wrapped job',
      'settings:\n  schedule:\n    pause_status: ‸',
      { PAUSED: 'PAUSED', UNPAUSED: 'UNPAUSED' },
    ],
    ['nothing in a comment', 'name: x # sch‸', {}],
    ['nothing in a comment behind an apostrophe', "schedule:\n  pause_status: it's # P‸", {}],
    ['nothing in a comment behind a text in quotes', 'name: "a # b" # sch‸', {}],
    [
      'values behind a number sign in quotes',
      'schedule: {timezone_id: "# b", pause_status: ‸}',
      { PAUSED: 'PAUSED', UNPAUSED: 'UNPAUSED' },
    ],
    ['nothing in a text over several lines', 'description: |\n  sch‸', {}],
    ['nothing in a text whose lines are joined', 'description: >\n  sch‸', {}],
    ['nothing in such a text with a mark', 'description: >-\n  a\n\n  sch‸\nname: x\n', {}],
    ['nothing where anything may stand', 'name: ‸', {}],
  ];
  for (const [what, text, expected] of cases) {
    it(`offers ${what}`, async () => assert.deepEqual(await at(text), Object.entries(expected)));
  }
});

describe('Completed values', () => {
  let asked: unknown[];
  const at = (
    marked: string,
    live: Partial<Record<LiveKind, readonly LiveValue[]>> = {},
    signal?: AbortSignal,
  ): Promise<readonly Completion[]> => {
    const list = async (kind: LiveKind, options: { signal?: AbortSignal } = {}): Promise<readonly LiveValue[]> => (
      asked.push([kind, options.signal]),
      live[kind] ?? []
    );
    return complete(marked.replace('‸', ''), marked.indexOf('‸'), { liveValues: { list }, signal });
  };
  beforeEach(() => (asked = []));

  it('are quoted only where YAML needs it', async () => {
    const snippets = async (text: string, values: readonly string[]): Promise<string[]> =>
      (await at(text, { cluster: values.map((value) => ({ value })) })).map(({ snippet }) => snippet);
    const odd = [
      ...['1', '-1.5', '+3', '&a', '*a', '!a', '|', '>', '%a', '@a', '`a', '{a', '[a', '?', 'true', 'No', 'ON'],
      ...['null', '~', 'a: b', 'a #b', ''],
    ];
    assert.deepEqual(
      await snippets('existing_cluster_id: ‸\n', odd),
      odd.map((value) => `"${value.replace(/[$}]/g, '\\$&')}"`),
    );
    const plain = ['a', '1a', 'a1', 'a-b', 'a:b', 'a#b', 'nothing', 'a&b', '0815-1200-x', 'a,b', 'a]b', 'a{b'];
    assert.deepEqual(await snippets('existing_cluster_id: ‸\n', plain), plain);
    assert.deepEqual(await snippets('{existing_cluster_id: ‸}\n', ['a', 'a,b', 'a]b', '[', 'a{b']), [
      'a',
      '"a,b"',
      '"a]b"',
      '"["',
      '"a{b"',
    ]);
    assert.deepEqual(await snippets('existing_cluster_id:‸\n', ['a', '1']), [' a', ' "1"']);
    assert.deepEqual(await snippets('existing_cluster_id: ‸\n', ['a$b}c\\d']), ['a\\$b\\}c\\\\d']);
    assert.deepEqual(await snippets('{"existing_cluster_id": ‸}\n', ['a']), ['"a"']);
    // What is no text is never quoted.
    const job = await at('run_job_task: {job_id: ‸}\n', { job: [{ value: '7' }] });
    assert.equal(job[0]?.snippet, '7');
  });

  it('include the required fields as snippet stops', async () => {
    const snippet = async (marked: string, name: string): Promise<string | undefined> =>
      (await at(marked)).find(({ label }) => label === name)?.snippet;
    const cluster = 'new_cluster:\n  ‸';
    for (const [marked, name, wanted] of [
      ['new_cluster:\n  cluster_log_conf:\n    ‸', 'objstore', 'objstore:\n  destination: $1\n  region: $2'],
      [cluster, 'autoscale', 'autoscale:\n  min_workers: ${1:1}\n  max_workers: ${2:4}'],
      [cluster, 'spark_conf', 'spark_conf:\n  ${1:name}: ${2:value}'],
      ['name: x\n‸', 'notebook_task', 'notebook_task:\n  notebook_path: ${1:/notebook}'],
      ['name: x\n‸', 'spark_python_task', 'spark_python_task:\n  python_file: ${1:/main.py}'],
      ['name: x\n‸', 'email_notifications', 'email_notifications:\n  $1'],
      ['name: x\n‸', 'libraries', 'libraries:\n  - $1'],
      [
        'health:\n  ‸',
        'rules',
        'rules:\n  - metric: ${1:RUN_DURATION_SECONDS}\n    operator: ${2:GREATER_THAN}\n    value: ${3:3600}',
      ],
      ['{"schedule": {"timezone_id": "UTC"}, "‸"}', 'new_cluster', '"new_cluster": {$1\\}'],
      ['{"‸"}', 'libraries', '"libraries": [$1]'],
      ['{"‸"}', 'name', '"name": "$1"'],
      ['{"‸"}', 'max_retries', '"max_retries": $1'],
      ['{‸}', 'name', 'name: $1'],
      [
        'health:\n  rules:\n    ‸',
        '- ',
        '- metric: ${1:RUN_DURATION_SECONDS}\n  operator: ${2:GREATER_THAN}\n  value: ${3:3600}',
      ],
      ['libraries:\n  ‸', '- ', '- $1'],
    ] as const)
      assert.equal(await snippet(marked, name), wanted, `${marked} ${name}`);
  });
});
