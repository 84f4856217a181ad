import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsPython } from '../service/runners/workbench.ts';
import { runProgram } from './program.ts';

describe('millrace run of a job with tasks', function () {
  this.timeout(120_000);
  let folder: string;
  before(function () {
    needsPython(this);
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-tasks-')));
    mkdirSync(join(folder, '.git'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a job with one task, whose program gets the parameter. */
  const run = async (task: (program: string) => string, parameter: string, lines: string[], ...words: string[]) => {
    const program = `spark_python_task: {python_file: /main.py, parameters: ["${parameter}"]}`;
    const job = ['name: a', 'parameters: [{name: day, default: monday}]', `tasks: [${task(program)}]`];
    writeFileSync(join(folder, 'a.job.yml'), job.join('\n'));
    writeFileSync(join(folder, 'main.py'), ['import os, sys', 'given = sys.argv[1]', ...lines].join('\n'));
    return runProgram(folder, ['run', 'a.job.yml', ...words]);
  };
  const forEach = (program: string): string =>
    `{task_key: all, for_each_task: {inputs: '["a", "b"]', task: {task_key: one, ${program}}}}`;
  const onlyA = ['print("input", given)', 'assert given == "a"'];

  it('sets the parameters of the job', async () => {
    const task = (program: string): string => `{task_key: a, ${program}}`;
    const ended = await run(task, '{{job.parameters.day}}', ['print("day", given)'], '--param', 'day=friday');
    assert.deepEqual([ended.code, ended.out], [0, '== a: Succeeded\nday friday\n'], ended.err);
  });

  it('prints the output of every attempt of a task', async () => {
    const task = (program: string): string => `{task_key: a, max_retries: 1, ${program}}`;
    const isSecond = ['tried = os.path.exists(given)', 'open(given, "w").close()', 'print("tried", tried)'];
    const { code, out } = await run(task, join(folder, 'tried'), [...isSecond, 'assert tried']);
    assert.equal(code, 0);
    assert.match(out, /^== a, attempt 1: Failed\ntried False\n[^]*\n== a, attempt 2: Succeeded\ntried True\n$/);
  });

  it('prints the output of a for-each task by input, and why it failed', async () => {
    const { code, out } = await run(forEach, '{{input}}', onlyA);
    assert.equal(code, 1);
    assert.match(out, /== all, one_0: Succeeded\ninput a\n/);
    assert.match(out, /== all, one_1: Failed\ninput b\n[^]*\n== all: Failed\n.*one_1.*\n$/);
  });

  it('leaves the output of each input to logs of the for-each task', async () => {
    const { out } = await run(forEach, '{{input}}', onlyA, '--json');
    const { task } = JSON.parse(out) as { task: { run_id: number } };
    const logs = await runProgram(folder, ['logs', String(task.run_id)]);
    assert.match(logs.out, /^== one_0: Succeeded\ninput a\n\n== one_1: Failed\ninput b\n/);
  });
});
