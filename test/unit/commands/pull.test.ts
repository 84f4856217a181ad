import assert from 'node:assert/strict';
import type { JobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';
import { alerted, deployedThen } from './deployedThen.ts';

const uri = 'file:///w/nightly.job.yml';

const jobId = '9007199254740993';

const everything = 'Pull everything, and discard what only the file has';

const pull = (bench: Bench, target: object = { jobId }): Promise<unknown> =>
  handlers['millrace.job.pull'](bench.services, target);

const deploy = (bench: Bench): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, { uri });

function withJob(settings: JobSettings, id = jobId): Bench {
  const bench = new Bench();
  bench.remote.set(id, settings);
  return bench;
}

describe('pulling from the palette', () => {
  it('writes into the active job file, or asks for a job', async () => {
    for (const [isJobFile, title] of [
      [true, 'nightly.job.yml has no job on Local yet. Pull which job into it?'],
      [false, 'Pull job into file'],
    ] as const) {
      const bench = withJob({ name: 'other' });
      bench.activeIsJobFile = isJobFile;
      const titles: string[] = [];
      bench.services.ui.pick = async (asked) => void titles.push(asked);
      await pull(bench, {});
      assert.deepEqual([titles, bench.trail], [[title], []]);
    }
  });
});

describe('pulling into the file of a job', () => {
  it('shows the change first, keeps comments and order, and saves the file', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri, `# ours\n${goodFile.replace('name: nightly', 'name: nightly # the name')}`);
    bench.picks = ['Pull into the file'];
    await pull(bench);
    const text =
      `# ours\n${goodFile.replace('name: nightly', 'name: nightly # the name')}timeout_seconds: 99\n` +
      'email_notifications:\n  on_failure:\n    - ops@example.com\n';
    assert.equal(bench.texts.get(uri), text);
    assert.deepEqual(bench.trail, [
      `preview: ${text}`,
      'closed',
      'replaced text',
      `saved ${uri}`,
      `info: Pulled job "nightly" (${jobId}) on Local into nightly.job.yml.`,
    ]);
  });

  it('sets the base of the next deploy', async () => {
    const bench = await deployedThen(alerted);
    bench.picks = ['Pull into the file'];
    await pull(bench);
    bench.texts.set(uri, `${bench.texts.get(uri)}max_retries: 3\n`);
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.remote.get(jobId)?.max_retries], [[], 3]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('lists what the file would lose and offers to merge', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri, `${goodFile}max_retries: 4 # ours\n`);
    const offered: string[] = [];
    const { pick } = bench.services.ui;
    bench.services.ui.pick = (title, placeholder, items) => {
      offered.push(title, ...items.map(({ label, detail }) => `${label}: ${detail}`));
      return pick(title, placeholder, items);
    };
    bench.picks = ['Merge: keep what only the file changed'];
    await pull(bench);
    assert.deepEqual(offered, [
      `Pull job "nightly" (${jobId}) on Local into nightly.job.yml?`,
      'Merge: keep what only the file changed: If both changed a setting, the file keeps its own value.',
      `${everything}: • max_retries: 4 is removed`,
      'Leave the file as it is: undefined',
    ]);
    assert.match(bench.texts.get(uri) ?? '', /max_retries: 4 # ours\n(?:.*\n)*timeout_seconds: 99/);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.remote.get(jobId)?.max_retries], [0, 4]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it("discards the file's own changes on request", async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri, `${goodFile}max_retries: 4\n`);
    bench.picks = [everything];
    await pull(bench);
    assert.doesNotMatch(bench.texts.get(uri) ?? '', /max_retries/);
    assert.match(bench.texts.get(uri) ?? '', /timeout_seconds: 99/);
  });

  it('sets no base if the file could not be saved', async () => {
    const bench = await deployedThen(alerted);
    bench.picks = ['Pull into the file'];
    bench.saveFails = true;
    await pull(bench);
    bench.texts.set(uri, goodFile);
    await deploy(bench);
    assert.match(bench.asked[0] ?? '', /timeout_seconds: 99 returns to the default/);
  });
});

describe('pulling the job of a file', () => {
  it('takes the only job of the same name', async () => {
    const bench = withJob({ ...alerted({}), name: ' nightly ' });
    bench.picks = [everything];
    await pull(bench, { uri });
    assert.match(bench.texts.get(uri) ?? '', /timeout_seconds: 99/);
  });

  it('asks for the job when several or none have the name', async () => {
    const bench = withJob({ name: 'nightly' }, '1');
    bench.remote.set('2', { name: 'nightly', max_retries: 2 });
    bench.picks = ['Pull job 2', everything];
    await pull(bench, { uri });
    assert.match(bench.texts.get(uri) ?? '', /max_retries: 2/);
    const other = withJob({ name: 'weekly', max_retries: 3 }, '1');
    other.picks = ['weekly', everything];
    await pull(other, { uri });
    assert.match(other.texts.get(uri) ?? '', /max_retries: 3/);
  });

  it('reports that the named job does not exist', async () => {
    const bench = new Bench();
    bench.texts.set(uri, `job_id: 7\n${goodFile}`);
    await assert.rejects(
      pull(bench, { uri }),
      /Nothing was pulled into nightly\.job\.yml: its line job_id names job 7, which does not exist on Local\./,
    );
  });
});

