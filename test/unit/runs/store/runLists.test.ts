import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunLists, type PageOf } from '../../../../src/runs/store/runLists.ts';

describe('the pages of runs', () => {
  let runs: Map<string, Run>;
  let lists: RunLists;
  const run = (id: number, more: Partial<Run> = {}): Run => {
    const made = { run_id: String(id), job_id: '1', run_type: 'JOB_RUN', start_time: id, ...more } as Run;
    runs.set(made.run_id, made);
    return made;
  };
  const idsOf = (of: PageOf): string[] | undefined => lists.get(of)?.runs.map((each) => each.run_id);
  beforeEach(() => {
    runs = new Map();
    lists = new RunLists(runs);
  });

  it('keep at their top what started since they were asked for, also where there was nothing then', () => {
    run(9);
    assert.equal(lists.set({ jobId: '1' }, [], false, ['9']), true);
    assert.deepEqual(idsOf({ jobId: '1' }), ['9']);
    run(3);
    run(10);
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], true, ['3', '9', '10', '5', '77']), true);
    assert.deepEqual(lists.get({ jobId: '1' }), {
      runs: [10, 9, 5, 4].map((id) => runs.get(String(id))),
      hasMore: true,
    });
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], true, ['9', '10']), false, 'the same page');
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], false, ['9', '10']), true, 'it ends there');
  });

  it('have each run once, in whatever order the service gives them', () => {
    assert.equal(lists.set('all', [run(4), run(9), run(6)], true, ['4', '6', '9']), true);
    assert.deepEqual(idsOf('all'), ['4', '9', '6']);
  });

  it('take in a run that belongs to them, in its place and once', () => {
    for (const whose of [{ jobId: '1' }, { jobId: '2' }, 'oneTime', 'all'] as const) lists.set(whose, [], false, []);
    for (const id of [5, 7, 6]) lists.add(run(id));
    lists.add(run(6));
    lists.add(run(8, { run_type: 'SUBMIT_RUN' }));
    assert.deepEqual(
      [idsOf({ jobId: '1' }), idsOf({ jobId: '2' }), idsOf('oneTime'), idsOf('all')],
      [['7', '6', '5'], [], ['8'], ['8', '7', '6', '5']],
    );
    assert.equal(idsOf({ jobId: '3' }), undefined, 'it was not asked for');
  });

  it('take in none that is older than the last of all where there are more', () => {
    lists.set('all', [run(9), run(5)], true, []);
    for (const id of [4, 6]) lists.add(run(id));
    assert.deepEqual(idsOf('all'), ['9', '6', '5']);
    lists.append([run(5), run(3)], false);
    assert.deepEqual([idsOf('all'), lists.get('all')?.hasMore], [['9', '6', '5', '3'], false]);
    lists.add(run(1));
    assert.deepEqual(idsOf('all')?.at(-1), '1');
  });
});
