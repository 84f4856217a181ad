import assert from 'node:assert/strict';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { pageTimers, passFrames } from '../../../support/editorStandIn/page.ts';
import { lines, outputPages } from './outputBench.ts';
import './outputCopy.part.ts';

describe('the output on the page of a run', () => {
  const { sent, make } = outputPages();
  const from = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));

  it('holds only the rows in sight and a few beyond, each at its place', () => {
    const { append, space, rows, numbers, scroll } = make();
    append(lines(100));
    assert.deepEqual(numbers(), from(1, 18));
    assert.deepEqual([space.style['height'], space.style['--row'], space.style['--digits']], ['1800px', '18px', '3']);
    assert.deepEqual(rows()[2], { number: '3', text: 'line 3', at: 'translateY(36px)' });
    const [first] = space.children;
    scroll(90);
    assert.deepEqual([numbers(), space.children[0]], [from(1, 23), first], 'what stays is not drawn again');
    scroll(900);
    assert.deepEqual([numbers(), rows()[0]?.at], [from(43, 68), 'translateY(756px)']);
    scroll(1800);
    assert.deepEqual(numbers(), from(92, 100));
  });

  it('wraps long lines at the width, and not where that is turned off', () => {
    const { element, append, rows, scroller, resize } = make();
    append(`${'x'.repeat(120)}\nend\n`);
    assert.deepEqual(
      rows().map(({ number, text }) => [number, text?.length]),
      [
        ['1', 100],
        ['', 20],
        ['2', 3],
      ],
    );
    scroller.clientWidth = 250;
    resize();
    assert.deepEqual(
      rows().map(({ text }) => text?.length),
      [20, 20, 20, 20, 20, 20, 3],
    );
    const wrap = element.find('Wrap Lines');
    assert.deepEqual([wrap.getAttribute('aria-pressed'), element.classes.has('wrapped')], ['true', true]);
    wrap.does('click');
    passFrames();
    assert.deepEqual([wrap.getAttribute('aria-pressed'), element.classes.has('wrapped')], ['false', false]);
    assert.deepEqual(
      rows().map(({ text }) => text?.length),
      [120, 3],
    );
  });

  it('follows the end of a run that goes on, until the reader goes up, and again from the end', () => {
    const { view, element, append, scroll, scroller } = make();
    const follow = (): string | null => element.find('Follow the End').getAttribute('aria-pressed');
    append(lines(50));
    assert.deepEqual([scroller.scrollTop, follow()], [0, 'false']);
    view.setState({ note: '', isGoing: true, end: '' });
    append(lines(50, 51));
    append('');
    assert.deepEqual([scroller.scrollTop, follow()], [1800, 'true']);
    scroll(1700);
    assert.equal(follow(), 'true', 'at the end still');
    scroll(1000);
    assert.equal(follow(), 'false');
    append(lines(1, 101));
    assert.equal(scroller.scrollTop, 1000);
    view.setState({ note: '', isGoing: true, end: '' });
    assert.equal(follow(), 'false', 'the reader has chosen');
    scroll(1200);
    assert.equal(follow(), 'false');
    scroll(1818 - 180);
    assert.equal(follow(), 'true');
    element.find('Follow the End').does('click');
    assert.equal(follow(), 'false');
  });

  it('does not follow a run that is over unless asked to', () => {
    const { view, element, append, scroll, scroller } = make();
    view.setState({ note: '', isGoing: false, end: 'x' });
    append(lines(50));
    scroll(900 - 180);
    append(lines(50, 51));
    assert.equal(scroller.scrollTop, 720);
    const follow = element.find('Follow the End');
    follow.does('click');
    append('');
    assert.equal(scroller.scrollTop, 1800);
    follow.does('click');
    view.setState({ note: '', isGoing: true, end: '' });
    assert.equal(follow.getAttribute('aria-pressed'), 'false', 'the reader has chosen, also where it goes on again');
    scroll(1000);
    scroll(1800 - 180);
    assert.equal(follow.getAttribute('aria-pressed'), 'true', 'who comes to the end follows it again');
  });

  it('shows colours, and files of the workspace as links', () => {
    const { view, space, append, passTime } = make();
    append(
      '\u001b[1;31mred\u001b[0m \u001b[7;32mturned\u001b[0m\u001b[7mplain\u001b[0m\u001b[2;3;4;44mquiet\u001b[0m\n',
    );
    append('  File "/w/etl.py", line 7, in load\n  File "/w/gone.py", line 1\n');
    assert.deepEqual(sent, []);
    passTime();
    assert.deepEqual(sent, [{ type: 'findFiles', files: ['/w/etl.py', '/w/gone.py'] }]);
    assert.ok(!space.all().some(({ classes }) => classes.has('place')), 'not before they are known to be there');
    view.filesFound([], ['/w/gone.py']);
    view.filesFound(['/w/etl.py'], []);
    passTime();
    assertApproved('output-with-colours-and-links', outline(space));
    assert.equal(sent.length, 1, 'a file is asked for once');
    const link = space.find('place');
    link.does('click');
    link.does('keydown', { key: 'Enter' });
    link.does('keydown', { key: 'x' });
    const open = { type: 'openPlace', place: { file: '/w/etl.py', line: 7 } };
    assert.deepEqual(sent.slice(1), [open, open]);
  });

  it('leads to its files by the keyboard as well, and asks for those in sight in one question', () => {
    const { view, element, append, passTime } = make();
    pageTimers.length = 0;
    append('File "/w/a.py", line 3\nFile "/w/b.py", line 4\n');
    assert.equal(pageTimers.length, 1);
    passTime();
    assert.deepEqual(sent, [{ type: 'findFiles', files: ['/w/a.py', '/w/b.py'] }]);
    view.filesFound(['/w/a.py'], ['/w/b.py']);
    passFrames();
    const links = element.all().filter(({ classes }) => classes.has('place'));
    assert.equal(links.length, 1);
    sent.length = 0;
    for (const key of ['a', ' ', 'Enter']) links[0]?.does('keydown', { key });
    assert.deepEqual(sent, [{ type: 'openPlace', place: { file: '/w/a.py', line: 3 } }]);
  });
});
