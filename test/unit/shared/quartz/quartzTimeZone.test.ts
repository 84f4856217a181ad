import assert from 'node:assert/strict';
import { QuartzError } from '../../../../src/shared/quartz/quartz.ts';
import { timeZoneOf } from '../../../../src/shared/quartz/quartzTimeZone.ts';

const dayInMs = 86_400_000;
const hourInMs = 3_600_000;

/** What the platform itself says of an instant: the clock on the wall there, as if it were UTC. */
function wallClock(id: string): (epochMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: id,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (epochMs) => {
    const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, Number(value)]));
    const of = (name: string): number => parts[name] ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

/** Every change of the clock between two days, to the minute. */
function changesOf(id: string, fromMs: number, toMs: number): { atMs: number; before: number; after: number }[] {
  const clock = wallClock(id);
  const offset = (epochMs: number): number => clock(epochMs) - epochMs;
  const changes: { atMs: number; before: number; after: number }[] = [];
  for (let day = fromMs; day < toMs; day += dayInMs) {
    const [before, after] = [offset(day), offset(day + dayInMs)];
    if (before === after) continue;
    let [low, high] = [day, day + dayInMs];
    while (high - low > 60_000) {
      const middle = low + Math.floor((high - low) / 120_000) * 60_000;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ atMs: high, before, after });
  }
  return changes;
}

describe('a time zone', () => {
  const years: readonly (readonly [id: string, from: number, to: number])[] = [
    ['Europe/Berlin', 1990, 2000],
    ['America/New_York', 2004, 2012],
    ['Australia/Lord_Howe', 2015, 2025],
    ['America/St_Johns', 1986, 1992],
    // Its pause of daylight saving lasts four weeks, and began on other days each year.
    ['Africa/Casablanca', 2012, 2040],
    ['Africa/Cairo', 2010, 2015],
    // It left out a day.
    ['Pacific/Apia', 2011, 2013],
    ['Asia/Pyongyang', 2015, 2019],
  ];

  for (const [id, from, to] of years)
    it(`has the offsets of the platform, to the minute: ${id}`, function () {
      this.timeout(60_000);
      const zone = timeZoneOf(id);
      assert.equal(zone.id, id);
      const clock = wallClock(id);
      const changes = changesOf(id, Date.UTC(from, 0), Date.UTC(to, 0));
      assert.ok(changes.length > 1);
      for (const { atMs, before, after } of changes) {
        // Asked anew in another order each time: what is remembered must not matter.
        for (const at of [atMs, atMs - 60_000, atMs + 60_000, atMs - 9 * dayInMs, atMs + 9 * dayInMs, atMs - 1])
          assert.equal(zone.offsetInMsAt(at), clock(at - (at % 1000)) - (at - (at % 1000)), new Date(at).toISOString());
        // In the gap the offset before the change holds; of a doubled time the second is meant.
        const [earlier, later] = [atMs + Math.min(before, after), atMs + Math.max(before, after)];
        const middle = (earlier + later) / 2;
        assert.equal(
          zone.epochMsOfLocal(middle),
          middle - (after > before ? before : after),
          new Date(atMs).toISOString(),
        );
        assert.equal(zone.epochMsOfLocal(earlier - 60_000), earlier - 60_000 - before);
        assert.equal(zone.epochMsOfLocal(later), later - after);
        assert.equal(zone.epochMsOfLocal(later + 60_000), later + 60_000 - after);
        for (const days of [-20, -2, -1, 1, 2, 20]) {
          const at = atMs + days * dayInMs;
          assert.equal(zone.epochMsOfLocal(clock(at)), at, `${days} days from ${new Date(atMs).toISOString()}`);
        }
      }
    });

  it('had odd offsets to the second, long ago', () => {
    const zone = timeZoneOf('Africa/Monrovia');
    const leftMs = Date.UTC(1972, 0, 7, 0, 44, 30);
    assert.deepEqual(
      [leftMs - 1000, leftMs - 1, leftMs, leftMs + 1000].map((at) => zone.offsetInMsAt(at) / 1000 + 0),
      [-2670, -2670, 0, 0],
    );
    assert.equal(zone.epochMsOfLocal(Date.UTC(1972, 0, 6)), Date.UTC(1972, 0, 6, 0, 44, 30));
    assert.equal(timeZoneOf('Europe/Amsterdam').offsetInMsAt(Date.UTC(1880, 0, 1)) > 0, true);
  });

  it('of one offset is written with hours, or with hours and minutes', () => {
    for (const [id, hours] of [
      ['GMT+5', 5],
      ['GMT-5', -5],
      ['GMT+05', 5],
      ['GMT+5:30', 5.5],
      ['GMT-05:30', -5.5],
      ['GMT+0530', 5.5],
      ['GMT-930', -9.5],
      ['GMT+23:59', 23 + 59 / 60],
      ['Etc/GMT+5', -5],
      ['UTC', 0],
    ] as const) {
      const zone = timeZoneOf(id);
      assert.equal(zone.id, id);
      assert.equal(zone.offsetInMsAt(0) / hourInMs + 0, hours, id);
      assert.equal(zone.epochMsOfLocal(dayInMs) + 0, dayInMs - hours * hourInMs, id);
      assert.equal(timeZoneOf(id), zone);
    }
  });

  it('is refused with its own words, in its whole length', () => {
    const whole = 'Use an id of the IANA time zone database, such as "UTC", "Europe/Berlin" or "America/New_York".';
    for (const [id, message, remedy] of [
      ['', 'The time zone id is empty.', whole],
      ['Mars/Olympus', '"Mars/Olympus" is not a time zone id.', whole],
      ['GMT+24', '"GMT+24" is not a time zone id.', whole],
      ['GMT+24:00', '"GMT+24:00" is not a time zone id.', whole],
      ['GMT+5:60', '"GMT+5:60" is not a time zone id.', whole],
      ['+02:00', '"+02:00" is not a time zone id.', whole],
      [
        'europe/berlin',
        '"europe/berlin" is not a time zone id.',
        'Write "Europe/Berlin": upper and lower case matter.',
      ],
    ] as const)
      assert.throws(
        () => timeZoneOf(id),
        (error: unknown) => {
          assert.ok(error instanceof QuartzError);
          assert.deepEqual(
            [error.message, error.remedy, error.problem],
            [message, remedy, { field: 'timezone', value: id, start: 0, end: id.length }],
          );
          return true;
        },
      );
  });
});
