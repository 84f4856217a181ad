import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeployMemory, memoryOf } from '../../../src/cli/deployMemory.ts';
import type { Command } from '../../../src/cli/invocation.ts';
import { ownPlace } from './ownPlace.ts';

describe('a pull', () => {
  const place = ownPlace();
  const { written } = place;
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
    assert.equal(written.join(''), `a.job.yml already says what job "nightly" (7) on ${place.server.url} has.\n`);
    // A deploy to another job says nothing of this one.
    place.server.jobs.set(8, { ...settings, max_retries: 5 });
    await assert.rejects(pull('8', 'a.job.yml'), /Nothing was pulled into a\.job\.yml: it has changes of its own/);
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
});
