import assert from 'node:assert/strict';
import type { OutputView as View } from '../../../../src/runs/webview/outputView.ts';
import { page, pageTimers, passFrames } from '../../../support/editorStandIn/page.ts';
import { lines, outputPages } from './outputBench.ts';

describe('the output on the page of a run is looked through', () => {
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
    const follow = element.find('Follow the End');
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
});
