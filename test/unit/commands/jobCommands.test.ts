import assert from 'node:assert/strict';
import {
  cancelAllRuns,
  compareJobFile,
  deleteJob,
  jobFileFromJson,
  openJob,
} from '../../../src/commands/jobCommands.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench, staging } from './commandSetup.ts';

const uri = 'file:///w/nightly.job.yml';
const deployed = {
  name: 'nightly',
  spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
  existing_cluster_id: 'local',
};
const where = 'job "nightly" (5) on Local';

function benchWithJob(): Bench {
  const bench = new Bench();
  bench.remote.set('5', { ...deployed });
  return bench;
}

/** The texts of a question before a loss. */
function questions(bench: Bench): string[][] {
  const asked: string[][] = [];
  Object.assign(bench.services.ui, {
    confirm: async (...texts: string[]) => (asked.push(texts), !bench.declined),
  });
  return asked;
}

describe('commands on a job', () => {
  holdTrail(import.meta.url);
  holdApproved('jobs');

  it('open its page', async () => {
    const bench = benchWithJob();
    await openJob(bench.services, { jobId: '5' });
    bench.remote.clear();
    await openJob(bench.services, {});
    assert.deepEqual(bench.trail, [
      'job page local 5: nightly',
      'info: Local has no jobs yet. Deploy a job file first.',
    ]);
  });

  it('cancel all its runs that go on, once that is confirmed, and look again', async () => {
    const bench = benchWithJob();
    const asked = questions(bench);
    const run = { job_id: '5', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } };
    const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    bench.store.mergeRuns(
      [
        { ...run, run_id: '1' },
        { ...run, run_id: '2', job_id: '6' },
        { ...run, run_id: '3', state: ended },
      ],
      Date.now(),
    );
    await cancelAllRuns(bench.services, { jobId: '5' });
    assert.deepEqual(asked, [
      ['Cancel all active runs of "nightly" on Local?', 'New runs can still start.', 'Yes, Cancel Runs'],
    ]);
    assert.deepEqual(bench.trail, [
      'mutation: Cancel all active runs of job "nightly" (5)',
      'cancelling local 1',
      'cancel all 5',
      'refresh',
    ]);
    bench.refusal = new AppError('forbidden', 'No.');
    bench.trail = [];
    await assert.rejects(cancelAllRuns(bench.services, { jobId: '5' }), bench.refusal);
    assert.deepEqual(bench.trail, [
      'mutation: Cancel all active runs of job "nightly" (5)',
      'cancelling local 1',
      'cancel all 5',
      'not cancelled',
    ]);
    bench.declined = true;
    bench.trail = [];
    await cancelAllRuns(bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, ['mutation: Cancel all active runs of job "nightly" (5)']);
    bench.trail = [];
    bench.remote.clear();
    await cancelAllRuns(bench.services, {});
    assert.deepEqual(bench.trail, ['info: Local has no jobs yet. Deploy a job file first.']);
  });

  it('delete it once that is confirmed, forget it at once, and offer what it was as a file', async () => {
    const bench = benchWithJob();
    bench.store.setJobs([{ job_id: '5', settings: { name: 'nightly' } }], 1);
    const asked = questions(bench);
    const progress: string[] = [];
    const abort = new AbortController();
    const client = (await bench.services.connections.connect()).client;
    const signals: unknown[] = [];
    for (const name of ['get', 'delete'] as const) {
      const ask = client.jobs[name] as (id: string) => Promise<unknown>;
      Object.assign(client.jobs, {
        [name]: (id: string, options: { signal: AbortSignal }) => (signals.push(name, options.signal), ask(id)),
      });
    }
    Object.assign(bench.services.connections, { connect: async () => ({ profile: bench.profile, client }) });
    bench.services.ui.progress = (title, task) => (progress.push(title), task(abort.signal));
    bench.answer = async (action) => action;
    await deleteJob(bench.services, { jobId: '5' });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, [
      [
        'Delete job "nightly" (5) on Local?',
        'This deletes its run history and terminates active runs. The addresses in email_notifications are notified.',
        'Delete',
      ],
    ]);
    assert.deepEqual(progress, ['Deleting "nightly" on Local']);
    // What is offered is what the service had last, not what was known of it.
    assert.deepEqual(signals, ['get', abort.signal, 'delete', abort.signal]);
    assert.equal(bench.store.job('5'), undefined);
    assert.deepEqual(bench.trail.slice(0, 4), [
      'mutation: Delete job "nightly" (5)',
      'delete 5',
      'refresh',
      'info: Deleted job "nightly" on Local.',
    ]);
    for (let turn = 0; turn < 50 && bench.trail.length < 5; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    assert.match(
      bench.trail[4] ?? '',
      /^opened: name: nightly\nexisting_cluster_id: local\nspark_python_task:\n {2}python_file: \/main\.py\n/,
    );
  });

  it('delete nothing where the answer is no, or no job is chosen', async () => {
    const bench = benchWithJob();
    bench.declined = true;
    questions(bench);
    await deleteJob(bench.services, { jobId: '5' });
    assert.deepEqual([bench.trail, bench.remote.has('5')], [['mutation: Delete job "nightly" (5)'], true]);
    bench.trail = [];
    bench.remote.clear();
    await deleteJob(bench.services, {});
    assert.deepEqual(bench.trail, ['info: Local has no jobs yet. Deploy a job file first.']);
  });

  it('ask once on production, in the words of the profile, with what is lost', async () => {
    const bench = benchWithJob();
    bench.profile = { ...staging, production: true };
    bench.mutationDeclined = true;
    await deleteJob(bench.services, { jobId: '5' });
    await cancelAllRuns(bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, [
      'mutation: Delete job "nightly" (5)',
      'mutation: Cancel all active runs of job "nightly" (5)',
    ]);
    assert.match(bench.details[0] ?? '', /^Its run history goes with it/);
    bench.mutationDeclined = false;
    await deleteJob(bench.services, { jobId: '5' });
    assert.ok(!bench.trail.some((line) => line.startsWith('confirm')));
    assert.equal(bench.remote.has('5'), false);
  });
});

