import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { OutputView as View } from '../../../../src/runs/webview/outputView.ts';
import { page, pageTimers, passFrames } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { lines, outputPages } from './outputBench.ts';

describe('the output on the page of a run is looked through', () => {
  holdTrail(import.meta.url);
  const { make } = outputPages();

  const find = (text: string) => {
    const made = make();
    const view: View = made.view;
    made.append(text);
    const input = made.element.find('find-input');
    const type = (wanted: string): void => {
      input.value = wanted;
      input.does('input');
      passFrames();
    };
    const bar = made.element.find('find');
    const count = (): string => bar.find('quiet').textContent;
    const marked = (): string[] =>
      made.space
        .all()
        .filter(({ classes }) => classes.has('match'))
        .map((span) => `${span.className.replace('match', '').trim()}:${span.textContent}`);
    return { ...made, view, input, type, bar, count, marked };
  };

  it('without regard to case, with the match in the middle of the page', () => {
    const { view, bar, input, type, count, marked, scroller } = find(`${lines(60)}LINE 61 line 61\n${lines(39, 62)}`);
    assert.equal(bar.hidden, true);
    view.openFind();
    assert.deepEqual([bar.hidden, page.activeElement, count()], [false, input, '']);
    type('line 61');
    assert.deepEqual([count(), scroller.scrollTop], ['1 of 2', 60 * 18 - 90]);
    assert.deepEqual(marked(), ['current:LINE 61', 'other:line 61']);
    bar.find('Next Match').does('click');
    passFrames();
    assert.equal(count(), '2 of 2');
    input.does('keydown', { key: 'Enter' });
    assert.equal(count(), '1 of 2');
    input.does('keydown', { key: 'Enter', shiftKey: true });
    assert.equal(count(), '2 of 2');
    bar.find('Previous Match').does('click');
    assert.equal(count(), '1 of 2');
    type('nothing like it');
    assert.deepEqual([count(), marked()], ['No results', []]);
    bar.find('Next Match').does('click');
    type('LINE 61');
    assert.equal(marked().length, 2);
    type('');
    assert.deepEqual([count(), marked()], ['', []]);
  });

  it('with words for who does not see it', () => {
    const { bar, input, view } = find('needle\n');
    view.openFind();
    assert.deepEqual(
      [input.getAttribute('aria-label'), bar.getAttribute('role'), bar.find('quiet').getAttribute('role')],
      ['Find in output', 'search', 'status'],
    );
  });

  it('and found later, however often one stepped on where there was nothing yet', () => {
    const { view, bar, type, count, append, scroller } = find(lines(60));
    view.openFind();
    type('needle');
    for (const button of ['Next Match', 'Previous Match']) bar.find(button).does('click');
    assert.equal(count(), 'No results');
    append('a needle\nneedle\n');
    assert.deepEqual([count(), scroller.scrollTop], ['1 of 2', 60 * 18 - 90], 'the first comes into sight');
  });

  it('while it grows, its last line once it is whole', () => {
    const { view, type, count, append, bar } = find('a needle\nneedl');
    view.openFind();
    type('needle');
    assert.equal(count(), '1 of 1');
    append('e');
    assert.equal(count(), '1 of 1');
    append('s\nneedle\n');
    assert.equal(count(), '1 of 3');
    append('no\n', true);
    assert.equal(count(), 'No results');
    append('a needle\n');
    assert.equal(count(), '1 of 1');
    bar.find('Close').does('click');
    append('needle\n');
    assert.equal(count(), '');
  });

  it('and left with Escape, which gives the focus back', () => {
    const { view, input, type, bar, scroller, marked, element, append } = find('a needle\n');
    view.setState({ note: '', isGoing: true, end: '' });
    view.openFind();
    assert.equal(element.find('Follow Output').getAttribute('aria-pressed'), 'false');
    type('needle');
    assert.equal(marked().length, 1);
    assert.equal(input.does('keydown', { key: 'a' }), false);
    assert.equal(input.does('keydown', { key: 'Escape' }), true);
    append('');
    assert.deepEqual([bar.hidden, page.activeElement, marked()], [true, scroller, []]);
  });

  it('up to 10,000 matches', () => {
    const { view, type, count } = find(`${'ab'.repeat(6000)}\n${'ab\n'.repeat(6000)}`);
    view.openFind();
    type('b');
    for (let turn = 0; turn < 50 && pageTimers.length > 0; turn += 1) for (const work of pageTimers.splice(0)) work();
    assert.equal(count(), '1 of 10000+');
  });

  it('in any number of places, of which one is the current one, and steps round their ends', () => {
    const { view, bar, type, count, marked, scroller } = find(`needle\nneedle needle\n${lines(30)}needle\n`);
    view.openFind();
    type('needle');
    const isCurrent = (): boolean[] => marked().map((span) => span.startsWith('current'));
    assert.deepEqual([count(), isCurrent()], ['1 of 4', [true, false, false]]);
    for (const [button, told] of [
      ['Next Match', '2 of 4'],
      ['Next Match', '3 of 4'],
      ['Previous Match', '2 of 4'],
      ['Previous Match', '1 of 4'],
      ['Previous Match', '4 of 4'],
    ] as const) {
      bar.find(button).does('click');
      passFrames();
      assert.equal(count(), told);
    }
    assert.equal(scroller.scrollTop, 32 * 18 - 90);
    bar.find('Next Match').does('click');
    passFrames();
    assert.deepEqual([count(), scroller.scrollTop, isCurrent()], ['1 of 4', 0, [true, false, false]]);
  });

  it('as it grows, in slices of twelve milliseconds', () => {
    const { view, type, count, append, marked, bar } = find(`${'none\n'.repeat(3)}needle\n`);
    view.openFind();
    type('needle');
    append('needle\n');
    assert.deepEqual([count(), marked()], ['1 of 2', ['current:needle', 'other:needle']], 'marked as it comes');
    bar.find('Next Match').does('click');
    append('needle\n');
    assert.equal(count(), '2 of 3', 'the one that was stepped to stays');
    append('none\n'.repeat(200_000));
    let nowMs = 0;
    const now = mock.method(performance, 'now', () => nowMs);
    try {
      pageTimers.length = 0;
      type('no such thing');
      assert.equal(pageTimers.length, 0, 'there is time');
      now.mock.mockImplementation(() => (nowMs += 13));
      type('no such thing');
      assert.deepEqual([count(), pageTimers.length], ['Searching…', 1]);
      now.mock.mockImplementation(() => nowMs);
      append('none\n');
      assert.equal(count(), 'Searching…', 'what comes meanwhile has its turn');
      for (let turn = 0; turn < 99 && pageTimers.length > 0; turn += 1) for (const work of pageTimers.splice(0)) work();
      assert.equal(count(), 'No results');
    } finally {
      now.mock.restore();
    }
  });

  it('for twelve milliseconds at a time', () => {
    const { view, type, append } = find('needle\n');
    append('needle\n');
    view.openFind();
    const now = mock.method(performance, 'now');
    try {
      for (const [tookMs, timers] of [
        [12, 0],
        [12.1, 1],
      ] as const) {
        let calls = 0;
        now.mock.mockImplementation(() => (calls++ === 0 ? 0 : tookMs));
        pageTimers.length = 0;
        type('needle');
        assert.equal(pageTimers.length, timers, String(tookMs));
      }
    } finally {
      now.mock.restore();
    }
  });

  it('no more for a text that was taken back', () => {
    const { view, type, count, append, element } = find('none\n');
    append('needle\n');
    view.openFind();
    const now = mock.method(performance, 'now', () => performance.timeOrigin + (later += 13));
    let later = 0;
    try {
      for (const leave of [() => type(''), () => element.find('find').find('Close').does('click')]) {
        pageTimers.length = 0;
        view.openFind();
        type('needle');
        assert.deepEqual([count(), pageTimers.length], ['Searching…', 1]);
        leave();
        assert.deepEqual([count(), pageTimers.length], ['', 0]);
      }
    } finally {
      now.mock.restore();
    }
  });

  it('up to the ten thousandth match, which is the last', () => {
    const { view, type, count, bar, append } = find(`${'b'.repeat(9_999)}\n`);
    append('bb\nb\n');
    view.openFind();
    type('b');
    for (let turn = 0; turn < 50 && pageTimers.length > 0; turn += 1) for (const work of pageTimers.splice(0)) work();
    bar.find('Previous Match').does('click');
    assert.equal(count(), '10000 of 10000+');
  });

  it('one match back with Shift and Enter, by keys that nobody else hears of', () => {
    const { view, input, type, count, element } = find('needle\nneedle\nneedle\n');
    view.openFind();
    type('needle');
    let stopped = 0;
    const press = (key: string, shiftKey = false): string => {
      const stopPropagation = (): void => void (stopped += 1);
      const event = new Event('keydown', { cancelable: true });
      input.dispatchEvent(Object.assign(event, { key, shiftKey, stopPropagation }));
      return count();
    };
    assert.deepEqual([press('Enter', true), press('Enter', true), press('Enter')], ['3 of 3', '2 of 3', '3 of 3']);
    press('a');
    assert.equal(stopped, 3);
    const follow = element.find('Follow Output');
    follow.does('click');
    assert.equal(follow.getAttribute('aria-pressed'), 'true');
    element.find('find').find('Next Match').does('click');
    assert.equal(follow.getAttribute('aria-pressed'), 'false', 'who looks for something stays at it');
    press('Escape');
    assert.equal(stopped, 4);
    input.selectionStart = 5;
    view.openFind();
    assert.deepEqual([input.selectionStart, count()], [0, '1 of 3'], 'what was looked for can be typed over');
  });

  it('across the cut of a line that is too long to be drawn as one', () => {
    const { view, type, count, marked } = find(`${'x'.repeat(3998)}needle${'y'.repeat(9)}\n`);
    view.openFind();
    type('needle');
    assert.deepEqual([count(), marked()], ['1 of 1', ['current:ne', 'current:edle']]);
  });

  it('in lines that are in sight already when their turn comes', () => {
    const { view, type, count, marked, scroll } = find(`needle\n${'none\n'.repeat(200_000)}needle\n`);
    const passTurns = (): void => {
      for (let turn = 0; turn < 99 && pageTimers.length > 0; turn += 1) for (const work of pageTimers.splice(0)) work();
      passFrames();
    };
    passTurns();
    let nowMs = 0;
    const now = mock.method(performance, 'now', () => (nowMs += 13));
    try {
      view.openFind();
      type('needle');
      scroll(200_002 * 18 - 180);
      assert.deepEqual([count(), marked()], ['1 of 1', []]);
      now.mock.mockImplementation(() => nowMs);
      passTurns();
      assert.deepEqual([count(), marked()], ['1 of 2', ['other:needle']]);
    } finally {
      now.mock.restore();
    }
  });
});
