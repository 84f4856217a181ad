import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { sameJobToReaders, sameToReaders } from '../../../../src/runs/store/sameToReaders.ts';

const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' };
const settings = { name: 'a', notebook_task: { notebook_path: '/n' }, max_retries: 1, schedule };
const job = { job_id: '1', creator_user_name: 'ada', settings };
const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS', state_message: 'done' };
const run = { run_id: '1', state, start_time: 1, end_time: 2, attempt_number: 0, setup_duration: 1 };

describe('two sights of one thing', () => {
  it('read differently where anything that a row shows of a job has changed', () => {
    const differs = (after: object, before: object | undefined = job): boolean =>
      !sameJobToReaders(before as Job | undefined, after as Job);
    const changed = [
      { ...job, creator_user_name: 'bob' },
      { ...job, settings: { ...settings, name: 'b' } },
      { ...job, settings: { ...settings, notebook_task: undefined, spark_python_task: { python_file: '/a.py' } } },
      { ...job, settings: { ...settings, schedule: undefined } },
      { ...job, settings: { ...settings, schedule: { ...schedule, quartz_cron_expression: '0 0 7 * * ?' } } },
      { ...job, settings: { ...settings, schedule: { ...schedule, timezone_id: 'Asia/Tokyo' } } },
      { ...job, settings: { ...settings, schedule: { ...schedule, pause_status: 'PAUSED' } } },
      { ...job, settings: undefined },
    ];
    for (const after of changed) assert.ok(differs(after) && differs(job, after), JSON.stringify(after));
    assert.ok(!sameJobToReaders(undefined, {} as Job), 'what was not there before');
    assert.ok(!differs(structuredClone(job)));
    assert.ok(!differs({ ...job, settings: { ...settings, max_retries: 2 } }), 'no row shows it');
  });

  it('read differently where anything that a row shows of a run has changed', () => {
    const differs = (after: object): boolean => !sameToReaders(run as Run, after as Run);
    const changed = [
      { ...run, state: { ...state, life_cycle_state: 'RUNNING' } },
      { ...run, state: { ...state, result_state: 'FAILED' } },
      { ...run, state: { ...state, state_message: 'other' } },
      { ...run, state: undefined },
      { ...run, start_time: 0 },
      { ...run, end_time: 3 },
      { ...run, attempt_number: 1 },
    ];
    for (const after of changed) assert.ok(differs(after), JSON.stringify(after));
    assert.ok(!differs(structuredClone(run)));
    assert.ok(!differs({ ...run, setup_duration: 2 }), 'no row shows it');
  });
});
