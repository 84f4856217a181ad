import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FromPage } from '../../../../src/runs/page/pageProtocol.ts';
import type { OutputView as View } from '../../../../src/runs/webview/outputView.ts';
import {
  all,
  click,
  clipboard,
  find,
  fire,
  inPage,
  layOut,
  onPage,
  pass,
  resize,
} from '../../../support/editorStandIn/page.ts';

const { OutputView } = await onPage(() => import('../../../../src/runs/webview/outputView.ts'));

/** Creates a page with ten rows of 18 pixels and a hundred columns. @param sent receives the page's messages */
const outputPage = (sent: FromPage[]) => {
  const scroller = document.createElement('div');
  layOut(scroller, { clientHeight: 180, clientWidth: 808 });
  const view = new OutputView(scroller, (message) => sent.push(message));
  const element = view.element;
  document.body.append(scroller, element);
  const space = find(element, 'rows');
  find(element, 'ruler').getBoundingClientRect = () => ({ width: 700, height: 17.2 }) as DOMRect;
  const passTime = (): void => pass(2000);
  const resizePage = (): void => {
    resize();
    pass();
  };
  const append = (text: string, reset = false): void => {
    view.append(text, reset);
    measure();
  };
  const measure = (): void => {
    pass();
    layOut(scroller, { scrollHeight: Number.parseInt(space.style.height || '0', 10) });
  };
  const scroll = (top: number): void => {
    scroller.scrollTop = top;
    fire(scroller, 'scroll');
    measure();
  };
  resizePage();
  const rows = () =>
    ([...space.children] as HTMLElement[]).map((row) => {
      const [number, text] = [...row.children].map((part) => part.textContent);
      return { number, text, at: row.style.transform };
    });
  const numbers = () => rows().map(({ number }) => number);
  return { view, element, scroller, space, rows, numbers, append, scroll, passTime, resize: resizePage };
};
const lines = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');
/** Provides new pages and their messages to each test of a suite. */
function outputPages() {
  const sent: FromPage[] = [];
  inPage();
  beforeEach(() => {
    sent.length = 0;
  });
  return { sent, make: () => outputPage(sent) };
}

