import assert from 'node:assert/strict';
import type { Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { Bench, settle, state } from './runPageBench.ts';

describe('what the page of a run asks for', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());

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
