import assert from 'node:assert/strict';
import { passFrames } from '../../../support/editorStandIn/page.ts';
import { lines, of, outputPages } from './outputBench.ts';

describe('the end of an output that comes faster than it is read', () => {
  const { make } = outputPages();

  it('shows its newest lines below while those between are being read, in their colours', () => {
    const { view, element, append } = make();
    append(lines(3));
    const tail = element.find('tail');
    const shown = (): unknown[] => of(tail.children[1]).children.map(({ textContent }) => textContent);
    assert.equal(tail.hidden, true);
    view.showTail(`\x1b[31m${lines(100, 900)}`, 45_600_000);
    passFrames();
    assert.equal(tail.hidden, false);
    assert.equal(of(tail.children[0]).textContent, '45.6 MB between these lines are still being read.');
    assert.deepEqual([shown().length, shown()[0], shown().at(-1)], [80, 'line 920', 'line 999']);
    assert.equal(tail.all().filter(({ classes }) => classes.has('ansi-1')).length, 80);
    view.showTail('last\n', 1);
    assert.deepEqual(shown(), ['last'], 'they take the place of those before');
    view.showTail('', 0);
    assert.deepEqual([tail.hidden, shown()], [true, []]);
  });
});
