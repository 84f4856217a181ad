import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeElements, type Redraw, type TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { AppError } from '../../../../src/shared/errors.ts';

const now = Date.UTC(2026, 0, 1);
const job = (id: string, name = `job ${id}`): Job => ({ job_id: id, settings: { name } });
const run = (id: string, jobId: string, lifeCycle: string): Run => ({
  run_id: id,
  job_id: jobId,
  run_type: 'JOB_RUN',
  start_time: now,
  state: { life_cycle_state: lifeCycle },
});
const everything: Redraw = { all: true, jobIds: new Set(), oneTime: false };
const runsOf = (...jobIds: string[]): Redraw => ({ all: false, jobIds: new Set(jobIds), oneTime: false });

describe('TreeElements', () => {
  let store: RunStore;
  let elements: TreeElements;
  const ids = (drawn: TreeElement[] | 'all'): string[] | 'all' => (drawn === 'all' ? drawn : drawn.map(({ id }) => id));

  beforeEach(() => {
    store = new RunStore();
    const model = new TreeModel({ profileId: 'p', store, now: () => now });
    elements = new TreeElements(() => model);
    store.setJobs([job('1'), job('2')], now);
  });

  it('redraws nothing if nothing changed', () => {
    elements.roots();
    assert.deepEqual(elements.changed(everything), []);
  });

  it('redraws everything when jobs or the connection come or go', () => {
    elements.roots();
    store.setJobs([job('1'), job('2'), job('3')], now);
    assert.equal(elements.changed(everything), 'all');
    elements.roots();
    store.setJobs([job('3')], now);
    assert.equal(elements.changed(everything), 'all');
    elements.roots();
    store.markStale(new AppError('network', 'No answer.'));
    assert.equal(elements.changed(everything), 'all');
    elements.roots();
    assert.deepEqual(elements.changed(everything), []);
    store.setJobs([job('3')], now);
    assert.equal(elements.changed(everything), 'all');
  });

  it('redraws only the changed job and returns the same object for it', () => {
    const [, second] = elements.roots();
    store.setJobs([job('1'), job('2', 'job 2, renamed')], now);
    const drawn = elements.changed(everything);
    assert.deepEqual(ids(drawn), [second?.id]);
    assert.equal(drawn[0], second);
    assert.equal(second?.node.label, 'job 2, renamed');
  });

  it('redraws a changed run without its job', () => {
    store.setRunsOf('1', [run('11', '1', 'RUNNING'), run('10', '1', 'RUNNING')], false, now);
    const [first] = elements.roots();
    assert.ok(first);
    const rows = elements.children(first);
    assert.notEqual(rows, 'notLoaded');
    store.mergeRuns([run('10', '1', 'TERMINATING')], now);
    assert.deepEqual(ids(elements.changed(runsOf('1'))), [
      (rows as TreeElement[]).find(({ node }) => node.runId === '10')?.id,
    ]);
  });

  it('redraws everything instead of hundreds of rows', () => {
    const jobs = Array.from({ length: 201 }, (_, index) => String(index + 1));
    store.setJobs(
      jobs.map((id) => job(id)),
      now,
    );
    elements.roots();
    store.setJobs(
      jobs.map((id) => job(id, `renamed ${id}`)),
      now,
    );
    // The order of the names is unchanged, so the rows are the same.
    assert.equal(elements.changed(everything), 'all');
  });

  it('forgets the rows of a cleared profile', () => {
    elements.roots();
    store.setJobs([job('1'), job('2'), job('3')], now);
    assert.equal(elements.changed(everything), 'all');
    elements.clear();
    store.setJobs([job('9')], now);
    assert.deepEqual(ids(elements.roots()), ['p/job/9']);
  });
});
