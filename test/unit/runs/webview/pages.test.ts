import assert from 'node:assert/strict';
import { l10n } from '../../../../src/shared/l10n.ts';
import { type FakeElement, leavePage, page, passFrames, usePage } from '../../../support/editorStandIn/page.ts';
import { failed, job } from './pageViews.ts';

const entry = '../../../../src/runs/webview/pages.ts';
let started = 0;

describe('a page, as the editor loads it', () => {
  before(usePage);
  after(() => {
    l10n.useBundle({});
    leavePage();
  });
  /** What the page of this data says and keeps, and what is in it. */
  const start = async (dataset: Record<string, string>) => {
    const [said, kept]: [unknown[], unknown[]] = [[], []];
    const api = {
      postMessage: (message: unknown) => said.push(message),
      setState: (state: unknown) => kept.push(state),
    };
    Object.assign(page.body, { dataset });
    Object.assign(globalThis, { acquireVsCodeApi: () => api });
    page.body.replaceChildren();
    started += 1;
    (await import(`${entry}?${started}`)) as unknown;
    const tell = (data: unknown): string => {
      window.dispatchEvent(Object.assign(new Event('message'), { data }));
      passFrames();
      return page.body.textContent;
    };
    return { said, kept, app: page.body.children[0] as FakeElement, tell };
  };

  it('is of what it was made for, keeps that at once, and says that it stands', async () => {
    const subject = { kind: 'job', profileId: 'local', id: '1' };
    const ofJob = await start({ subject: JSON.stringify(subject) });
    assert.deepEqual([ofJob.said, ofJob.kept], [[{ type: 'ready' }], [subject]]);
    assert.deepEqual([...ofJob.app.classes], ['page', 'job']);
    assert.match(ofJob.tell({ type: 'job', view: job }), /etl/);
    const ofRun = await start({ subject: JSON.stringify({ ...subject, kind: 'run' }) });
    assert.deepEqual([...ofRun.app.classes], ['page', 'run']);
    assert.match(ofRun.tell({ type: 'run', view: failed }), /etl #5/);
    ofRun.tell({ type: 'output', text: 'one\n', reset: false, isEnd: false });
    assert.match(ofRun.tell({ type: 'output', text: 'two\n', reset: true, isEnd: true }), /1 line/);
    assert.deepEqual(ofRun.said.slice(1), [{ type: 'taken' }, { type: 'taken' }]);
  });
});
