import assert from 'node:assert/strict';
import type { JobsClient } from '../../../../src/api/client/client.ts';
import type { ListRunsRequest } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';
import { intervals, startPolling, stopPolling } from './polledService.ts';

describe('what RunPoller asks for in one look', () => {
  holdTrail(import.meta.url);
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  it('is the newest 25 runs, and four at a time of those that are in no list', async () => {
    const lists: ListRunsRequest[] = [];
    const singles: string[] = [];
    const jobs = {
      ...service.client,
      listRuns: (request: ListRunsRequest) => {
        lists.push(request);
        return Promise.resolve({ runs: [], has_more: false });
      },
      getRun: (runId: string) => {
        singles.push(runId);
        return Promise.reject(new AppError('network', 'no'));
      },
    } as unknown as JobsClient;
    const own = new RunPoller({ store, clock, connect: async () => ({ client: { jobs }, intervals }) });
    for (let id = 1; id <= 6; id += 1) store.expect(String(id));
    await own.refresh();
    assert.deepEqual(lists[0], { limit: 25 });
    assert.deepEqual(singles, ['1', '2', '3', '4']);
    own.dispose();
  });

  it('is for whoever waits at most two things at a time, each answered or failed by itself', async () => {
    let [going, most] = [0, 0];
    const question = (answers: boolean) => async (): Promise<string> => {
      most = Math.max(most, (going += 1));
      await settle();
      going -= 1;
      if (!answers) throw new AppError('network', 'no');
      return 'answer';
    };
    const asked = [true, false, true, true].map((answers) => poller.ask(question(answers)));
    const ended = await Promise.allSettled(asked);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.equal(most, 2);
  });

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
