import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { RunStrip } from '../../../../src/runs/page/pageProtocol.ts';
import { runStrip } from '../../../../src/runs/page/runStrip.ts';

const nowMs = Date.UTC(2026, 0, 30, 12);
const clock = { nowMs, seenMs: nowMs, isCurrent: true };
let made = 0;
const run = (result: string, seconds: number, more: object = {}): Run => {
  made += 1;
  return {
    run_id: String(made),
    job_id: '1',
    number_in_job: String(made),
    run_type: 'JOB_RUN',
    start_time: nowMs - 60_000 - seconds * 1000,
    end_time: nowMs - 60_000,
    state: { life_cycle_state: 'TERMINATED', result_state: result },
    ...more,
  } as Run;
};
const going = (life: string, seconds: number): Run =>
  run('', 0, { start_time: nowMs - seconds * 1000, end_time: 0, state: { life_cycle_state: life } });
const many = (count: number, result = 'SUCCESS', seconds = 10): Run[] =>
  Array.from({ length: count }, () => run(result, seconds));
const ramp = (count: number, from = 1): Run[] => Array.from({ length: count }, (_, at) => run('SUCCESS', from + at));
const of = (runs: readonly Run[], hasMore = false): RunStrip => runStrip(runs, hasMore, clock);
const figures = (runs: readonly Run[]): string[] =>
  of(runs).figures.map(({ figure, meaning }) => `${figure} ${meaning}`);

describe('the strip of the last runs of a job', () => {
  it('has no height where nothing took any time', () => {
    assert.deepEqual(
      of([run('SUCCESS', 0), run('SUCCESS', 0, { start_time: 0 })]).bars.map(({ height }) => height),
      [0, 0],
    );
  });

  it('counts as success or failure what came to its end by itself', () => {
    assert.deepEqual(figures([]), []);
    assert.deepEqual(figures([going('RUNNING', 1), run('CANCELED', 1), going('SKIPPED', 1)]), []);
    assert.deepEqual(figures([run('SUCCESS', 1), going('RUNNING', 1), going('QUEUED', 1)]), ['100 % 1 of 1 succeeded']);
    assert.deepEqual(figures([run('FAILED', 1), going('INTERNAL_ERROR', 1), run('TIMEDOUT', 1), run('SUCCESS', 1)]), [
      '25 % 1 of 4 succeeded',
    ]);
    const leftOut = 'succeeded; cancelled and skipped left out';
    assert.deepEqual(figures([run('SUCCESS', 1), run('CANCELED', 1)]), [`100 % 1 of 1 ${leftOut}`]);
    assert.deepEqual(figures([run('FAILED', 1), going('SKIPPED', 1)]), [`0 % 0 of 1 ${leftOut}`]);
    assert.deepEqual(figures([...many(2), run('FAILED', 1)]), ['67 % 2 of 3 succeeded']);
  });

  it('tells the duration of half of five good runs, and of 95 % of twenty', () => {
    const durations = (runs: readonly Run[]): string[] => figures(runs).slice(1);
    const half = 'or less for half of those that succeeded';
    assert.deepEqual(durations(ramp(4)), []);
    assert.deepEqual(durations([...ramp(4), run('FAILED', 9)]), []);
    assert.deepEqual(durations(ramp(5)), [`3 s ${half}`]);
    assert.deepEqual(durations(ramp(6)), [`3 s ${half}`]);
    assert.deepEqual(durations([...ramp(5, 8).toReversed(), ...many(9, 'FAILED', 1)]), [`10 s ${half}`]);
    assert.deepEqual(durations(ramp(19)), [`10 s ${half}`]);
    assert.deepEqual(durations(ramp(20)), [`10 s ${half}`, '19 s or less for 95 % of them']);
    assert.deepEqual(durations(ramp(40)), [`20 s ${half}`, '38 s or less for 95 % of them']);
  });

  it('draws a line at each of both durations, unless their labels would lie over each other', () => {
    const lines = (runs: readonly Run[]): string[] => of(runs).lines.map(({ at, label }) => `${at} ${label}`);
    assert.deepEqual(lines(ramp(4)), []);
    assert.deepEqual(lines([...ramp(5), run('FAILED', 12)]), ['0.25 3 s (50 %)']);
    assert.deepEqual(lines([...many(15, 'SUCCESS', 6), ...many(5, 'SUCCESS', 8), run('FAILED', 10)]), [
      '0.8 8 s (95 %)',
      '0.6 6 s (50 %)',
    ]);
    assert.deepEqual(lines([...many(15, 'SUCCESS', 61), ...many(5, 'SUCCESS', 80), run('FAILED', 100)]), [
      '0.8 1 min 20 s (95 %)',
    ]);
  });
});
