import assert from 'node:assert/strict';
import { packed, type FromPage, type JobView, type RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, leavePage, page, passFrames, usePage } from '../../../support/editorStandIn/page.ts';
import { bar, bare, failed, job, place } from './pageViews.ts';

usePage();
const { RunPageApp } = await import('../../../../src/runs/webview/runPageApp.ts');
const { JobPageApp } = await import('../../../../src/runs/webview/jobPageApp.ts');
const { HostPort } = await import('../../../../src/runs/webview/hostPort.ts');
leavePage();

const of = (element: unknown): FakeElement => element as FakeElement;
describe('the page of a run, as it is drawn', () => {
  let sent: FromPage[];
  const post = (message: FromPage): void => void sent.push(message);
  before(usePage);
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

  it('shows all that is known of a failed run', () => {
    assertApproved('page-of-a-failed-run', outline(drawn(failed).element));
  });

  it('has a button for each thing that mends what a notice tells of', () => {
    const actions = [
      { id: 'retry', label: 'Retry Now', primary: true },
      { id: 'chooseProfile', label: 'Choose' },
    ];
    const { element } = drawn({ ...bare, notice: { text: 'Not there', actions } });
    for (const { label } of actions) element.find('notice').find(label).does('click');
    assert.deepEqual(
      sent.filter(({ type }) => type === 'action'),
      actions.map(({ id }) => ({ type: 'action', id })),
    );
  });

  it('shows no part of which nothing is known', () => {
    assertApproved('page-of-a-new-run', outline(drawn(bare).element));
  });

  it('breaks no number from its unit', () => {
    const { element } = drawn({ ...failed, subtitle: 'ended 9:10:13 PM, 30 min 59 s ago' });
    assert.match(element.find('names').textContent, /ended 9:10:13\u00a0PM, 30\u00a0min 59\u00a0s ago/);
  });

  it('compares parameters only with a job that is known', () => {
    const table = (isJobKnown: boolean, isList = false, sent = 'mon'): string => {
      const rows = [{ name: '1', sent, inJob: 'sun', isOverridden: true }];
      const view = { ...failed, parameters: { note: '1 changed', isList, isJobKnown, rows } };
      return /table[^]*?section/.exec(outline(drawn(view).element))?.[0] ?? assert.fail('no table');
    };
    assert.match(table(true), /"In the job now"[^]*"sun"/);
    assert.match(table(true), /"Name"/);
    assert.match(table(true, true), /"Position"/);
    assert.doesNotMatch(table(true), /tabindex/);
    assert.match(table(true, true, 'x'.repeat(201)), /tabindex/);
    assert.doesNotMatch(table(true, true, 'x'.repeat(200)), /tabindex/);
    assert.doesNotMatch(table(false), /In the job|"sun"|"same"/);
  });

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

  it('keeps what is the same, and the focus in what is drawn anew', () => {
    const { app, element } = drawn(failed);
    const [summary, button] = [element.find('message'), element.find('Export')];
    button.focus();
    app.receive({ type: 'run', view: { ...failed, subtitle: 'Failed again' } });
    assert.equal(element.find('message'), summary, 'the summary does not hold the subtitle');
    assert.match(element.find('head').textContent, /Failed again/);
    assert.notEqual(element.find('Export'), button);
    assert.equal(page.activeElement, element.find('Export'));
    app.receive({ type: 'job', view: job });
    assert.match(element.find('head').textContent, /etl #5/);
    app.receive({ type: 'run', view: { ...failed, message: 'other' } });
    assert.notEqual(element.find('message'), summary);
  });

  it('hears only of what the protocol knows', () => {
    const [posted, heard]: [unknown[], unknown[]] = [[], []];
    const port = new HostPort(
      { postMessage: (message) => posted.push(message), setState: () => undefined },
      (message) => heard.push(message),
    );
    for (const data of [{ type: 'files', found: ['a'], missing: [] }, { type: 'files' }, { type: 'other' }, 7])
      window.dispatchEvent(Object.assign(new Event('message'), { data }));
    port.post({ type: 'ready' });
    assert.deepEqual([heard, posted], [[{ type: 'files', found: ['a'], missing: [] }], [{ type: 'ready' }]]);
  });

  it('hears a text that came in bytes', () => {
    const heard: unknown[] = [];
    new HostPort({ postMessage: () => undefined, setState: () => undefined }, (message) => heard.push(message));
    const output = { type: 'output', text: `\ufeff${'é€😀\n'.repeat(1000)}`, reset: false, isEnd: true } as const;
    const tail = { type: 'tail', text: output.text, missingBytes: 1 } as const;
    for (const message of [output, { ...output, text: 'short' }, tail]) {
      const data = structuredClone(packed(message));
      window.dispatchEvent(Object.assign(new Event('message'), { data }));
    }
    assert.deepEqual(heard, [output, { ...output, text: 'short' }, tail]);
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

  it('tells the host that it has a piece of the output, before it is drawn', () => {
    const { app } = drawn(bare);
    app.receive({ type: 'output', text: 'one\n', reset: false, isEnd: false });
    assert.deepEqual(sent, [{ type: 'taken' }]);
    passFrames();
    assert.match(of(app.element).find('note').textContent, /1 line/);
  });
});

describe('the page of a job, as it is drawn', () => {
  let sent: FromPage[];
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    sent = [];
    page.activeElement = page.body;
  });
  const drawn = (...views: JobView[]) => {
    const app = new JobPageApp((message) => sent.push(message));
    for (const view of views) app.receive({ type: 'job', view });
    return { app, element: of(app.element), columns: of(app.element).find('bars').all().filter(isColumn) };
  };
  const isColumn = ({ tag }: FakeElement): boolean => tag === 'button';

  it('shows its last runs, its settings, when it runs next, and its file', () => {
    assertApproved('page-of-a-job', outline(drawn(job).element));
  });

  it('says in place of what is not there why', () => {
    const { strip: _strip, next: _next, files: _files, noFile: _noFile, production: _production, ...rest } = job;
    const notice = { text: 'Not there', actions: [] };
    const empty = { ...rest, facts: [], noRuns: 'It has not run yet.', notice };
    assertApproved('page-of-a-job-without-runs', outline(drawn(empty).element));
    const later = { ...rest, facts: [], next: { note: '', rows: [], none: 'Not scheduled' } };
    assertApproved('page-of-a-job-without-settings', outline(drawn(empty, later).element));
  });

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

  it('leads where its links and buttons say', () => {
    const { element } = drawn(job);
    for (const name of ['Run Now', 'other.yaml', 'Pull']) element.find(name).does('click');
    assert.deepEqual(sent, [
      { type: 'action', id: 'run' },
      { type: 'action', id: 'file1' },
      { type: 'action', id: 'pull0' },
    ]);
  });
});
