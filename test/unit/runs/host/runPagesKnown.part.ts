import assert from 'node:assert/strict';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { type FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { failed, good, PagesBench, running, viewOf } from './runPagesBench.ts';

describe('the tabs of runs, by what is known of a run', () => {
  useStillDisk();
  let bench: PagesBench;
  beforeEach(() => (bench = new PagesBench()));
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('tell while nobody looks of nothing that may have changed', async () => {
    const icons = new Set<string>();
    for (const life of ['PENDING', 'QUEUED', 'RUNNING', 'TERMINATING']) {
      bench.given = { ...running, state: { life_cycle_state: life } };
      const panel = await open();
      const seen = String(panel.iconPath?.dark);
      panel.show(false);
      assert.notEqual(String(panel.iconPath?.dark), seen, life);
      icons.add(String(panel.iconPath?.dark));
      panel.close();
    }
    assert.equal(icons.size, 1);
  });

  it('compare a run with what is usual on its own profile, and mark no run that was cancelled', async () => {
    const { store, connections } = bench;
    const earlier = ['1', '2', '3', '4', '5'].map((id) => ({ ...good, run_id: id, number_in_job: id }));
    store.setJobs([{ job_id: '1' }], 1);
    store.setRunsOf('1', earlier, false, 1);
    bench.given = running;
    const shown = async (): Promise<string> => {
      const panel = await open();
      const { subtitle } = viewOf(panel);
      panel.close();
      return subtitle;
    };
    const own = await shown();
    connections.current = staging;
    assert.match(own, /usual/);
    assert.doesNotMatch(await shown(), /usual/);
    bench.given = { ...failed, state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' } };
    const panel = await open();
    while (!viewOf(panel).frame) await settle();
    await settle();
    assert.equal(editor.diagnostics.size, 0);
  });
});
