import assert from 'node:assert/strict';
import { withoutSuppressed } from '../../../src/jobfile/services/suppression.ts';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../src/jobfile/yaml/jobDocument.ts';

describe('validate', () => {
  const job = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';

  const codes = (text: string): string[] => validateText(text, { nowMs: 0 }).map((problem) => problem.code);

  const timeFirst = (text: string, others: string): string => others + text;

  it('reports a mistyped name once', () => {
    assert.deepEqual(
      validateText('existing_cluster_id: c\nspark_python_taks:\n  python_file: /a.py\n', { nowMs: 0 }).map(
        ({ code, message, severity }) => [code, message, severity],
      ),
      [['unknownField', 'spark_python_taks is not a field of the Jobs API. Did you mean spark_python_task?', 'error']],
    );
    // Without it nothing is missing, and the service takes it.
    assert.deepEqual(
      validateText(`${job}max_retrys: 1\n`, { nowMs: 0 }).map(({ severity }) => severity),
      ['warning'],
    );
  });

  it('checks the other fields of a file with a syntax error', () => {
    assert.deepEqual(
      codes('name: x\ntimeout_seconds: soon\nspark_python_task:\n  python_file /a.py\nschedule:\n  timezone_id: [\n'),
      ['wrongType', 'wrongType', 'syntax'],
    );
  });

  it('reports every mistake of a file with YAML errors', () => {
    const others = 'timeout_seconds: soon\nmax_retries: none\n';
    const mistakes = [
      ...['description: "unclosed\n', 'tags: [unclosed\n', 'description\n', 'queue:\n\tenabled: true\n'],
      ...['\tformat: x\n', 'description: a: b\n', 'description: *none\n', 'description: !t x\n'],
      ...['queue:\n  enabled: true\n    other: 1\n', 'libraries:\n  - jar: "a\n  - jar: b\n', 'description:x\n'],
    ];
    const fields = [
      '',
      'x-base: &base {a: 1}\nrun_as: *base\n',
      'schedule: {timezone_id: UTC, quartz_cron_expression: "0 */15 * * * ?"}\n',
      'x-a:\n  - local[*, 4]\n  - a & b\n',
    ];
    for (const mistake of mistakes) {
      for (const field of fields) {
        for (const text of [job + field + mistake + others, timeFirst(job + field, others) + mistake]) {
          assert.deepEqual(
            codes(text)
              .filter((code) => code !== 'foreignField')
              .sort(),
            ['syntax', 'wrongType', 'wrongType'],
            text,
          );
        }
      }
    }
  });

  it('reports duplicate keys at any depth', () => {
    const twice = (text: string): number[] =>
      validateText(`${job}${text}`, { nowMs: 0 })
        .filter(({ code }) => code === 'duplicateKey')
        .map(({ start }) => start - job.length);
    assert.deepEqual(twice('libraries:\n  - jar: a\n    jar: b\n'), ['libraries:\n  - jar: a\n    '.length]);
    assert.deepEqual(twice('max_retries: 1\nmax_retries: 2\nmax_retries: 3\n'), [15, 30]);
    assert.deepEqual(twice('libraries: [{jar: a, jar: b}]\n'), ['libraries: [{jar: a, '.length]);
    assert.deepEqual(twice('libraries:\n  - jar: a\n  - jar: b\n'), []);
  });

  it('marks the first key if a required field is missing', () => {
    const text = '# words\nexisting_cluster_id: c\nname: x\nmax_retries: 1\n';
    const [missing] = validateText(text, { nowMs: 0 }).filter(({ severity }) => severity === 'error');
    assert.ok(missing, 'a task is missing');
    assert.equal(text.slice(missing.start, missing.end), 'existing_cluster_id');
  });

  it('marks the first line of a wrong block', () => {
    for (const [block, marked] of [
      ['libraries:\n  - - jar: a\n    - jar: b\n', 'jar'],
      ['libraries:\n  - - - a\n      - b\n', 'a'],
      ['libraries:\n  - [{jar: a}, {jar: b}]\n', '[{jar: a}, {jar: b}]'],
      ['libraries:\n  - []\n', '[]'],
      ['  parameters:\n    - k: v\n      l: w\n', 'k'],
      ['  parameters:\n    - {k: v, l: w}\n', '{k: v, l: w}'],
      ['  parameters:\n    - {}\n', '{}'],
    ] as const) {
      const text = job + block;
      const found = validateText(text, { nowMs: 0 }).map(({ code, start, end }) => [code, text.slice(start, end)]);
      assert.deepEqual(found, [['wrongType', marked]], block);
    }
  });

  it('reports and fixes a colon without a space', () => {
    const task = (text: string): string => `name: x\nexisting_cluster_id: c\nspark_python_task${text}\n`;
    const right = task(': {python_file: /a.py}');
    for (const [text, wanted] of [
      [task(': {python_file:/a.py}'), right],
      [task(': {python_file:"/a.py"}'), task(': {python_file: "/a.py"}')],
      [task(':\n  python_file:/a.py'), task(':\n  python_file: /a.py')],
      [
        `${right}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id:UTC}\n`,
        `${right}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC}\n`,
      ],
      [`${right}max_retries：2\n`, `${right}max_retries: 2\n`],
      [`${right}max_retries： 2\n`, `${right}max_retries: 2\n`],
      [`${right}max_retries:\u00a02\n`, `${right}max_retries: 2\n`],
    ] as const) {
      const found = validateText(text, { nowMs: 0 });
      assert.deepEqual([found.length, found[0]?.code], [1, 'syntax'], text);
      const { start = 0, end = 0, data } = found[0] ?? {};
      assert.equal(text.slice(0, start) + (data?.replacements?.[0] ?? '') + text.slice(end), wanted);
    }
    assert.deepEqual(codes(task(': {python_file: /a.py, parameters:[a]}')), []);
  });

  it('checks the job id of a file in the format of jobs/get', () => {
    const around = (line: string): string => `${line}\ncreated_time: 5\nx_y: 1\nsettings:\n${job.replace(/^/gm, '  ')}`;
    assert.deepEqual(codes(around('job_id: 7')), []);
    assert.deepEqual(codes(around('creator_user_name: me')), []);
    assert.deepEqual(codes(around('job_id: seven')), ['wrongType']);
    for (const name of ['jobId', 'job-id', 'jobid']) {
      const [problem] = validateText(around(`${name}: 7`), { nowMs: 0 });
      assert.deepEqual([problem?.code, problem?.start, problem?.data?.replacements], ['unknownField', 0, ['job_id']]);
    }
  });

  it('checks merged keys once', () => {
    const merged = (aside: string): string => `x-a: &a {${aside}}\n<<: *a\n${job}`;
    assert.deepEqual(codes(merged('timeout_seconds: 5')), []);
    assert.deepEqual(codes(merged('timeout_second: 5')), ['unknownField']);
    assert.deepEqual(codes(merged('timeout_seconds: five')), ['wrongType']);
    const cluster = 'name: x\nx-c: &c {spark_version: a, node_type_id: b, num_wrkers: 1}\nx-d: &d {num_workers: 2}\n';
    const task = 'new_cluster:\n  <<: [*c, *d]\nspark_python_task:\n  python_file: /a.py\n';
    assert.deepEqual(codes(cluster + task), ['unknownField']);
    const lacking = 'name: x\nx-c: &c {spark_version: a, node_tye_id: b}\nx-d: &d {num_workers: 2}\n';
    assert.deepEqual(codes(lacking + task), ['unknownField'], 'the mistyped name is why it lacks one');
    assert.deepEqual(codes(merged('x-note: 1')), [], 'as at the top of the file itself');
  });

  it('applies rules and advice to merged keys at their place', () => {
    for (const [aside, place, rest, ...wanted] of [
      ['{quartz_cron_expression: "0 0 25 * * ?", timezone_id: UTC}', 'schedule: {<<: *a}', '', 'cron:25'],
      ['{schedule: {quartz_cron_expression: "0 0 5 * * ?", timezone_id: UTCC}}', '<<: *a', '', 'unknownTimezone:UTCC'],
      ['{max_retries: 3}', '<<: [*a]', 'retry_on_timeout: true\n'],
      ['{retry_on_timeout: true}', '<<: *a', '', 'neverRetried:retry_on_timeout'],
      ['{run_job_task: {job_id: 1}}', '<<: *a', '', 'oneTask:run_job_task'],
      ['{libraries: [{jar: dfs:/a, egg: dfs:/b}]}', '<<: *a', '', 'oneLibraryKind:egg'],
    ] as const) {
      const text = `x-a: &a ${aside}\n${place}\n${job}${rest}`;
      const found = validateText(text, { nowMs: 0 }).map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);
      assert.deepEqual(found, wanted, text);
    }
  });

  it('marks a non-empty range wherever a file breaks off', () => {
    const whole = `${job}max_retrys: 1\nlibraries: [{jar: 5}, {}]\nschedule:\n  quartz_cron_expression: 0 0 25 * * ?\nnew_cluster: {}\n`;
    const texts = Array.from({ length: whole.length + 1 }, (_, end) => whole.slice(0, end));
    for (const text of [...texts, '[', '{', '- ', '"', 'a: [', 'a:\n\t', '&', '*x', '---\n---', '5', 'null', 'x', '\n'])
      for (const { code, start, end } of validateText(text, { nowMs: 0, ignoreSuppression: true }))
        assert.ok(start >= 0 && start < end && end <= Math.max(1, text.length), `${code} ${start} ${end} ${text}`);
  });
});

