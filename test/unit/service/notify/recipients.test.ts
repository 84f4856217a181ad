import assert from 'node:assert/strict';
import type { EngineSettings, NotificationEvent } from '../../../../src/service/engine/engineSettings.ts';
import { eventOfEnd, recipientsOf, recipientsOfDeletion } from '../../../../src/service/notify/outbox.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';

const base = { attemptNumber: 0, lifeCycle: 'TERMINATED', result: 'FAILED' } as RunRecord;
const failed = base;
const skipped = { ...base, lifeCycle: 'SKIPPED', result: undefined } as RunRecord;
const cancelled = { ...base, result: 'CANCELED', stopping: 'CANCELED' } as RunRecord;
const timedOut = { ...base, result: 'TIMEDOUT', stopping: 'TIMEDOUT' } as RunRecord;
const retried = { ...base, attemptNumber: 1 } as RunRecord;

const everybody: EngineSettings = {
  email_notifications: {
    on_start: ['a'],
    on_success: ['a'],
    on_failure: ['a', 'a'],
    on_duration_warning_threshold_exceeded: ['a'],
  },
  webhook_notifications: {
    on_start: [{ id: 'w' }],
    on_success: [{ id: 'w' }],
    on_failure: [{ id: 'w' }],
    on_duration_warning_threshold_exceeded: [{ id: 'w' }],
  },
};

function told(event: NotificationEvent, run: RunRecord, more: EngineSettings = {}, willRetry = false): string {
  const settings = {
    ...everybody,
    ...more,
    email_notifications: { ...everybody.email_notifications, ...more.email_notifications },
  };
  return recipientsOf(event, run, settings, willRetry)
    .map(({ kind }) => kind)
    .join(' ');
}

describe('who is told of a run', () => {
  it('is everybody of the list, once', () => {
    for (const event of ['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'] as const)
      assert.equal(told(event, failed), 'email webhook');
    assert.equal(recipientsOf('on_start', failed, {}, false).length, 0);
  });

  it('is of the list of its event alone, mails before webhooks, each once', () => {
    const own: EngineSettings = {
      email_notifications: { on_start: ['s', 't', 's'], on_success: ['u'], on_failure: ['f'] },
      webhook_notifications: { on_start: [{ id: 'w' }, { id: 'x' }, { id: 'w' }], on_failure: [{ id: 'y' }] },
    };
    const email = (target: string): object => ({ kind: 'email', target });
    const webhook = (target: string): object => ({ kind: 'webhook', target });
    assert.deepEqual(recipientsOf('on_start', base, own, false), [email('s'), email('t'), webhook('w'), webhook('x')]);
    assert.deepEqual(recipientsOf('on_success', base, own, false), [email('u')]);
    assert.deepEqual(recipientsOf('on_failure', base, own, false), [email('f'), webhook('y')]);
    assert.deepEqual(recipientsOf('on_duration_warning_threshold_exceeded', base, own, false), []);
  });

  it('is nobody where the job was deleted', () => {
    const hidden = { ...base, hidden: true };
    for (const event of ['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'] as const)
      assert.equal(told(event, hidden), '');
  });

  it('is everybody of a deletion whose mails the job has, once and in their order', () => {
    const email_notifications = {
      on_start: ['a', 'b'],
      on_success: ['c', 'a'],
      on_failure: ['b'],
      on_duration_warning_threshold_exceeded: ['d'],
      no_alert_for_skipped_runs: true,
    };
    assert.deepEqual(
      recipientsOfDeletion({ email_notifications, webhook_notifications: { on_start: [{ id: 'w' }] } }),
      ['a', 'b', 'c', 'd'].map((target) => ({ kind: 'email', target })),
    );
    assert.deepEqual(recipientsOfDeletion({}), []);
  });

  it('depends on how it ended', () => {
    const end = (lifeCycle: string, result?: string): string => eventOfEnd({ lifeCycle, result } as RunRecord);
    assert.equal(end('TERMINATED', 'SUCCESS'), 'on_success');
    for (const [lifeCycle, result] of [
      ['TERMINATED', 'FAILED'],
      ['TERMINATED', 'TIMEDOUT'],
      ['TERMINATED', 'CANCELED'],
      ['SKIPPED'],
      ['INTERNAL_ERROR', 'SUCCESS'],
      ['INTERNAL_ERROR'],
      ['INTERNAL_ERROR', 'FAILED'],
    ] as const) {
      assert.equal(end(lifeCycle, result), 'on_failure');
    }
  });

  it('leaves skipped runs out where that is asked for, in either place', () => {
    assert.equal(told('on_failure', skipped), 'email webhook');
    assert.equal(told('on_failure', skipped, { email_notifications: { no_alert_for_skipped_runs: true } }), 'webhook');
    assert.equal(told('on_failure', skipped, { notification_settings: { no_alert_for_skipped_runs: true } }), '');
    for (const more of [
      { notification_settings: { no_alert_for_skipped_runs: true } },
      { email_notifications: { no_alert_for_skipped_runs: true } },
    ]) {
      assert.equal(told('on_failure', failed, more), 'email webhook');
      assert.equal(told('on_start', skipped, more), 'email webhook');
    }
    for (const more of [
      { notification_settings: { no_alert_for_skipped_runs: false } },
      { email_notifications: { no_alert_for_skipped_runs: false } },
    ])
      assert.equal(told('on_failure', skipped, more), 'email webhook');
  });

  it('leaves cancelled runs out where that is asked for, but not timed-out ones', () => {
    const notification_settings = { no_alert_for_canceled_runs: true };
    assert.equal(told('on_failure', cancelled), 'email webhook');
    assert.equal(told('on_failure', cancelled, { notification_settings }), '');
    assert.equal(told('on_failure', timedOut, { notification_settings }), 'email webhook');
    // What was cancelled is, also where its end went wrong.
    const broken = { ...cancelled, lifeCycle: 'INTERNAL_ERROR', result: 'FAILED' } as RunRecord;
    assert.equal(told('on_failure', broken, { notification_settings }), '');
    assert.equal(told('on_start', cancelled, { notification_settings }), 'email webhook');
    assert.equal(
      told('on_failure', cancelled, { notification_settings: { no_alert_for_canceled_runs: false } }),
      'email webhook',
    );
  });

  it('waits for the last attempt where that is asked for', () => {
    const notification_settings = { alert_on_last_attempt: true };
    assert.equal(told('on_start', retried, { notification_settings }), '');
    assert.equal(told('on_start', failed, { notification_settings }), 'email webhook');
    assert.equal(told('on_failure', retried, { notification_settings }, true), '');
    assert.equal(told('on_failure', retried, { notification_settings }, false), 'email webhook');
    assert.equal(told('on_failure', retried, {}, true), 'email webhook');
    assert.equal(
      told('on_failure', failed, { notification_settings: { alert_on_last_attempt: false } }, true),
      'email webhook',
    );
    assert.equal(told('on_start', retried, {}), 'email webhook');
    assert.equal(told('on_success', retried, { notification_settings }), 'email webhook');
  });
});