describe('comparing a job file', () => {
  holdTrail(import.meta.url, '-2');
  const compared = async (prepare: (bench: Bench) => void): Promise<string[]> => {
    const bench = benchWithJob();
    bench.remembered.set(`local ${uri}`, '5');
    prepare(bench);
    await compareJobFile(bench.services, { uri });
    return bench.trail;
  };

  it('names what a deploy would change, beside both texts', async () => {
    const trail = await compared((bench) => {
      bench.remote.set('5', { ...deployed, name: 'other', max_retries: 2 });
    });
    assert.match(trail[0] ?? '', /^compare: name: other\n/);
    assert.equal(
      trail[1],
      `info: A deploy of nightly.job.yml would change this of job "other" (5) on Local: name, max_retries.`,
    );
    assert.equal(trail.length, 2);
  });

  it('says where both say the same, and shows nothing then', async () => {
    assert.deepEqual(await compared(() => undefined), [
      `info: nightly.job.yml and ${where} say the same: a deploy would change nothing.`,
    ]);
  });

  it('says where there is nothing to compare with, and why', async () => {
    assert.deepEqual(await compared((bench) => bench.remote.clear()), [
      'info: Job 5, which nightly.job.yml was deployed to, no longer exists on Local, so nothing was compared. Deploy the file to create a new job.',
    ]);
    assert.deepEqual(
      await compared((bench) => {
        bench.remote.clear();
        bench.remembered.clear();
      }),
      ['info: nightly.job.yml was not deployed to Local yet, so there is nothing to compare with. Deploy it first.'],
    );
  });

  it('does nothing with a file that has problems, or where the question of several jobs was given up', async () => {
    const wrong = await compared((bench) => bench.texts.set(uri, 'name: a\n'));
    assert.match(String(wrong), /^warn: nightly\.job\.yml has a problem and was not sent/);
    assert.deepEqual(
      await compared((bench) => {
        bench.remembered.clear();
        bench.remote.set('6', { ...deployed });
        bench.services.ui.pick = async () => undefined;
      }),
      [],
    );
  });
});

describe('a job file of JSON', () => {
  holdTrail(import.meta.url, '-3');
  it('is opened unsaved, and refused where no text is open', async () => {
    const bench = new Bench();
    bench.texts.set('file:///w/a.json', '{"settings": {"name": "a", "max_retries": 1}}');
    await jobFileFromJson(bench.services, { uri: 'file:///w/a.json' });
    assert.deepEqual(bench.trail, ['opened: name: a\nmax_retries: 1\n']);
    await assert.rejects(jobFileFromJson(bench.services, { uri: 'file:///w/none.json' }), {
      kind: 'invalid',
      message: 'No text editor is open, so nothing was converted.',
      remedy: 'Open the JSON settings in an editor, or paste them into a job file, where they become YAML.',
    });
  });
});
