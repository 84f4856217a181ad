import assert from 'node:assert/strict';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import type { FakePanel } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { PagesBench } from './runPagesBench.ts';

describe('the tab of a run', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  beforeEach(() => {
    bench = new PagesBench();
    ({ panels } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('runs the commands of its buttons for this run, and nothing else', async () => {
    const panel = await open();
    editor.pick = (items) => items.find((item) => (item as { id: string }).id === 'curl');
    const ids = ['explain', 'toString', 'millrace.run.delete', 'repeatWithChanges', 'compare', 'more'];
    for (const id of ids) await panel.says({ type: 'action', id });
    for (const odd of [{ type: 'unknown' }, 'nothing']) await panel.says(odd);
    assert.deepEqual(
      editor.executed,
      ['askChat', 'repeatWithChanges', 'compare', 'copyAsCurl'].map((name) => [
        `millrace.run.${name}`,
        { profileId: 'local', runId: '7' },
      ]),
    );
    await panel.says({ type: 'copy', text: 'x' });
    assert.equal(editor.clipboard, 'x');
    await panel.says({ type: 'openRun', runId: '5' });
    assert.equal(panels.length, 2);
    await panel.says({ type: 'openJob', jobId: '3' });
    assert.equal(panels.length, 3);
    assert.match(panels[2]?.webview.html ?? '', /data-subject="\{&quot;kind&quot;:&quot;job&quot;/);
    await panel.says({ type: 'action', id: 'jobFile' });
    assert.deepEqual(editor.executed.at(-1), ['millrace.job.openAsFile', { profileId: 'local', jobId: '1' }]);
  });
});
