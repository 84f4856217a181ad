import assert from 'node:assert/strict';
import { clearTimers, takesPlace, type ActiveRun } from '../../../../src/service/engine/activeRun.ts';

describe('a run that is not over', () => {
  const run = (settings: object, timers: ActiveRun['timers'] = {}): ActiveRun =>
    ({ settings, timers }) as unknown as ActiveRun;

  it('takes a place on the machine, unless it only waits for another job', () => {
    assert.equal(takesPlace(run({ spark_python_task: { python_file: '/a.py' } })), true);
    assert.equal(takesPlace(run({})), true);
    assert.equal(takesPlace(run({ run_job_task: { job_id: '5' } })), false);
  });

  it('has neither a time-out nor a warning once they are cleared, each cancelled once', () => {
    const cancelled: string[] = [];
    const going = run({}, { timeout: () => void cancelled.push('out'), warning: () => void cancelled.push('warning') });
    clearTimers(going);
    clearTimers(going);
    assert.deepEqual(cancelled, ['out', 'warning']);
    assert.deepEqual(going.timers, { timeout: undefined, warning: undefined });
  });
});
