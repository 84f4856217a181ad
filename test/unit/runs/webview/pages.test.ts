import assert from 'node:assert/strict';
import { type FromPage, type JobView, type PageLink, type RunView } from '../../../../src/runs/page/pageProtocol.ts';
import type { JobPageApp } from '../../../../src/runs/webview/jobPageApp.ts';
import { all, blur, click, find, fire, inPage, onPage, pass } from '../../../support/editorStandIn/page.ts';
import { failed, place, job } from './pageViews.ts';

const { JobPageApp: App } = await onPage(() => import('../../../../src/runs/webview/jobPageApp.ts'));
const { HostPort } = await onPage(() => import('../../../../src/runs/webview/pageParts.ts'));
const { KeptParts, linkTo } = await onPage(() => import('../../../../src/runs/webview/pageParts.ts'));
const { h } = await onPage(() => import('../../../../src/shared/webview/dom.ts'));
const { RunPageApp } = await onPage(() => import('../../../../src/runs/webview/runPageApp.ts'));

interface JobPages {
  /** The messages that the pages sent to the host. */
  readonly sent: FromPage[];
  /** Draws a page that received these views in order. */
  drawn(...views: JobView[]): { app: JobPageApp; element: HTMLElement };
}
/** Provides job pages to each test of a suite. */
function jobPages(): JobPages {
  const sent: FromPage[] = [];
  inPage();
  beforeEach(() => {
    sent.length = 0;
    blur();
  });
  return {
    sent,
    drawn(...views) {
      const app = new App((message) => sent.push(message));
      for (const view of views) app.receive({ type: 'job', view });
      document.body.append(app.element);
      return { app, element: app.element };
    },
  };
}

describe('HostPort', () => {
  inPage();

  it('passes on only messages of the protocol', () => {
    const [posted, heard]: [unknown[], unknown[]] = [[], []];
    const port = new HostPort(
      { postMessage: (message: unknown) => posted.push(message), setState: () => undefined },
      (message) => heard.push(message),
    );
    for (const data of [{ type: 'files', found: ['a'], missing: [] }, { type: 'files' }, { type: 'other' }, 7])
      fire(window, 'message', { data });
    port.post({ type: 'ready' });
    assert.deepEqual([heard, posted], [[{ type: 'files', found: ['a'], missing: [] }], [{ type: 'ready' }]]);
  });
});

describe('KeptParts', () => {
  inPage();

  it('keeps a pressed button and shows the latest content after its release', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    let isPressed = false;
    Object.assign(place, { matches: () => isPressed });
    const put = (title: string): void => parts.put(place, { title }, () => [h('button', {}, title)]);
    put('1 s');
    const button = place.firstChild;
    isPressed = true;
    put('2 s');
    put('3 s');
    pass(1000);
    assert.ok(place.firstChild === button);
    isPressed = false;
    assert.ok(place.firstChild === button, 'the click comes first');
    pass(50);
    assert.equal(place.textContent, '3 s');
    pass(1000);
    assert.equal(place.textContent, '3 s');
  });

  it('redraws only after a change and keeps the focus', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    document.body.append(place);
    let made = 0;
    const put = (version: number): void =>
      parts.put(place, { version }, () => {
        made += 1;
        return [h('p', { attributes: { tabindex: '0' } }, 'first'), h('button', {}, 'second')];
      });
    blur();
    put(1);
    put(1);
    assert.equal(made, 1);
    assert.ok(document.activeElement === document.body);
    for (const name of ['p', 'second']) {
      const before = find(place, name);
      before.focus();
      put((made += 1));
      assert.ok(find(place, name) !== before);
      assert.ok(document.activeElement === find(place, name), name);
    }
    const elsewhere = h('button', {}, 'second');
    document.body.append(elsewhere);
    elsewhere.focus();
    put(-1);
    assert.ok(document.activeElement === (elsewhere as unknown as HTMLElement), 'who is elsewhere stays there');
  });
});

describe('a link of a page', () => {
  let sent: FromPage[];
  inPage();
  beforeEach(() => (sent = []));
  const post = (message: FromPage): void => void sent.push(message);
  it('opens a place, a run or a job, or runs an action', () => {
    const place = { file: '/w/a.py', line: 1 };
    const links: PageLink[] = [
      { label: 'a', place },
      { label: 'b', runId: '1' },
      { label: 'c', jobId: '2' },
      { label: 'd', action: 'pull' },
      { label: 'e' },
    ];
    const drawn = links.map((link) => linkTo(link, post));
    for (const link of drawn) click(link);
    assert.deepEqual(
      drawn.map(({ localName: tag, textContent }) => `${tag} ${textContent}`),
      ['button a', 'button b', 'button c', 'button d', 'span e'],
    );
    assert.deepEqual(sent, [
      { type: 'openPlace', place },
      { type: 'openRun', runId: '1' },
      { type: 'openJob', jobId: '2' },
      { type: 'action', id: 'pull' },
    ]);
  });
});

