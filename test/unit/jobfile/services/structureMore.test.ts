import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

const task = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const scheduled = 'quartz_cron_expression: 0 0 0 * * ?';

describe('the structure of a job file, where keys are mistyped or merged in', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs: 0 });
  const marks = (text: string): string[] =>
    problems(text).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${JSON.stringify(text.slice(start, end))}`,
    );

  it('misses only what no mistyped key stands for', () => {
    const found = problems(`${task}schedule: {quartz_cron_expresion: 0 0 0 * * ?}\n`);
    assert.deepEqual(
      found.map(({ code, data }) => [code, data?.missing ?? data?.replacements]),
      [
        ['missingField', ['timezone_id']],
        ['unknownField', ['quartz_cron_expression']],
      ],
    );
  });

  it('takes fields from each mapping that is merged in, and from those that these merge in', () => {
    const anchors = `x-a: &a {${scheduled}}\nx-b: &b {timezone_id: UTC}\n`;
    assert.deepEqual(marks(`${anchors}${task}schedule: {<<: [*a, *b]}\n`), []);
    assert.deepEqual(marks(`${anchors}${task}schedule: {<<: [*a]}\n`), ['missingField error "schedule"']);
    const chain = `x-a: &a {${scheduled}}\nx-b: &b {<<: *a, timezone_id: UTC}\n`;
    assert.deepEqual(marks(`${chain}${task}schedule: {<<: *b}\n`), []);
    assert.deepEqual(marks(`x-a: &a {max_retries: 1}\nx-b: &b {<<: *a}\n${task}<<: *b\n`), []);
    assert.deepEqual(marks(`x-a: &a {max_retries: two, max_retrys: 1}\nx-b: &b {<<: *a}\n${task}<<: *b\n`), [
      'wrongType error "two"',
      'unknownField warning "max_retrys"',
    ]);
  });

});
