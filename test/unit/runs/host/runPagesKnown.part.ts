import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { type FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTrail } from '../../../support/trail.ts';
import { failed, good, PagesBench, running, viewOf } from './runPagesBench.ts';

describe('the tabs of runs, by what is known of a run', () => {
  useStillDisk();
  holdTrail(import.meta.url);
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

  it('tell nothing while nobody looks of what was never drawn', () => {
    for (const subject of [
      { kind: 'run', profileId: 'local', id: '7' },
      { kind: 'job', profileId: 'local', id: '1' },
    ] as const) {
      bench.pages.open(subject);
      bench.panels.at(-1)?.show(false);
    }
    bench.store.setJobs([{ job_id: '1' }], 1);
    for (const run of [running, failed]) bench.store.mergeRuns([run], 1);
    assert.deepEqual(
      bench.panels.map(({ iconPath }) => iconPath),
      [undefined, undefined],
    );
  });

  it('have another colour where a run goes on otherwise, be its shape the same', async () => {
    bench.given = running;
    const panel = await open();
    const seen = String(panel.iconPath?.dark);
    bench.given = { ...running, state: { life_cycle_state: 'TERMINATING', result_state: 'CANCELED' } } as Run;
    await panel.says({ type: 'ready' });
    await settle();
    const [before, after] = [seen, String(panel.iconPath?.dark)].map((icon) => atob(icon.split(',')[1] ?? ''));
    assert.notEqual(before, after);
    const shapeOf = (icon = ''): string => icon.replace(/stroke="[^"]*"/, '');
    assert.equal(shapeOf(before), shapeOf(after));
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

  it('name their profile where the run cannot be read', async () => {
    const { connections } = bench;
    const getRun = async (): Promise<Run> => Promise.reject(new AppError('notFound', 'No run 7.'));
    Object.assign((connections.client as { jobs: object }).jobs, { getRun });
    const panel = await open();
    await eventually(() => assert.equal(viewOf(panel).subtitle, 'Local'));
  });

  it('are given all again where the page is made anew', async () => {
    const panel = await open();
    panel.posted.length = 0;
    await panel.says({ type: 'ready' });
    assert.deepEqual([...new Set(panel.posted.map(({ type }) => type))].toSorted(), ['output', 'run']);
  });
});
