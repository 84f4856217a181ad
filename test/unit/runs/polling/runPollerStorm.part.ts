import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { settle } from '../../../support/fakeClock.ts';
import { intervals, startPolling, stopPolling } from './polledService.ts';

const next: Readonly<Record<string, string>> = {
  PENDING: 'RUNNING',
  RUNNING: 'TERMINATING',
  TERMINATING: 'TERMINATED',
};
const results = ['SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED'] as const;

describe('RunPoller in a storm of changes', function () {
  this.timeout(60_000);
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  /** The same numbers each time. */
  let seed = 1;
  const upTo = (count: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * count);
  };
  let lastId = 0;

  /** A run begins, goes on, ends or is deleted. */
  const change = (): void => {
    const active = service.runs.filter(({ state }) => next[state?.life_cycle_state ?? ''] !== undefined);
    const what = upTo(10);
    if (what === 0 && service.runs.length > 300) {
      service.runs.splice(service.runs.length - 1 - upTo(200), 1);
      return;
    }
    const going = active[upTo(active.length)];
    if (!going || (what < 4 && active.length < 60)) {
      lastId += 1;
      const state = { life_cycle_state: 'PENDING' } as Run['state'];
      service.runs.unshift({
        run_id: String(lastId),
        job_id: String(1 + upTo(40)),
        number_in_job: String(lastId),
        run_type: 'JOB_RUN',
        start_time: lastId,
        state,
      });
      return;
    }
    const life = next[going.state?.life_cycle_state ?? ''] ?? '';
    const result = life === 'TERMINATED' ? { result_state: results[upTo(4)] } : {};
    going.state = { life_cycle_state: life, ...result } as Run['state'];
  };

  /** How jobs went last is asked for a few at a time. */
  const readAll = async (by: RunPoller): Promise<void> => {
    for (let look = 0; look < 3; look += 1) {
      await by.refresh({ byUser: true });
      for (let turn = 0; turn < 40; turn += 1) await settle();
    }
  };

  const rows = (of: RunStore): unknown[] =>
    new TreeModel({ profileId: 'team', store: of, now: () => 1_000_000 })
      .roots()
      .map(({ label, description, icon, context }) => ({ label, description, icon, context }));

  it('shows what the service has after 10,000 of them, and asks for three lists a look at most', async () => {
    service.jobs = Array.from({ length: 40 }, (_, index) => ({
      job_id: String(index + 1),
      settings: { name: `job ${String(index + 1).padStart(2, '0')}` },
    }));
    poller.setAttention('full');
    await settle();
    let mostOfALook = 0;
    for (let count = 1; count <= 10_000; count += 1) {
      change();
      if (count % 20 !== 0) continue;
      service.requests = [];
      await clock.advance(intervals.activeInMs);
      const lists = service.requests.filter((request) => ['list', 'newest', 'active'].includes(request));
      mostOfALook = Math.max(mostOfALook, lists.length);
    }
    await readAll(poller);
    assert.ok(mostOfALook <= 3, `${mostOfALook} lists in one look`);
    assert.ok(service.mostAtOnce <= 2, `${service.mostAtOnce} at once`);
    const isActive = ({ state }: Run): boolean => next[state?.life_cycle_state ?? ''] !== undefined;
    assert.deepEqual(
      store.activeRuns.map(({ run_id: id }) => id).toSorted(),
      service.runs
        .filter(isActive)
        .map(({ run_id: id }) => id)
        .toSorted(),
    );
    for (const { job_id: jobId } of service.jobs) {
      const known = store.lastRun(jobId);
      const last = service.runs.find(({ job_id: id }) => id === jobId);
      assert.deepEqual(known.kind === 'run' ? known.run.state : known.kind, last?.state ?? 'none', `job ${jobId}`);
    }
    const fresh = new RunStore();
    const reader = new RunPoller({
      store: fresh,
      clock,
      connect: async () => ({ client: { jobs: service.client }, intervals }),
    });
    reader.setAttention('full');
    await readAll(reader);
    assert.deepEqual(rows(store), rows(fresh), 'the rows of a window that is opened now');
    reader.dispose();
    fresh.dispose();
  });
});
