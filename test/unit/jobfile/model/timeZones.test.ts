import assert from 'node:assert/strict';
import { ownTimeZone, timeZoneNames } from '../../../../src/jobfile/model/timeZones.ts';

describe('the time zones of a schedule', () => {
  it('are all of the platform, with UTC first and once, and are listed once', () => {
    const names = timeZoneNames();
    const others = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC');
    assert.ok(others.includes('Europe/Berlin'));
    assert.deepEqual(names, ['UTC', ...others]);
    assert.equal(timeZoneNames(), names);
  });

  it('have the one of the machine', () => {
    assert.equal(ownTimeZone(), new Intl.DateTimeFormat().resolvedOptions().timeZone);
  });
});
