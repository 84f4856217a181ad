import assert from 'node:assert/strict';
import type { JobView, RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, leavePage, page, passFrames, usePage } from '../../../support/editorStandIn/page.ts';
import { failed, job } from './pageViews.ts';

usePage();
const { RunPageApp } = await import('../../../../src/runs/webview/runPageApp.ts');
const { JobPageApp } = await import('../../../../src/runs/webview/jobPageApp.ts');
leavePage();

/** The view with one text, number or answer in it changed, or one of its parts gone, and what that is. */
function* changes(value: unknown, path = ''): Generator<[path: string, changed: unknown]> {
  if (typeof value === 'string' && !/\.(?:kind|tone|icon|id)$/.test(path)) yield [path, `${value}!`];
  else if (typeof value === 'number') yield [path, value + 1];
  else if (typeof value === 'boolean') yield [path, !value];
  else if (Array.isArray(value)) {
    if (value.length > 0) yield [`${path} without its last`, value.slice(0, -1)];
    for (const [index, item] of value.entries())
      for (const [place, changed] of changes(item, `${path}[${index}]`)) yield [place, value.with(index, changed)];
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      for (const [place, changed] of changes(item, `${path}.${name}`)) yield [place, { ...value, [name]: changed }];
}

describe('a page that is drawn again', () => {
  before(usePage);
  after(leavePage);
  beforeEach(() => void (page.activeElement = page.body));
  const runPage = (...views: RunView[]): string => {
    usePage();
    const app = new RunPageApp(() => undefined);
    for (const view of views) app.receive({ type: 'run', view });
    passFrames();
    return outline(app.element as unknown as FakeElement);
  };
  const jobPage = (...views: JobView[]): string => {
    const app = new JobPageApp(() => undefined);
    for (const view of views) app.receive({ type: 'job', view });
    return outline(app.element as unknown as FakeElement);
  };

  it('shows of a run what a new page would, whatever has changed', () => {
    let count = 0;
    for (const [path, changed] of changes(failed)) {
      assert.equal(runPage(failed, changed as RunView), runPage(changed as RunView), path);
      count += 1;
    }
    assert.ok(count > 60, String(count));
  });

  it('shows of a job what a new page would, whatever has changed', () => {
    const view: JobView = { ...job, notice: failed.notice, noRuns: 'None.' };
    let count = 0;
    for (const [path, changed] of changes(view)) {
      assert.equal(jobPage(view, changed as JobView), jobPage(changed as JobView), path);
      count += 1;
    }
    assert.ok(count > 60, String(count));
  });
});
