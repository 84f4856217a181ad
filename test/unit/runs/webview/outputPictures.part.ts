import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { OutputView as View } from '../../../../src/runs/webview/outputView.ts';
import { inPage, OutputView } from '../../../support/editorStandIn/outputView.ts';
import {
  type FakeElement,
  page,
  pageFrames,
  pageSizes,
  pageTimers,
  passFrames,
} from '../../../support/editorStandIn/page.ts';
import { root } from '../../../support/paths.ts';
import { holdTrail } from '../../../support/trail.ts';

describe('the pictures of an output that grows', () => {
  holdTrail(import.meta.url);
  inPage();
  beforeEach(() => {
    pageTimers.length = pageSizes.length = pageFrames.length = 0;
  });

  const make = () => {
    const scroller = page.createElement('div');
    Object.assign(scroller, { clientHeight: 180, clientWidth: 808 });
    const view: View = new OutputView(scroller as never, () => undefined);
    const space = (view.element as unknown as FakeElement).find('rows');
    for (const size of pageSizes) size();
    passFrames();
    return { scroller, view, space };
  };
  const lines = (count: number): string => 'line\n'.repeat(count);

  it('are one for each piece: what the page itself scrolled to is not drawn again', () => {
    const { scroller, view } = make();
    view.setState({ note: '', isGoing: true, end: '' });
    view.append(lines(100), false);
    Object.assign(scroller, { scrollHeight: 1800 });
    passFrames();
    assert.equal(scroller.scrollTop, 1800);
    scroller.does('scroll');
    assert.equal(pageFrames.length, 0);
    scroller.scrollTop = 900;
    scroller.does('scroll');
    assert.equal(pageFrames.length, 1, 'what somebody else scrolled to is');
  });

  it('style all rows anew only where their numbers grow', () => {
    const { view, space } = make();
    const widths: unknown[] = [];
    const { setProperty } = space.style as { setProperty: (name: string, value: string) => void };
    space.style['setProperty'] = (name: string, value: string) => {
      if (name === '--digits') widths.push(value);
      setProperty(name, value);
    };
    for (const count of [5, 1, 1, 10, 20, 100]) {
      view.append(lines(count), false);
      passFrames();
    }
    assert.deepEqual(widths, ['2', '3']);
  });

  it('are not made for what only shows that a run goes on more often than such signs need', () => {
    const folder = path.join(root, 'src', 'runs', 'webview');
    const endless = fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.css'))
      .flatMap((name) => fs.readFileSync(path.join(folder, name), 'utf8').match(/animation:[^;]*infinite/g) ?? []);
    assert.equal(endless.length, 3);
    for (const animation of endless) {
      // The steps are those of one stretch between two of its states.
      const [, seconds, steps] = /([0-9.]+)s steps\(([0-9]+)\)/.exec(animation) ?? [];
      assert.ok(Number(steps) / Number(seconds) <= 20, `${animation}: the window is drawn 60 times a second for it`);
    }
  });
});
