import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const job = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';
const codes = (text: string): string[] => validateText(text, { nowMs: 0 }).map((problem) => problem.code);

const timeFirst = (text: string, others: string): string => others + text;

describe('validate', () => {
  it('says rule, value and remedy', () => {
    assert.deepEqual(
      validateText(`${job}max_concurrent_runs: 2000\nschedule:\n  quartz_cron_expression: 0 0 25 * * ?\n`, {
        nowMs: 0,
      }).map((problem) => problem.message),
      [
        'max_concurrent_runs is 2000; it must not exceed 1000. Change it.',
        'schedule needs timezone_id. Add it below schedule.',
        'The hours field, "25", has the value 25, which is not from 0 to 23. Write values from 0 to 23.',
      ],
    );
  });

  it('leaves an empty file and comments alone', () => assert.deepEqual([codes(''), codes('# a job\n\n')], [[], []]));

  it('reports a mistyped name and not what it makes missing', () => {
    assert.deepEqual(
      validateText('existing_cluster_id: c\nspark_python_taks:\n  python_file: /a.py\n', { nowMs: 0 }).map(
        ({ code, message, severity }) => [code, message, severity],
      ),
      [
        [
          'unknownField',
          'spark_python_taks is not a field of the Jobs API 2.0. Did you mean spark_python_task?',
          'error',
        ],
      ],
    );
    // Without it nothing is missing, and the service takes it.
    assert.deepEqual(
      validateText(`${job}max_retrys: 1\n`, { nowMs: 0 }).map(({ severity }) => severity),
      ['warning'],
    );
  });

  it('reports the other fields of a file with a syntax error, and nothing that the broken part may hold', () => {
    assert.deepEqual(
      codes('name: x\ntimeout_seconds: soon\nspark_python_task:\n  python_file /a.py\nschedule:\n  timezone_id: [\n'),
      ['wrongType', 'wrongType', 'syntax'],
    );
  });

  it('lets no mistake of the YAML hide another one, whatever else the file holds', () => {
    const others = 'timeout_seconds: soon\nmax_retries: none\n';
    const mistakes = [
      'description: "unclosed\n',
      'tags: [unclosed\n',
      'description\n',
      'queue:\n\tenabled: true\n',
      '\tformat: x\n',
      'description: a: b\n',
      'description: *none\n',
      'description: !t x\n',
      'queue:\n  enabled: true\n    other: 1\n',
      'libraries:\n  - jar: "a\n  - jar: b\n',
      'description:x\n',
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

  it('takes a key for that of an empty one above it alone, and tells of both where it stands before it', () => {
    const plain = 'existing_cluster_id: c\nspark_python_task: {python_file: /a.py}\n';
    for (const [owner, key] of [
      ['schedule', 'pause_status: PAUSED'],
      ['email_notifications', 'on_start: [a@b.c]'],
    ] as const) {
      assert.deepEqual(codes(`${plain}${owner}:\n${key}\n`), ['misplacedField'], owner);
      assert.deepEqual(codes(`${plain}${key}\n${owner}:\n`), ['misplacedField', 'noValue'], owner);
    }
  });

  it('reads a key with a close colon in braces as the name that is meant only if there is one', () => {
    const [problem] = validateText('existing_cluster_id: c\nspark_python_task: {python_file: /a.py, colour:red}\n', {
      nowMs: 0,
    });
    assert.match(problem?.message ?? '', /^colour:red is not a field of the Jobs API 2\.0; it is kept/);
    const [meant] = validateText('existing_cluster_id: c\nspark_python_task: {python_file: /a.py, parameterz:red}\n', {
      nowMs: 0,
    });
    assert.match(meant?.message ?? '', /^parameterz is not a field .*Did you mean parameters\?/);
  });

  it('finds keys that are given twice at any depth, each but the first', () => {
    const twice = (text: string): number[] =>
      validateText(`${job}${text}`, { nowMs: 0 })
        .filter(({ code }) => code === 'duplicateKey')
        .map(({ start }) => start - job.length);
    assert.deepEqual(twice('libraries:\n  - jar: a\n    jar: b\n'), ['libraries:\n  - jar: a\n    '.length]);
    assert.deepEqual(twice('max_retries: 1\nmax_retries: 2\nmax_retries: 3\n'), [15, 30]);
    assert.deepEqual(twice('libraries: [{jar: a, jar: b}]\n'), ['libraries: [{jar: a, '.length]);
    assert.deepEqual(twice('libraries:\n  - jar: a\n  - jar: b\n'), []);
  });

  it('marks deprecated fields, which keep a file deployable', () => {
    const found = validateText('existing_cluster_id: c\nspark_jar_task:\n  jar_uri: a.jar\n', { nowMs: 0 });
    assert.deepEqual(
      found.map(({ code, severity, tags }) => [code, severity, tags]),
      [['deprecated', 'hint', ['deprecated']]],
    );
  });

  it('reads Windows line ends', () =>
    assert.deepEqual(codes(`${job}colour: red\n`.replaceAll('\n', '\r\n')), ['unknownField']));

  it('says what to write where nothing like the value can be offered', () => {
    const messages = (text: string): string[] => validateText(text, { nowMs: 0 }).map(({ message }) => message);
    const rest = 'existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';
    assert.deepEqual(messages(`name: [a]\n${rest}`), ['name must be text, and it is a list. Write a single value.']);
    assert.deepEqual(messages(`name: x\nmax_retries: soon\n${rest}`), [
      'max_retries must be a whole number, and it is the text "soon". Write a whole number.',
    ]);
  });

  it('marks the first key of a file that lacks a field', () => {
    const text = '# words\nexisting_cluster_id: c\nname: x\nmax_retries: 1\n';
    const [missing] = validateText(text, { nowMs: 0 }).filter(({ severity }) => severity === 'error');
    assert.ok(missing, 'a task is missing');
    assert.equal(text.slice(missing.start, missing.end), 'existing_cluster_id');
  });

  it('marks the first line of a block that is something else than its place wants, and the whole of one in brackets', () => {
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

  it('says the limit that a number misses, and which way to go', () => {
    assert.deepEqual(
      validateText(`${job}max_retries: -2\nmin_retry_interval_millis: -1\n`, { nowMs: 0 }).map(
        ({ message }) => message,
      ),
      [
        'max_retries is -2; it must be -1 (retry indefinitely), 0 (never) or the number of retries. Change it.',
        'min_retry_interval_millis is -1; it must be at least 0. Raise it.',
      ],
    );
  });

  it('shows the colon that lacks its space, or is another character, and mends it', () => {
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

  it('names the comma that is missing in JSON', () => {
    const text = '{"name": "a" "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}}';
    const [problem, ...others] = validateText(text, { nowMs: 0 });
    assert.deepEqual(
      [problem?.message, problem?.start, others],
      ['A comma is missing between two items. Add it.', 13, []],
    );
  });

  it('looks at the id of a job as jobs/get returns it, and at no other word around its settings', () => {
    const around = (line: string): string => `${line}\ncreated_time: 5\nx_y: 1\nsettings:\n${job.replace(/^/gm, '  ')}`;
    assert.deepEqual(codes(around('job_id: 7')), []);
    assert.deepEqual(codes(around('creator_user_name: me')), []);
    assert.deepEqual(codes(around('job_id: seven')), ['wrongType']);
    for (const name of ['jobId', 'job-id', 'jobid']) {
      const [problem] = validateText(around(`${name}: 7`), { nowMs: 0 });
      assert.deepEqual([problem?.code, problem?.start, problem?.data?.replacements], ['unknownField', 0, ['job_id']]);
    }
  });

  it('judges what is merged in as if it stood there, once', () => {
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

  it('judges rules, schedules and advice by what is merged in, at its place', () => {
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

  it('tells of no more unknown names in what is merged in than where they stand', () => {
    const names = Array.from({ length: 300 }, (_, index) => `  strange_${index}: 1\n`).join('');
    const plain = codes(job + names.replaceAll(/^ {2}/gm, ''));
    assert.equal(codes(`x-a: &a\n${names}<<: *a\n${job}`).length, plain.length);
  });

  it('says of a tab before a list that alone', () =>
    assert.deepEqual(codes(`${job}  parameters:\n\t- a\n\t- b\n`), ['syntax']));

  it('says what the marks of a merge are', () => {
    for (const text of [
      `${job}<<<<<<< HEAD\nmax_retries: 1\n=======\nmax_retries: 2\n>>>>>>> other\n`,
      `<<<<<<< HEAD\n${job}=======\nname: b\n>>>>>>> other\n`,
    ]) {
      const [problem, ...others] = validateText(text, { nowMs: 0 });
      assert.deepEqual([problem?.start, others], [text.indexOf('<<<'), []]);
      assert.match(problem?.message ?? '', /^A merge has left a conflict here\./);
    }
  });

  it('marks at least one character of the text, wherever a file breaks off', () => {
    const whole = `${job}max_retrys: 1\nlibraries: [{jar: 5}, {}]\nschedule:\n  quartz_cron_expression: 0 0 25 * * ?\nnew_cluster: {}\n`;
    const texts = Array.from({ length: whole.length + 1 }, (_, end) => whole.slice(0, end));
    for (const text of [...texts, '[', '{', '- ', '"', 'a: [', 'a:\n\t', '&', '*x', '---\n---', '5', 'null', 'x', '\n'])
      for (const { code, start, end } of validateText(text, { nowMs: 0, ignoreSuppression: true }))
        assert.ok(start >= 0 && start < end && end <= Math.max(1, text.length), `${code} ${start} ${end} ${text}`);
  });
});
