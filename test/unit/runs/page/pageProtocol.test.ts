import assert from 'node:assert/strict';
import { fromPage, packed, toPage } from '../../../../src/runs/page/pageProtocol.ts';
import { read } from '../../../../src/shared/shape.ts';

const action = { id: 'a', label: 'A', icon: 'i', primary: true };
const place = { file: '/a.py', line: 1 };
const head = {
  state: { icon: 'pass', tone: 'good', spins: false },
  title: 'title',
  subtitle: 'subtitle',
  production: 'Team',
  actions: [action],
  more: [action],
  notice: { text: 'text', detail: 'detail', actions: [action] },
};
const link = { label: 'label', place, runId: '1', jobId: '2', action: 'a' };
const facts = [{ name: 'name', values: [link], copies: 'copies' }];
/** Messages in which nothing is left out. */
const run = {
  type: 'run',
  view: {
    kind: 'run',
    ...head,
    message: 'message',
    messageNote: 'note',
    frame: { name: 'f', place, label: 'l', note: 'n', lines: [{ number: 1, text: 't', isFailing: true }] },
    limit: { text: 't', link },
    callers: [link],
    hidden: ['h'],
    result: { label: 'l', text: 't' },
    time: [{ label: 'l', tone: 'now', striped: true, durationInMs: 5, isLive: true }],
    attempts: [{ label: 'l', state: head.state, from: 0, to: 0.5, duration: 'd', runId: '1', isThis: true }],
    parameters: {
      note: 'n',
      isList: true,
      isJobKnown: false,
      rows: [{ name: 'n', sent: 's', inJob: 'j', isOverridden: false }],
    },
    facts,
    output: { note: 'n', isGoing: true, end: 'e', versions: 'v' },
  },
};
const job = {
  type: 'job',
  view: {
    kind: 'job',
    ...head,
    strip: {
      title: 't',
      figures: [{ figure: 'f', meaning: 'm' }],
      bars: [{ runId: '1', name: 'n', words: 'w', state: head.state, striped: true, hollow: false, height: 1 }],
      lines: [{ at: 0.5, label: 'l' }],
      keys: [{ label: 'l', tone: 'look', striped: false, hollow: true }],
    },
    noRuns: 'none',
    next: { note: 'n', rows: [{ at: 'a', ahead: 'h' }], none: 'none' },
    facts,
    files: [
      {
        link,
        state: head.state,
        words: 'w',
        actions: [action],
        rows: [{ setting: 's', last: 'l', job: 'j', file: 'f', deploy: 'd' }],
      },
    ],
    noFile: { words: 'w', actions: [action] },
  },
};
const ofAction = (path: string): string[] => [`${path}.icon`, `${path}.primary`];
const ofLink = (path: string): string[] => ['place', 'runId', 'jobId', 'action'].map((name) => `${path}.${name}`);
const ofHead = [
  'production',
  ...ofAction('actions.0'),
  'more',
  ...ofAction('more.0'),
  'notice',
  'notice.detail',
  ...ofAction('notice.actions.0'),
  ...ofLink('facts.0.values.0'),
  'facts.0.copies',
];
/** What may be left out of each. */
const optional: Record<'run' | 'job', string[]> = {
  run: [
    ...ofHead,
    ...['message', 'messageNote', 'limit', 'hidden', 'frame', 'frame.note', 'result', 'parameters', 'output.versions'],
    ...ofLink('callers.0'),
    ...ofLink('limit.link'),
    ...['time.0.striped', 'time.0.isLive'],
  ],
  job: [
    ...ofHead,
    ...['strip', 'noRuns', 'next', 'next.none', 'files', 'files.0.state', 'noFile'],
    ...ofLink('files.0.link'),
    ...ofAction('files.0.actions.0'),
    ...ofAction('noFile.actions.0'),
  ],
};

/** The paths of all fields in a value. */
function pathsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const below = pathsOf(each).map((path) => `${name}.${path}`);
    return Array.isArray(value) ? below : [name, ...below];
  });
}

/** A copy of the value with another one at the path. */
function changed(value: unknown, path: string, to: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const fields = copy as Record<string, unknown>;
  fields[name] = rest.length === 0 ? to : changed(fields[name], rest.join('.'), to);
  return copy;
}

