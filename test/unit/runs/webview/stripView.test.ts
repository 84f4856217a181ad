import assert from 'node:assert/strict';
import type { JobView } from '../../../../src/runs/page/pageProtocol.ts';
import { type FakeElement, page } from '../../../support/editorStandIn/page.ts';
import { jobPages } from './drawnJobPage.ts';
import { job } from './pageViews.ts';

describe('the last runs on the page of a job', () => {
  const { sent, drawn: drawnPage } = jobPages();
  const drawn = (...views: JobView[]) => {
    const { app, element } = drawnPage(...views);
    return { app, element, columns: element.find('bars').all().filter(isColumn) };
  };
  const isColumn = ({ tag }: FakeElement): boolean => tag === 'button';

  it('reads out the newest run, the one that is pointed at, and the one in focus', () => {
    const { element, columns } = drawn(job);
    const readout = (): string => element.find('readout').textContent;
    assert.equal(readout(), ' #3 took 2 s');
    columns[0]?.does('pointerenter');
    assert.equal(readout(), ' #1 took 2 s');
    element.find('bars').does('pointerleave');
    assert.equal(readout(), ' #3 took 2 s');
    columns[1]?.does('focus');
    columns[1]?.focus();
    element.find('bars').does('pointerleave');
    assert.equal(readout(), ' #2 took 2 s');
    assert.deepEqual(
      columns.map((column) => [column.classes.has('chosen'), column.getAttribute('tabindex')]),
      [
        [false, '-1'],
        [true, '0'],
        [false, '-1'],
      ],
    );
    element.find('readout').find('link').does('click');
    columns[0]?.does('click');
    assert.deepEqual(sent, [
      { type: 'openRun', runId: '2' },
      { type: 'openRun', runId: '1' },
    ]);
  });

  it('is walked through with the arrows, Home and End, which stop at the ends', () => {
    const { element, columns } = drawn(job);
    const at = (): number => columns.findIndex((column) => column === page.activeElement);
    const bars = element.find('bars');
    assert.equal(bars.does('keydown', { key: 'ArrowLeft' }), false, 'nothing is in focus');
    columns[2]?.focus();
    const steps = ['ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'End', 'Home'].map((key) => {
      assert.equal(bars.does('keydown', { key }), true, key);
      return at();
    });
    assert.deepEqual(steps, [2, 1, 0, 0, 1, 2, 0]);
    assert.equal(bars.does('keydown', { key: 'Enter' }), false, 'a button does that by itself');
  });
});
