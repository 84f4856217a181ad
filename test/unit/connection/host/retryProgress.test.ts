import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { RetryWait } from '../../../../src/api/client/index.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';

const { RetryProgress } = await import('../../../../src/connection/host/createConnector.ts');

describe('the notification of a service that is waited for', () => {
  holdTrail(import.meta.url);
  let progress: InstanceType<typeof RetryProgress>;
  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    progress = new RetryProgress();
  });
  afterEach(() => {
    progress.dispose();
    mock.timers.reset();
  });

  /** A wait of thirty seconds, with what was done to it. */
  const wait = (done: string[], name = 'jobs/list'): RetryWait & { end(): void } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      operation: name,
      attempt: 1,
      waitUntil: Date.now() + 30_000,
      giveUpAt: Date.now() + 600_000,
      reason: new AppError('server', 'Out of [order](x).'),
      retryNow: () => void done.push(`${name} now`),
      stop: () => void done.push(`${name} stop`),
      ended: promise,
      end: resolve,
    };
  };
  const messages = (at = -1): string[] =>
    ((editor.progress.at(at)?.reports ?? []) as { message: string }[]).map(({ message }) => message);

  it('counts down for all waits at once, and goes with the last of them', async () => {
    const [one, other] = [wait([]), wait([], 'jobs/get')];
    progress.add(one);
    assert.deepEqual(editor.progress[0]?.options, {
      location: standIn.ProgressLocation.Notification,
      title: 'Millrace',
      cancellable: true,
    });
    assert.deepEqual(messages(), [
      'Out of [order] (x). Next attempt of jobs/list in 30 s; given up in 10 min 0 s. [Retry now](command:millrace.connection.retryNow)',
    ]);
    progress.add(other);
    mock.timers.tick(1000);
    assert.equal(editor.progress.length, 1);
    assert.match(messages().at(-1) ?? '', /Next attempt of jobs\/list and 1 more in 29 s/);
    one.end();
    await settle();
    const { length } = messages();
    assert.match(messages().at(-1) ?? '', /Next attempt of jobs\/get in 29 s/);
    other.end();
    await settle();
    const again = wait([]);
    progress.add(again);
    assert.equal(editor.progress.length, 2, 'it was gone, and comes again');
    mock.timers.tick(1000);
    assert.deepEqual([messages(0).length, messages().length], [length, 2], 'the old one hears nothing any more');
  });

  it('ends the waits with an attempt or without, as is chosen, and nothing once it has gone', async () => {
    const done: string[] = [];
    const one = wait(done);
    progress.add(one);
    await editor.commands.get('millrace.connection.retryNow')?.();
    editor.progress[0]?.cancel();
    assert.deepEqual(done, ['jobs/list now', 'jobs/list stop']);
    one.end();
    await settle();
    progress.add(wait(done, 'jobs/get'));
    editor.progress[0]?.cancel();
    assert.equal(done.length, 2, 'that was the button of the notification before');
  });

  it('leaves no command behind', () => {
    progress.dispose();
    assert.equal(editor.commands.has('millrace.connection.retryNow'), false);
  });
});
