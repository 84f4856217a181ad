import assert from 'node:assert/strict';
import { ScheduleTimes } from '../../../src/runs/scheduleTimes.ts';

const start = Date.UTC(2026, 2, 4, 12);
const at = (hour: number) => ({
  quartz_cron_expression: `0 0 ${hour} * * ?`,
  timezone_id: 'UTC',
  pause_status: 'UNPAUSED' as const,
});

function build(msPerQuestion = 0): { times: ScheduleTimes; turn(): void; set(nowMs: number): void; told(): number } {
  const tasks: (() => void)[] = [];
  let [nowMs, elapsed, told] = [start, 0, 0];
  const times = new ScheduleTimes({
    now: () => nowMs,
    elapsed: () => (elapsed += msPerQuestion),
    later: (task) => tasks.push(task),
    onComputed: () => (told += 1),
  });
  return {
    times,
    turn: () => tasks.splice(0).forEach((task) => task()),
    set: (value) => (nowMs = value),
    told: () => told,
  };
}

describe('ScheduleTimes', () => {
  it('gives the next time, and the one after it once that has passed', () => {
    const { times, set } = build();
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    set(Date.UTC(2026, 2, 4, 14));
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 5, 14));
  });

  it('has none for what never fires or cannot be read, and words for both', () => {
    const { times } = build();
    const never = { quartz_cron_expression: '0 0 3 1 1 ? 2020', timezone_id: 'UTC', pause_status: 'UNPAUSED' as const };
    assert.equal(times.next(never), undefined);
    assert.equal(times.next({ ...never, quartz_cron_expression: 'monday' }), undefined);
    assert.match(times.words(at(14)), /14:00.*UTC/);
    assert.equal(times.words({ ...never, quartz_cron_expression: 'monday' }), 'monday (UTC)');
  });

  it('spreads many over turns, and tells once when all are there', () => {
    const { times, turn, told } = build(4);
    const all = Array.from({ length: 24 }, (_, hour) => at(hour));
    const first = all.map((schedule) => times.next(schedule)).filter((next) => next !== undefined);
    assert.ok(first.length > 0 && first.length < 10, `${first.length} in the first turn`);
    for (let count = 0; count < 50 && told() === 0; count += 1) turn();
    assert.equal(told(), 1);
    turn();
    turn();
    // Now they are known, whatever time is left.
    assert.ok(all.every((schedule) => times.next(schedule) !== undefined));
    assert.equal(told(), 1);
  });

  it('gives the time that has just passed where the next one has to wait', () => {
    const { times, turn, set } = build(4);
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    for (let hour = 0; hour < 24; hour += 1) times.next(at(hour));
    set(Date.UTC(2026, 2, 4, 14));
    const before = times.version;
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    for (let count = 0; count < 50; count += 1) turn();
    assert.ok(times.version > before);
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 5, 14));
  });

  it('computes what it knows no more than once, also where it never fires, until that has passed', () => {
    let asked = 0;
    const times = new ScheduleTimes({
      now: () => start,
      elapsed: () => ((asked += 1), 0),
      later: () => undefined,
      onComputed: () => undefined,
    });
    const never = { ...at(14), quartz_cron_expression: '0 0 3 1 1 ? 2020' };
    for (let count = 0; count < 3; count += 1) {
      assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
      assert.equal(times.next(never), undefined);
    }
    assert.equal(asked, 2);
  });
});
