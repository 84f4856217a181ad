import assert from 'node:assert/strict';
import { dateTimeFormat, isTime } from '../../../src/shared/dateTimeFormat.ts';

describe('dateTimeFormat', () => {
  it('makes a formatter once for each locale and form', () => {
    const german = dateTimeFormat('de', { timeZone: 'UTC', dateStyle: 'short' });
    assert.equal(dateTimeFormat('de', { timeZone: 'UTC', dateStyle: 'short' }), german);
    assert.notEqual(dateTimeFormat('en', { timeZone: 'UTC', dateStyle: 'short' }), german);
    assert.notEqual(dateTimeFormat('de', { timeZone: 'Asia/Tokyo', dateStyle: 'short' }), german);
    assert.equal(german.format(0), '01.01.70');
  });

  it('forgets the oldest before there are more than a hundred', () => {
    const form = (minutes: number): Intl.DateTimeFormatOptions => ({
      timeZone: `+0${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`,
      timeStyle: 'short',
    });
    const made = Array.from({ length: 101 }, (_, minutes) => dateTimeFormat('fr', form(minutes)));
    const [oldest, next] = made;
    assert.equal(dateTimeFormat('fr', form(100)), made.at(-1));
    assert.equal(dateTimeFormat('fr', form(1)), next);
    assert.notEqual(dateTimeFormat('fr', form(0)), oldest);
  });

  it('throws where the zone or locale is not known, each time', () => {
    for (let time = 0; time < 2; time++)
      assert.throws(() => dateTimeFormat('en', { timeZone: 'Mars/Base' }), RangeError);
  });

  it('knows which numbers are moments', () => {
    assert.deepEqual(
      [0, 8.64e15, -8.64e15, 8.64e15 + 1, -8.64e15 - 1, NaN, Infinity].filter(isTime),
      [0, 8.64e15, -8.64e15],
    );
  });
});
