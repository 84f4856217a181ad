import assert from 'node:assert/strict';
import type { Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPageSession } from '../../../../src/runs/page/runPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { holdTrail } from '../../../support/trail.ts';
import { Bench, settle, state } from './runPageBench.ts';

describe('what the page of a run asks for', () => {
  holdTrail(import.meta.url);
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());

  it('says that nothing keeps it where there is no service, and where nothing is written that it is so', async () => {
    const [asked, signals]: [unknown[], AbortSignal[]] = [[], []];
    const session = new RunPageSession('7', {
      clock: bench.clock,
      profile: () => undefined,
      connect: async (how) => {
        asked.push(how.byUser);
        signals.push(how.signal);
        return undefined;
      },
      post: (message) => void bench.posted.push(message),
      setTitle: (title) => bench.titles.push(title),
      usualMs: () => undefined,
      locate: async () => undefined,
      ended: () => undefined,
    });
    session.resume();
    session.resume();
    await settle();
    assert.deepEqual(
      [asked, bench.view.notice, bench.view.title, bench.view.subtitle, bench.view.state],
      [
        [false],
        {
          text: 'There is nothing here that keeps run 7.',
          detail: 'Start the run again.',
          actions: [{ id: 'retry', label: 'Retry Now', icon: 'refresh', primary: true }],
        },
        'Run 7',
        'a profile that no longer exists',
        { icon: 'circle-large-outline', tone: 'none', spins: false },
      ],
    );
    session.retry();
    await settle();
    assert.deepEqual([asked, signals[0]?.aborted, signals[1]?.aborted], [[false, true], true, false]);
    session.pause();
    assert.equal(signals[1]?.aborted, true);
    assert.deepEqual(bench.titles, [], 'what is not known has no name');
  });

  it('is asked for no job and no attempts that it cannot have', async () => {
    const asked = async (run: object): Promise<string> => {
      bench.session.pause();
      bench = new Bench();
      bench.run = { ...bench.run, ...run };
      bench.session.resume();
      await settle();
      return bench.asked.join();
    };
    assert.equal(await asked({}), 'connect,run,job,runs,piece 0');
    assert.equal(await asked({ job_id: undefined }), 'connect,run,piece 0');
    assert.equal(await asked({ run_type: 'SUBMIT_RUN' }), 'connect,run,piece 0');
    bench.failures = {};
  });

  it('shows the attempts once there is more than this one, and asks for them again when it has ended', async () => {
    bench.run = { ...bench.run, original_attempt_run_id: '6', attempt_number: 1, start_time: 100_000 };
    bench.session.resume();
    await settle();
    assert.deepEqual(
      bench.view.attempts.map(({ runId, isThis }) => [runId, isThis]),
      [
        ['6', false],
        ['7', true],
      ],
    );
    bench.asked.length = 0;
    await bench.clock.advance(1000);
    await settle();
    assert.deepEqual(bench.asked, ['run'], 'while it goes on they are the same');
    bench.run = { ...bench.run, state: state('TERMINATED', 'FAILED'), end_time: 200_000 };
    await bench.clock.advance(1000);
    await settle();
    assert.deepEqual(bench.asked, ['run', 'run', 'runs']);
    assert.equal(bench.view.attempts[1]?.state.tone, 'bad');
    bench.session.pause();
    bench = new Bench();
    bench.run = { ...bench.run, run_id: '7', attempt_number: 0 };
    bench.session.resume();
    await settle();
    assert.deepEqual(bench.view.attempts, [], 'of another run there are others');
  });

  const ended = async (result: string, endMs: number): Promise<void> => {
    bench.run = { ...bench.run, state: state('TERMINATED', result), end_time: endMs, execution_duration: 8 };
    bench.session.resume();
    await settle();
    bench.give({ text: '', isEnd: true });
    await settle();
  };

  it('tells how long ago it ended as that is by now, and asks for nothing to do so', async () => {
    await ended('SUCCESS', bench.clock.now() - 9000);
    assert.match(bench.view.subtitle, / just now · Local$/);
    const { length } = bench.asked;
    await bench.clock.advance(120_000);
    await settle();
    assert.match(bench.view.subtitle, / 2 min ago · Local$/);
    assert.equal(bench.asked.length, length);
  });

  it('shows the attempt that follows it, which is looked for while one may come', async () => {
    bench.others = [];
    await ended('FAILED', bench.clock.now() - 100);
    assert.equal(bench.view.attempts.length, 0);
    const next: Run = {
      run_id: '8',
      original_attempt_run_id: '7',
      run_type: 'JOB_RUN',
      job_id: '1',
      attempt_number: 1,
      start_time: bench.clock.now(),
    };
    bench.others = [{ ...next, state: state('RUNNING') }];
    await bench.clock.advance(1000);
    await settle();
    assert.deepEqual(
      bench.view.attempts.map(({ runId, state: { spins } }) => [runId, spins]),
      [
        ['7', false],
        ['8', true],
      ],
    );
    bench.others = [{ ...next, end_time: bench.clock.now(), state: state('TERMINATED', 'SUCCESS') }];
    await bench.clock.advance(1000);
    await settle();
    assert.equal(bench.view.attempts[1]?.state.tone, 'good');
    assert.equal(bench.session.runLabel('8'), 'etl Run 8');
    const { length } = bench.asked;
    await bench.clock.advance(60_000);
    await settle();
    assert.equal(bench.asked.length, length, 'none comes any more');
  });

  it('offers nothing of a run that the service has no more', async () => {
    await ended('SUCCESS', bench.clock.now() - 9000);
    assert.ok(bench.view.actions.length > 0);
    bench.failures = { run: new AppError('notFound', 'There is no run 7.') };
    bench.session.pause();
    bench.session.resume();
    await settle();
    assert.deepEqual(bench.view.notice, {
      text: 'Local has no such run any more.',
      detail: 'Below is the last known state.',
      actions: [],
    });
    assert.deepEqual([bench.view.actions, bench.view.facts.filter(({ name }) => name === 'Kept')], [[], []]);
    assert.doesNotMatch(bench.view.subtitle, /just now|ago/);
  });

  it('marks no place of a run that ended well, whatever it wrote of errors', async () => {
    bench.profile = staging;
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS'), end_time: 9 };
    bench.output = { metadata: bench.run, logs: '', error: 'Traceback', error_trace: '  \n' } as RunOutput;
    bench.session.resume();
    await settle();
    assert.deepEqual([bench.steps, bench.ended.length, bench.ended[0]?.[2]], [[], 1, undefined]);
    assert.deepEqual(bench.ended[0]?.[1], { job_id: '1', settings: { name: 'etl', max_retries: 2 } });
  });

  it('reads more at once after little than after much, and says of what passes that it is tried again', async () => {
    for (const [length, pauseInMs] of [
      [16_000, 40],
      [16_001, 70],
    ] as const) {
      bench.session.pause();
      bench = new Bench();
      bench.give({ text: 'x'.repeat(length), nextOffset: length, size: length });
      bench.session.resume();
      await settle();
      assert.equal(bench.clock.nextDelayInMs, pauseInMs);
    }
    bench.failure = new AppError('server', 'Gone.', { remedy: 'Wait.' });
    await bench.clock.advance(1000);
    await settle();
    assert.equal(bench.view.notice?.detail, 'Wait. It is tried again.');
    bench.failure = new AppError('network', 'Gone.');
    await bench.clock.advance(2000);
    await settle();
    assert.equal(bench.view.notice?.detail, 'Retrying.');
  });
});
