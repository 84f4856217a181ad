import assert from 'node:assert/strict';
import { validateText } from '../../../src/jobfile/services/validate.ts';

/** A job without a mistake, which the planted ones are added to. */
const job = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';

const cluster =
  'spark_python_task:\n  python_file: /a.py\nnew_cluster:\n  spark_version: 15.4.x\n  node_type_id: n\n  num_workers: 1\n';

const bareCluster = 'spark_python_task:\n  python_file: /a.py\nnew_cluster:\n  spark_version: 15.4.x\n';

const submit = 'new_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n';

/** Code of the one problem that is expected, and the text with the place between ⟦ and ⟧. */
const planted: readonly (readonly [code: string, text: string])[] = [
  // YAML
  ['syntax', `${job}⟦health⟧\n`],
  ['syntax', `${job}tags: ⟦{⟧a: 1, b: 2\n`],
  ['syntax', 'name: ⟦[⟧unclosed\nspark_python_task:\n  python_file: /a.py\nexisting_cluster_id: local\n'],
  ['syntax', 'name: &a x\ntags: ⟦{⟧unclosed: [a]\nspark_python_task:\n  python_file: /a.py\nexisting_cluster_id: *a\n'],
  ['syntax', 'name: "x⟦\\q⟧"\n'],
  ['syntax', `${job}description: ⟦a⟧: b\n`],
  ['syntax', `${job}description: ⟦!!omap⟧ [a: 1]\n`],
  ['syntax', `${job}description: ⟦!!pairs⟧ [a: 1]\n`],
  ['syntax', `${job}description: ⟦!secret⟧ x\n`],
  ['syntax', `name: x\nexisting_cluster_id: c\n    ⟦max_retries⟧: 1\nspark_python_task:\n  python_file: /a.py\n`],
  ['syntax', `${bareCluster}    ⟦node_type_id⟧: n\n  num_workers: 1\n`],
  ['syntax', `${job}schedule:\n    quartz_cron_expression: 0 0 8 * * ?\n  ⟦timezone_id⟧: UTC\n`],
  ['syntax', ` ⟦name⟧: x\n${job.slice(8)}`],
  ['syntax', `${job}libraries:\n  - jar: ⟦"⟧a\n  - jar: b\n`],
  ['syntax', `${job}libraries:\n  - pypi:\n      package: ⟦'⟧a\n      repo: r\n  - jar: b\n`],
  ['syntax', `name⟦:⟧x\n${job.slice(8)}`],
  ['syntax', `⟦spark_python_task⟧\n  python_file: /a.py\nexisting_cluster_id: c\n`],
  ['syntax', `${job}schedule:\n⟦\t⟧quartz_cron_expression: 0 0 8 * * ?\n\ttimezone_id: UTC\n`],
  ['syntax', `name: x\n⟦\t⟧existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n`],
  ['swallowedItem', `${job}  parameters:\n    - --conf-file\n      ⟦- /etc/x.conf⟧\n`],
  ['syntax', `${job}description: ⟦@⟧x\n`],
  ['syntax', `${job}description: ⟦*none⟧\n`],
  ['syntax', `${job}health: {rules: []} ⟦x⟧\n`],
  ['syntax', `${job}⟦---⟧\nname: y\n`],
  ['syntax', `${job}description: 'it'⟦s'⟧\n`],
  ['duplicateKey', `${job}⟦name⟧: y\n`],
  ['duplicateKey', `${job}health:\n  rules: []\n  ⟦rules⟧: []\n`],
  ['duplicateKey', `x-base: &base {a: 1, ⟦a⟧: 2}\n${job}`],
  ['duplicateKey', `settings:\n  name: x\n  run_job_task: {job_id: 1}\njob_id: 1\n⟦job_id⟧: 2\n`],
  // structure
  ['wrongType', '⟦just a text⟧\n'],
  ['wrongType', '⟦- a⟧\n- b\n'],
  ['missingField', `name: x\nexisting_cluster_id: c\n⟦spark_python_task⟧:\n  parameters: []\n`],
  ['missingField', `${job}⟦schedule⟧:\n  timezone_id: UTC\n`],
  ['missingField', `${job}⟦schedule⟧:\n  pause_status: PAUSED\n`],
  ['missingField', `${job}libraries:\n  - ⟦pypi⟧: {repo: r}\n`],
  ['missingField', `${job}libraries:\n  - ⟦maven⟧:\n      repo: r\n`],
  ['missingField', `${job}health:\n  rules:\n    - ⟦metric⟧: RUN_DURATION_SECONDS\n      operator: GREATER_THAN\n`],
  ['missingField', `${job}webhook_notifications:\n  on_start:\n    - ⟦{}⟧\n`],
  ['missingField', `existing_cluster_id: c\n⟦notebook_task⟧: {}\n`],
  ['missingField', '⟦run_job_task⟧: {}\n'],
  ['missingField', '⟦pipeline_task⟧: {}\n'],
  ['unknownField', `${job}⟦time_out_seconds⟧: 5\n`],
  ['unknownField', `${job}⟦timeoutSeconds⟧: 5\n`],
  ['unknownField', `${job}⟦max_retrys⟧: 5\n`],
  ['unknownField', `${job}email_notifications:\n  ⟦on_sucess⟧: []\n`],
  ['unknownField', `existing_cluster_id: c\nnotebook_task:\n  ⟦notebok_path⟧: /a\n`],
  ['unknownField', `existing_cluster_id: c\n⟦notebok_task⟧:\n  notebook_path: /a\n`],
  ['unknownField', `${job}⟦colour⟧: red\n`],
  ['unknownField', `${job}schedule: {timezone_id: UTC, quartz_cron_expression: 0 0 0 * * ?, ⟦x-a⟧: 1}\n`],
  ['foreignField', `${job}⟦git_source⟧: {}\n`],
  ['unknownField', `${job}⟦""⟧: red\n`],
  ['unknownField', `${job}⟦:⟧ red\n`],
  ['unknownField', `⟦existing_cluster⟧: c\nspark_python_task:\n  python_file: /a.py\n`],
  ['unknownField', `${bareCluster}  ⟦node_type⟧: n\n  num_workers: 1\n`],
  ['unknownField', `${bareCluster}  node_type_id: n\n  ⟦num_worker⟧: 1\n`],
  ['foreignTask', `${job}⟦sql_task⟧: {query: q}\n`],
  ['foreignTask', `name: x\nexisting_cluster_id: c\n⟦python_wheel_task⟧: {package_name: a, entry_point: b}\n`],
  ['foreignMetric', `${job}health: {rules: [{metric: ⟦STREAMING_BACKLOG_BYTES⟧, operator: GREATER_THAN, value: 1}]}\n`],
  ['foreignLibrary', `${job}libraries:\n  - ⟦requirements⟧: /r.txt\n`],
  ['unknownTimezone', `${job}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: ⟦"+02:00"⟧}\n`],
  ['unquoted', `${cluster}  spark_conf:\n    a: ⟦1⟧\n`],
  ['unquoted', `${cluster}  spark_conf: {a: ⟦true⟧}\n`],
  ['misplacedField', `${job}⟦timezone_id⟧: UTC\n`],
  ['misplacedField', `${job}⟦num_workers⟧: 2\n`],
  ['misplacedField', `${cluster}  ⟦timeout_seconds⟧: 5\n`],
  ['wrongType', `${job}libraries: ⟦a.jar⟧\n`],
  ['wrongType', `${job}schedule: ⟦daily⟧\n`],
  ['wrongType', `${job}⟦schedule⟧:\n  - timezone_id: UTC\n`],
  ['wrongType', `existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: ⟦ls⟧\n`],
  ['wrongType', `existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: [a, ⟦1⟧]\n`],
  ['wrongType', `existing_cluster_id: c\nspark_python_task:\n  python_file: ⟦[a]⟧\n`],
  ['wrongType', `${job}timeout_seconds: ⟦soon⟧\n`],
  ['wrongType', `${job}timeout_seconds: ⟦"60"⟧\n`],
  ['wrongType', `${job}timeout_seconds: ⟦1.5⟧\n`],
  ['wrongType', `${job}max_retries: 1\nretry_on_timeout: ⟦yes⟧\n`],
  ['wrongType', `${job}max_retries: 1\nretry_on_timeout: ⟦1⟧\n`],
  ['wrongType', `${cluster}`.replace('15.4.x', '⟦7.10⟧')],
  ['wrongType', `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /a\n  base_parameters:\n    day: ⟦7⟧\n`],
  ['wrongType', `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /a\n  base_parameters:\n    a: ⟦{b: c}⟧\n`],
  ['wrongType', 'run_job_task:\n  job_id: ⟦nightly⟧\n'],
  ['wrongType', `job_id: ⟦x⟧\n${job}`],
  ['noValue', `${job}⟦timeout_seconds⟧:\n`],
  ['noValue', 'existing_cluster_id: c\nspark_python_task:\n  ⟦python_file⟧:\n'],
  ['noValue', `${cluster}  spark_env_vars:\n    ⟦A⟧:\n`],
  [
    'notAllowed',
    `${job}schedule:\n  quartz_cron_expression: 0 0 8 * * ?\n  timezone_id: UTC\n  pause_status: ⟦PAUSE⟧\n`,
  ],
  ['notAllowed', `${cluster}  cloud_attributes: {availability: ⟦spot⟧}\n`],
  ['notAllowed', `${job}health: {rules: [{metric: ⟦DURATION⟧, operator: GREATER_THAN, value: 1}]}\n`],
  ['notAllowed', `${job}health: {rules: [{metric: RUN_DURATION_SECONDS, operator: ⟦">"⟧, value: 1}]}\n`],
  // limits
  ['limit', `${job}max_concurrent_runs: ⟦1001⟧\n`],
  ['limit', `${job}max_concurrent_runs: ⟦-1⟧\n`],
  ['limit', `${job}max_retries: ⟦-2⟧\n`],
  ['limit', `${job}timeout_seconds: ⟦-1⟧\n`],
  ['limit', `${job}timeout_seconds: ⟦3000000000⟧\n`],
  ['limit', `${cluster}  cloud_attributes: {spot_bid_price_percent: ⟦10001⟧}\n`],
  ['limit', `${cluster}  cloud_attributes: {block_volume_count: ⟦11⟧}\n`],
  ['limit', `${cluster}  cloud_attributes: {block_volume_iops: ⟦2999⟧}\n`],
  ['limit', `${cluster}  cloud_attributes: {block_volume_throughput: ⟦1001⟧}\n`],
  ['limit', `${cluster}  ⟦ssh_public_keys⟧: [${'k, '.repeat(11)}]\n`],
  ['limit', `${job}webhook_notifications:\n  ⟦on_start⟧: [{id: a}, {id: b}, {id: c}, {id: d}]\n`],
  ['limit', `${cluster}  ⟦custom_tags⟧: {${Array.from({ length: 46 }, (_, index) => `t${index}: v`).join(', ')}}\n`],
  ['limit', `${cluster}  custom_tags:\n    ⟦owner⟧: ${'x'.repeat(256)}\n`],
  ['limit', 'run_job_task:\n  job_id: ⟦9223372036854775808⟧\n'],
  ['asciiOnly', `${job}email_notifications: {on_start: [⟦ä@example.com⟧]}\n`],
  ['asciiOnly', `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /a\n  base_parameters: {a: ⟦ü⟧}\n`],
  ['asciiOnly', `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /a\n  base_parameters: {⟦ü⟧: a}\n`],
  ['asciiOnly', `${cluster}  spark_env_vars: {A: ⟦ß⟧}\n`],
  ['relativePath', `existing_cluster_id: c\nnotebook_task:\n  notebook_path: ⟦a/b⟧\n`],
  ['value', `existing_cluster_id: c\nspark_python_task:\n  python_file: ⟦""⟧\n`],
  ['value', `existing_cluster_id: ⟦" "⟧\nspark_python_task:\n  python_file: /a.py\n`],
  ['value', `existing_cluster_id: c\nspark_python_task:\n  python_file: ⟦"/a.py\\n"⟧\n`],
  ['value', `existing_cluster_id: ⟦""⟧\nspark_python_task:\n  python_file: /a.py\n`],
  // rules between fields
  ['noTask', '⟦name⟧: x\n'],
  ['oneTask', `${job}⟦pipeline_task⟧: {pipeline_id: p}\n`],
  ['noCluster', '⟦name⟧: x\nspark_python_task:\n  python_file: /a.py\n'],
  ['oneCluster', `⟦existing_cluster_id⟧: c\n${cluster}`],
  ['noSize', `${bareCluster}  node_type_id: n\n`.replace('new_cluster', '⟦new_cluster⟧')],
  ['oneSize', `${cluster}  ⟦autoscale⟧: {min_workers: 1, max_workers: 2}\n`],
  ['autoscaleOrder', `${bareCluster}  node_type_id: n\n  autoscale: {min_workers: 2, max_workers: ⟦2⟧}\n`],
  [
    'oneSize',
    `tasks: [{task_key: t, job_cluster_key: c, spark_python_task: {python_file: /a.py}}]\njob_clusters: [{job_cluster_key: c, new_cluster: {spark_version: v, node_type_id: n, num_workers: 1, ⟦autoscale⟧: {min_workers: 1, max_workers: 2}}}]\n`,
  ],
  ['noNodeType', `${bareCluster}  num_workers: 1\n`.replace('new_cluster', '⟦new_cluster⟧')],
  ['driverPoolNeedsPool', `${cluster}  ⟦driver_instance_pool_id⟧: p\n`],
  ['logDestination', `${cluster}  ⟦cluster_log_conf⟧: {}\n`],
  [
    'logDestination',
    `${cluster}  cluster_log_conf: {dfs: {destination: "dfs:/l"}, ⟦objstore⟧: {destination: o, region: r}}\n`,
  ],
  ['objstoreRegion', `${cluster}  cluster_log_conf: {⟦objstore⟧: {destination: "objstore://b"}}\n`],
  [
    'initScriptPlace',
    `${cluster}  init_scripts: [{workspace: {destination: /a.sh}, ⟦file⟧: {destination: "file:/b.sh"}}]\n`,
  ],
  [
    'volumeSize',
    `${cluster}  cloud_attributes: {block_volume_type: THROUGHPUT_OPTIMIZED_HDD, block_volume_size: ⟦100⟧}\n`,
  ],
  ['oneLibraryKind', `${job}libraries:\n  - jar: a.jar\n    ⟦egg⟧: b.egg\n`],
  ['oneLibraryKind', `${job}libraries: [⟦{}⟧]\n`],
  ['wheelName', `${job}libraries:\n  - whl: ⟦dfs:/a.zip⟧\n`],
  ['submitNeedsNewCluster', '⟦existing_cluster_id⟧: c\nspark_submit_task: {parameters: []}\n'],
  ['submitLibraries', `${submit}spark_submit_task: {parameters: []}\n⟦libraries⟧: [{jar: a.jar}]\n`],
  ['submitSparkConf', `${submit}  ⟦spark_conf⟧: {a: b}\nspark_submit_task: {parameters: []}\n`],
  ['submitReservedFlag', `${submit}spark_submit_task:\n  parameters: [--class, A, ⟦--master⟧, x]\n`],
  // schedules
  ['cron', `${job}schedule: {quartz_cron_expression: 0 0 ⟦25⟧ * * ?, timezone_id: UTC}\n`],
  ['cron', `${job}schedule:\n  quartz_cron_expression: "0 0 8 * ⟦13⟧ ?"\n  timezone_id: UTC\n`],
  ['unknownTimezone', `${job}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: ⟦Europe/Berln⟧}\n`],
  ['neverFires', `${job}schedule: {quartz_cron_expression: ⟦0 0 8 * * ? 2020⟧, timezone_id: UTC}\n`],
  // advice
  ['deprecated', 'existing_cluster_id: c\nspark_jar_task:\n  main_class_name: A\n  ⟦jar_uri⟧: /a.jar\n'],
  ['noDurationRule', `${job}email_notifications: {⟦on_duration_warning_threshold_exceeded⟧: [a@example.com]}\n`],
  ['neverRetried', `${job}⟦retry_on_timeout⟧: true\n`],
  ['everyRunSkipped', `${job}⟦max_concurrent_runs⟧: 0\n`],
  ['plainSecret', `${cluster}  spark_env_vars: {⟦DB_PASSWORD⟧: hunter2hunter2}\n`],
];