describe('Missing fields', () => {
  const task = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';

  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs: 0 });

  it('exclude those that a mistyped key stands for', () => {
    const found = problems(`${task}schedule: {quartz_cron_expresion: 0 0 0 * * ?}\n`);
    assert.deepEqual(
      found.map(({ code, data }) => [code, data?.missing ?? data?.replacements]),
      [
        ['missingField', ['timezone_id']],
        ['unknownField', ['quartz_cron_expression']],
      ],
    );
  });
});

describe('Values', () => {
  const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';

  const scheduled = (status: string): string =>
    `${job}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC, pause_status: ${status}}\n`;

  /** Code, what is marked, the message and what can stand in its place. */
  const told = (text: string): unknown[] =>
    validateText(text, { nowMs: 0 })
      .filter(({ severity }) => severity === 'error')
      .map(({ code, start, end, message, data }) => [
        code,
        text.slice(start, end),
        message,
        ...(data?.replacements ?? []),
      ]);
  const replacements = (text: string): unknown[] => told(text).map((line) => (line as unknown[]).slice(3));

  it('offer true or false for words like yes and off', () => {
    for (const [word, truth] of [
      ...['yes', 'Yes', 'on', 'ON', 'y', '"true"', '"True"'].map((text) => [text, 'true']),
      ...['no', 'NO', 'off', 'Off', 'n', '"false"'].map((text) => [text, 'false']),
    ])
      assert.deepEqual(replacements(`${job}retry_on_timeout: ${word}\n`), [[truth]], word);
    for (const word of ['maybe', '1', '0', '""'])
      assert.deepEqual(replacements(`${job}retry_on_timeout: ${word}\n`), [['true', 'false']], word);
    assert.deepEqual(told(`${job}retry_on_timeout: maybe\n`), [
      [
        'wrongType',
        'maybe',
        'retry_on_timeout must be true or false, but it is the text "maybe". Write true or false.',
        'true',
        'false',
      ],
    ]);
    assert.deepEqual(told(`${job}retry_on_timeout: true\n`), []);
  });

  it('offer the number for a quoted integer', () => {
    for (const [text, number] of [
      ['"3"', '3'],
      ['" 3 "', '3'],
      ['"+3"', '3'],
      ['"-1"', '-1'],
      ['"007"', '7'],
      ['"123456"', '123456'],
      ['"123456789012345"', '123456789012345'],
    ])
      assert.deepEqual(replacements(`${job}timeout_seconds: ${text}\n`), [[number]], text);
    for (const text of ['"1234567890123456"', '"3s"', '1.5', '"1.5"', 'true', '""'])
      assert.deepEqual(replacements(`${job}timeout_seconds: ${text}\n`), [[]], text);
    assert.deepEqual(told(`${job}timeout_seconds: "3"\n`), [
      ['wrongType', '"3"', 'timeout_seconds must be a whole number, but it is the text "3". Write 3.', '3'],
    ]);
    assert.deepEqual(told(`${job}timeout_seconds: soon\n`), [
      ['wrongType', 'soon', 'timeout_seconds must be a whole number, but it is the text "soon". Write a whole number.'],
    ]);
  });

  it('offer quotes for text that reads as a number', () => {
    for (const [text, quoted] of [
      ['7.10', '"7.10"'],
      ['0x1F', '"0x1F"'],
      ['true', '"true"'],
      ['1e3', '"1e3"'],
    ])
      assert.deepEqual(replacements(`${job}name: ${text}\n`), [[quoted]], text);
    assert.deepEqual(told(`${job}name: 7.10\n`), [
      ['wrongType', '7.10', 'name must be text, but it is the number 7.10. Quote it: "7.10".', '"7.10"'],
    ]);
  });

  it('offer the choices of a field', () => {
    const values = ['PAUSED', 'UNPAUSED'];
    assert.deepEqual(told(scheduled('PAUSED')), []);
    assert.deepEqual(told(scheduled('PAUSE')), [
      [
        'notAllowed',
        'PAUSE',
        'pause_status must be PAUSED or UNPAUSED, but it is the text "PAUSE". Did you mean PAUSED?',
        'PAUSED',
      ],
    ]);
    for (const value of ['zzz', '5', 'true']) assert.deepEqual(replacements(scheduled(value)), [values], value);
    assert.match(String((told(scheduled('zzz'))[0] as unknown[])[2]), / Write one of them\.$/);
  });

  it('accept exact INT64 values and their text', () => {
    const run = (id: string): string => `run_job_task: {job_id: ${id}}\n`;
    for (const id of ['5', '9223372036854775807', '"5"', '"9223372036854775807"'])
      assert.deepEqual(told(run(id)), [], id);
    for (const [id, code] of [
      ['1.5', 'wrongType'],
      ['five', 'wrongType'],
      ['"5 "', 'wrongType'],
      ['"12345678901234567890"', 'wrongType'],
      ['12345678901234567890', 'limit'],
      ['"9223372036854775808"', 'limit'],
    ] as const)
      assert.deepEqual(
        told(run(id)).map((line) => (line as unknown[])[0]),
        [code],
        id,
      );
  });

  it('are checked against inclusive limits', () => {
    const runs = (value: string): unknown[] => told(`${job}max_concurrent_runs: ${value}\n`);
    assert.deepEqual([runs('1'), runs('1000')], [[], []]);
    assert.deepEqual(runs('1001'), [
      ['limit', '1001', 'max_concurrent_runs is 1001; it must not exceed 1000. Change it.', '1000'],
    ]);
    assert.deepEqual(
      runs('-1').map((line) => (line as unknown[]).slice(3)),
      [['0']],
    );
    const seconds = (value: string): unknown[] => told(`${job}timeout_seconds: ${value}\n`);
    assert.deepEqual([seconds('0'), seconds('2147483647')], [[], []]);
    assert.deepEqual(seconds('2147483648'), [
      ['limit', '2147483648', 'timeout_seconds is 2147483648, but must be at most 2147483647. Lower it.', '2147483647'],
    ]);
    assert.deepEqual(
      seconds('99999999999999999999').map((line) => (line as unknown[]).slice(3)),
      [['2147483647']],
    );
    assert.deepEqual(seconds('-1'), [['limit', '-1', 'timeout_seconds is -1, but must be at least 0. Raise it.', '0']]);
    assert.deepEqual(
      told(`${job}max_retries: -2\n`).map((line) => (line as unknown[]).slice(3)),
      [['-1']],
    );
  });
});

