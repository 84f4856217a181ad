import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const notebook = (parameters: string): string =>
  `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /n\n  base_parameters: {${parameters}}\n`;
const cluster = (more: string): string =>
  `spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n  ${more}\n`;

describe('settings that do not do what they seem to', () => {
  const told = (text: string, code?: string): string[] =>
    validateText(text, { nowMs: 0 })
      .filter((problem) => problem.severity === 'warning' && (code === undefined || problem.code === code))
      .map((problem) => `${problem.code} ${text.slice(problem.start, problem.end)}`);
  const messages = (text: string): string[] => validateText(text, { nowMs: 0 }).map(({ message }) => message);

  it('are warnings about long runs that no rule is for', () => {
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
    assert.deepEqual(messages(`${job}${mail}[a@b.c]\n`), [
      'Nothing is sent for long runs, since health has no rule. Add a rule with the metric RUN_DURATION_SECONDS.',
    ]);
  });

  it('are retries that are never made, and runs that are never begun', () => {
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
    assert.deepEqual(messages(`${job}retry_on_timeout: true\nmax_concurrent_runs: 0\n`), [
      'No run is retried, since max_retries is not set. Set max_retries, or remove retry_on_timeout.',
      'With 0, every new run is skipped. Set 1 or more to let the job run.',
    ]);
  });

  it('are secrets in plain text, by their names, and only what is surely one', () => {
    const secret = (name: string, value: string): string[] => told(notebook(`${name}: "${value}"`), 'plainSecret');
    for (const name of [
      'password',
      'db.passwd',
      'MY_SECRET',
      'secret-key',
      'apikey',
      'x.api_key',
      'access_token',
      'auth-token',
      'secret',
    ])
      assert.deepEqual(secret(name, 'abcdefgh'), [`plainSecret ${name}`], name);
    for (const name of ['passwords', 'mypassword', 'secretary', 'token', 'key', 'password.file'])
      assert.deepEqual(secret(name, 'abcdefgh'), [], name);
    for (const value of [
      'abcdefg',
      'abc defgh',
      '{{secrets/a/b}}',
      '${password}',
      '<password>',
      '/run/secrets/a',
      'abcdefg>',
    ])
      assert.deepEqual(secret('password', value), [], value);
    for (const value of ['abcdefgh', 'a-b_c.d!e', '12345678'])
      assert.deepEqual(secret('password', value), ['plainSecret password'], value);
    assert.deepEqual(told(notebook('password: 12345678'), 'plainSecret'), [], 'a number');
    const named = 'fs.azure.account.key.store.blob.core.windows.net';
    assert.deepEqual(told(cluster(`spark_conf: {${named}: abcdefgh}`)), [`plainSecret ${named}`]);
    assert.deepEqual(told(cluster('spark_env_vars: {PASSWORD: abcdefgh}')), ['plainSecret PASSWORD']);
    assert.deepEqual(told(cluster('custom_tags: {password: abcdefgh}')), []);
    assert.deepEqual(messages(notebook('password: abcdefgh')), [
      'password looks like a secret in plain text. Keep it in a secrets facility and refer to it, such as {{secrets/scope/key}}.',
    ]);
  });

  it('are items that continue the text of the one above', () => {
    const parameters = (text: string): string =>
      `existing_cluster_id: c\nspark_python_task:\n  python_file: "dfs:/a"\n  parameters:\n${text}`;
    const long = 'x'.repeat(70);
    for (const [text, ...wanted] of [
      ['    - a\n      - b\n', 'swallowedItem - b'],
      ['    - a\n      - b\n      - c\n', 'swallowedItem - b'],
      ['    - a\n      more\n      - b', 'swallowedItem - b'],
      ['    - a\n      more\n'],
      ['    - a\n      -b\n'],
      ['    - "a\n      - b"\n'],
      ['    - |\n      a\n      - b\n'],
      ['    - a\n    - b\n'],
    ] as const)
      assert.deepEqual(told(parameters(text)), wanted, text);
    assert.deepEqual(messages(parameters(`    - ${long}\n      - b\n`)), [
      `This line continues the text above it: both are read as one, "${'x'.repeat(60)}…". ` +
        'Start its dash in the same column as the dash above, or put the text in quotes.',
    ]);
  });

});
