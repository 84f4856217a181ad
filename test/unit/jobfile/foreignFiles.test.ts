import assert from 'node:assert/strict';
import { createJobFileService } from '../../../src/jobfile/services/jobFileService.ts';

const { parse, quickFixes, validate, read } = createJobFileService();
const rest = 'spark_python_task:\n  python_file: /a.py\nexisting_cluster_id: c\n';

/** Code, place and severity of each problem. */
const told = (text: string): string[] =>
  parse(text).problems.map(
    ({ code, start, end, severity }) => `${severity} ${code} ${JSON.stringify(text.slice(start, end))}`,
  );

/** The text after the first fix of the first problem. */
function fixed(text: string): string {
  const { document, problems } = parse(text);
  const [first] = problems;
  assert.ok(first, text);
  const [fix] = quickFixes(first, document);
  const [change] = fix?.changes ?? [];
  assert.ok(change, text);
  return text.slice(0, change.start) + change.text + text.slice(change.end);
}

describe('A job file with a negative job_id', () => {
  it('has an error, so that no other job of its name is overwritten', () => {
    assert.deepEqual(told(`job_id: -1\nname: a\n${rest}`), ['error limit "-1"']);
  });
});

describe('A job file as JSON with comments', () => {
  const body = '"name": "a//b", "existing_cluster_id": "c", "notebook_task": {"notebook_path": "/n"}';

  it('is read without its comments and trailing commas', () => {
    for (const text of [
      `{\n // who owns it\n ${body}\n}`,
      `/* two\n lines */ { ${body}, } // end`,
      `{ // "name": "x"\n ${body} /* "a": 1 */ }`,
    ]) {
      const { settings, problems } = parse(text);
      assert.deepEqual([problems, settings?.name], [[], 'a//b'], text);
    }
  });

  it('keeps the places of its problems', () => {
    assert.deepEqual(told(`{ /* c */ "nmae": "b",\n // d\n "max_retries": "x", ${body} }`), [
      'warning unknownField "\\"nmae\\""',
      'error wrongType "\\"x\\""',
    ]);
  });
});

describe('A job file that is named as JSON', () => {
  const codes = (text: string): string[] => parse(text, 'a.job.json').problems.map(({ code }) => code);

  it('cannot be YAML', () => {
    for (const text of [
      `name: a\n${rest}`,
      '{name: "a", "run_job_task": {"job_id": 1}}',
      '{"name": a, "run_job_task": {"job_id": 1}}',
      `{'name': "a", "run_job_task": {"job_id": 1}}`,
      '{"name": "a\nb", "run_job_task": {"job_id": 1}}',
    ])
      assert.deepEqual(codes(text), ['notJson'], text);
  });

  it('can have comments, trailing commas and all values of JSON', () => {
    assert.deepEqual(codes('{ // one\n "name": "a\\nb", "run_job_task": {"job_id": 12345678901234567890,},}'), [
      'limit',
    ]);
    assert.deepEqual(codes('{"max_retries": -1, "retry_on_timeout": true, "run_job_task": {"job_id": 1}}'), []);
  });
});

