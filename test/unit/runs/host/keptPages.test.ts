import assert from 'node:assert/strict';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import type { memento } from '../../../support/editorStandIn/editorStandIn.ts';
import type { FakePanel } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { PagesBench, subject } from './runPagesBench.ts';

describe('the tabs of runs, in the next window', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  let kept: ReturnType<typeof memento>;
  let pages: RunPages;
  beforeEach(() => {
    bench = new PagesBench();
    ({ panels, kept, pages } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('are remembered by the names of their tabs: the hundred newest, each under the name that it has now', async () => {
    const old = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`old #${index}`, { ...subject, id: String(1000 + index) }]),
    );
    kept.values['millrace.openPages'] = { ...old };
    const names = (): string[] => Object.keys(kept.values['millrace.openPages'] as object);
    const panel = await open();
    assert.deepEqual([names().length, names()[0], names().at(-1)], [100, 'old #1', 'etl #3'], 'not as "Run 7"');
    const other = { ...subject, id: '8' };
    pages.open(other, 'etl #4');
    assert.deepEqual([names().length, names()[0], names().at(-1)], [100, 'old #2', 'etl #4']);
    assert.deepEqual((kept.values['millrace.openPages'] as object)['etl #4' as never], other);
    await panels.at(-1)?.says({ type: 'ready' });
    assert.equal(panels.at(-1)?.title, 'etl #3', 'what the service calls it');
    panel.close();
    assert.equal(names().includes('old #99'), true, 'the others stay');
    assert.equal(names().includes('etl #3'), false);
  });
});
