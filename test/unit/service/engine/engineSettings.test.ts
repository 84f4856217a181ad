import assert from 'node:assert/strict';
import { durationWarningInMs, parseSettings, withTimeout } from '../../../../src/service/engine/engineSettings.ts';

describe('the settings that the engine acts on', () => {
  it('warn of a run at the least of the durations that are set, and of nothing else', () => {
    const rule = (value: number, metric = 'RUN_DURATION_SECONDS') => ({ metric, operator: 'GREATER_THAN', value });
    for (const [rules, expected] of [
      [[rule(60), rule(30), rule(90)], 30_000],
      [[rule(1, 'OTHER'), rule(60)], 60_000],
      [[rule(0)], 0],
      [[rule(1, 'OTHER')], undefined],
      [[], undefined],
      [undefined, undefined],
    ] as const)
      assert.equal(durationWarningInMs({ health: { rules: rules && [...rules] } }), expected);
    assert.equal(durationWarningInMs({}), undefined);
  });

  it('have fields that are null as if they were not there, and every digit of an id', () => {
    assert.deepEqual(parseSettings('{"name":null,"run_job_task":{"job_id":9223372036854775807},"max_retries":0}'), {
      run_job_task: { job_id: 9223372036854775807n },
      max_retries: 0,
    });
  });

  it('have another time-out, or none, and all else as it was written', () => {
    const settings = '{"a":9223372036854775807,"timeout_seconds":5,"b":[1.0]}';
    assert.equal(withTimeout(settings, 60), '{"a":9223372036854775807,"timeout_seconds":60,"b":[1.0]}');
    assert.equal(withTimeout(settings, undefined), '{"a":9223372036854775807,"timeout_seconds":0,"b":[1.0]}');
    assert.equal(withTimeout('{}', 7), '{"timeout_seconds":7}');
  });
});