describe('A template as a job file', () => {
  it('gets one problem, with the placeholder in quotes as its fix', () => {
    for (const [text, place, fix] of [
      [`name: {{ x }}\n${rest}`, '{{ x }}', `name: "{{ x }}"\n${rest}`],
      [`name: {{ x }}-job # c\n${rest}`, '{{ x }}-job ', `name: "{{ x }}-job"# c\n${rest}`],
      [`name: a\nmax_retries: {{ n }}\n${rest}`, '{{ n }}', `name: a\nmax_retries: "{{ n }}"\n${rest}`],
    ] as const) {
      assert.deepEqual(told(text), [`error template ${JSON.stringify(place.trimEnd())}`]);
      assert.equal(fixed(text).replaceAll(' #', '#'), fix.replaceAll(' #', '#'));
    }
  });

  it('gets one problem for tags, whatever they surround', () => {
    assert.deepEqual(told(`{% if a %}\nname: a\n{% else %}\nname: b\n{% endif %}\n{{ more }}\n${rest}`), [
      'error template "{% if a %}"',
      'error duplicateKey "name"',
    ]);
    assert.deepEqual(told(`{# by hand #}\nname: a\n${rest}`), ['error template "{# by hand #}"']);
    assert.deepEqual(told(`<% if a %>\nname: a\n<% end %>\n${rest}`), ['error template "<% if a %>"']);
  });

  it('is recognized where a number is expected, and where a name is sent unchanged', () => {
    assert.deepEqual(told(`name: a\nmax_retries: \${n}\n${rest}`), ['error template "${n}"']);
    assert.deepEqual(told(`name: a\nmax_retries: "{{ n }}"\n${rest}`), ['error template "\\"{{ n }}\\""']);
    assert.deepEqual(told(`name: \${env}-a\n${rest}`), ['warning template "${env}-a"']);
    assert.deepEqual(told(`name: "{{ x }}"\n${rest}`), []);
    assert.deepEqual(told(`name: <%= env %>\n${rest}`), ['warning template "<%= env %>"']);
    assert.deepEqual(told(`name: a\nmax_retries: $N\n${rest}`), ['error template "$N"']);
    for (const task of ['spark_python_task: {python_file: $DIR/a.py}', 'notebook_task: {notebook_path: $DIR/a.py}'])
      assert.deepEqual(told(`${task}\nexisting_cluster_id: c\n`), ['error template "$DIR/a.py"']);
    assert.deepEqual(told(`name: costs in $ and 5$\n${rest}`), []);
  });
});

describe('A job file with characters that cannot be seen', () => {
  it('cannot hold control characters, written or escaped', () => {
    assert.deepEqual(told(`name: a\u001b[31mb\n${rest}`), ['error controlCharacter "\\u001b"']);
    assert.equal(fixed(`name: a\u0007b\n${rest}`), `name: ab\n${rest}`);
    assert.deepEqual(told(`name: "a\\e[31mb"\n${rest}`), ['error controlCharacter "\\"a\\\\e[31mb\\""']);
  });

  it('cannot be indented with no-break spaces', () => {
    const text = 'name: a\nspark_python_task:\n\u00a0 \u00a0 python_file: /a.py\nexisting_cluster_id: c\n';
    assert.deepEqual(told(text), ['error syntax "\u00a0 \u00a0 "']);
    assert.deepEqual(parse(fixed(text)).problems, []);
    assert.deepEqual(told(`name: a\n\u00a0\n${rest}`), ['error syntax "\u00a0"']);
    assert.deepEqual(told(`name: |\n  x\n  \u00a0y\n${rest}`), [], 'a text may hold them');
  });

  it('shows them in messages about names', () => {
    const [problem] = parse(`na\u200bme: a\n${rest}`).problems;
    assert.match(problem?.message ?? '', /U\+200B/);
  });
});

describe('A job file of many templates and comments', () => {
  it('is read in bounded time', () => {
    for (const part of ['{%', '{{ x }}', '{# ', '// ', '/*', '\u00a0', '{ // "\n'])
      for (const text of [part.repeat(50_000), `{ "a": ${part.repeat(50_000)}`]) {
        const start = performance.now();
        parse(text);
        assert.ok(performance.now() - start < 5_000, part);
      }
  });
});