describe('OutputView', () => {
  const { sent, make } = outputPages();
  const from = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));

  it('renders only the visible rows and a few more', () => {
    const { append, space, rows, numbers, scroll } = make();
    append(lines(100));
    assert.deepEqual(numbers(), from(1, 18));
    assert.deepEqual(
      [space.style.height, space.style.getPropertyValue('--row'), space.style.getPropertyValue('--digits')],
      ['1800px', '18px', '3'],
    );
    assert.deepEqual(rows()[2], { number: '3', text: 'line 3', at: 'translateY(36px)' });
    const [first] = space.children;
    scroll(90);
    assert.deepEqual([numbers(), space.children[0] === first], [from(1, 23), true], 'what stays is not drawn again');
    scroll(900);
    assert.deepEqual([numbers(), rows()[0]?.at], [from(43, 68), 'translateY(756px)']);
    scroll(1800);
    assert.deepEqual(numbers(), from(92, 100));
  });

  it('wraps long lines unless wrapping is off', () => {
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
    layOut(scroller, { clientWidth: 250 });
    resize();
    assert.deepEqual(
      rows().map(({ text }) => text?.length),
      [20, 20, 20, 20, 20, 20, 3],
    );
    const wrap = find(element, 'Wrap Lines');
    assert.deepEqual([wrap.getAttribute('aria-pressed'), element.classList.contains('wrapped')], ['true', true]);
    click(wrap);
    pass();
    assert.deepEqual([wrap.getAttribute('aria-pressed'), element.classList.contains('wrapped')], ['false', false]);
    assert.deepEqual(
      rows().map(({ text }) => text?.length),
      [120, 3],
    );
  });

  it('follows the end of an active run until the reader scrolls up', () => {
    const { view, element, append, scroll, scroller } = make();
    const follow = (): string | null => find(element, 'Follow Output').getAttribute('aria-pressed');
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
    click(find(element, 'Follow Output'));
    assert.equal(follow(), 'false');
  });

  it('follows a finished run only on request', () => {
    const { view, element, append, scroll, scroller } = make();
    view.setState({ note: '', isGoing: false, end: 'x' });
    append(lines(50));
    scroll(900 - 180);
    append(lines(50, 51));
    assert.equal(scroller.scrollTop, 720);
    const follow = find(element, 'Follow Output');
    click(follow);
    append('');
    assert.equal(scroller.scrollTop, 1800);
    click(follow);
    view.setState({ note: '', isGoing: true, end: '' });
    assert.equal(follow.getAttribute('aria-pressed'), 'false', 'the reader has chosen, also where it goes on again');
    scroll(1000);
    scroll(1800 - 180);
    assert.equal(follow.getAttribute('aria-pressed'), 'true', 'who comes to the end follows it again');
  });

  it('links web addresses', () => {
    const { space, append } = make();
    append('see https://x.example/a?b=1. or ftp://y\n');
    const links = all(space, 'a.address').map((link) => link.getAttribute('href'));
    assert.deepEqual(links, ['https://x.example/a?b=1']);
    assert.match(space.textContent ?? '', /see https:\/\/x\.example\/a\?b=1\. or ftp:\/\/y/);
  });

  it('shows colors and links to workspace files', () => {
    const { view, space, append, passTime } = make();
    append(
      '\u001b[1;31mred\u001b[0m \u001b[7;32mturned\u001b[0m\u001b[7mplain\u001b[0m\u001b[2;3;4;44mquiet\u001b[0m\n',
    );
    append('  File "/w/etl.py", line 7, in load\n  File "/w/gone.py", line 1\n');
    assert.deepEqual(sent, []);
    passTime();
    assert.deepEqual(sent, [{ type: 'findFiles', files: ['/w/etl.py', '/w/gone.py'] }]);
    assert.ok(
      !all(space).some(({ classList }) => classList.contains('place')),
      'not before they are known to be there',
    );
    view.filesFound([], ['/w/gone.py']);
    view.filesFound(['/w/etl.py'], []);
    passTime();
    assert.ok(find(space, 'ansi-1').textContent.startsWith('red'));
    assert.equal(all(space, '.place').length, 1);
    assert.equal(sent.length, 1, 'a file is asked for once');
    const link = find(space, 'place');
    click(link);
    fire(link, 'keydown', { key: 'Enter' });
    fire(link, 'keydown', { key: 'x' });
    const open = { type: 'openPlace', place: { file: '/w/etl.py', line: 7 } };
    assert.deepEqual(sent.slice(1), [open, open]);
  });
});

describe('the text of OutputView', () => {
  const { sent, make } = outputPages();

  it('is copied as a whole, by the host if the page cannot', async () => {
    const { element, append } = make();
    append('a\nb');
    click(find(element, 'Copy All'));
    assert.deepEqual([clipboard, sent], [['a\nb'], []]);
    navigator.clipboard.writeText = async () => Promise.reject(new Error('no'));
    click(find(element, 'Copy All'));
    await nextTurn();
    assert.deepEqual(sent, [{ type: 'copy', text: 'a\nb' }]);
  });

  it('is copied and counted by its own lines, even if a long line is cut', () => {
    const { view, element, append, numbers, scroll, rows } = make();
    const text = `one\n${'x'.repeat(4500)}\ntwo\n`;
    append(text);
    view.setState({ note: '', isGoing: false, end: 'x' });
    assert.ok(view.text === text);
    assert.equal(find(element, 'note').textContent, '3 lines');
    const seen = new Set(numbers());
    scroll(rows().length * 99);
    for (const number of numbers()) seen.add(number);
    assert.deepEqual([...seen], ['1', '2', '', '3']);
  });
});

