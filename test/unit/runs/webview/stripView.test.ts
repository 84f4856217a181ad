import assert from 'node:assert/strict';
import type { JobView } from '../../../../src/runs/page/pageProtocol.ts';
import { type FakeElement, page } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { jobPages } from './drawnJobPage.ts';
import { bar, bare, job } from './pageViews.ts';

describe('the last runs on the page of a job', () => {
  holdTrail(import.meta.url);
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

  it('has the lines of its usual durations at their height, counted from the bottom', () => {
    const lines = [
      { at: 0.25, label: 'low' },
      { at: 1, label: 'top' },
    ];
    const { element } = drawn({ ...job, strip: { ...(job.strip ?? assert.fail()), lines } });
    const found = element.all().filter(({ classes }) => classes.has('line'));
    assert.deepEqual(
      found.map((line) => [line.style['bottom'], line.textContent]),
      [
        ['25%', 'low'],
        ['100%', 'top'],
      ],
    );
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

  it('keeps its columns while time passes, and drops those that are no more', () => {
    const { app, element, columns } = drawn(job);
    const strip = job.strip as NonNullable<JobView['strip']>;
    columns[0]?.does('pointerenter');
    const bars = strip.bars.slice(1).map((each) => ({ ...each, words: 'took 3 s' }));
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars } } });
    assert.deepEqual(element.find('bars').all().filter(isColumn), columns.slice(0, 2));
    assert.equal(columns[0]?.getAttribute('aria-label'), '#2: took 3 s');
    assert.equal(element.find('readout').textContent, ' #3 took 3 s', 'the one that was chosen is no more');
    columns[0]?.does('pointerenter');
    const later = bars.map((each) => ({ ...each, words: 'took 4 s' }));
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars: later } } });
    assert.equal(element.find('readout').textContent, ' #2 took 4 s', 'the one that is chosen stays so');
    const many = Array.from({ length: 20 }, (_, index) => ({ ...bar, runId: String(index), name: `#${index}` }));
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars: many } } });
    assert.equal(element.find('ends').textContent, '#0#19');
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars: many.slice(1) } } });
    assert.equal(element.find('ends').textContent, '');
    const { strip: _strip, ...rest } = job;
    app.receive({ type: 'job', view: rest });
    assert.equal(element.find('strip').hidden, true);
    app.receive({ type: 'run', view: bare });
    assert.match(element.find('head').textContent, /^etl/);
  });

  it('names its ends anew when only the newest run is another', () => {
    const strip = job.strip ?? assert.fail();
    const many = Array.from({ length: 21 }, (_, index) => ({ ...bar, runId: String(index), name: `#${index}` }));
    const views = [many.slice(0, 20), many].map((bars) => ({ ...job, strip: { ...strip, bars } }));
    assert.equal(drawn(...views).element.find('ends').textContent, '#0#20');
  });

  it('reads out the newest run when the one that was chosen has gone and comes back', () => {
    const strip = job.strip ?? assert.fail();
    const { app, element, columns } = drawn(job);
    columns[0]?.does('pointerenter');
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars: strip.bars.slice(1) } } });
    app.receive({ type: 'job', view: job });
    assert.equal(element.find('readout').textContent, ' #3 took 2 s');
  });

  it('keeps the link that it reads out while only the height of a column changes', () => {
    const strip = job.strip ?? assert.fail();
    const { app, element, columns } = drawn(job);
    const link = element.find('readout').find('link');
    const bars = strip.bars.map((each) => ({ ...each, height: 0.25 }));
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, bars } } });
    assert.equal(element.find('readout').find('link'), link);
    assert.equal(columns[2]?.find('span').style['height'], '25%');
  });

  it('has what goes on in motion, the newest run chosen at first, and the meaning of its colours as it is now', () => {
    const strip = job.strip ?? assert.fail();
    const { app, element, columns } = drawn(job);
    const told = columns.map((column) => [column.classes.has('chosen'), column.find('span').className]);
    assert.deepEqual(told, [
      [false, 'fill-good'],
      [false, 'fill-striped'],
      [true, 'fill-hollow live'],
    ]);
    const keys = strip.keys.map((key) => ({ ...key, label: `${key.label}!` }));
    app.receive({ type: 'job', view: { ...job, strip: { ...strip, keys } } });
    assert.equal(element.find('keys').textContent, 'Succeeded!Skipped!Going!');
  });
});
