import assert from 'node:assert/strict';
import type { Notice } from '../../../../src/service/notify/notice.ts';
import { createOutbox, type Deliver } from '../../../../src/service/notify/outbox.ts';
import type { OutboxMessage } from '../../../../src/service/store/outboxStore.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

describe('the outbox', () => {
  function bench(deliver: Deliver) {
    const clock = new FakeClock();
    const logged: string[] = [];
    const waiting: (OutboxMessage & { dueAt: number })[] = [];
    const asked: [now: number, count: number][] = [];
    const outbox = {
      insert: (message: OutboxMessage) =>
        void waiting.push({ ...message, messageId: waiting.length + 1, attempts: 0, dueAt: message.createdAt }),
      due: (now: number, count: number) => {
        asked.push([now, count]);
        return waiting.filter(({ dueAt }) => dueAt <= now);
      },
      earliest: () => (waiting.length === 0 ? undefined : Math.min(...waiting.map(({ dueAt }) => dueAt))),
      postpone: (messageId: number, attempts: number, dueAt: number) =>
        void Object.assign(
          waiting.find((each) => each.messageId === messageId)!,
          { attempts, dueAt },
        ),
      delete: (messageId: number) =>
        void waiting.splice(
          waiting.findIndex((each) => each.messageId === messageId),
          1,
        ),
    };
    const logger = {
      ...silentLogger,
      warn: (text: string) => void logged.push(text),
      error: (text: string) => void logged.push(text),
    };
    const box = createOutbox({ store: { outbox } as unknown as Store, clock, logger, deliver });
    box.jobDeleted('7', { email_notifications: { on_start: ['a@example.com'] } });
    return { box, clock, logged, waiting, asked, store: outbox };
  }

  it('says nothing of a failure that is tried again, where that is asked for', () => {
    const { box, waiting } = bench(() => Promise.resolve());
    const run = { runId: '1', lifeCycle: 'TERMINATED', result: 'FAILED', attemptNumber: 0 } as RunRecord;
    const settings = {
      email_notifications: { on_failure: ['b@example.com'] },
      notification_settings: { alert_on_last_attempt: true },
    };
    const count = waiting.length;
    box.over(run, settings, true);
    assert.equal(waiting.length, count);
    box.over(run, settings, false);
    assert.equal(waiting.length, count + 1);
  });

  it('is idle once what is being delivered is, also where that fails', async () => {
    const delivery = Promise.withResolvers<void>();
    const { box, clock } = bench(() => delivery.promise);
    box.wake();
    await clock.advance(0);
    let isIdle = false;
    const idle = box.idle().then(() => (isIdle = true));
    await settle();
    assert.equal(isIdle, false);
    delivery.reject(new Error('no'));
    await idle;
    box.dispose();
  });

  it('stores what each moment of a run tells, to whom and when', async () => {
    const { box, waiting, clock } = bench(() => Promise.resolve());
    await clock.advance(5);
    waiting.length = 0;
    const run = {
      runId: '1',
      jobId: '7',
      runName: 'r',
      lifeCycle: 'TERMINATED',
      result: 'SUCCESS',
      attemptNumber: 1,
    } as RunRecord;
    const settings = {
      name: 'n',
      email_notifications: {
        on_start: ['start@x'],
        on_success: ['good@x'],
        on_failure: ['bad@x'],
        on_duration_warning_threshold_exceeded: ['slow@x'],
      },
      webhook_notifications: { on_success: [{ id: 'team' }] },
      notification_settings: { alert_on_last_attempt: true },
    };
    box.started({ ...run, attemptNumber: 0 }, settings);
    box.started(run, settings);
    box.lastsLong(run, settings);
    box.over(run, settings, true);
    box.over({ ...run, result: 'FAILED' }, settings, false);
    assert.deepEqual(
      waiting.map(({ kind, target, payload, createdAt }) => {
        const { event, jobId, jobName, run: told } = JSON.parse(payload) as Notice;
        return [kind, target, event, jobId, jobName, told?.runId, told?.result, createdAt];
      }),
      [
        ['email', 'start@x', 'on_start', '7', 'n', '1', 'SUCCESS', clock.now()],
        ['email', 'slow@x', 'on_duration_warning_threshold_exceeded', '7', 'n', '1', 'SUCCESS', clock.now()],
        ['email', 'good@x', 'on_success', '7', 'n', '1', 'SUCCESS', clock.now()],
        ['webhook', 'team', 'on_success', '7', 'n', '1', 'SUCCESS', clock.now()],
        ['email', 'bad@x', 'on_failure', '7', 'n', '1', 'FAILED', clock.now()],
      ],
    );
  });

  it('hands over what was stored, goes on after a failure, and asks for twenty at a time', async () => {
    const given: unknown[] = [];
    const { box, clock, logged, waiting, asked } = bench(async (message, notice) => {
      given.push([message.messageId, message.kind, notice]);
      if (message.messageId === 1) throw new Error('No.');
    });
    Object.assign(waiting[0] ?? {}, { kind: 'webhook', target: 'team' });
    box.jobDeleted('8', { name: 'n', email_notifications: { on_failure: ['b@example.com'] } });
    box.wake();
    await clock.advance(0);
    assert.deepEqual(given, [
      [1, 'webhook', { event: 'job_deleted', jobId: '7', jobName: 'Untitled' }],
      [2, 'email', { event: 'job_deleted', jobId: '8', jobName: 'n' }],
    ]);
    assert.deepEqual(
      waiting.map(({ messageId, attempts, dueAt }) => [messageId, attempts, dueAt]),
      [[1, 1, clock.now() + 10_000]],
    );
    assert.deepEqual(logged, ['A message to the destination team could not be delivered, trying again in 10 s: No.']);
    assert.deepEqual(asked, [[clock.now(), 20]]);
  });

  it('tells a fault of its store, and is idle all the same', async () => {
    const { box, clock, logged, store } = bench(() => Promise.resolve());
    store.due = () => {
      throw new Error('It is closed.');
    };
    box.wake();
    await clock.advance(0);
    await box.idle();
    assert.deepEqual(logged, ['A notification could not be handled: It is closed.']);
  });

  it('doubles its pauses from ten seconds to an hour, and gives up after 16 attempts', async () => {
    const attempts: number[] = [];
    const { box, clock, logged, waiting } = bench(async () => {
      attempts.push(clock.now());
      throw new Error('The server is away.');
    });
    const start = clock.now();
    box.wake();
    await clock.advance(0);
    assert.deepEqual(logged, ['An e-mail could not be delivered, trying again in 10 s: The server is away.']);
    await clock.advance(24 * 3_600_000);
    const pauses = attempts.map((at, index) => (at - (attempts[index - 1] ?? start)) / 1000);
    assert.deepEqual(pauses, [0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600, 3600, 3600, 3600]);
    assert.equal(logged.at(-1), 'An e-mail could not be delivered in 16 attempts and is given up: The server is away.');
    assert.deepEqual(waiting, []);
  });

  it('begins no further delivery once it is disposed', async () => {
    let release = (): void => undefined;
    let begun = 0;
    const { box, clock, waiting } = bench(() => {
      begun += 1;
      return new Promise<void>((resolve) => (release = resolve));
    });
    box.jobDeleted('8', { name: 'n', email_notifications: { on_start: ['a@example.com'] } });
    assert.deepEqual(
      waiting.map(({ kind, target, payload }) => [kind, target, payload]),
      [
        ['email', 'a@example.com', '{"event":"job_deleted","jobId":"7","jobName":"Untitled"}'],
        ['email', 'a@example.com', '{"event":"job_deleted","jobId":"8","jobName":"n"}'],
      ],
    );
    box.wake();
    await clock.advance(0);
    const idle = box.idle();
    box.dispose();
    release();
    await idle;
    await clock.advance(3_600_000);
    assert.deepEqual([begun, waiting.length, clock.pending], [1, 1, 0]);
  });
});