describe('Misplaced keys', () => {
  const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';

  const cluster =
    'spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n';

  const within = (text: string): string => `settings:\n${text.replace(/^(?=.)/gm, '  ')}`;

  const told = (text: string): string[] =>
    validateText(text, { nowMs: 0 }).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${text.slice(start, end)}`,
    );
  const schedule = 'misplacedField warning schedule';
  const status = 'misplacedField warning pause_status';

  it('are reported once with the keys below them', () => {
    for (const behind of ['', '\r', ' # words', ` # ${'w'.repeat(250)}`, ' &s', ' &s\r'])
      assert.deepEqual(told(`${cluster}  schedule:${behind}\n  pause_status: PAUSED\n`), [schedule], behind);
    for (const [text, ...wanted] of [
      ['  schedule:\n  pause_status: PAUSED\n  timezone_id: UTC\n', schedule],
      // Before it, behind a value, or of another home.
      ['  pause_status: PAUSED\n  schedule:\n', status, schedule],
      ['  schedule: {}\n  pause_status: PAUSED\n', schedule, status],
      ['  schedule:\n  name: a\n', schedule, 'misplacedField warning name'],
      // Of another mapping.
      ['  schedule:\npause_status: PAUSED\n', schedule, status],
    ] as const)
      assert.deepEqual(told(cluster + text), wanted, text);
    assert.deepEqual(told(within(`${cluster}  schedule:\n  pause_status: PAUSED\n`)), [schedule]);
    // Of a mapping within one that has no meaning here.
    assert.deepEqual(told(`${job}autoscale:\nmin_workers: 1\n`), ['misplacedField warning autoscale']);
  });
});

