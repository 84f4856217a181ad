import assert from 'node:assert/strict';
import type { RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { bare, failed } from './pageViews.ts';

usePage();
const { runSummary } = await import('../../../../src/runs/webview/runSections.ts');
const { h } = await import('../../../../src/shared/webview/dom.ts');
leavePage();

describe('what is known of a run, without its output', () => {
  before(usePage);
  after(leavePage);
  const drawn = (view: Partial<RunView>): FakeElement =>
    h('div', {}, ...runSummary({ ...bare, ...view }, () => undefined)) as unknown as FakeElement;
  const { frame } = failed;
  if (!frame) throw new Error('The failed run has no frame.');

  it('is shown where there is only one thing of a kind', () => {
    const facts = [{ name: 'Run ID', values: [{ label: '5' }] }];
    assert.equal(drawn({ facts }).find('columns').textContent, 'About This RunRun ID5');
    const time = [{ label: 'Execution', tone: 'bad', durationInMs: 5 } as const];
    assert.equal(drawn({ time }).find('columns').textContent, 'TimeExecution');
    const callers = [{ label: 'a.py' }];
    assert.match(drawn({ frame, callers }).textContent, /Called from a\.py$/);
    assert.match(drawn({ frame, hidden: ['/lib/x.py:9'] }).textContent, /1 frame of libraries\/lib\/x\.py:9$/);
  });
});
