import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { Bench, settle, state } from './runPageBench.ts';

describe('the state behind the page of a run', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());
  const resume = async (): Promise<void> => {
    bench.session.resume();
    await settle();
  };
  const advance = async (ms: number): Promise<void> => {
    await bench.clock.advance(ms);
    await settle();
  };
  const end = (result = 'SUCCESS'): void => {
    bench.run = {
      ...bench.run,
      state: state('TERMINATED', result),
      end_time: bench.clock.now(),
      execution_duration: 8,
    };
  };

  it('is not asked for any more once the run is over, though its output is still on its way', async () => {
    await resume();
    end();
    await advance(1000);
    assert.deepEqual([bench.view.title.startsWith('Succeeded'), bench.view.output.isGoing], [true, false]);
    const { length } = bench.asked;
    await advance(10_000);
    assert.equal(bench.asked.length, length);
    assert.deepEqual(bench.ended, []);
  });

  it('has the attempts of this run alone, the oldest first, and waits for the last of all', async () => {
    const attempt = (id: string, number: number, more: object = {}): Run =>
      ({
        run_id: id,
        job_id: '1',
        run_type: 'JOB_RUN',
        original_attempt_run_id: '6',
        attempt_number: number,
        start_time: bench.clock.now() - 10_000 + number,
        end_time: bench.clock.now() - 5000,
        state: state('TERMINATED', 'FAILED'),
        ...more,
      }) as Run;
    bench.run = { ...bench.run, ...attempt('7', 1) };
    bench.others = [
      attempt('21', 1, { original_attempt_run_id: '20' }),
      attempt('20', 0, { original_attempt_run_id: '20' }),
      attempt('8', 2, { end_time: 0, state: state('RUNNING') }),
      attempt('6', 0),
    ];
    bench.job = { job_id: '1', settings: { name: 'etl', max_retries: 2 } };
    await resume();
    bench.give({ text: '', isEnd: true });
    await settle();
    assert.deepEqual(
      bench.view.attempts.map(({ runId, isThis }) => [runId, isThis]),
      [
        ['6', false],
        ['7', true],
        ['8', false],
      ],
    );
    bench.asked.length = 0;
    await advance(1000);
    assert.deepEqual(bench.asked, ['run', 'runs'], 'the last one goes on');
  });
});
