import assert from 'node:assert/strict';
import type { FromPage, RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, page, passFrames, usePage } from '../../../support/editorStandIn/page.ts';
import { noting } from '../../../support/trail.ts';
import { bare, failed, place } from './pageViews.ts';

usePage();
const { RunPageApp } = await import('../../../../src/runs/webview/runPageApp.ts');
leavePage();

describe('the page of a run, as it is drawn', () => {
  let sent: FromPage[];
  const post = (message: FromPage): void => noting('posts', sent)(message);
  beforeEach(usePage);
  after(leavePage);
  beforeEach(() => {
    sent = [];
    page.activeElement = page.body;
  });
  const drawn = (...views: RunView[]) => {
    const app = new RunPageApp(post);
    for (const view of views) app.receive({ type: 'run', view });
    return { app, element: of(app.element) };
  };

  it('tells the host what was chosen', () => {
    const { element } = drawn(failed);
    for (const name of ['Run Again', 'Export', 'Try Again', 'etl.py, line 7', 'Open etl.py, line 7', 'a.py', 'b.py'])
      element.find(name).does('click');
    for (const name of ['1st', 'etl', 'as file', 'Copy Run ID', 'More…', 'timeout_seconds'])
      element.find(name).does('click');
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

  it('looks for a text with Ctrl+F, and with no other keys', () => {
    const { element } = drawn(failed);
    let stopped = 0;
    const press = (fields: object): boolean => {
      const stopPropagation = (): void => void (stopped += 1);
      const event = Object.assign(new Event('keydown', { cancelable: true }), { ...fields, stopPropagation });
      document.dispatchEvent(event);
      return event.defaultPrevented;
    };
    for (const fields of [
      { key: 'f' },
      { key: 'g', ctrlKey: true },
      { key: 'f', ctrlKey: true, shiftKey: true },
      { key: 'f', ctrlKey: true, altKey: true },
    ])
      assert.deepEqual([press(fields), element.find('find').hidden], [false, true]);
    assert.equal(stopped, 0);
    assert.deepEqual([press({ key: 'F', ctrlKey: true }), element.find('find').hidden], [true, false]);
    assert.equal(press({ key: 'f', metaKey: true }), true);
    assert.ok(stopped > 0, 'the editor would open a search of its own');
    assert.equal(page.activeElement, element.find('find-input'));
  });

  it('shows the newest lines and what is missing before them, and links the files that the host has found', () => {
    const { app, element } = drawn(bare);
    app.receive({ type: 'tail', text: 'newest\n', missingBytes: 2_000_000 });
    passFrames();
    assert.match(element.find('tail').textContent, /^2(?:\.0)? MB between[^]*newest$/);
    app.receive({
      type: 'output',
      text: 'File "/w/a.py", line 3\nFile "/w/b.py", line 4\n',
      reset: false,
      isEnd: false,
    });
    of(app.element).find('scroller').clientHeight = 180;
    passFrames();
    app.receive({ type: 'files', found: ['/w/a.py'], missing: ['/w/b.py'] });
    passFrames();
    const links = element.all().filter(({ classes }) => classes.has('place'));
    assert.deepEqual(
      links.map(({ textContent }) => textContent),
      ['File "/w/a.py", line 3'],
    );
  });
});
