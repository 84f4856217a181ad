import assert from 'node:assert/strict';
import { daysUntilRemoval, formatNext, formatShortAge, formatTime } from '../../../src/runs/timeTexts.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 2, 15, 12);
/** With the blanks of a keyboard: before AM and PM stands one that does not break. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

describe('times of runs', () => {
  it('tell the time of day on the day itself alone, the date before it, and the year of what is 300 days away', () => {
    const told = (epochMs: number, nowMs = now): string => plain(formatTime(epochMs, nowMs));
    assert.equal(plain(formatTime(now, now, '2-digit')), '12:00:00 PM', 'where seconds help');
    assert.equal(told(now), '12:00 PM');
    assert.equal(told(Date.UTC(2026, 2, 15)), '12:00 AM');
    assert.equal(told(Date.UTC(2026, 2, 14, 23, 59, 59)), 'Mar 14, 11:59 PM');
    assert.equal(told(Date.UTC(2026, 2, 16)), 'Mar 16, 12:00 AM');
    assert.equal(told(Date.UTC(2026, 3, 15, 12)), 'Apr 15, 12:00 PM', 'the same day of another month');
    assert.equal(told(Date.UTC(2025, 2, 15, 12)), 'Mar 15, 2025, 12:00 PM', 'the same day of another year');
    assert.equal(told(Date.UTC(2025, 11, 31, 9), Date.UTC(2026, 0, 31, 9)), 'Dec 31, 9:00 AM');
    assert.equal(told(now - 300 * day), 'May 19, 12:00 PM');
    assert.equal(told(now - 300 * day - 1), 'May 19, 2025, 11:59 AM');
    assert.equal(told(now + 300 * day), 'Jan 9, 12:00 PM');
    assert.equal(told(now + 300 * day + 1), 'Jan 9, 2027, 12:00 PM');
    assert.equal(told(9e15), '9000000000000000', 'no moment');
  });

  it('are ages in one unit, each from its first moment on', () => {
    const rows: [agoMs: number, words: string][] = [
      [-minute - 1, '12:01 PM'],
      [-minute, 'just now'],
      [0, 'just now'],
      [minute - 1, 'just now'],
      [minute, '1 min ago'],
      [hour - 1, '59 min ago'],
      [hour, '1 h ago'],
      [48 * hour - 1, '47 h ago'],
      [48 * hour, '2 d ago'],
      [30 * day - 1, '29 d ago'],
      [30 * day, 'Feb 13'],
      [300 * day, 'May 19'],
      [300 * day + 1, 'May 19, 2025'],
    ];
    assert.deepEqual(
      rows.map(([agoMs]) => plain(formatShortAge(now - agoMs, now))),
      rows.map(([, words]) => words),
    );
    assert.equal(formatShortAge(9e15, now), '9000000000000000');
  });

  it('to come are told by the time within a day, the weekday within six, and by the day', () => {
    const rows: [aheadMs: number, words: string][] = [
      [day - 1, '11:59 AM'],
      [day, 'Mon 12:00 PM'],
      [6 * day - 1, 'Sat 11:59 AM'],
      [6 * day, 'Mar 21'],
      [300 * day + 1, 'Jan 9, 2027'],
    ];
    assert.deepEqual(
      rows.map(([aheadMs]) => plain(formatNext(now + aheadMs, now))),
      rows.map(([, words]) => words),
    );
  });

  it('count the days until a run is removed, 60 after its end, each begun one as a whole', () => {
    assert.deepEqual(
      [0, 1, day, 59 * day, 60 * day - 1, 60 * day, 61 * day].map((ago) => daysUntilRemoval(now - ago, now)),
      [60, 60, 59, 1, 1, 0, 0],
    );
  });
});