describe('pulling a job without a file', () => {
  const settings = { name: 'ETL / billing', max_retries: 2, format: 'SINGLE_TASK', timeout_seconds: 0 } as JobSettings;

  it('creates a file named after the job, and deploys it to that job', async () => {
    const bench = withJob(settings, '5');
    bench.texts.clear();
    await pull(bench, { jobId: '5' });
    assert.deepEqual(bench.trail, ['made ETL-billing.job.yml']);
    const made = 'file:///w/ETL-billing.job.yml';
    assert.equal(bench.texts.get(made), 'name: ETL / billing\nmax_retries: 2\n');
    bench.texts.set(made, `${goodFile.replace('nightly', 'ETL / billing')}max_retries: 3\n`);
    await handlers['millrace.jobFile.deploy'](bench.services, { uri: made });
    assert.deepEqual([bench.asked, bench.trail.includes('reset 5')], [[], true]);
  });

  it('offers files that name it or share its name, then a new one, then the rest', async () => {
    const bench = withJob({ name: 'weekly' }, '5');
    bench.texts.set('file:///w/a.job.yml', goodFile.replace('nightly', 'weekly'));
    bench.texts.set('file:///w/b.job.yml', `job_id: 5\n${goodFile}`);
    bench.texts.set('file:///w/c.job.yml', `job_id: 6\n${goodFile.replace('nightly', 'weekly')}`);
    let offered: (string | undefined)[][] = [];
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      offered = items.map(({ label, description }) => [label, description]);
      return undefined;
    };
    await pull(bench, { jobId: '5' });
    assert.deepEqual(offered, [
      ['file:///w/a.job.yml', 'has its name'],
      ['file:///w/b.job.yml', 'names this job'],
      ['New file weekly.job.yml', undefined],
      [uri, undefined],
      ['file:///w/c.job.yml', undefined],
    ]);
    assert.deepEqual(bench.trail, []);
  });

  it('ignores a file that belongs to the same id on another profile', async () => {
    const bench = withJob(settings, '5');
    bench.remembered.set(`staging ${uri}`, '5');
    bench.picks = [/^New file/];
    await pull(bench, { jobId: '5' });
    assert.deepEqual(bench.trail, ['made ETL-billing.job.yml']);
    bench.profile = staging;
    bench.trail = [];
    await handlers['millrace.job.openAsFile'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, [`shown ${uri}`]);
  });
});

describe('Open as Job File', () => {
  it('opens the file of the job, and creates one when it is gone', async () => {
    const bench = withJob({ name: 'weekly' }, '5');
    const open = (): Promise<unknown> => handlers['millrace.job.openAsFile'](bench.services, { jobId: '5' });
    await open();
    await open();
    bench.texts.delete('file:///w/weekly.job.yml');
    await open();
    assert.deepEqual(bench.trail, ['made weekly.job.yml', 'shown file:///w/weekly.job.yml', 'made weekly.job.yml']);
  });
});

describe('deploying a new file to a job with its name', () => {
  const theirs: JobSettings = { name: 'nightly ', max_retries: 7 };

  it('asks first and lists what an update would undo', async () => {
    const bench = withJob(theirs);
    await deploy(bench);
    assert.deepEqual(bench.trail, [
      `decide: Local already has a job named "nightly " (${jobId}), to which nightly.job.yml was never deployed from here.`,
    ]);
    assert.match(
      bench.asked[0] ?? '',
      /It would undo these changes:\n(?:.*\n)*• max_retries: 7 returns to the default/,
    );
    assert.deepEqual(bench.remote.get(jobId), theirs);
  });

  it('updates the job or creates another one, as chosen', async () => {
    const updated = withJob(theirs);
    updated.decisions = ['Update This Job'];
    await deploy(updated);
    await deploy(updated);
    assert.deepEqual([updated.remote.size, updated.asked.length], [1, 1]);
    const another = withJob(theirs, '5');
    another.decisions = ['Create Another Job'];
    await deploy(another);
    assert.deepEqual([...another.remote.keys()], ['5', jobId]);
    assert.equal(another.remembered.get(`local ${uri}`), jobId);
  });
});
