import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, goodFile } from './commandSetup.ts';
import { alerted, deployedThen } from './deployedThen.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };
const jobId = '9007199254740993';
const deploy = (bench: Bench): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
const run = (bench: Bench): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, uri);

function onProduction(bench: Bench): Bench {
  bench.profile = { ...bench.profile, production: true };
  bench.preview = 'always';
  return bench;
}

/** What was asked, in the order in which it was. */
const questions = ({ trail }: Bench): string[] =>
  trail.filter((line) => /^(?:decide|mutation|confirm|pick)/.test(line));

describe('a deploy on production', () => {
  holdTrail(import.meta.url);
  it('is asked about once where it undoes what others did, with why, what it loses and what else changes', async () => {
    const bench = onProduction(await deployedThen(alerted));
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    bench.declined = true;
    await deploy(bench);
    assert.deepEqual(questions(bench), [`mutation: Replace the settings of job "nightly" (${jobId})`]);
    assert.equal(
      bench.details.at(-1),
      `Job "nightly" (${jobId}) on Local was changed since nightly.job.yml was last deployed from here.\n` +
        'A deploy replaces all settings of the job. It would undo this:\n' +
        '• timeout_seconds: 99 goes back to the default (no time-out)\n' +
        '• email_notifications: {"on_failure":["ops@example.com"]} is removed\n' +
        'It also changes this:\n• spark_python_task.parameters[1]: "today" becomes "tomorrow"',
    );
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
    bench.declined = false;
    await deploy(bench);
    assert.deepEqual([questions(bench).length, bench.remote.get(jobId)?.timeout_seconds], [2, undefined]);
  });

  it('is compared, or takes theirs into the file, from the same question', async () => {
    const bench = onProduction(await deployedThen(alerted));
    bench.decisions = ['Compare'];
    await deploy(bench);
    assert.deepEqual([questions(bench).length, bench.trail[1]?.split(':')[0]], [1, 'compare']);
    bench.decisions = ['Merge into the File'];
    await deploy(bench);
    assert.match(bench.texts.get(uri.uri) ?? '', /timeout_seconds: 99/);
    bench.texts.set(uri.uri, goodFile);
    bench.decisions = ['Take Theirs into File'];
    await deploy(bench);
    assert.match(bench.texts.get(uri.uri) ?? '', /timeout_seconds: 99/);
    assert.ok(!bench.trail.some((line) => line.startsWith('reset')));
  });

  it('is asked about once where only its name tells the job, and makes another one without a further question', async () => {
    for (const [choice, jobs] of [
      ['Create Another Job', 2],
      ['', 1],
    ] as const) {
      const bench = onProduction(new Bench());
      bench.remote.set('5', { name: 'nightly', max_retries: 7 });
      bench.decisions = [choice];
      await deploy(bench);
      assert.deepEqual(questions(bench), ['mutation: Replace the settings of job "nightly" (5)']);
      assert.match(
        bench.details[0] ?? '',
        /^Local already has a job named "nightly" \(5\), which .*\nA deploy replaces/,
      );
      assert.equal(bench.remote.size, jobs);
    }
  });

  it('and the run that follows it are one question, be the job new, changed by others or as it was', async () => {
    const bench = onProduction(new Bench());
    await run(bench);
    assert.deepEqual(questions(bench), ['mutation: Create job "nightly" and run it']);
    bench.remote.set(jobId, { ...bench.remote.get(jobId), timeout_seconds: 99 });
    bench.trail = [];
    await run(bench);
    await run(bench);
    const question = `mutation: Replace the settings of job "nightly" (${jobId}) and run it`;
    assert.deepEqual([questions(bench), bench.started.length], [[question, question], 3]);
  });

  it('that was asked for without a run, and is joined by one, is no answer to that', async () => {
    const bench = onProduction(new Bench());
    await Promise.all([deploy(bench), run(bench)]);
    assert.deepEqual(questions(bench), ['mutation: Create job "nightly"', `mutation: Run job "nightly" (${jobId})`]);
  });
});
