import assert from 'node:assert/strict';
import type { JobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
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

describe('a pull from the palette', () => {
  it('is into the job file in front of the user, and asks for a job where that is another file', async () => {
    for (const [isJobFile, title] of [
      [true, 'nightly.job.yml has no job on Local yet: pull which one into it?'],
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

describe('a pull into the file that knows the job', () => {
  holdTrail(import.meta.url);
  holdApproved('pull');

  it('is shown first, keeps comments and order, and is saved', async () => {
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

  it('makes what others did the base of the next deploy, which then has nothing to ask', async () => {
    const bench = await deployedThen(alerted);
    bench.picks = ['Pull into the file'];
    await pull(bench);
    bench.texts.set(uri, `${bench.texts.get(uri)}max_retries: 3\n`);
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.remote.get(jobId)?.max_retries], [[], 3]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('leaves a file alone that its user wants to keep', async () => {
    const bench = await deployedThen(alerted);
    bench.picks = ['Leave the file as it is'];
    await pull(bench);
    assert.equal(bench.texts.get(uri), goodFile);
    assert.equal(bench.trail.at(-1), 'closed');
    await deploy(bench);
    assert.equal(bench.asked.length, 1, 'the next deploy still tells what others changed');
  });

  it('says what the file would lose, and offers to merge', async () => {
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
      'Merge: keep what only the file changed: Where both changed one setting, the file keeps its own.',
      `${everything}: • max_retries: 4 is removed`,
      'Leave the file as it is: undefined',
    ]);
    assert.match(bench.texts.get(uri) ?? '', /max_retries: 4 # ours\n(?:.*\n)*timeout_seconds: 99/);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.remote.get(jobId)?.max_retries], [0, 4]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('gives up what only the file has where it is told to', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri, `${goodFile}max_retries: 4\n`);
    bench.picks = [everything];
    await pull(bench);
    assert.doesNotMatch(bench.texts.get(uri) ?? '', /max_retries/);
    assert.match(bench.texts.get(uri) ?? '', /timeout_seconds: 99/);
  });

  it('touches nothing that says the same, and knows the job from then on', async () => {
    const bench = withJob({
      max_concurrent_runs: 1,
      existing_cluster_id: 'local',
      name: 'nightly',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await pull(bench, { uri });
    assert.deepEqual(bench.trail, [
      `saved ${uri}`,
      `info: nightly.job.yml already matches job "nightly" (${jobId}) on Local.`,
    ]);
    assert.equal(bench.remembered.get(`local ${uri}`), jobId);
    await deploy(bench);
    assert.deepEqual(bench.asked, []);
  });

  it('is no base of a deploy where the file could not be saved', async () => {
    const bench = await deployedThen(alerted);
    bench.picks = ['Pull into the file'];
    bench.saveFails = true;
    await pull(bench);
    bench.texts.set(uri, goodFile);
    await deploy(bench);
    assert.match(bench.asked[0] ?? '', /timeout_seconds: 99 goes back to the default/);
  });

  it('rights a file with mistakes', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri, `# ours\n${goodFile}max_retrys: x\n`);
    bench.picks = [everything];
    const { pick } = bench.services.ui;
    let lost: string | undefined;
    bench.services.ui.pick = (title, placeholder, items) => {
      lost = items.find(({ label }) => label === everything)?.detail;
      return pick(title, placeholder, items);
    };
    await pull(bench);
    assert.equal(lost, '• max_retrys: "x" is removed');
    const text = bench.texts.get(uri) ?? '';
    assert.match(text, /^# ours\nname: nightly\n/);
    assert.match(text, /timeout_seconds: 99/);
    assert.doesNotMatch(text, /retrys/);
  });
});

describe('a pull from the file', () => {
  holdTrail(import.meta.url, '-2');
  it('is the job of its name where only one has it', async () => {
    const bench = withJob({ ...alerted({}), name: ' nightly ' });
    bench.picks = [everything];
    await pull(bench, { uri });
    assert.match(bench.texts.get(uri) ?? '', /timeout_seconds: 99/);
  });

  it('asks which, where several have the name or none has', async () => {
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

  it('says that the job which the file names is not there', async () => {
    const bench = new Bench();
    bench.texts.set(uri, `job_id: 7\n${goodFile}`);
    await assert.rejects(
      pull(bench, { uri }),
      /Nothing was pulled into nightly\.job\.yml: its line job_id names job 7, which does not exist on Local\./,
    );
  });
});

describe('a pull of a job that no file knows', () => {
  holdTrail(import.meta.url, '-3');
  const settings = { name: 'ETL / billing', max_retries: 2, format: 'SINGLE_TASK', timeout_seconds: 0 } as JobSettings;

  it('makes a file named after it, which its next deploy belongs to', async () => {
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

  it('offers files that name it or have its name, then a new one, then the rest', async () => {
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

  it('offers each of several files that belong to it, asks nothing where one does, and reads no more than 300', async () => {
    const bench = withJob({ name: ' weekly ' }, '5');
    bench.texts.clear();
    bench.texts.set('file:///w/a.job.yml', goodFile);
    bench.texts.set('file:///w/b.job.yml', goodFile);
    bench.texts.set('file:///w/c.job.yml', goodFile.replace('nightly', '"weekly "'));
    const known = (...names: string[]): void => {
      bench.services.deployments.filesOf = () => names.map((name) => `file:///w/${name}.job.yml`);
    };
    let offered: Map<string, string | undefined> | undefined;
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      offered = new Map(items.map(({ label, description }) => [label, description]));
      return undefined;
    };
    known('a', 'gone', 'b');
    await pull(bench, { jobId: '5' });
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => offered?.get(`file:///w/${name}.job.yml`)),
      ['belongs to this job', 'belongs to this job', 'has its name'],
    );
    offered = undefined;
    known('a', 'gone');
    await pull(bench, { jobId: '5' });
    const labels = [...((offered ?? new Map()) as Map<string, string>).keys()];
    assert.ok(!labels.some((label) => label.startsWith('New file')), 'there is but one');
    known();
    for (let index = 0; index < 310; index += 1)
      bench.texts.set(`file:///w/n${index}.job.yml`, goodFile.replace('nightly', 'weekly'));
    await pull(bench, { jobId: '5' });
    assert.equal(
      [...((offered ?? new Map()) as Map<string, string>).values()].filter((told) => told === 'has its name').length,
      298,
    );
  });

  it('does not take a file for the same id on another profile', async () => {
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
  holdTrail(import.meta.url, '-4');
  it('opens the file that knows the job, and makes one where there is none any more', async () => {
    const bench = withJob({ name: 'weekly' }, '5');
    const open = (): Promise<unknown> => handlers['millrace.job.openAsFile'](bench.services, { jobId: '5' });
    await open();
    await open();
    bench.texts.delete('file:///w/weekly.job.yml');
    await open();
    assert.deepEqual(bench.trail, ['made weekly.job.yml', 'shown file:///w/weekly.job.yml', 'made weekly.job.yml']);
  });
});

describe('a file that was never deployed, and a job of its name', () => {
  holdTrail(import.meta.url, '-5');
  const theirs: JobSettings = { name: 'nightly ', max_retries: 7 };

  it('says so with what an update would undo, and changes nothing unasked', async () => {
    const bench = withJob(theirs);
    await deploy(bench);
    assert.deepEqual(bench.trail, [
      `decide: Local already has a job named "nightly " (${jobId}), which nightly.job.yml was never deployed to from here.`,
    ]);
    assert.match(bench.asked[0] ?? '', /It would undo this:\n(?:.*\n)*• max_retries: 7 goes back to the default/);
    assert.deepEqual(bench.remote.get(jobId), theirs);
  });

  it('updates it, or creates another, as it is told', async () => {
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

  it('is asked as well where both say the same', async () => {
    const bench = withJob({
      name: 'nightly',
      existing_cluster_id: 'local',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.remote.size], [['The job already has these settings.'], 1]);
  });
});