describe('RunPageApp', () => {
  let sent: FromPage[];
  const post = (message: FromPage): void => void sent.push(message);
  inPage();
  beforeEach(() => {
    sent = [];
  });
  const drawn = (...views: RunView[]) => {
    const app = new RunPageApp(post);
    for (const view of views) app.receive({ type: 'run', view });
    document.body.append(app.element);
    return { app, element: app.element };
  };

  it("sends the user's choice to the host", () => {
    const { element } = drawn(failed);
    for (const name of ['Run Again', 'Export', 'Try Again', 'etl.py, line 7', 'Open etl.py, line 7', 'a.py', 'b.py'])
      click(find(element, name));
    for (const name of ['1st', 'etl', 'as file', 'Copy Run ID', 'More…', 'timeout_seconds']) click(find(element, name));
    assert.deepEqual(sent, [
      { type: 'action', id: 'again' },
      { type: 'action', id: 'export' },
      { type: 'action', id: 'retry' },
      { type: 'openPlace', place },
      { type: 'openPlace', place },
      { type: 'openPlace', place: { file: '/w/a.py', line: 1 } },
      { type: 'openRun', runId: '4' },
      { type: 'openRun', runId: '4' },
      { type: 'openJob', jobId: '9' },
      { type: 'action', id: 'details' },
      { type: 'copy', text: '5' },
      { type: 'action', id: 'more' },
      { type: 'action', id: 'jobFile' },
    ]);
  });

  it('opens its search with Ctrl+F only', () => {
    const { element } = drawn(failed);
    let stopped = 0;
    const press = (fields: object): boolean => {
      return fire(document, 'keydown', { ...fields, stopPropagation: () => (stopped += 1) });
    };
    for (const fields of [
      { key: 'f' },
      { key: 'g', ctrlKey: true },
      { key: 'f', ctrlKey: true, shiftKey: true },
      { key: 'f', ctrlKey: true, altKey: true },
    ])
      assert.deepEqual([press(fields), find(element, 'find').hidden], [false, true]);
    assert.equal(stopped, 0);
    assert.deepEqual([press({ key: 'F', ctrlKey: true }), find(element, 'find').hidden], [true, false]);
    assert.equal(press({ key: 'f', metaKey: true }), true);
    assert.ok(stopped > 0, 'the editor would open a search of its own');
    assert.ok(document.activeElement === find(element, 'find-input'));
  });
});

describe('the list of runs on a job page', () => {
  const { sent, drawn } = jobPages();

  it('names each run with its state, newest first, and opens its page', () => {
    const { element } = drawn(job);
    const rows = [...element.querySelectorAll('.runs li')];
    assert.deepEqual(
      rows.map((row) => row.textContent?.trim()),
      ['#3 took 2 s', '#2 took 2 s', '#1 took 2 s'],
    );
    rows[1]?.querySelector('button')?.click();
    assert.deepEqual(sent, [{ type: 'openRun', runId: '2' }]);
  });
});

describe('the last runs on a job page', () => {
  const { sent, drawn: drawnPage } = jobPages();
  const drawn = (...views: JobView[]) => {
    const { app, element } = drawnPage(...views);
    return { app, element, columns: all(find(element, 'bars')).filter(isColumn) };
  };
  const isColumn = ({ localName: tag }: HTMLElement): boolean => tag === 'button';

  it('describe the newest, hovered or focused run', () => {
    const { element, columns } = drawn(job);
    const readout = (): string => find(element, 'readout').textContent;
    assert.equal(readout(), ' #3 took 2 s');
    fire(columns[0], 'pointerenter');
    assert.equal(readout(), ' #1 took 2 s');
    fire(find(element, 'bars'), 'pointerleave');
    assert.equal(readout(), ' #3 took 2 s');
    fire(columns[1], 'focus');
    columns[1]?.focus();
    fire(find(element, 'bars'), 'pointerleave');
    assert.equal(readout(), ' #2 took 2 s');
    assert.deepEqual(
      columns.map((column) => [column.classList.contains('chosen'), column.getAttribute('tabindex')]),
      [
        [false, '-1'],
        [true, '0'],
        [false, '-1'],
      ],
    );
    click(find(find(element, 'readout'), 'link'));
    click(columns[0]);
    assert.deepEqual(sent, [
      { type: 'openRun', runId: '2' },
      { type: 'openRun', runId: '1' },
    ]);
  });

  it('are navigated with the arrow keys, Home and End', () => {
    const { element, columns } = drawn(job);
    const at = (): number => columns.findIndex((column) => column === document.activeElement);
    const bars = find(element, 'bars');
    assert.equal(fire(bars, 'keydown', { key: 'ArrowLeft' }), false, 'nothing is in focus');
    columns[2]?.focus();
    const steps = ['ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'End', 'Home'].map((key) => {
      assert.equal(fire(bars, 'keydown', { key }), true, key);
      return at();
    });
    assert.deepEqual(steps, [2, 1, 0, 0, 1, 2, 0]);
    assert.equal(fire(bars, 'keydown', { key: 'Enter' }), false, 'a button does that by itself');
  });
});
