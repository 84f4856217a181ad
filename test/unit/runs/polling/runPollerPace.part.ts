import assert from 'node:assert/strict';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { intervals, run, startPolling, stopPolling } from './polledService.ts';

describe('the pace of RunPoller', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  it('is slow while nothing runs and quick while something does', async () => {
    poller.setAttention('full');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.idleInMs);
    service.runs = [run('10', 'RUNNING')];
    await clock.advance(intervals.idleInMs);
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
    service.runs = [run('10', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } })];
    await clock.advance(intervals.activeInMs);
    assert.equal(clock.nextDelayInMs, intervals.idleInMs);
  });

  it('costs the same number of requests for 1 and for 5,000 jobs', async () => {
    const cost = async (count: number): Promise<number> => {
      service.jobs = Array.from({ length: count }, (_, index) => ({
        job_id: String(index + 1),
        settings: { name: `job ${index}` },
      }));
      await poller.refresh();
      service.requests = [];
      await clock.advance(intervals.idleInMs * 20);
      return service.requests.length;
    };
    poller.setAttention('full');
    await settle();
    assert.equal(await cost(1), await cost(5000));
  });

  it('keeps what it shows when the service dies, says so, backs off and recovers', async () => {
    service.runs = [run('10', 'RUNNING')];
    poller.setAttention('full');
    await settle();
    service.failure = new AppError('network', 'No answer.');
    const pauses: (number | undefined)[] = [];
    for (let look = 0; look < 8; look += 1) {
      await clock.advance(clock.nextDelayInMs ?? 0);
      pauses.push(clock.nextDelayInMs);
    }
    assert.deepEqual(pauses, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.equal(store.freshness.kind, 'stale');
    assert.equal(store.run('10')?.state?.life_cycle_state, 'RUNNING');
    service.failure = undefined;
    await clock.advance(60_000);
    assert.equal(store.freshness.kind, 'fresh');
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('pauses while hidden and looks at once when shown again', async () => {
    poller.setAttention('full');
    await settle();
    poller.setAttention('none');
    service.requests = [];
    await clock.advance(600_000);
    assert.deepEqual(service.requests, []);
    poller.setAttention('full');
    await settle();
    assert.ok((service.requests as string[]).includes('newest'));
  });

  it('reads the job list once it is a minute old, and for whoever comes back to the view', async () => {
    const lists = (): number => service.requests.filter((request) => request === 'list').length;
    service.runs = [run('10', 'RUNNING')];
    poller.setAttention('full');
    await settle();
    await clock.advance(59_000);
    assert.equal(lists(), 1);
    await clock.advance(2000);
    assert.equal(lists(), 2);
    poller.setAttention('slow');
    await clock.advance(10_000);
    poller.setAttention('full');
    await settle();
    assert.equal(lists(), 3);
  });

  it('refresh works while hidden and does not hang when the view is hidden meanwhile', async () => {
    service.runs = [run('5', 'PENDING')];
    await poller.refresh();
    assert.equal(store.run('5')?.run_id, '5');
    poller.setAttention('full');
    await settle();
    const refreshed = poller.refresh();
    poller.setAttention('none');
    await refreshed;
  });
});