describe('Advice', () => {
  const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';

  const notebook = (parameters: string): string =>
    `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /n\n  base_parameters: {${parameters}}\n`;

  const cluster = (more: string): string =>
    `spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n  ${more}\n`;

  const told = (text: string, code?: string): string[] =>
    validateText(text, { nowMs: 0 })
      .filter((problem) => problem.severity === 'warning' && (code === undefined || problem.code === code))
      .map((problem) => `${problem.code} ${text.slice(problem.start, problem.end)}`);

  it('warns about duration alerts without a rule', () => {
    const mail = 'email_notifications:\n  on_duration_warning_threshold_exceeded: ';
    const hook = 'webhook_notifications:\n  on_duration_warning_threshold_exceeded: ';
    const rule = 'health: {rules: [{metric: RUN_DURATION_SECONDS, operator: GREATER_THAN, value: 5}]}\n';
    const mark = 'noDurationRule on_duration_warning_threshold_exceeded';
    for (const [text, ...wanted] of [
      [`${mail}[a@b.c]\n`, mark],
      [`${hook}[{id: a}]\n`, mark],
      [`${mail}[a@b.c]\n${hook}[{id: a}]\n`, mark, mark],
      [`${mail}[a@b.c]\nhealth: {rules: []}\n`, mark],
      [`${mail}[a@b.c]\n${rule}`],
      [`${mail}[]\n`],
    ] as const)
      assert.deepEqual(told(job + text, 'noDurationRule'), wanted, text);
  });

  it('warns about retries and runs that never happen', () => {
    for (const [text, ...wanted] of [
      ['retry_on_timeout: true\n', 'neverRetried retry_on_timeout'],
      ['retry_on_timeout: true\nmax_retries: 0\n', 'neverRetried retry_on_timeout'],
      ['retry_on_timeout: true\nmax_retries: 1\n'],
      ['retry_on_timeout: true\nmax_retries: -1\n'],
      ['retry_on_timeout: false\n'],
      ['max_concurrent_runs: 0\n', 'everyRunSkipped max_concurrent_runs'],
      ['max_concurrent_runs: 1\n'],
    ] as const)
      assert.deepEqual(told(job + text), wanted, text);
    // A mistyped name may be that of the retries.
    assert.deepEqual(told(`${job}retry_on_timeout: true\nmax_retrys: 2\n`), ['unknownField max_retrys']);
    assert.deepEqual(told(`${job}retry_on_timeout: true\nmax_retries: many\n`), []);
  });

  it('warns about secrets in plain text', () => {
    const secret = (name: string, value: string): string[] => told(notebook(`${name}: "${value}"`), 'plainSecret');
    for (const name of [
      ...['password', 'db.passwd', 'MY_SECRET', 'secret-key', 'apikey', 'x.api_key', 'access_token', 'auth-token'],
      ...['secret'],
    ])
      assert.deepEqual(secret(name, 'abcdefgh'), [`plainSecret ${name}`], name);
    for (const name of ['passwords', 'mypassword', 'secretary', 'token', 'key', 'password.file'])
      assert.deepEqual(secret(name, 'abcdefgh'), [], name);
    for (const value of ['abcdefg', 'abc defgh', '{{secrets/a/b}}', '${password}', '<password>', '/run/secrets/a'])
      assert.deepEqual(secret('password', value), [], value);
    for (const value of ['abcdefgh', 'a-b_c.d!e', '12345678'])
      assert.deepEqual(secret('password', value), ['plainSecret password'], value);
    assert.deepEqual(told(notebook('password: 12345678'), 'plainSecret'), [], 'a number');
    const named = 'fs.azure.account.key.store.blob.core.windows.net';
    assert.deepEqual(told(cluster(`spark_conf: {${named}: abcdefgh}`)), [`plainSecret ${named}`]);
    assert.deepEqual(told(cluster('spark_env_vars: {PASSWORD: abcdefgh}')), ['plainSecret PASSWORD']);
    assert.deepEqual(told(cluster('custom_tags: {password: abcdefgh}')), []);
  });
});

