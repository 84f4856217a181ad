import assert from 'node:assert/strict';
import { readDeployable } from '../../../src/commands/deployableFile.ts';
import type { PickItem } from '../../../src/commands/ui.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, goodFile } from './commandSetup.ts';

const uri = 'file:///w/nightly.job.yml';
const file = { uri, name: 'nightly.job.yml', isJobFile: true };
const settings = {
  name: 'nightly',
  spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
  existing_cluster_id: 'local',
};

describe('a job file that is to be sent', () => {
  holdTrail(import.meta.url);
  /** What was warned of, with the answers that were offered, and what followed from the one that was chosen. */
  const refused = async (text: string, answer?: string): Promise<unknown[]> => {
    const bench = new Bench();
    bench.texts.set(uri, text);
    const told: unknown[] = [];
    Object.assign(bench.services.ui, { warn: async (...given: string[]) => (told.push(...given), answer) });
    assert.equal(await readDeployable(bench.services, { uri }), undefined);
    return [...told, ...bench.trail];
  };

  it('is read with its settings and the job that it names', async () => {
    const bench = new Bench();
    assert.deepEqual(await readDeployable(bench.services, { uri }), {
      file: { ...file, text: goodFile },
      settings,
      jobId: undefined,
    });
    const text = `${goodFile}job_id: 9007199254740993\n`;
    bench.texts.set(uri, text);
    assert.deepEqual(await readDeployable(bench.services, { uri }), {
      file: { ...file, text },
      settings,
      jobId: '9007199254740993',
    });
    assert.deepEqual(bench.trail, []);
  });

  it('is not sent with a problem, which is told, shown or fixed as is wanted', async () => {
    const text = `${goodFile}max_concurrent_runs: 5000\n`;
    const [words = '', ...offered] = await refused(text);
    assert.match(String(words), /^nightly\.job\.yml has a problem and was not sent: \S.*1000/);
    assert.deepEqual(offered, ['Show Problem', 'Fix…']);
    assert.deepEqual((await refused(text, 'Show Problem')).slice(3), [`problem at ${text.indexOf('5000')}`]);
    assert.deepEqual((await refused(text, 'Fix…')).slice(3), [`fix ${uri}`]);
  });

  it('is told the number of its problems, and the first of them', async () => {
    const [words] = await refused(`${goodFile}max_concurrent_runs: 5000\ntimeout_seconds: soon\n`);
    assert.match(String(words), /^nightly\.job\.yml has 2 problems and was not sent\. The first: \S.*1000/);
  });

  it('is sent with no more than a warning', async () => {
    const bench = new Bench();
    bench.texts.set(uri, `${goodFile}max_retries: 3\nmin_retry_interval_millis: 1\n`);
    assert.ok(await readDeployable(bench.services, { uri }));
  });

  it('is one of the workspace where none is open, by its name', async () => {
    const bench = new Bench();
    bench.activeIsJobFile = false;
    const asked: unknown[] = [];
    Object.assign(bench.services.ui, {
      jobFiles: async () => [
        { uri: 'file:///w/other.job.yml', name: 'other.job.yml' },
        { uri, name: 'a/nightly.job.yml' },
      ],
      pick: async (title: string, hint: string, items: PickItem<string>[]) => (
        asked.push(title, hint, items),
        items[1]?.value
      ),
    });
    assert.equal((await readDeployable(bench.services, {}))?.file.uri, uri);
    assert.deepEqual(asked, [
      'Job file',
      'A job file of this workspace',
      [
        { label: 'other.job.yml', value: 'file:///w/other.job.yml' },
        { label: 'a/nightly.job.yml', value: uri },
      ],
    ]);
  });

  it('is the one that is open, and no other is asked for', async () => {
    const bench = new Bench();
    bench.texts.set('file:///w/other.job.yml', goodFile);
    assert.equal((await readDeployable(bench.services, {}))?.file.uri, uri);
  });

  it('is none where the question is given up, though one is open', async () => {
    const bench = new Bench();
    bench.activeIsJobFile = false;
    Object.assign(bench.services.ui, { pick: async () => undefined });
    assert.equal(await readDeployable(bench.services, {}), undefined);
  });

  it('must be there', async () => {
    const bench = new Bench();
    assert.equal(await readDeployable(bench.services, { uri: 'file:///w/gone.job.yml' }), undefined);
    bench.texts.clear();
    await assert.rejects(readDeployable(bench.services, {}), {
      kind: 'invalid',
      message: 'This workspace has no job file, so nothing was sent.',
      remedy: 'Create one with "Millrace: New Job File".',
    });
  });
});
