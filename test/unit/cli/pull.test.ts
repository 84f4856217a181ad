import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryOf } from '../../../src/deployments/deployFolders.ts';
import { DeployMemory } from '../../../src/deployments/deployMemory.ts';
import type { JobsServer } from '../../support/jobsServer.ts';
import { ownPlace, runCommand, runInPlace } from './ownPlace.ts';

const settings = {
  name: 'nightly run',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: 'dfs:/main.py', parameters: ['a'] },
};

describe('millrace pull', () => {
  const place = ownPlace();
  let folder: string;
  let server: JobsServer;
  beforeEach(() => {
    ({ folder, server } = place);
    server.jobs.set(7, settings);
  });
  const run = (command: 'pull' | 'deploy', ...more: string[]) =>
    runInPlace(place, `${command}Command`, [...more, '--url', server.url]);
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

  it('writes a file named after the job, whose deploy has nothing to do', async () => {
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
      next: `millrace deploy nightly-run-2.job.yml --plan --url ${server.url}`,
    });
    assert.ok(existsSync(join(folder, 'nightly-run-2.job.yml')));
  });

  it('keeps comments and order, and loses settings only when told to', async () => {
    await run('pull', '7', 'a.job.yml');
    const ours = `# ours\n${textOf('a.job.yml').replace('name: nightly run', 'name: nightly run # the name')}`;
    writeFileSync(join(folder, 'a.job.yml'), ours);
    server.jobs.set(7, { ...settings, timeout_seconds: 99 });
    const pulled = await run('pull', '7', 'a.job.yml');
    assert.deepEqual([pulled.code, textOf('a.job.yml')], [0, `${ours}timeout_seconds: 99\n`]);
    assert.match(pulled.out, /^Pulled job "nightly run" \(7\) .* into a\.job\.yml:\n• timeout_seconds: 99 is added\n$/);
    writeFileSync(join(folder, 'a.job.yml'), `${ours}timeout_seconds: 5\n`);
    const refused = await run('pull', '7', 'a.job.yml');
    assert.match(
      refused.err,
      /would undo this in a\.job\.yml:\n• timeout_seconds: 5 becomes 99\n.*changes that were not deployed/,
    );
    assert.deepEqual([refused.code, textOf('a.job.yml')], [1, `${ours}timeout_seconds: 5\n`]);
    const sure = await run('pull', '7', 'a.job.yml', '--yes', '--json');
    assert.deepEqual(JSON.parse(sure.out), {
      file: 'a.job.yml',
      job_id: 7,
      action: 'update',
      changes: [{ path: 'timeout_seconds', kind: 'change' }],
      next: `millrace deploy a.job.yml --plan --url ${server.url}`,
    });
    assert.equal(textOf('a.job.yml'), `${ours}timeout_seconds: 99\n`);
    assert.equal((await run('deploy', 'a.job.yml', '--plan')).code, 0);
    assert.deepEqual(server.mutations, []);
  });

  it('refuses to overwrite text that it cannot read', async () => {
    await run('pull', '7', 'a.job.yml');
    const pulled = textOf('a.job.yml');
    const latin = Buffer.from(`# \u00e4\n${pulled}`, 'latin1');
    writeFileSync(join(folder, 'a.job.yml'), latin);
    server.jobs.set(7, { ...settings, timeout_seconds: 99 });
    const { code, err } = await run('pull', '7', 'a.job.yml', '--yes');
    assert.deepEqual([code, /it is not UTF-8/.test(err)], [1, true]);
    assert.deepEqual(readFileSync(join(folder, 'a.job.yml')), latin);
  });

  it('asks before it overwrites the file of another job', async () => {
    writeFileSync(join(folder, 'a.job.yml'), 'name: other\nmax_retries: 2\n');
    const refused = await run('pull', '7', 'a.job.yml');
    assert.deepEqual([refused.code, textOf('a.job.yml')], [1, 'name: other\nmax_retries: 2\n']);
    assert.match(refused.err, /• max_retries: 2 is removed/);
  });

  it('reports a missing or ambiguous job', async () => {
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

describe('pulling a job', () => {
  const place = ownPlace();
  const { written } = place;
  const settings = { name: 'nightly', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/main.py' } };
  beforeEach(() => {
    place.server.jobs.set(7, settings);
  });
  const pull = (...words: string[]): Promise<number> =>
    runCommand('pullCommand', [...words, '--url', place.server.url]);
  const text = (name: string): string => readFileSync(join(place.folder, name), 'utf8');
  const fill = (count: number): void => {
    for (let number = 1; number <= count; number += 1)
      writeFileSync(join(place.folder, number === 1 ? 'nightly.job.yml' : `nightly-${number}.job.yml`), 'kept');
  };

  it('takes the first free file name', async () => {
    fill(99);
    assert.equal(await pull('7'), 0);
    assert.match(text('nightly-100.job.yml'), /^name: nightly\n/);
    await assert.rejects(
      pull('7'),
      /nightly\.job\.yml could not be written: there are already 100 files with this name/,
    );
    assert.equal(text('nightly.job.yml'), 'kept');
  });

  it('finds a job by id first, then by name', async () => {
    place.server.jobs.set(8, { ...settings, name: ' 7 ' });
    place.server.jobs.set(9, { ...settings, name: '99' });
    for (const [wanted, jobId] of [
      ['7', '7'],
      ['99', '9'],
      ['  99', '9'],
      ['nightly ', '7'],
    ] as const) {
      written.length = 0;
      await pull(wanted, `${jobId}-${wanted.length}.job.yml`, '--json');
      assert.equal(JSON.parse(written.join('')).job_id, Number(jobId), wanted);
    }
    // No id has so many digits.
    const asked = place.server.requests.length;
    await assert.rejects(pull('12345678901234567890'), /has no job "12345678901234567890"; nothing was written/);
    assert.deepEqual(
      place.server.requests.slice(asked).map(({ url }) => url.split('?')[0]),
      ['/api/2.0/jobs/list'],
    );
  });

  it('remembers a hidden secret as the file has it', async () => {
    const cluster = (secret: string) => ({
      name: 'nightly',
      new_cluster: { spark_version: 'v', node_type_id: 'n', num_workers: 1, spark_env_vars: { T: secret } },
      spark_python_task: settings.spark_python_task,
    });
    place.server.jobs.set(7, cluster('mine-123'));
    await pull('7', 'a.job.yml');
    place.server.jobs.set(7, { ...cluster('***'), max_retries: 2 });
    await pull('7', 'a.job.yml');
    assert.match(text('a.job.yml'), /T: mine-123\n/);
    const deploy = new DeployMemory(memoryOf(place.server.url)).recall(join(place.folder, 'a.job.yml'));
    type Kept = ReturnType<typeof cluster>;
    for (const kept of [deploy?.sent, deploy?.settings] as Kept[])
      assert.equal(kept.new_cluster.spark_env_vars.T, 'mine-123');
  });
});
