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

  /** Writes a job with one task, whose program is `main.py`. */
  const write = (task: string, program: string): void => {
    const parameters = 'parameters: [{name: day, default: monday}]\n';
    writeFileSync(join(folder, 'a.job.yml'), `name: a\n${parameters}tasks: [${task}]\n`);
    writeFileSync(join(folder, 'main.py'), `import os, sys\n${program}`);
  };
  const program = (parameter: string): string =>
    `spark_python_task: {python_file: /main.py, parameters: ["${parameter}"]}`;
  const run = (...words: string[]) => runProgram(folder, ['run', 'a.job.yml', ...words]);

  it('sets the parameters of the job', async () => {
    write(`{task_key: a, ${program('{{job.parameters.day}}')}}`, 'print("day", sys.argv[1])\n');
    const { code, out, err } = await run('--param', 'day=friday');
    assert.deepEqual([code, out], [0, '== a: Succeeded\nday friday\n'], err);
  });
});
