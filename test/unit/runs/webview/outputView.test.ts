import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FromPage } from '../../../../src/runs/page/pageProtocol.ts';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { inPage, OutputView } from '../../../support/editorStandIn/outputView.ts';
import {
  type FakeElement,
  page,
  pageClipboard,
  pageSizes,
  pageTimers,
  passFrames,
} from '../../../support/editorStandIn/page.ts';

const of = (element: unknown): FakeElement => element as FakeElement;

describe('the output on the page of a run', () => {
  let sent: FromPage[];
  inPage();
  beforeEach(() => {
    sent = [];
    pageTimers.length = pageSizes.length = pageClipboard.length = 0;
    page.activeElement = page.body;
  });

  /** A page of ten rows of 18 pixels and a hundred columns. */
  const make = () => {
    const scroller = page.createElement('div');
    Object.assign(scroller, { clientHeight: 180, clientWidth: 808 });
    const view = new OutputView(scroller as never, (message) => sent.push(message));
    const element = of(view.element);
    const space = element.find('rows');
    element.find('ruler').box = { width: 700, height: 17.2 };
    const passTime = (): void => {
      for (const work of pageTimers.splice(0)) work();
      passFrames();
    };
    const resize = (): void => {
      for (const size of pageSizes) size();
      passFrames();
    };
    const append = (text: string, reset = false): void => {
      view.append(text, reset);
      layOut();
    };
    const layOut = (): void => {
      passFrames();
      scroller.scrollHeight = Number.parseInt(String(space.style['height'] ?? '0'), 10);
    };
    const scroll = (top: number): void => {
      scroller.scrollTop = top;
      scroller.does('scroll');
      layOut();
    };
    resize();
    const rows = () =>
      space.children.map((row) => {
        const [number, text] = of(row).children.map((part) => part.textContent);
        return { number, text, at: of(row).style['transform'] };
      });
    const numbers = () => rows().map(({ number }) => number);
    return { view, element, scroller, space, rows, numbers, append, scroll, passTime, resize };
  };
  const lines = (count: number, from = 1): string =>
    Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');
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

  it('draws nothing while it is below what is in sight', () => {
    const { space, append, numbers } = make();
    space.offsetTop = 400;
    append(lines(3));
    assert.deepEqual(numbers(), []);
    space.offsetTop = 100;
    append(lines(1, 4));
    assert.deepEqual(numbers(), from(1, 4));
  });

  it('lets the last line grow, and begins anew', () => {
    const { append, rows, numbers } = make();
    append('one\ntw');
    assert.deepEqual(
      rows().map(({ text }) => text),
      ['one', 'tw'],
    );
    append('o\nthree');
    assert.deepEqual(
      rows().map(({ text }) => text),
      ['one', 'two', 'three'],
    );
    append('other\n', true);
    assert.deepEqual([rows().map(({ text }) => text), numbers()], [['other'], ['1']]);
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

  it('keeps the line that is read in sight where wrapping changes', () => {
    const { element, append, scroll, scroller } = make();
    append(`${'x'.repeat(200)}\n`.repeat(50));
    scroll(20 * 18);
    element.find('Wrap Lines').does('click');
    assert.equal(scroller.scrollTop, 10 * 18);
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

  it('is drawn ten times a second at most where it comes faster than anybody reads', () => {
    const { view, numbers, append, passTime } = make();
    view.setState({ note: '', isGoing: true, end: '' });
    append(lines(10));
    const flood = lines(2000, 11);
    append(flood);
    append('');
    append(lines(2000, 2011));
    // On a slow machine what is there is measured later, too.
    assert.deepEqual([numbers().at(-1), pageTimers.length > 0], ['2010', true]);
    append('more\n');
    append('');
    assert.equal(numbers().at(-1), '4011', 'what can be read is drawn at once, with all that came before it');
    append(flood);
    assert.equal(numbers().at(-1), '4011', 'not again');
    passTime();
    append('');
    append('');
    assert.equal(numbers().at(-1), '6011');
    for (let turn = 0; turn < 20 && pageTimers.length > 0; turn += 1) passTime();
    assert.equal(pageTimers.length, 0, 'and not for ever');
  });

  it('shows its newest lines below while those between are being read, in their colours', () => {
    const { view, element, append } = make();
    append(lines(3));
    const tail = element.find('tail');
    const shown = (): unknown[] => of(tail.children[1]).children.map(({ textContent }) => textContent);
    assert.equal(tail.hidden, true);
    view.showTail(`\x1b[31m${lines(100, 900)}`, 45_600_000);
    passFrames();
    assert.equal(of(tail.children[0]).textContent, '45.6 MB between these lines are still being read.');
    assert.deepEqual([shown().length, shown()[0], shown().at(-1)], [80, 'line 920', 'line 999']);
    assert.equal(tail.all().filter(({ classes }) => classes.has('ansi-1')).length, 80);
    view.showTail('', 0);
    assert.deepEqual([tail.hidden, shown()], [true, []]);
  });

  it('does not follow a run that is over unless asked to', () => {
    const { view, element, append, scroll, scroller } = make();
    view.setState({ note: '', isGoing: false, end: 'x' });
    append(lines(50));
    scroll(900 - 180);
    append(lines(50, 51));
    assert.equal(scroller.scrollTop, 720);
    element.find('Follow the End').does('click');
    append('');
    assert.equal(scroller.scrollTop, 1800);
  });

  it('says how much there is and how it ended', () => {
    const { view, element, append } = make();
    const told = (): unknown[] => ['note', 'output-end', 'output-versions'].map((name) => element.find(name)).map(said);
    const said = ({ textContent, hidden }: FakeElement): unknown => (hidden ? undefined : textContent);
    view.setState({ note: '', isGoing: true, end: '' });
    assert.deepEqual(told(), ['', 'Nothing was written yet.', undefined]);
    view.setState({ note: 'n', isGoing: false, end: '' });
    assert.deepEqual(told(), ['n', undefined, undefined]);
    view.setState({ note: '', isGoing: false, end: 'cut' });
    assert.deepEqual(told(), ['', 'This run wrote nothing.', undefined]);
    append('a');
    view.setState({ note: 'cut', isGoing: false, end: 'cut', versions: 'Python 3' });
    assert.deepEqual(told(), ['1 line · cut', 'cut', 'Python 3']);
    append(lines(1200));
    view.setState({ note: '', isGoing: true, end: '' });
    assert.deepEqual(told(), ['1,200 lines', undefined, undefined]);
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

  it('asks for many files a hundred at a time', () => {
    const { append, passTime, scroll } = make();
    append(Array.from({ length: 130 }, (_, index) => `File "/w/${index}.py", line 1\n`).join(''));
    for (let top = 0; top < 130 * 18; top += 180) scroll(top);
    passTime();
    assert.deepEqual(
      sent.map((message) => message.type === 'findFiles' && message.files.length),
      [100, 30],
    );
  });

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

  it('can be scrolled to its end where it is higher than a browser lays out', () => {
    const { append, space, scroll, numbers, rows, view, element, scroller } = make();
    append('x\n'.repeat(1_000_000));
    assert.equal(space.style['height'], '15000000px');
    scroll(15_000_000 - 180);
    assert.equal(numbers().at(-1), '1000000');
    assert.equal(rows().at(-1)?.at, `translateY(${15_000_000 - 18}px)`);
    scroll(7_500_000 - 90);
    assert.equal(numbers()[8], '499996');
    append('needle\n');
    view.openFind();
    element.find('find-input').value = 'needle';
    element.find('find-input').does('input');
    passFrames();
    for (let turn = 0; turn < 500 && element.find('quiet').textContent !== ''; turn += 1)
      for (const work of pageTimers.splice(0)) work();
    passFrames();
    assert.ok(scroller.scrollTop > 14_990_000, String(scroller.scrollTop));
    assert.ok(numbers().includes('1000001'));
  });

  it('goes to the end once that is to be followed, and stays there while lines are wrapped or come', () => {
    const { element, scroller, append, scroll, rows } = make();
    const button = element.find('Follow the End');
    append(lines(100));
    button.does('click');
    passFrames();
    assert.deepEqual([scroller.scrollTop, rows().at(-1)?.text], [scroller.scrollHeight, 'line 100']);
    element.find('Wrap Lines').does('click');
    passFrames();
    assert.equal(button.getAttribute('aria-pressed'), 'true');
    scroller.scrollTop = 1620;
    scroller.does('scroll');
    scroller.scrollHeight += 1000;
    scroll(1640);
    assert.equal(button.getAttribute('aria-pressed'), 'true', 'who goes down is not leaving it');
    scroll(400);
    assert.equal(button.getAttribute('aria-pressed'), 'false');
    button.does('click');
    button.does('click');
    assert.equal(button.getAttribute('aria-pressed'), 'false', 'it is turned off by itself too');
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

  describe('is looked through', () => {
    const find = (text: string) => {
      const made = make();
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
      return { ...made, input, type, bar, count, marked };
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

    it('and left with Escape, which gives the focus back', () => {
      const { view, input, type, bar, scroller, marked, element, append } = find('a needle\n');
      view.setState({ note: '', isGoing: true, end: '' });
      view.openFind();
      assert.equal(element.find('Follow the End').getAttribute('aria-pressed'), 'false');
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
        assert.deepEqual([count(), pageTimers.length], ['Looking…', 1]);
        append('none\n');
        now.mock.mockImplementation(() => nowMs);
        for (let turn = 0; turn < 99 && pageTimers.length > 0; turn += 1)
          for (const work of pageTimers.splice(0)) work();
        assert.equal(count(), 'No results');
      } finally {
        now.mock.restore();
      }
    });

    it('up to the ten thousandth match, which is the last', () => {
      const { view, type, count, bar } = find(`${'b'.repeat(9_999)}\nbb\nb\n`);
      view.openFind();
      type('b');
      for (let turn = 0; turn < 50 && pageTimers.length > 0; turn += 1) for (const work of pageTimers.splice(0)) work();
      bar.find('Previous Match').does('click');
      assert.equal(count(), '10000 of 10000+');
    });
  });
});