const nowMs = Date.UTC(2026, 0, 1);

describe('A planted error', () => {
  for (const [code, marked] of planted) {
    const start = marked.indexOf('⟦');
    const end = marked.indexOf('⟧') - 1;
    const text = marked.replace('⟦', '').replace('⟧', '');
    it(`is reported once as ${code}: ${JSON.stringify(marked.slice(Math.max(0, start - 40), end + 12))}`, () => {
      const found = validateText(text, { nowMs }).map((problem) => ({
        code: problem.code,
        at: `${problem.start}-${problem.end} ${text.slice(problem.start, problem.end)}`,
      }));
      assert.deepEqual(found, [{ code, at: `${start}-${end} ${text.slice(start, end)}` }]);
    });
  }
});

const aside = 'x-c: &c\n  spark_version: 15.4.x-scala2.12\n  node_type_id: m5.large\nx-d: &d {num_workers: 2}\n';

const rest = `name: a
new_cluster:
  MERGE
  num_workers: 2
  spark_conf:
    a: "b"
spark_python_task:
  python_file: /a.py
  parameters: [a, b]
email_notifications: &mail
  on_failure: [a@b.org]
max_retries: 1
`;

const files = [
  aside + rest.replace('MERGE', '<<: *c'),
  aside + rest.replace('MERGE', '<<: [*c, *d]'),
  aside
    .replace('&c', '')
    .replace('x-c:', 'x-c:\n  all: &c')
    .replace(/^ {2}(?=spark|node)/gm, '    ') + rest.replace('MERGE', '<<: *c'),
  rest.replace('MERGE', 'spark_version: x\n  node_type_id: m'),
];

