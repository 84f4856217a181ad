import assert from 'node:assert/strict';
import { cronPresets } from '../../../../src/jobfile/model/cronPresets.ts';
import { findQuartzProblem } from '../../../../src/shared/quartz/quartz.ts';
import { describeCron } from '../../../../src/shared/quartz/quartzWords.ts';

describe('the schedules that are offered first', () => {
  it('are the ones that are wanted most, and all of them are right', () => {
    assert.deepEqual(
      cronPresets.map((expression) => findQuartzProblem(expression) ?? describeCron(expression, 'UTC')),
      [
        'At 08:00 every day, UTC',
        'At 02:30, Monday to Friday, UTC',
        'Every hour, UTC',
        'Every 15 minutes, UTC',
        'At 06:00 on Mondays, UTC',
        'At 00:00 on the 1st of every month, UTC',
        'At 20:00 on the last day of every month, UTC',
        'At 09:00 on the first Monday of every month, UTC',
      ],
    );
  });
});
