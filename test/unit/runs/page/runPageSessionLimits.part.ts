import assert from 'node:assert/strict';
import type { Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPageSession } from '../../../../src/runs/page/runPageSession.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { Bench, settle, state } from './runPageBench.ts';

describe('what the page of a run asks for', () => {
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
        'a profile that is no longer there',
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

  const ended = async (result: string, endMs: number): Promise<void> => {
    bench.run = { ...bench.run, state: state('TERMINATED', result), end_time: endMs, execution_duration: 8 };
    bench.session.resume();
    await settle();
    bench.give({ text: '', isEnd: true });
    await settle();
  };

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

  it('marks no place of a run that ended well, whatever it wrote of errors', async () => {
    bench.profile = staging;
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS'), end_time: 9 };
    bench.output = { metadata: bench.run, logs: '', error: 'Traceback', error_trace: '  \n' } as RunOutput;
    bench.session.resume();
    await settle();
    assert.deepEqual([bench.steps, bench.ended.length, bench.ended[0]?.[2]], [[], 1, undefined]);
    assert.deepEqual(bench.ended[0]?.[1], { job_id: '1', settings: { name: 'etl', max_retries: 2 } });
  });
});
