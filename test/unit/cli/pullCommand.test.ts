import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/cli/commandLine.ts';
import { memoryOf } from '../../../src/deployments/deployFolders.ts';
import { DeployMemory } from '../../../src/deployments/deployMemory.ts';
import { ownPlace } from './ownPlace.ts';

describe('a pull', () => {
  const place = ownPlace();
  const { written, said } = place;
  const settings = { name: 'nightly', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/main.py' } };
  beforeEach(() => {
    place.server.jobs.set(7, settings);
  });
  const pull = async (...words: string[]): Promise<number> => {
    const module = 'pullCommand';
    const { pullCommand } = (await import(`../../../src/cli/${module}.ts`)) as { pullCommand: Command };
    const parameters = [...words, '--url', place.server.url];
    return pullCommand({ parameters, token: undefined, signal: new AbortController().signal });
  };
  const text = (name: string): string => readFileSync(join(place.folder, name), 'utf8');
  const fill = (count: number): void => {
    for (let number = 1; number <= count; number += 1)
      writeFileSync(join(place.folder, number === 1 ? 'nightly.job.yml' : `nightly-${number}.job.yml`), 'kept');
  };

  it('takes the first name that is free, of a hundred', async () => {
    fill(99);
    assert.equal(await pull('7'), 0);
    assert.match(text('nightly-100.job.yml'), /^name: nightly\n/);
    await assert.rejects(pull('7'), /nightly\.job\.yml could not be written: there are 100 files named like it/);
    assert.equal(text('nightly.job.yml'), 'kept');
  });

  it('is remembered, so that the next deploy goes to the job and finds nothing changed', async () => {
    await pull('7', 'a.job.yml');
    const deploy = new DeployMemory(memoryOf(place.server.url)).recall(join(place.folder, 'a.job.yml'));
    assert.deepEqual([deploy?.jobId, deploy?.createdTime], ['7', 1_700_000_000_007]);
    assert.deepEqual(deploy?.sent, settings);
    // What nobody has changed since is taken unasked.
    place.server.jobs.set(7, { ...settings, max_retries: 3 });
    await pull('7', 'a.job.yml');
    assert.match(text('a.job.yml'), /max_retries: 3/);
    written.length = 0;
    await pull('7', 'a.job.yml');
    assert.equal(written.join(''), `a.job.yml already matches job "nightly" (7) on ${place.server.url}.\n`);
    // A deploy to another job says nothing of this one.
    place.server.jobs.set(8, { ...settings, max_retries: 5 });
    await assert.rejects(pull('8', 'a.job.yml'), /Nothing was pulled into a\.job\.yml: it has changes of its own/);
  });

  it('says what it wrote, in words and for programs', async () => {
    const url = place.server.url;
    const pulled = async (...words: string[]): Promise<string> => {
      written.length = 0;
      assert.equal(await pull(...words), 0);
      return written.join('');
    };
    assert.equal(await pulled('7'), `Wrote job "nightly" (7) on ${url} into nightly.job.yml.\n`);
    assert.equal(await pulled('7', 'a.job.yml'), `Wrote job "nightly" (7) on ${url} into a.job.yml.\n`);
    assert.deepEqual(JSON.parse(await pulled('7', 'b.job.yaml', '--json')), {
      file: 'b.job.yaml',
      job_id: 7,
      action: 'create',
      changes: [],
    });
    place.server.jobs.set(7, { ...settings, max_retries: 3 });
    assert.equal(
      await pulled('7', 'a.job.yml'),
      `Pulled job "nightly" (7) on ${url} into a.job.yml:\n• max_retries: 3 is added\n`,
    );
    assert.deepEqual(JSON.parse(await pulled('7', 'b.job.yaml', '--json')), {
      file: 'b.job.yaml',
      job_id: 7,
      action: 'update',
      changes: [{ path: 'max_retries', kind: 'add' }],
    });
    assert.deepEqual(JSON.parse(await pulled('7', 'b.job.yaml', '--json')), {
      file: 'b.job.yaml',
      job_id: 7,
      action: 'none',
      changes: [],
    });
    assert.deepEqual(said, []);
  });

  it('undoes what the file has only where it is told to, and says what that is', async () => {
    await pull('7', 'a.job.yml');
    const own = `${text('a.job.yml')}max_retries: 3 # mine\n`;
    writeFileSync(join(place.folder, 'a.job.yml'), own);
    place.server.jobs.set(7, { ...settings, timeout_seconds: 5 });
    await assert.rejects(pull('7', 'a.job.yml'), {
      kind: 'rejected',
      message: 'Nothing was pulled into a.job.yml: it has changes of its own.',
      remedy: 'Deploy them first, or pull with --yes.',
    });
    assert.deepEqual(said, ['A pull would undo this in a.job.yml:\n• max_retries: 3 is removed']);
    assert.equal(text('a.job.yml'), own);
    assert.equal(await pull('7', 'a.job.yml', '--yes'), 0);
    assert.match(text('a.job.yml'), /timeout_seconds: 5/);
    assert.doesNotMatch(text('a.job.yml'), /max_retries/);
  });

  it('keeps the mark before a file, and writes over no letters that it cannot read', async () => {
    await pull('7', 'a.job.yml');
    writeFileSync(join(place.folder, 'a.job.yml'), `\ufeff# mine\n${text('a.job.yml')}`);
    place.server.jobs.set(7, { ...settings, max_retries: 3 });
    await pull('7', 'a.job.yml');
    assert.match(text('a.job.yml'), /^\ufeff# mine\nname: nightly\n[^]*max_retries: 3\n$/);
    const latin = Buffer.from('name: caf\u00e9\n', 'latin1');
    writeFileSync(join(place.folder, 'l.job.yml'), latin);
    await assert.rejects(pull('7', 'l.job.yml', '--yes'), /l\.job\.yml could not be read: it is not UTF-8/);
    assert.deepEqual(readFileSync(join(place.folder, 'l.job.yml')), latin);
  });

  it('goes to the only job of its name, and to none of several', async () => {
    const url = place.server.url;
    await assert.rejects(pull('weekly'), {
      kind: 'notFound',
      message: `${url} has no job "weekly"; nothing was written.`,
      remedy: 'Name a job by its id, or by its name as it stands there.',
    });
    place.server.jobs.set(8, settings);
    await assert.rejects(pull('nightly'), {
      kind: 'invalid',
      message: `${url} has 2 jobs named "nightly" (7, 8); nothing was written.`,
      remedy: 'Name the one that is meant by its id.',
    });
    assert.equal(await pull('8'), 0);
  });

  it('finds a job by its id first, then by its name, whatever spaces stand around it', async () => {
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

  it('fills an empty file unasked, and says what cannot be read or written', async () => {
    writeFileSync(join(place.folder, 'empty.job.yml'), ' \n');
    assert.equal(await pull('7', 'empty.job.yml'), 0);
    assert.match(text('empty.job.yml'), /name: nightly/);
    mkdirSync(join(place.folder, 'folder.job.yml'));
    await assert.rejects(pull('7', 'folder.job.yml'), /folder\.job\.yml could not be read: EISDIR/);
    await assert.rejects(pull('7', join('none', 'a.job.yml')), /a\.job\.yml could not be written: ENOENT/);
    await assert.rejects(pull('7', 'a.json'), /a\.json would be a new file, which is named \*\.job\.yml/);
    await assert.rejects(pull(''), /pull needs the id or the name of a job/);
    await assert.rejects(pull('7', 'a', 'b'), /pull takes a job and a file, and there are 3/);
  });

  it('takes jobs without settings or a name for what they are', async () => {
    const { server } = place;
    server.before = async (path, response) => {
      const jobs = [{ job_id: 1 }, { job_id: 2, settings: {} }, { job_id: 3, settings: { name: ' nightly ' } }];
      const answer =
        path === 'jobs/list'
          ? { jobs }
          : path === 'jobs/get'
            ? { job_id: 3, settings: { name: ' nightly ' } }
            : undefined;
      if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    assert.equal(await pull('nightly', 'a.job.yml'), 0);
    const deploy = new DeployMemory(memoryOf(server.url)).recall(join(place.folder, 'a.job.yml'));
    assert.deepEqual([deploy?.jobId, deploy && 'createdTime' in deploy], ['3', false], 'no time of its own');
  });

  it('writes into a file of any name that is there, and says what keeps it from that', async () => {
    writeFileSync(join(place.folder, 'a.txt'), 'name: old\n');
    assert.equal(await pull('7', 'a.txt', '--yes'), 0);
    assert.match(text('a.txt'), /^name: nightly\n/);
    for (const name of ['a.job.yml.old', 'a.yamlx', 'a'])
      await assert.rejects(pull('7', name), /would be a new file, which is named \*\.job\.yml/, name);
    await assert.rejects(pull('7', join('none', 'a.job.yml')), {
      kind: 'unavailable',
      remedy: 'Name a file that can be written.',
    });
    await assert.rejects(pull(), /pull needs the id or the name of a job/);
  });

  it('remembers a secret that the service hides as the file has it', async () => {
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

  it('fails where the folder takes no file', async () => {
    if (process.platform === 'win32') return;
    rmSync(place.folder, { recursive: true });
    await assert.rejects(pull('7'), {
      kind: 'unavailable',
      message: /^nightly\.job\.yml could not be written: ENOENT/,
    });
    mkdirSync(place.folder);
  });
});
