import assert from 'node:assert/strict';
import { fieldAt } from '../../../../src/jobfile/model/fieldTree.ts';
import { firstStop, templates } from '../../../../src/jobfile/services/snippets.ts';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

const task = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const cluster = (more: string): string =>
  `spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: a\n${more}`;

describe('rules of a job file at their borders', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs: 0 });
  const marks = (text: string): string[] =>
    problems(text).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${JSON.stringify(text.slice(start, end))}`,
    );
  /** The job as jobs/get returns it. */
  const nested = (text: string): string => `job_id: 5\nsettings:\n${text.replace(/^(?=.)/gm, '  ')}`;

  for (const [what, text, expected] of [
    ['no task', 'existing_cluster_id: c\n', ['noTask error "existing_cluster_id"']],
    ['two tasks', `${task}notebook_task: {notebook_path: /a}\n`, ['oneTask error "spark_python_task"']],
    [
      'a cluster twice',
      `${cluster('  node_type_id: n\n  num_workers: 1\n')}existing_cluster_id: c\n`,
      ['oneCluster error "existing_cluster_id"'],
    ],
    [
      'a submit task on a cluster that is there, told once',
      `spark_submit_task: {parameters: [a]}\nexisting_cluster_id: c\nnew_cluster: {spark_version: a, node_type_id: n, num_workers: 1}\n`,
      ['submitNeedsNewCluster error "existing_cluster_id"'],
    ],
    ['no size', cluster('  node_type_id: n\n'), ['noSize error "new_cluster"']],
    [
      'a size without a value, told as that',
      cluster('  node_type_id: n\n  num_workers:\n'),
      ['noValue error "num_workers"'],
    ],
    [
      'a mistyped size, told as that',
      cluster('  node_type_id: n\n  num_worker: 1\n'),
      ['unknownField error "num_worker"'],
    ],
    [
      'a wrong size beside a missing kind of node',
      cluster('  num_workers: x\n'),
      ['noNodeType error "new_cluster"', 'wrongType error "x"'],
    ],
    [
      'a library of two kinds',
      `${task}libraries:\n  - jar: dfs:/a.jar\n    egg: dfs:/b.egg\n`,
      ['oneLibraryKind error "egg"'],
    ],
    ['a library of no kind', `${task}libraries:\n  - {}\n`, ['oneLibraryKind error "{}"']],
    [
      'an order of limits',
      cluster('  node_type_id: n\n  autoscale: {min_workers: 3, max_workers: 2}\n'),
      ['autoscaleOrder error "2"'],
    ],
  ] as const)
    it(`are kept by their place: ${what}`, () => {
      const shown = (each: string): string[] => marks(each).sort();
      assert.deepEqual(shown(text), expected);
      // Below the settings of a job, too.
      assert.deepEqual(shown(nested(text)), expected);
    });

  it('say what is to be done, with the path in the whole file', () => {
    for (const text of [
      'existing_cluster_id: c\n',
      `${task}notebook_task: {notebook_path: /a}\n`,
      cluster('  node_type_id: n\n'),
      cluster('  num_workers: 1\n'),
      `spark_submit_task: {parameters: [a]}\nexisting_cluster_id: c\n`,
      `spark_submit_task: {parameters: [--master, x]}\nnew_cluster: {spark_version: a, node_type_id: n, num_workers: 1}\n`,
      `${cluster('  node_type_id: n\n  num_workers: 1\n  driver_instance_pool_id: p\n')}`,
      `spark_submit_task: {parameters: [a]}\nlibraries: [{jar: dfs:/a.jar}]\nnew_cluster: {spark_version: a, node_type_id: n, num_workers: 1}\n`,
    ]) {
      const [alone, below] = [problems(text), problems(nested(text))];
      assert.ok(alone.length > 0);
      assert.deepEqual(
        below.map(({ data }) => data),
        alone.map(
          ({ data }) =>
            data &&
            Object.fromEntries(
              Object.entries(data).map(([name, value]) => [
                name,
                name === 'path' || name === 'removable' ? ['settings', ...(value as string[])] : value,
              ]),
            ),
        ),
        text,
      );
      for (const { message } of [...alone, ...below]) assert.match(message, /[.!?]$/, text);
    }
  });

  it('say of an expression of a schedule only what is wrong, in each way that it is written', () => {
    for (const [written, mark] of [
      ['0 0 25 * * ?', '25'],
      ['"0 0 25 * * ?"', '25'],
      ["'0 0 25 * * ?'", '25'],
      ['"0 0 \\u0032\\u0035 * * ?"', '"0 0 \\u0032\\u0035 * * ?"'],
      ['|-\n    0 0 25 * * ?', '|-\n    0 0 25 * * ?'],
      ['"0 0 8"', '0 0 8'],
    ] as const)
      assert.deepEqual(marks(`schedule:\n  quartz_cron_expression: ${written}\n  timezone_id: UTC\n${task}`), [
        `cron error ${JSON.stringify(mark)}`,
      ]);
    const zone = (id: string): Problem | undefined =>
      problems(`schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: ${id}}\n${task}`)[0];
    assert.deepEqual(zone('Europe/Berln')?.data?.replacements?.slice(0, 1), ['Europe/Berlin']);
    assert.match(
      zone('Europe/Berln')?.message ?? '',
      /"Europe\/Berln" is not a time zone id\. Did you mean Europe\/Berlin\?$/,
    );
    assert.match(zone('Zzzzzz')?.message ?? '', /Use an id of the IANA time zone database/);
    const never = `schedule: {quartz_cron_expression: 0 0 8 1 1 ? 2020, timezone_id: UTC}\n${task}`;
    assert.deepEqual(
      [Date.UTC(2019, 5), Date.UTC(2020, 5)].map((nowMs) =>
        validateText(never, { nowMs }).map(({ code, severity }) => `${code} ${severity}`),
      ),
      [[], ['neverFires warning']],
    );
    // One that is longer than any is told as that alone.
    const long = (length: number): string[] =>
      marks(`schedule:\n  quartz_cron_expression: "${'x'.repeat(length)}"\n  timezone_id: UTC\n${task}`).map(
        (each) => each.split(' ')[0] ?? '',
      );
    assert.deepEqual([long(4096), long(4097)], [['cron'], ['value']]);
  });

  it('advise against what does nothing, and of nothing that is told as wrong', () => {
    const codes = (more: string): string[] => problems(task + more).map(({ code }) => code);
    for (const [more, expected] of [
      ['retry_on_timeout: true\n', ['neverRetried']],
      ['retry_on_timeout: true\nmax_retries: 0\n', ['neverRetried']],
      ['retry_on_timeout: true\nmax_retries: 1\n', []],
      ['retry_on_timeout: true\nmax_retries: -1\n', []],
      ['retry_on_timeout: true\nmax_retries: [1]\n', ['wrongType']],
      ['retry_on_timeout: true\nmax_retries:\n', ['noValue']],
      ['retry_on_timeout: true\nmax_retrys: 1\n', ['unknownField']],
      ['retry_on_timeout: false\n', []],
      ['max_concurrent_runs: 0\n', ['everyRunSkipped']],
      ['max_concurrent_runs: ""\n', ['wrongType']],
      ['max_concurrent_runs: false\n', ['wrongType']],
      ['max_concurrent_runs: 1\n', []],
      ['email_notifications: {on_duration_warning_threshold_exceeded: [a@b.example]}\n', ['noDurationRule']],
      ['email_notifications: {on_duration_warning_threshold_exceeded: []}\n', []],
      ['webhook_notifications: {on_duration_warning_threshold_exceeded: [{id: a}]}\n', ['noDurationRule']],
      [
        'health: {rules: []}\nwebhook_notifications: {on_duration_warning_threshold_exceeded: [{id: a}]}\n',
        ['noDurationRule'],
      ],
      [
        'health: {rules: [{metric: RUN_DURATION_SECONDS, operator: GREATER_THAN, value: 5}]}\n' +
          'email_notifications: {on_duration_warning_threshold_exceeded: [a@b.example]}\n',
        [],
      ],
    ] as const)
      assert.deepEqual(codes(more), expected, more);
  });

  it('show an empty item of a list of texts, and take numbers of jobs as texts', () => {
    const [empty] = problems(
      'existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters:\n    - a\n    -\n    - b\n',
    );
    assert.deepEqual([empty?.code, (empty?.end ?? 0) - (empty?.start ?? 0)], ['wrongType', 1]);
    assert.match(empty?.message ?? '', /Write a text\.$/);
    const id = (value: string): string[] => marks(`run_job_task: {job_id: ${value}}\n`);
    for (const value of ['5', '"5"', '9223372036854775807', '"9223372036854775807"', '-5', '"-5"'])
      assert.deepEqual(id(value), [], value);
    for (const value of ['9223372036854775808', '"99999999999999999999"', 'five', '1.5', '"5 "'])
      assert.equal(id(value).length, 1, value);
  });
});

describe('what is written for a key', () => {
  it('lets the cursor stop first at the first value below it', () => {
    const stopOf = (...path: string[]): string | undefined => {
      const field = fieldAt(path)?.field;
      assert.ok(field);
      return firstStop(field)?.name;
    };
    assert.deepEqual(
      [
        stopOf('name'),
        stopOf('schedule'),
        stopOf('health'),
        stopOf('new_cluster'),
        stopOf('libraries'),
        stopOf('new_cluster', 'spark_conf'),
      ],
      ['name', 'quartz_cron_expression', 'metric', 'num_workers', undefined, undefined],
    );
  });

  it('names files of the workspace, whatever stands in their names', () => {
    const [python, notebook, more] = templates({ python: '/a$b}\\c.py', notebook: '/n${x}' });
    assert.ok(python?.snippet.includes('python_file: ${2:/a\\$b\\}\\\\c.py}'));
    assert.ok(notebook?.snippet.includes('notebook_path: ${2:/n\\${x\\}}'));
    assert.ok(more?.snippet.includes('python_file: ${2:/a\\$b\\}\\\\c.py}'));
    const [first, second] = templates({});
    assert.ok(first?.snippet.includes('${2:/main.py}'));
    assert.ok(second?.snippet.includes('${2:/notebook}'));
  });
});
