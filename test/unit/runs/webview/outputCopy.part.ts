import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pageClipboard } from '../../../support/editorStandIn/page.ts';
import { outputPages } from './outputBench.ts';

describe('the output on the page of a run', () => {
  const { sent, make } = outputPages();

  it('is copied as a whole, by the host where the page may not', async () => {
    const { element, append } = make();
    append('a\nb');
    element.find('Copy All').does('click');
    assert.deepEqual([pageClipboard, sent], [['a\nb'], []]);
    navigator.clipboard.writeText = async () => Promise.reject(new Error('no'));
    element.find('Copy All').does('click');
    await nextTurn();
    assert.deepEqual(sent, [{ type: 'copy', text: 'a\nb' }]);
  });

  it('is copied, numbered and counted by its own lines, though a long one is cut to be drawn', () => {
    const { view, element, append, numbers, scroll, rows } = make();
    const text = `one\n${'x'.repeat(4500)}\ntwo\n`;
    append(text);
    view.setState({ note: '', isGoing: false, end: 'x' });
    assert.ok(view.text === text);
    assert.equal(element.find('note').textContent, '3 lines');
    const seen = new Set(numbers());
    scroll(rows().length * 99);
    for (const number of numbers()) seen.add(number);
    assert.deepEqual([...seen], ['1', '2', '', '3']);
  });
});