/** What a slip of the finger makes of a line. */
const slips: Readonly<Record<string, (line: string) => string>> = {
  'no colon': (line) => line.replace(/:(?=\s|$)/, ''),
  'a colon too close': (line) => line.replace(/: /, ':'),
  'another sign for the colon': (line) => line.replace(/:(?=\s|$)/, ';'),
  'one blank more': (line) => ` ${line}`,
  'two blanks more': (line) => `  ${line}`,
  'one blank less': (line) => line.replace(/^ /, ''),
  'two blanks less': (line) => line.replace(/^ {2}/, ''),
  'a tab': (line) => line.replace(/^ {2}/, '\t'),
  'another alias': (line) => line.replace(/\*(\w)/, '*x$1'),
  'no mark of an alias': (line) => line.replaceAll('*', ''),
  'no closing quote': (line) => line.replace(/: /, ': "'),
  'half of what merges': (line) => line.replace('<<', '<'),
};

describe('A problem of an entry', () => {
  const firstOf = (settings: string): string => validateText(settings)[0]?.message ?? '';

  it('is about the entry, not about its list', () => {
    assert.match(firstOf('tasks: []\n'), /tasks is empty/);
    assert.match(firstOf('tasks:\n  -\n'), /^An entry of tasks/);
    assert.match(
      firstOf('tasks: [{task_key: t, run_job_task: {job_id: 1}, depends_on: [a]}]\n'),
      /^An entry of depends_on/,
    );
  });

  it('asks for quotes around a value that is read as no text', () => {
    const text = 'tasks: [{task_key: t, run_job_task: {job_id: 1}, depends_on: [{task_key: u, outcome: true}]}]\n';
    const { message } = validateText(text).find(({ code }) => code === 'notAllowed') ?? {};
    assert.match(message ?? '', /must be text.*"true"/);
  });
});

