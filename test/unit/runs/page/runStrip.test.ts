import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { RunStrip } from '../../../../src/runs/page/pageProtocol.ts';
import { runStrip, stripLength, usualMs } from '../../../../src/runs/page/runStrip.ts';

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
  it('draws each run whole, the oldest first', () => {
    made = 0;
    assert.deepEqual(of([going('RUNNING', 5), run('FAILED', 20)]).bars, [
      {
        runId: '2',
        name: '#2',
        words: 'Failed 1 min ago · 20 s',
        state: { icon: 'error', tone: 'bad', spins: false },
        striped: false,
        hollow: false,
        height: 1,
      },
      {
        runId: '1',
        name: '#1',
        words: 'Running · 5 s',
        state: { icon: 'loading', tone: 'now', spins: true },
        striped: false,
        hollow: false,
        height: 0.25,
      },
    ]);
  });

  it('draws what is not current as it was when it was seen', () => {
    const seen = { nowMs, seenMs: nowMs - 4000, isCurrent: false };
    const [bar, other] = runStrip([run('SUCCESS', 10), going('RUNNING', 9)], false, seen).bars;
    assert.deepEqual([bar?.words, bar?.height], ['Running when last seen · 5 s', 0.5]);
    assert.deepEqual([bar?.state.spins, other?.height], [false, 1]);
  });

  it('has no height where nothing took any time', () => {
    assert.deepEqual(
      of([run('SUCCESS', 0), run('SUCCESS', 0, { start_time: 0 })]).bars.map(({ height }) => height),
      [0, 0],
    );
  });

  it('stripes what timed out, and leaves hollow what has not begun', () => {
    const looks = (given: Run): string => {
      const [{ striped, hollow } = {}] = of([given]).bars;
      return `${striped} ${hollow}`;
    };
    assert.equal(looks(run('TIMEDOUT', 1)), 'true false');
    assert.deepEqual(
      ['SKIPPED', 'QUEUED', 'PENDING', 'RUNNING', 'TERMINATING'].map((life) => looks(going(life, 1))),
      ['false true', 'false true', 'false true', 'false false', 'false false'],
    );
    assert.deepEqual(
      ['SUCCESS', 'FAILED', 'CANCELED'].map((result) => looks(run(result, 1))),
      ['false false', 'false false', 'false false'],
    );
  });

  it('is called "Runs" only where it has all of them', () => {
    assert.equal(stripLength, 50);
    const rows: [count: number, hasMore: boolean, title: string, bars: number][] = [
      [0, false, 'Runs', 0],
      [1, false, 'Runs', 1],
      [1, true, 'Last Run', 1],
      [2, true, 'Last 2 Runs', 2],
      [50, false, 'Runs', 50],
      [50, true, 'Last 50 Runs', 50],
      [51, false, 'Last 50 Runs', 50],
    ];
    for (const [count, hasMore, title, bars] of rows) {
      const strip = of(many(count), hasMore);
      assert.deepEqual([strip.title, strip.bars.length], [title, bars], `${count} ${hasMore}`);
    }
    const newest = many(51);
    assert.equal(of(newest).bars[0]?.runId, newest[49]?.run_id, 'the oldest is left out');
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
    const half = 'or less for half of the successful runs';
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

  it('says what each colour means and how many there are, the most frequent first, and of twelve at most', () => {
    const keys = (runs: readonly Run[]): unknown[] =>
      of(runs).keys.map(({ label, tone, striped, hollow }) => [label, tone, striped, hollow]);
    assert.deepEqual(
      keys([run('TIMEDOUT', 1), ...many(2), going('SKIPPED', 1), going('SKIPPED', 1), run('SUCCESS', 1)]),
      [
        ['Succeeded 3', 'good', false, false],
        ['Skipped 2', 'none', false, true],
        ['Timed out 1', 'bad', true, false],
      ],
    );
    const odd = Array.from({ length: 13 }, (_, at) => going(`STATE_${at}`, 1));
    assert.deepEqual(
      of(odd).keys.map(({ label }) => label),
      odd
        .slice(1)
        .toReversed()
        .map(({ state }) => `${state?.life_cycle_state} 1`),
    );
  });
});

describe('what a run of a job usually takes', () => {
  it('is what the middle one of its last good runs took, of as many as the strip shows', () => {
    assert.equal(usualMs(ramp(4)), undefined, 'of so few there is no middle');
    assert.equal(usualMs(ramp(5)), 3000);
    assert.equal(usualMs(ramp(6).toReversed()), 3000, 'whatever their order');
    assert.equal(usualMs([...many(9, 'FAILED', 100), going('RUNNING', 500), ...ramp(5)]), 3000, 'others do not count');
    assert.equal(usualMs([...many(stripLength), ...many(60, 'SUCCESS', 1)]), 10_000, 'nor do those of long ago');
    assert.equal(usualMs([...many(stripLength, 'FAILED'), ...many(60)]), undefined);
  });
});
