import assert from 'node:assert/strict';
import type { RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { bare, failed } from './pageViews.ts';

usePage();
const { runSummary } = await import('../../../../src/runs/webview/runSections.ts');
const { h } = await import('../../../../src/shared/webview/dom.ts');
leavePage();

describe('what is known of a run, without its output', () => {
  holdTrail(import.meta.url);
  before(usePage);
  after(leavePage);
  const drawn = (view: Partial<RunView>): FakeElement =>
    h('div', {}, ...runSummary({ ...bare, ...view }, () => undefined)) as unknown as FakeElement;
  const { frame } = failed;
  if (!frame) throw new Error('The failed run has no frame.');

  it('stands below each other, every part of it', () => {
    assertApproved('summary-of-a-failed-run', outline(drawn(failed)));
  });

  it('is shown where there is only one thing of a kind', () => {
    const facts = [{ name: 'Run ID', values: [{ label: '5' }] }];
    assert.equal(drawn({ facts }).find('columns').textContent, 'About This RunRun ID5');
    const time = [{ label: 'Execution', tone: 'bad', durationInMs: 5 } as const];
    assert.equal(drawn({ time }).find('columns').textContent, 'TimeExecution');
    const callers = [{ label: 'a.py' }];
    assert.match(drawn({ frame, callers }).textContent, /Called from a\.py$/);
    assert.match(drawn({ frame, hidden: ['/lib/x.py:9'] }).textContent, /1 frame of libraries\/lib\/x\.py:9$/);
  });

  it('names the place of a failure in no function, and of one whose lines cannot be read', () => {
    const unnamed = drawn({ frame: { ...frame, name: '' } }).find('box-head');
    assert.deepEqual([unnamed.textContent, unnamed.firstElementChild?.tag], ['etl.py, line 7changed since', 'button']);
    assert.match(drawn({ frame: { ...frame, lines: [] } }).textContent, /load in etl\.py, line 7/);
  });

  it('has its times as wide as they are long, however short, and each to be seen', () => {
    const widths = (...durations: number[]): unknown[] => {
      const time = durations.map((durationInMs) => ({ label: '', tone: 'good', durationInMs }) as const);
      return drawn({ time })
        .find('bar')
        .all()
        .map(({ style }) => style['flexGrow']);
    };
    assert.deepEqual(widths(100, 300), ['0.25', '0.75']);
    assert.deepEqual(widths(0, 0), ['0.002', '0.002']);
    assert.deepEqual(widths(1, 9999), ['0.002', '0.9999']);
  });

  it('compares parameters only with a job that is known', () => {
    const table = (isJobKnown: boolean, isList = false, sent = 'mon'): string => {
      const rows = [{ name: '1', sent, inJob: 'sun', isOverridden: true }];
      const parameters = { note: '1 changed', isList, isJobKnown, rows };
      return outline(drawn({ parameters }).find('table'));
    };
    assert.match(table(true), /"In the job now"[^]*"sun"/);
    assert.match(table(true), /"Name"/);
    assert.match(table(true, true), /"Position"/);
    assert.doesNotMatch(table(true), /tabindex/);
    assert.match(table(true, true, 'x'.repeat(201)), /tabindex/);
    assert.doesNotMatch(table(true, true, 'x'.repeat(200)), /tabindex/);
    assert.doesNotMatch(table(false), /In the job|"sun"|"same"/);
    const inJobNow = (sent: string, inJob: string): string => {
      const parameters = {
        note: '',
        isList: false,
        isJobKnown: true,
        rows: [{ name: '1', sent, inJob, isOverridden: true }],
      };
      return drawn({ parameters }).find('table').textContent.replace('NameSentIn the job now', '');
    };
    assert.deepEqual(
      [inJobNow('mon', 'mon'), inJobNow('mon', 'sun'), inJobNow('mon', ''), inJobNow('', '')],
      ['1monsame', '1monsun', '1mon', '1same'],
      'a parameter that the job does not have is not the same',
    );
  });
});
