import assert from 'node:assert/strict';
import { describeJobFile } from '../../../../../src/service/models/guide/guideAnswer.ts';

const file = (extra: string): string =>
  `\`\`\`yaml\nname: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n${extra}\`\`\`\n`;

const plain = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';

describe('a job file that the guide is shown', () => {
  it('is called valid, or has its problems listed, of many the first twelve and how many more there are', () => {
    const said = (extra: string): string => describeJobFile(`Check this:\n${file(extra)}`)?.markdown ?? '';
    assert.match(said(''), /it is valid/);
    assert.match(said('no_such_field: 1\n'), /found one problem:\n\n- .*no_such_field/);
    const fields = (count: number): string =>
      Array.from({ length: count }, (_, index) => `no_field_${index}: 1\n`).join('');
    assert.doesNotMatch(said(fields(12)), /more/);
    const many = said(fields(15));
    assert.match(many, /found 15 problems:/);
    assert.equal(many.match(/^- .*no_field_/gm)?.length, 12);
    assert.match(many, /\n- and 3 more/);
  });

  const problemsOf = (text: string): unknown => describeJobFile(text)?.facts['problems'];

  it('is told with its problems and itself', () => {
    assert.deepEqual(describeJobFile(plain), {
      found: true,
      confidence: 1,
      markdown: 'I checked this job file against the rules of the Jobs API: it is valid.',
      summary: 'The job file is valid.',
      facts: { valid: true, problems: [], example: `\`\`\`yaml\n${plain}\`\`\`` },
    });
    const wrong = `${plain}no_such_field: 1\n`;
    const problem = '`no_such_field` is not a field of Jobs API 2.0; it is sent as it is.';
    assert.deepEqual(describeJobFile(wrong), {
      found: true,
      confidence: 1,
      markdown: `I checked this job file against the rules of the Jobs API and found one problem:\n\n- ${problem}`,
      summary: problem,
      facts: { valid: false, problems: [problem], example: `\`\`\`yaml\n${wrong}\`\`\`` },
    });
  });

  it('has the problems of its form first, then those of its rules, each with its place', () => {
    assert.deepEqual(
      problemsOf(
        'spark_python_task:\n  python_file: 5\nmax_retries: two\nlibraries:\n  - jar: a.jar\n  - jar: [1]\ntimeout_seconds: 12345678901234567890\n',
      ),
      [
        '`spark_python_task.python_file`: Invalid input: expected string, received number',
        '`libraries[1].jar`: Invalid input: expected string, received array',
        '`timeout_seconds`: must be a whole number',
        '`max_retries`: must be a whole number',
        'no cluster is given. Add existing_cluster_id or new_cluster; only a pipeline task or a run-job task can do without.',
      ],
    );
    assert.deepEqual(problemsOf('spark_python_task: {python_file: /a.py}\nnotebook_task: {notebook_path: /b}\n'), [
      '`spark_python_task`: notebook_task and spark_python_task are given; a job has one task. Keep one of them.',
      'no cluster is given. Add existing_cluster_id or new_cluster; only a pipeline task or a run-job task can do without.',
    ]);
    assert.deepEqual(problemsOf('run_job_task: {job_id: 9007199254740993}\nmax_retries: 2\n'), []);
  });

  it('is not read further where it is no YAML', () =>
    assert.deepEqual(problemsOf('notebook_task: [\nno_such_field: 1\n'), [
      'Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1:',
    ]));

  it('may have a field twice, and refers to itself no more than is sensible', () => {
    assert.deepEqual(problemsOf(`${plain}name: y\n`), []);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c]\n`;
    assert.deepEqual(problemsOf(`${plain}${bomb}`), ['Excessive alias count indicates a resource exhaustion attack']);
    assert.deepEqual(problemsOf(`${plain}x: *none\n`), [
      'Unresolved alias (the anchor must be set before the alias): none',
    ]);
  });

  for (const text of [
    'schedule: daily\n',
    '"notebook_task" : {}\n',
    "'new_cluster': {}",
    'existing_cluster_id: c',
    'email_notifications: {}',
    'Look:\nwebhook_notifications: {}',
    '```yaml\nname: x\n```\nand\n```\nspark_jar_task: {}\n```',
  ])
    it(`is found in ${JSON.stringify(text)}`, () => assert.ok(describeJobFile(text)));

  for (const text of [
    '',
    'name: x\nmax_retries: 2\n',
    'my_task: 1\nother_cluster: 2\nno_notifications: 3\n',
    'the schedule: daily',
    ' schedule: daily',
    'Schedule: daily',
    'schedule daily',
    'schedules: daily',
    'my_schedule: daily',
    'notebook_tasks: {}\nexisting_cluster_ids: {}',
    'schedule: daily\n```yaml\nname: x\n```\n',
    `${'x'.repeat(100_000)}\nschedule: daily`,
  ])
    it(`is none in ${JSON.stringify(text.slice(-60))}`, () => assert.equal(describeJobFile(text), undefined));

  it('is read as long as it has no more than a hundred thousand characters', () => {
    const text = 'schedule: daily\n#';
    assert.ok(describeJobFile(text.padEnd(100_000, 'x')));
    assert.equal(describeJobFile(text.padEnd(100_001, 'x')), undefined);
  });
});
