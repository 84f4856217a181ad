import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

const task = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const cluster =
  'spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: a\n  node_type_id: b\n  num_workers: 1\n';

describe('the structure of a job file', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs: 0 });
  /** Code, severity and what is underlined. */
  const marks = (text: string): string[] =>
    problems(text).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${JSON.stringify(text.slice(start, end))}`,
    );
  const only = (text: string): Problem => {
    const [first, ...rest] = problems(text);
    assert.ok(first && rest.length === 0, JSON.stringify(problems(text)));
    return first;
  };

  for (const [what, text, expected] of [
    ['a field of another product', `${task}tasks_are_foreign: 1\n`, ['unknownField warning "tasks_are_foreign"']],
    ['a field that later versions have', `${task}git_source: {}\n`, ['foreignField hint "git_source"']],
    ['a field in the wrong place', `${task}timezone_id: UTC\n`, ['misplacedField warning "timezone_id"']],
    [
      'a mistyped field that is needed',
      'existing_cluster_id: c\nspark_python_task:\n  python_fil: /a.py\n',
      ['unknownField error "python_fil"'],
    ],
    ['a mistyped field that is not', `${task}max_retrys: 1\n`, ['unknownField warning "max_retrys"']],
    ['a needed field that is not there', `${task}schedule:\n  timezone_id: UTC\n`, ['missingField error "schedule"']],
    [
      'a needed field without a value',
      'existing_cluster_id: c\nspark_python_task:\n  python_file:\n',
      ['noValue error "python_file"'],
    ],
    ['a field without a value', `${task}timeout_seconds:\n`, ['noValue warning "timeout_seconds"']],
    ['a list in place of a mapping', `${task}schedule:\n  - a\n`, ['wrongType error "schedule"']],
    ['a text in place of a list', `${task}libraries: a\n`, ['wrongType error "a"']],
    ['a mapping in place of a text', `${task}name: {a: 1}\n`, ['wrongType error "{a: 1}"']],
    ['a name of the file itself', `x-base: 1\n${task}`, []],
    [
      'such a name elsewhere',
      `${task}schedule:\n  timezone_id: UTC\n  quartz_cron_expression: 0 0 0 * * ?\n  x-a: 1\n`,
      ['unknownField warning "x-a"'],
    ],
    ['a number among settings of Spark', `${cluster}  spark_conf: {a.b: 1}\n`, ['unquoted information "1"']],
    ['texts among settings of Spark', `${cluster}  spark_conf: {a.b: "1", c.d: 'true', e.f: word}\n`, []],
    ['a setting of Spark without a value', `${cluster}  spark_conf:\n    a.b:\n`, ['noValue error "a.b"']],
    [
      'names that are no ASCII',
      `existing_cluster_id: c\nnotebook_task:\n  notebook_path: /n\n  base_parameters: {ü: a}\n`,
      ['asciiOnly error "ü"'],
    ],
    [
      'a list of pairs for a mapping',
      `existing_cluster_id: c\nnotebook_task: {notebook_path: /n, base_parameters: 7}\n`,
      ['wrongType error "7"'],
    ],
  ] as const)
    it(`shows ${what}`, () => assert.deepEqual(marks(text), expected));

  it('says what may be meant, where a field belongs, and which is to be removed', () => {
    const unknown = only(`${task}max_retrys: 1\n`);
    assert.equal(unknown.message, 'max_retrys is not a field of the Jobs API 2.0. Did you mean max_retries?');
    assert.deepEqual(unknown.data, { replacements: ['max_retries'], removable: ['max_retrys'] });
    const misplaced = only(`${task}timezone_id: UTC\n`);
    assert.equal(misplaced.message, 'timezone_id has no meaning here; it belongs below schedule. Move it.');
    assert.deepEqual(misplaced.data, { removable: ['timezone_id'] });
    const foreign = only(`${task}git_source: {}\n`);
    assert.equal(foreign.message, 'git_source is not part of the Jobs API 2.0; it is kept and sent as it stands.');
    const top = only(`${task}schedule:\n  timezone_id: UTC\n  quartz_cron_expression: 0 0 0 * * ?\n  max_retries: 1\n`);
    assert.equal(top.message, 'max_retries has no meaning here; it belongs at the top of the file. Move it.');
    assert.deepEqual(top.data, { removable: ['schedule', 'max_retries'] });
  });

  it('says what is needed once for all that is, and what a value must be', () => {
    assert.equal(
      only(`${task}schedule: {}\n`).message,
      'schedule needs quartz_cron_expression and timezone_id. Add them below schedule.',
    );
    assert.deepEqual(only(`${task}schedule: {}\n`).data, {
      path: ['schedule'],
      missing: ['quartz_cron_expression', 'timezone_id'],
    });
    const empty = only(`${cluster}  spark_conf:\n    a.b:\n`);
    assert.equal(empty.message, 'a.b in spark_conf has no value. Write one behind the colon, "" for an empty text.');
    assert.deepEqual(empty.data, { removable: ['new_cluster', 'spark_conf', 'a.b'] });
    assert.deepEqual(only(`${task}timeout_seconds:\n`).data, { removable: ['timeout_seconds'] });
    assert.equal(only('existing_cluster_id: c\nspark_python_task:\n  python_file:\n').data, undefined);
    const unquoted = only(`${cluster}  spark_conf: {a.b: 1.0}\n`);
    assert.match(unquoted.message, /^a\.b is .*; settings of Spark are texts\. Put it in quotes: "1\.0"\.$/);
    assert.deepEqual(unquoted.data, { replacements: ['"1.0"'] });
  });

  it('shows what is wrong behind an anchor once, however often it is used', () => {
    const text = `${task}email_notifications:\n  on_start: &who [7x, {a: 1}]\n  on_failure: *who\n  on_success: *who\n`;
    assert.equal(marks(text).filter((mark) => mark.includes('{a: 1}')).length, 1);
  });

  it('reports a hundred unknown names of a mapping and no more, and ends where aliases make a text long', () => {
    const names = Array.from({ length: 150 }, (_, index) => `qqq${index}zzz: 1\n`).join('');
    assert.equal(marks(task + names).length, 100);
    const lines = ['x-0: &a0 [1]'];
    for (let level = 1; level < 9; level += 1)
      lines.push(`x-${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    assert.ok(problems(`${lines.join('\n')}\n${task}libraries: *a8\n`).length < 1000);
  });

});