const nowMs = Date.UTC(2026, 0, 1, 12);

const file = (cron: string, zone = 'UTC', more = ''): string =>
  `existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\nschedule:\n  quartz_cron_expression: ${cron}\n  timezone_id: ${zone}\n${more}`;

describe('Schedules', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs });
  const told = (text: string): string[] =>
    problems(text).map(({ code, severity, start, end }) => `${code} ${severity} ${text.slice(start, end)}`);

  it('offer similar time zones', () => {
    const [similar] = problems(file('0 0 8 * * ?', 'Europe/Berln'));
    assert.deepEqual(told(file('0 0 8 * * ?', 'Europe/Berln')), ['unknownTimezone error Europe/Berln']);
    assert.match(similar?.message ?? '', /Did you mean Europe\/Berlin\?$/);
    assert.equal(similar?.data?.replacements?.[0], 'Europe/Berlin');
    const [odd] = problems(file('0 0 8 * * ?', 'zzzzzzzz'));
    assert.deepEqual(odd?.data?.replacements, []);
    assert.doesNotMatch(odd?.message ?? '', /Did you mean/);
    assert.match(odd?.message ?? '', /\. \S.*\.$/);
  });

  it('warn if they never fire again', () => {
    for (const [cron, zone, ...wanted] of [
      ['0 0 8 * * ? 2025', 'UTC', 'neverFires warning 0 0 8 * * ? 2025'],
      ['0 0 8 * * ? 2026', 'UTC'],
      ['0 0 11 1 1 ? 2026', 'UTC', 'neverFires warning 0 0 11 1 1 ? 2026'],
      ['0 0 13 1 1 ? 2026', 'UTC'],
      ['0 0 13 1 1 ? 2026', 'Asia/Tokyo', 'neverFires warning 0 0 13 1 1 ? 2026'],
      ['0 0 11 1 1 ? 2026', 'America/New_York'],
      ['0 0 8 * * ? 2025', 'Nowhere', 'unknownTimezone error Nowhere'],
      ['0 0 25 * * ? 2025', 'Nowhere', 'cron error 25', 'unknownTimezone error Nowhere'],
      ['0 0 25 * * ? 2025', 'UTC', 'cron error 25'],
    ] as const)
      assert.deepEqual(told(file(cron, zone)), wanted, `${cron} ${zone}`);
    assert.equal(
      problems(file('0 0 8 * * ? 2025'))[0]?.message,
      '"0 0 8 * * ? 2025" never fires again. Change the expression, or remove the schedule.',
    );
    const whole = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\nschedule:\n';
    assert.deepEqual(told(`${whole}  quartz_cron_expression: 0 0 8 * * ? 2025\n`), ['missingField error schedule']);
  });
});

describe('Ignore comments', () => {
  const left = (text: string): string[] =>
    withoutSuppressed(
      text,
      ['one', 'two'].map((code) => ({ code, start: text.indexOf('X') }) as unknown as Problem),
    ).map(({ code }) => code);

  for (const [text, expected] of [
    ['a: X', ['one', 'two']],
    ['a: X # millrace-ignore', []],
    ['a: X # millrace-ignore\nb: 1', []],
    ['a: X # millrace-ignore: one', ['two']],
    ['a: X #millrace-ignore:one, two', []],
    ['a: X # millrace-ignore: two one\n', []],
    ['a: X # millrace-ignore: three', ['one', 'two']],
    ['# millrace-ignore: one\na: X', ['two']],
    ['x: 1\n  # millrace-ignore\n  a: X\n', []],
    ['b: 1 # millrace-ignore\na: X', ['one', 'two']],
    ['# millrace-ignore\n\na: X', ['one', 'two']],
    ['a: X\n# millrace-ignore', ['one', 'two']],
    ['a: X millrace-ignore', ['one', 'two']],
    ['a: X # not millrace-ignore', ['one', 'two']],
  ] as const)
    it(`leave ${expected.join(' and ') || 'nothing'}: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(left(text), expected));
});
