import assert from 'node:assert/strict';
import { pasteJson } from '../../../../src/jobfile/services/pasteJson.ts';

/** What is inserted at ‸. */
const pasted = (clipboard: string, marked: string): string | undefined =>
  pasteJson(clipboard, marked.replace('‸', ''), marked.indexOf('‸'));

describe('JSON that is pasted', () => {
  it('is a job in an empty file, if it is one, and otherwise what it is', () => {
    for (const [json, yaml] of [
      [' {"max_retries": 1, "name": "a"}\n', 'name: a\nmax_retries: 1\n'],
      ['{"job_id": 9007199254740993, "settings": {"name": "a"}}', 'job_id: 9007199254740993\nname: a\n'],
      ['{"new_settings": {"name": "a"}}', 'name: a\n'],
      ['{"settings": {"name": "a"}, "x": 1}', 'name: a\n'],
      ['{"b": 1, "a": 9007199254740993}', 'b: 1\na: 9007199254740993\n'],
      ['[{"jar": "a"}]', '- jar: a\n'],
      ['{}', '{}\n'],
    ] as const)
      for (const empty of ['‸', ' \n‸\n']) assert.equal(pasted(json, empty), yaml, json);
  });

  it('takes the indentation and the order of fields of its place', () => {
    const schedule = '{"timezone_id": "UTC", "quartz_cron_expression": "c"}';
    const library = '{"maven": {"repo": "r", "coordinates": "c"}}';
    for (const [json, marked, yaml] of [
      ['{"max_retries": 1, "name": "a"}', 'timeout_seconds: 1\n‸', 'name: a\nmax_retries: 1'],
      [schedule, 'schedule:\n    ‸\n', 'quartz_cron_expression: c\n    timezone_id: UTC'],
      [schedule, 'schedule: ‸\n', '\n  quartz_cron_expression: c\n  timezone_id: UTC'],
      ['{"spark_version": "v"}', 'settings:\n  new_cluster: ‸\n', '\n    spark_version: v'],
      ['[{"jar": "a"}, {"egg": "b"}]', 'libraries: ‸\n', '\n  - jar: a\n  - egg: b'],
      ['{"jar": "a"}', 'libraries:\n  - ‸\n', 'jar: a'],
      [library, 'libraries:\n  - ‸\n', 'maven:\n      coordinates: c\n      repo: r'],
      ['{}', 'schedule: ‸\n', '{}'],
      ['[]', 'libraries: ‸\n', '[]'],
      ['["a\\n\\nb"]', 'spark_python_task:\n  parameters: ‸\n', '\n    - |-\n      a\n\n      b'],
    ] as const)
      assert.equal(pasted(json, marked), yaml, marked);
  });

  it('is pasted as it is where it is no JSON, or the place is none of YAML’s own lines', () => {
    for (const text of ['name: a', '{name: a}', '[1', '"a"', '5', '', '{"a": 1} b', 'x {"a": 1}'])
      assert.equal(pasted(text, 'name: x\n‸'), undefined, text);
    for (const marked of ['{"name": "x", ‸}', 'schedule: {‸}\n', 'libraries: [‸]\n', 'name: x # ‸\n', 'a: |\n  ‸\n'])
      assert.equal(pasted('{"a": 1}', marked), undefined, marked);
  });

});
