import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startJobsServer, type JobsServer } from '../../support/jobsServer.ts';
import { runProgram } from './program.ts';

const token = 'a-token-of-the-tests';
const settings = {
  name: 'nightly run',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'dfs:/main.py', parameters: ['a'] },
};

describe('millrace pull', function () {
  this.timeout(120_000);
  let folder: string;
  let server: JobsServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-pull-'));
    server = await startJobsServer(token);
    server.jobs.set(7, settings);
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (...line: string[]) => runProgram(folder, [...line, '--url', server.url], { MILLRACE_TOKEN: token });
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

  it('writes a file that is named after the job, whose deploy then has nothing to do', async () => {
    const made = await run('pull', 'nightly run');
    assert.deepEqual(made, {
      code: 0,
      out: `Wrote job "nightly run" (7) on ${server.url} into nightly-run.job.yml.\n`,
      err: '',
    });
    assert.equal(
      textOf('nightly-run.job.yml'),
      'name: nightly run\nexisting_cluster_id: c\nspark_python_task:\n  python_file: dfs:/main.py\n  parameters:\n    - a\n',
    );
    assert.equal((await run('deploy', 'nightly-run.job.yml', '--plan')).code, 0);
    const again = await run('pull', '7', '--json');
    assert.deepEqual(JSON.parse(again.out), {
      file: 'nightly-run-2.job.yml',
      job_id: 7,
      action: 'create',
      changes: [],
    });
    assert.ok(existsSync(join(folder, 'nightly-run-2.job.yml')));
  });

  it('keeps comments and order of a file, and gives up nothing that only the file has unless it is told to', async () => {
    await run('pull', '7', 'a.job.yml');
    const ours = `# ours\n${textOf('a.job.yml').replace('name: nightly run', 'name: nightly run # the name')}`;
    writeFileSync(join(folder, 'a.job.yml'), ours);
    server.jobs.set(7, { ...settings, timeout_seconds: 99 });
    const pulled = await run('pull', '7', 'a.job.yml');
    assert.deepEqual([pulled.code, textOf('a.job.yml')], [0, `${ours}timeout_seconds: 99\n`]);
    assert.match(pulled.out, /^Pulled job "nightly run" \(7\) .* into a\.job\.yml:\n• timeout_seconds: 99 is added\n$/);
    writeFileSync(join(folder, 'a.job.yml'), `${ours}timeout_seconds: 5\n`);
    const refused = await run('pull', '7', 'a.job.yml');
    assert.match(refused.err, /would undo this in a\.job\.yml:\n• timeout_seconds: 5 becomes 99\n.*changes of its own/);
    assert.deepEqual([refused.code, textOf('a.job.yml')], [1, `${ours}timeout_seconds: 5\n`]);
    const sure = await run('pull', '7', 'a.job.yml', '--yes', '--json');
    assert.deepEqual(JSON.parse(sure.out), {
      file: 'a.job.yml',
      job_id: 7,
      action: 'update',
      changes: [{ path: 'timeout_seconds', kind: 'change' }],
    });
    assert.equal(textOf('a.job.yml'), `${ours}timeout_seconds: 99\n`);
    assert.equal((await run('deploy', 'a.job.yml', '--plan')).code, 0);
    assert.deepEqual(server.mutations, []);
  });

  it('keeps the mark at the beginning of a file', async () => {
    await run('pull', '7', 'a.job.yml');
    writeFileSync(join(folder, 'a.job.yml'), `\uFEFF${textOf('a.job.yml')}`);
    server.jobs.set(7, { ...settings, timeout_seconds: 99 });
    assert.equal((await run('pull', '7', 'a.job.yml')).code, 0);
    assert.match(textOf('a.job.yml'), /^\uFEFFname: .*\n[\s\S]*timeout_seconds: 99\n$/);
  });

  it('writes over no letters that it cannot read', async () => {
    await run('pull', '7', 'a.job.yml');
    const pulled = textOf('a.job.yml');
    const latin = Buffer.from(`# \u00e4\n${pulled}`, 'latin1');
    writeFileSync(join(folder, 'a.job.yml'), latin);
    server.jobs.set(7, { ...settings, timeout_seconds: 99 });
    const { code, err } = await run('pull', '7', 'a.job.yml', '--yes');
    assert.deepEqual([code, /it is not UTF-8/.test(err)], [1, true]);
    assert.deepEqual(readFileSync(join(folder, 'a.job.yml')), latin);
  });

  it('asks before it takes a file for the job that was never deployed to it', async () => {
    writeFileSync(join(folder, 'a.job.yml'), 'name: other\nmax_retries: 2\n');
    const refused = await run('pull', '7', 'a.job.yml');
    assert.deepEqual([refused.code, textOf('a.job.yml')], [1, 'name: other\nmax_retries: 2\n']);
    assert.match(refused.err, /• max_retries: 2 is removed/);
  });

  it('says which job is not there or not the only one, and what it takes', async () => {
    server.jobs.set(8, settings);
    const several = await run('pull', 'nightly run');
    assert.match(several.err, /has 2 jobs named "nightly run" \(7, 8\); nothing was written\./);
    const none = await run('pull', '9');
    assert.match(none.err, /has no job "9"; nothing was written\./);
    const usage = await run('pull');
    assert.deepEqual([several.code, none.code, usage.code], [1, 1, 2]);
    assert.equal((await run('pull', '7', 'b', 'c')).code, 2);
    assert.equal((await run('pull', '7', 'b.job.json')).code, 2);
  });
});
