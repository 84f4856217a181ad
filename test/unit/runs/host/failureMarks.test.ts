import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import type { RunStore } from '../../../../src/runs/store/runStore.ts';
import { type FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { type FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { failed, good, PagesBench, viewOf } from './runPagesBench.ts';

describe('the tabs of runs, where they failed', () => {
  useStillDisk();
  let bench: PagesBench;
  let connections: FakeConnections;
  let pages: RunPages;
  let store: RunStore;
  beforeEach(() => {
    bench = new PagesBench();
    ({ connections, pages, store } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('mark nothing that failed before a run of the job which is known to be good', async () => {
    store.setJobs([{ job_id: failed.job_id ?? '' }], 1);
    store.setRunsOf(failed.job_id ?? '', [good, failed], true, 1);
    const panel = await open();
    while (!viewOf(panel).frame) await settle();
    for (let turn = 0; turn < 20; turn += 1) await settle();
    assert.equal(editor.diagnostics.size, 0);
  });

  it('of the local service tell what was raised, in so many letters as a message has room for', async () => {
    const connection = await connections.connect();
    const ended = (run: Run = { ...failed, run_id: '9' }, profile = localProfile): Promise<string | undefined> =>
      pages.marks.ended({ ...connection, profile }, { run, job: undefined });
    assert.equal(await ended(undefined, staging), undefined);
    assert.equal(
      await ended({ ...failed, state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' } }),
      undefined,
    );
    assert.deepEqual(bench.outputAsked, [], 'nothing is asked for it');
    bench.left = bench.left.replace('no', 'x'.repeat(300));
    assert.equal(await ended(), `ValueError: ${'x'.repeat(188)} (rates.py:2)`);
    assert.deepEqual(bench.outputAsked, [{ runId: '9', offset: 999_999_999, wait: false }]);
    bench.left = 'Traceback (most recent call last):\n  File "/work/rates.py", line 2, in rate\n';
    assert.equal(await ended({ ...failed, run_id: '10' }), undefined);
    const [mark] = editor.diagnostics.get('file:///work/rates.py') as { message: string }[];
    assert.match(mark?.message ?? 'not marked', /failed here: the run failed$/);
    bench.left = '';
    assert.equal(await ended({ ...failed, run_id: '11' }), undefined);
  });
});
