import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { sortJobs } from '../../../../src/runs/jobNames.ts';
import { localIntervals, RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { isFiltered, plainArrangement, type Arrangement } from '../../../../src/runs/tree/arrangement.ts';
import { TreeElements, type Redraw } from '../../../../src/runs/tree/treeElements.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { cpuOf } from '../../../support/cpuTime.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';
import { intervals, run, startPolling, stopPolling } from './polledService.ts';

const jobCount = 12_000;
const activeCount = 60;
const ticks = 40;
/** As the tree of the editor waits. */
const drawDelayInMs = 40;

/** What others do on the machine makes times longer and none shorter. */
const quarter = (times: readonly number[]): number =>
  times.toSorted((left, right) => left - right)[Math.floor(times.length / 4)] ?? Number.NaN;

describe('what a tick of RunPoller costs the host with 12,000 jobs', function () {
  holdTrail(import.meta.url);
  this.timeout(120_000);
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
    service.jobs = Array.from({ length: jobCount }, (_, index) => ({
      job_id: String(index + 1),
      // Names that do not come in the order of the ids.
      settings: { name: `job ${String((index * 7919) % jobCount).padStart(5, '0')}` },
    }));
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  const ended = (jobId: number): Run =>
    run(String(jobId), 'TERMINATED', {
      job_id: String(jobId),
      start_time: clock.now() - 3_600_000 - ((jobId * 7919) % jobCount),
      state: { life_cycle_state: 'TERMINATED', result_state: jobId % 9 === 0 ? 'FAILED' : 'SUCCESS' },
    });

  /** The service gives the newest runs and the active ones; the store knows how each job went last. */
  const know = async (): Promise<void> => {
    service.runs = [
      ...Array.from({ length: activeCount }, (_, index) =>
        run(String(30_000 - index), 'RUNNING', { job_id: String(1 + index * 97), start_time: clock.now() - index }),
      ),
      ...Array.from({ length: 30 }, (_, index) => ended(jobCount - index)),
    ];
    service.hasMore = true;
    await settle();
    store.mergeRuns(
      service.jobs.map(({ job_id: id }) => ended(Number(id))),
      clock.now(),
    );
    store.settle(service.jobs.map(({ job_id: id }) => id));
    await settle();
  };

  /** The tree as the editor holds it. @returns counts the rows that it was given again */
  const draw = (arrangement: Arrangement): (() => number) => {
    const model = new TreeModel({ profileId: 'team', store, now: () => clock.now(), arrangement: () => arrangement });
    const elements = new TreeElements(() => model);
    elements.roots();
    let count = 0;
    let pending: Redraw | undefined;
    const redraw = (): void => {
      const changed = pending ? elements.changed(pending) : [];
      pending = undefined;
      count += (changed === 'all' ? elements.roots() : changed).length;
    };
    store.onDidChange((change) => {
      // Changes that come together are drawn together.
      if (!pending) clock.schedule(drawDelayInMs, redraw);
      pending ??= { all: false, jobIds: new Set(), oneTime: false };
      if (change.kind === 'runs') for (const jobId of change.jobIds) pending.jobIds.add(jobId);
      else pending.all = true;
      // The line above the rows, which a filter brings.
      if (isFiltered(arrangement)) void model.counts;
    });
    return () => count;
  };

  /** CPU milliseconds of a tick, and beside it of sorting the jobs by name once. */
  const measure = async (everyInMs: number, before: () => void): Promise<{ tick: number; sorting: number }> => {
    const times: number[] = [];
    const sortings: number[] = [];
    for (let tick = -5; tick < ticks; tick += 1) {
      before();
      const time = await cpuOf(() => clock.advance(everyInMs));
      const sorting = await cpuOf(() => sortJobs(service.jobs));
      if (tick < 0) continue;
      times.push(time);
      sortings.push(sorting);
    }
    await clock.advance(drawDelayInMs);
    return { tick: quarter(times), sorting: quarter(sortings) };
  };

  const assertSmall = ({ tick, sorting }: { tick: number; sorting: number }): void => {
    const words = `${tick} ms, where sorting takes ${sorting} ms`;
    assert.ok(tick < 20, words);
    assert.ok(tick < sorting / 3, words);
  };

  for (const [name, arrangement] of [
    ['by name', plainArrangement],
    ['active ones first, by last run', { ...plainArrangement, sort: 'lastRun', activeFirst: true }],
    ['filtered by state', { ...plainArrangement, states: ['active', 'failed'] }],
  ] as const) {
    it(`is less than 20 ms for asking, merging and drawing what goes on: ${name}`, async () => {
      poller.setAttention('full');
      await know();
      const drawn = draw(arrangement);
      service.requests = [];
      const taken = await measure(intervals.activeInMs, () => undefined);
      const looks = service.requests.filter((request) => request === 'newest').length;
      assert.deepEqual([looks >= ticks, drawn() > ticks], [true, true], 'each tick looked and drew');
      assertSmall(taken);
    });

    it(`is less than 20 ms, and that of drawing the rows in sight, where one run ended and another began: ${name}`, async () => {
      poller.setAttention('full');
      await know();
      const drawn = draw(arrangement);
      let next = 40_000;
      const { tick, sorting } = await measure(intervals.activeInMs, () => {
        next += 1;
        const over = service.runs[activeCount - 1];
        if (over) over.state = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
        service.runs.unshift(
          run(String(next), 'RUNNING', { job_id: String((next * 31) % jobCount), start_time: clock.now() }),
        );
      });
      assert.deepEqual([store.activeRuns.length, drawn() > ticks], [activeCount, true]);
      const words = `${tick} ms, where sorting takes ${sorting} ms`;
      assert.ok(tick < 20, words);
      assert.ok(tick < sorting * 2.5, words);
    });
  }

  it('is less than 20 ms for the time that passes where the service tells of changes', async () => {
    const localService = service.localService(clock);
    const told = new RunPoller({
      store,
      clock,
      connect: async () => ({ client: { jobs: service.client, localService }, intervals: localIntervals }),
    });
    told.setAttention('full');
    try {
      await know();
      const drawn = draw(plainArrangement);
      service.requests = [];
      const taken = await measure(1000, () => undefined);
      assert.deepEqual([service.requests.includes('newest'), drawn() > ticks], [false, true]);
      assertSmall(taken);
    } finally {
      told.dispose();
    }
  });
});
