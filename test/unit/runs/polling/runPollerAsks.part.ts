import assert from 'node:assert/strict';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { intervals, startPolling, stopPolling } from './polledService.ts';

describe('what RunPoller asks for in one look', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  it('is as soon after a failure as after the first one, once the user has asked anew', async () => {
    poller.setAttention('full');
    await settle();
    service.failure = new AppError('network', 'No answer.');
    await clock.advance(intervals.idleInMs);
    await clock.advance(2000);
    assert.equal(clock.nextDelayInMs, 4000);
    await poller.refresh();
    assert.equal(clock.nextDelayInMs, 2000);
  });
});