describe('A slip in one line', () => {
  for (const [slip, make] of Object.entries(slips)) {
    it(`is reported once: ${slip}`, () => {
      for (const file of files) {
        const lines = file.trimEnd().split('\n');
        for (const [index, line] of lines.entries()) {
          const text = `${lines.with(index, make(line)).join('\n')}\n`;
          const found = validateText(text, { nowMs: 0 }).filter(({ severity }) => severity !== 'hint');
          assert.ok(found.length <= 1, `${text}${JSON.stringify(found, undefined, 1)}`);
        }
      }
    });
  }

  const told = (text: string): readonly (readonly string[])[] =>
    validateText(text, { nowMs: 0 }).map(({ code, severity, start, end }) => [code, severity, text.slice(start, end)]);

  it('is reported at its place with its code', () => {
    const [merging = '', , , plain = ''] = files;
    for (const [from, to, wanted] of [
      ['  num_workers: 2\n', '', ['noSize', 'error', 'new_cluster']],
      ['  num_workers: 2\n  spark_conf:\n    a: "b"\n', 'num_workers: 2\n', ['misplacedField', 'error', 'num_workers']],
      ['  on_failure', 'on_failure', ['misplacedField', 'warning', 'on_failure']],
      ['    a:', '  a:', ['misplacedField', 'warning', 'a']],
      ['spark_python_task:', '  spark_python_task:', ['misplacedField', 'error', 'spark_python_task']],
    ] as const)
      assert.deepEqual(told(plain.replace(from, to)), [wanted], to);
    for (const [from, to, wanted] of [
      ['<<: *c', '<<: c', ['wrongType', 'error', '<<: c']],
      ['<<: *c', '<: *c', ['wrongType', 'error', '<: *c']],
      ['<<: *c', '<<:*c', ['syntax', 'error', '<<:*c']],
      ['  node_type_id: m5', '  node_type_id m5', ['syntax', 'error', 'node_type_id m5.large']],
    ] as const)
      assert.deepEqual(told(merging.replace(from, to)), [wanted], to);
  });
});