describe('A job file in the words of other tools', () => {
  it('gets the Quartz form of a cron expression as a fix', () => {
    for (const [cron, quartz] of [
      ['@daily', '0 0 0 * * ?'],
      ['@hourly', '0 0 * * * ?'],
      ['@weekly', '0 0 0 ? * SUN'],
      ['0 5 * * *', '0 0 5 * * ?'],
      ['*/15 8-17 * * 1-5', '0 */15 8-17 ? * MON-FRI'],
      ['0 0 1 */3 *', '0 0 0 1 */3 ?'],
      ['30 2 * * 0,6', '0 30 2 ? * SUN,SAT'],
    ]) {
      const text = `name: a\nschedule:\n  quartz_cron_expression: "${cron}"\n  timezone_id: UTC\n${rest}`;
      assert.deepEqual(fixed(text), text.replace(`"${cron}"`, `"${quartz}"`));
      const schedule = `{quartz_cron_expression: "${quartz}", timezone_id: UTC}`;
      assert.equal(fixed(`schedule: "${cron}"\n${rest}`), `schedule: ${schedule}\n${rest}`);
      assert.equal(fixed(`cron: "${cron}"\n${rest}`), `schedule: ${schedule}\n${rest}`);
    }
  });

  it('gets no fix for what Quartz cannot say', () => {
    const text = `schedule:\n  quartz_cron_expression: "0 5 1 * 1"\n  timezone_id: UTC\n${rest}`;
    assert.deepEqual(parse(text).problems[0]?.data?.replacements, undefined);
  });

  it('gets the field that is meant as a fix', () => {
    for (const [before, after] of [
      ['retries: 2', 'max_retries: 2'],
      ['timeout: 60', 'timeout_seconds: 60'],
      ['run_name: a', 'name: a'],
      ['concurrency: 2', 'max_concurrent_runs: 2'],
      ['timeout_seconds: 010', 'timeout_seconds: 10'],
      [
        'schedule:\n  cron: "0 0 5 * * ?"\n  timezone_id: UTC',
        'schedule:\n  quartz_cron_expression: "0 0 5 * * ?"\n  timezone_id: UTC',
      ],
    ])
      assert.equal(fixed(`${before}\n${rest}`), `${after}\n${rest}`);
    const relative = 'spark_python_task:\n  python_file: hello.py\nexisting_cluster_id: c\n';
    assert.deepEqual(told(relative), ['error relativePath "hello.py"']);
    assert.equal(fixed(relative), relative.replace('hello.py', '"/hello.py"'));
  });

  it('gets one problem for cluster settings outside new_cluster', () => {
    const text = `name: a\naws_attributes:\n  availability: SPOT\n${rest}`;
    assert.deepEqual(told(text), ['warning misplacedField "aws_attributes"']);
  });
});

describe('A job file with secrets', () => {
  const secrets = (text: string): string[] =>
    validate(read(text)).flatMap(({ code, start, end }) => (code === 'plainSecret' ? [text.slice(start, end)] : []));

  it('gets a warning for each, in settings and in parameters', () => {
    const settings = (name: string, value: string): string =>
      `new_cluster:\n  spark_conf:\n    ${name}: ${JSON.stringify(value)}\n`;
    for (const name of [
      'spark.hadoop.javax.jdo.option.ConnectionPassword',
      'AWS_SECRET_ACCESS_KEY',
      'fs.s3a.secret.key',
    ])
      assert.deepEqual(secrets(settings(name, 'abc/defgh+ijk')), [name]);
    const run = (...words: string[]): string => `spark_python_task:\n  parameters: ${JSON.stringify(words)}\n`;
    assert.deepEqual(secrets(run('--api_token', 'abcdefgh')), ['"abcdefgh"']);
    for (const value of [
      'postgres://u:pw12345@h/db',
      'jdbc:mysql://h/d?user=u&password=hunter2x',
      `ghp_${'a'.repeat(36)}`,
    ])
      assert.deepEqual(secrets(run('--source', value)), [JSON.stringify(value)], value);
    const token = `ghp_${'a'.repeat(36)}`;
    assert.deepEqual(secrets(run('--token', token)), [JSON.stringify(token)], 'once');
    assert.deepEqual(secrets(run('--password=abcdefgh', '--token', 'ijklmnop')), [
      '"--password=abcdefgh"',
      '"ijklmnop"',
    ]);
    assert.deepEqual(
      secrets(run('--password', '--user', 'somebody', '--token-file', '/run/secrets/a', '--secret')),
      [],
    );
    assert.deepEqual(secrets(run('--password', '{{secrets/a/b}}', '--secret-key', '/run/secrets/a')), []);
  });
});
