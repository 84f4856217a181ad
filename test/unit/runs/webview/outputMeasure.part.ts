import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { OutputView as View } from '../../../../src/runs/webview/outputView.ts';
import { inPage, OutputView } from '../../../support/editorStandIn/outputView.ts';
import { type FakeElement, page, pageSizes, pageTimers, passFrames } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';

describe('an output whose lines are measured bit by bit', () => {
  holdTrail(import.meta.url);
  inPage();
  after(() => mock.reset());

  it('has its whole height, drawn, once the rest is measured', () => {
    pageTimers.length = pageSizes.length = 0;
    let nowMs = 0;
    // Each look at the clock finds a slice over.
    mock.method(performance, 'now', () => (nowMs += 20));
    const scroller = page.createElement('div');
    Object.assign(scroller, { clientHeight: 180, clientWidth: 808 });
    const view: View = new OutputView(scroller as never, () => undefined);
    const space = (view.element as unknown as FakeElement).find('rows');
    (view.element as unknown as FakeElement).find('ruler').box = { width: 700, height: 18 };
    for (const size of pageSizes) size();
    passFrames();
    view.append(`${'x'.repeat(150)}\n`.repeat(600), false);
    passFrames();
    assert.equal(space.style['height'], `${600 * 18}px`, 'nothing is measured yet');
    mock.reset();
    let slices = 0;
    while (pageTimers.length > 0 && slices < 10) {
      for (const work of pageTimers.splice(0)) work();
      slices += 1;
      passFrames();
    }
    assert.ok(slices > 0);
    assert.equal(space.style['height'], `${1200 * 18}px`);
  });
});