describe('search in OutputView', () => {
  const { make } = outputPages();

  const search = (text: string) => {
    const made = make();
    const view: View = made.view;
    made.append(text);
    const input = find(made.element, 'find-input');
    const type = (wanted: string): void => {
      input.value = wanted;
      fire(input, 'input');
      pass();
    };
    const bar = find(made.element, 'find');
    const count = (): string => find(bar, 'quiet').textContent;
    const marked = (): string[] =>
      all(made.space, '.match').map((span) => `${span.className.replace('match', '').trim()}:${span.textContent}`);
    return { ...made, view, input, type, bar, count, marked };
  };

  it('ignores case and centers the match', () => {
    const { view, bar, input, type, count, marked, scroller } = search(`${lines(60)}LINE 61 line 61\n${lines(39, 62)}`);
    assert.equal(bar.hidden, true);
    view.openFind();
    assert.deepEqual([bar.hidden, document.activeElement === input, count()], [false, true, '']);
    type('line 61');
    assert.deepEqual([count(), scroller.scrollTop], ['1 of 2', 60 * 18 - 90]);
    assert.deepEqual(marked(), ['current:LINE 61', 'other:line 61']);
    click(find(bar, 'Next Match'));
    pass();
    assert.equal(count(), '2 of 2');
    fire(input, 'keydown', { key: 'Enter' });
    assert.equal(count(), '1 of 2');
    fire(input, 'keydown', { key: 'Enter', shiftKey: true });
    assert.equal(count(), '2 of 2');
    click(find(bar, 'Previous Match'));
    assert.equal(count(), '1 of 2');
    type('nothing like it');
    assert.deepEqual([count(), marked()], ['No results', []]);
    click(find(bar, 'Next Match'));
    type('LINE 61');
    assert.equal(marked().length, 2);
    type('');
    assert.deepEqual([count(), marked()], ['', []]);
  });

  it('continues while the output grows', () => {
    const { view, type, count, append, bar } = search('a needle\nneedl');
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
    click(find(bar, 'Close'));
    append('needle\n');
    assert.equal(count(), '');
  });

  it('stops at 10,000 matches', () => {
    const { view, type, count, bar, append } = search(`${'b'.repeat(9_999)}\n`);
    append('bb\nb\n');
    view.openFind();
    type('b');
    pass(5000);
    click(find(bar, 'Previous Match'));
    assert.equal(count(), '10000 of 10000+');
  });

  it('steps back with Shift+Enter and handles its keys alone', () => {
    const { view, input, type, count, element } = search('needle\nneedle\nneedle\n');
    view.openFind();
    type('needle');
    let stopped = 0;
    const press = (key: string, shiftKey = false): string => {
      const stopPropagation = (): void => void (stopped += 1);
      const event = new window.Event('keydown', { cancelable: true });
      input.dispatchEvent(Object.assign(event, { key, shiftKey, stopPropagation }));
      return count();
    };
    assert.deepEqual([press('Enter', true), press('Enter', true), press('Enter')], ['3 of 3', '2 of 3', '3 of 3']);
    press('a');
    assert.equal(stopped, 3);
    const follow = find(element, 'Follow Output');
    click(follow);
    assert.equal(follow.getAttribute('aria-pressed'), 'true');
    click(find(find(element, 'find'), 'Next Match'));
    assert.equal(follow.getAttribute('aria-pressed'), 'false', 'who looks for something stays at it');
    press('Escape');
    assert.equal(stopped, 4);
    input.selectionStart = 5;
    view.openFind();
    assert.deepEqual([input.selectionStart, count()], [0, '1 of 3'], 'what was looked for can be typed over');
  });
});

describe('the tail of OutputView', () => {
  const { make } = outputPages();

  it('shows the newest lines while earlier ones are still being read', () => {
    const { view, element, append } = make();
    append(lines(3));
    const tail = find(element, 'tail');
    const shown = (): unknown[] => [...tail.children[1]!.children].map(({ textContent }) => textContent);
    assert.equal(tail.hidden, true);
    view.showTail(`\x1b[31m${lines(100, 900)}`, 45_600_000);
    pass();
    assert.equal(tail.hidden, false);
    assert.equal(tail.children[0]?.textContent, '45.6 MB between these lines are still being read.');
    assert.deepEqual([shown().length, shown()[0], shown().at(-1)], [80, 'line 920', 'line 999']);
    assert.equal(all(tail, '.ansi-1').length, 80);
    view.showTail('last\n', 1);
    assert.deepEqual(shown(), ['last'], 'they take the place of those before');
    view.showTail('', 0);
    assert.deepEqual([tail.hidden, shown()], [true, []]);
  });
});