describe('what the host and the page of a run tell each other', () => {
  it('says the same of a long piece of output that goes in bytes as of a short one', () => {
    for (const length of [3999, 4000, 4001])
      for (const [reset, isEnd] of [
        [true, false],
        [false, true],
      ] as const) {
        const message = { type: 'output' as const, text: 'é'.repeat(length), reset, isEnd };
        const sent = packed(message);
        assert.equal(sent === message, length < 4000);
        assert.deepEqual(read(toPage, sent), message);
      }
    const other = { type: 'tail' as const, text: 'x'.repeat(9000), missingBytes: 1 };
    assert.equal(packed(other), other);
  });

  it('is not taken where it is longer than anything that a page says, or nothing of it', () => {
    const taken = (message: object): boolean => read(fromPage, message) !== undefined;
    assert.deepEqual(
      [
        { type: 'ready' },
        { type: 'action', id: 'a'.repeat(100) },
        { type: 'action', id: 'a'.repeat(101) },
        { type: 'action' },
        { type: 'openRun', runId: '9'.repeat(20) },
        { type: 'openRun', runId: '9'.repeat(21) },
        { type: 'findFiles', files: Array.from({ length: 200 }, () => 'a') },
        { type: 'findFiles', files: Array.from({ length: 201 }, () => 'a') },
        { type: 'other' },
      ].map(taken),
      [true, true, false, false, true, false, true, false, false],
    );
  });

  it('says each field of a page, and takes neither what lacks one that must be there nor what no page shows', () => {
    const [name, more] = ['a'.repeat(100), 'a'.repeat(101)];
    const list = (count: number, each: unknown): unknown[] => Array.from({ length: count }, () => each);
    for (const message of [run, job]) assert.deepEqual(read(toPage, { ...message, other: 1 }), message);
    const [{ view: ofRun }, { view: ofJob }] = [run, job];
    const taken = (type: 'run' | 'job', path: string, value: unknown): boolean =>
      read(toPage, changed(type === 'run' ? run : job, `view.${path}`, value)) !== undefined;
    const limits: [type: 'run' | 'job', path: string, good: unknown, bad: unknown][] = [
      ['run', 'actions.0.id', name, more],
      ['job', 'notice.actions.0.id', name, more],
      ['run', 'facts.0.values.0.action', name, more],
      ['run', 'facts.0.values.0.runId', '9'.repeat(20), '9'.repeat(21)],
      ['run', 'facts.0.values.0.jobId', '9'.repeat(20), '9'.repeat(21)],
      ['run', 'callers.0.place.file', 'a'.repeat(4000), 'a'.repeat(4001)],
      ['run', 'frame.place.line', 0, -1],
      ['run', 'frame.place.line', 1, 1.5],
      ['run', 'frame.lines', list(50, ofRun.frame.lines[0]), list(51, ofRun.frame.lines[0])],
      ['run', 'attempts.0.runId', '9'.repeat(20), '9'.repeat(21)],
      ['run', 'attempts.0.from', -0.5, Number.NaN],
      ['run', 'state.tone', 'look', 'other'],
      // What is measured has any value, what is counted whole ones.
      ...['time.0.durationInMs', 'attempts.0.to'].map((path) => ['run', path, 0.5, '1'] as ['run', string, 0.5, '1']),
      ...['bars.0.height', 'lines.0.at'].map((path) => ['job', `strip.${path}`, 0.5, '1'] as ['job', string, 0.5, '1']),
      ['run', 'frame.lines.0.number', 7, 0.5],
      ['run', 'kind', 'run', 'job'],
      ['job', 'kind', 'job', 'run'],
      ['job', 'strip.figures', list(10, ofJob.strip.figures[0]), list(11, ofJob.strip.figures[0])],
      ['job', 'strip.bars', list(200, ofJob.strip.bars[0]), list(201, ofJob.strip.bars[0])],
      ['job', 'strip.bars.0.runId', '9'.repeat(20), '9'.repeat(21)],
      ['job', 'strip.lines', list(4, ofJob.strip.lines[0]), list(5, ofJob.strip.lines[0])],
      ['job', 'strip.keys', list(20, ofJob.strip.keys[0]), list(21, ofJob.strip.keys[0])],
      ['job', 'next.rows', list(10, ofJob.next.rows[0]), list(11, ofJob.next.rows[0])],
      ...(['good', 'bad', 'now', 'none'] as const).map(
        (tone) => ['run', 'time.0.tone', tone, tone.toUpperCase()] as ['run', string, unknown, unknown],
      ),
    ];
    for (const [type, path, good, bad] of limits)
      assert.deepEqual([taken(type, path, good), taken(type, path, bad)], [true, false], path);
    // Of all else there may be as much as there is, and as long.
    for (const [type, view] of [
      ['run', ofRun],
      ['job', ofJob],
    ] as const)
      for (const path of pathsOf(view)) {
        const at = path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], view);
        if (
          limits.some(([of, limited]) => of === type && (limited === path || /Id$|[.]id$|[.]action$|file$/.test(path)))
        )
          continue;
        if (Array.isArray(at)) assert.ok(taken(type, path, list(300, at[0])), `${type}: ${path}`);
        else if (typeof at === 'string' && !/kind$|tone$/.test(path))
          assert.ok(taken(type, path, 'a'.repeat(5000)), `${type}: ${path}`);
      }
    for (const [type, paths] of Object.entries(optional) as ['run' | 'job', string[]][])
      for (const path of pathsOf(type === 'run' ? ofRun : ofJob))
        assert.equal(taken(type, path, undefined), paths.includes(path), `${type}: ${path}`);
  });

  it('names the files and places of a run within limits', () => {
    const place = { file: 'a'.repeat(4000), line: 1 };
    for (const message of [
      { type: 'taken' },
      { type: 'openPlace', place },
      { type: 'openJob', jobId: '9'.repeat(20) },
      { type: 'findFiles', files: ['a'.repeat(4000)] },
      { type: 'copy', text: 'a'.repeat(20_000_000) },
    ])
      assert.deepEqual(read(fromPage, message), message);
    for (const message of [
      { type: 'openPlace', place: { ...place, file: 'a'.repeat(4001) } },
      { type: 'openPlace', place: { ...place, line: -1 } },
      { type: 'openJob', jobId: '9'.repeat(21) },
      { type: 'openJob' },
      { type: 'findFiles', files: ['a'.repeat(4001)] },
      { type: 'copy', text: 'a'.repeat(20_000_001) },
      { type: 'copy' },
    ])
      assert.equal(read(fromPage, message), undefined, message.type);
    for (const message of [
      { type: 'files', found: ['a'], missing: ['b'] },
      { type: 'tail', text: 'a', missingBytes: 0 },
    ]) {
      assert.deepEqual(read(toPage, message), message);
      for (const field of Object.keys(message))
        assert.equal(read(toPage, { ...message, [field]: undefined }), undefined, field);
    }
    assert.equal(read(toPage, { type: 'tail', text: 'a', missingBytes: -1 }), undefined);
  });
});
