import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Problem } from '../../../../src/jobfile/services/jobFileService.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { Diagnostics } = await import('../../../../src/jobfile/host/diagnostics.ts');

const problem = (code: string): Problem => ({ code, message: code, start: 0, end: 1, severity: 'error' }) as Problem;

describe('marks in a job file', () => {
  const filesChanged = new Emitter<void>();
  let diagnostics: InstanceType<typeof Diagnostics>;
  let file: { isClosed: boolean; version: number };
  let reported: unknown[];
  let checks: number;
  /** What the checks find, and what becomes of the search for missing files. */
  let found: Problem[];
  let isMissing: boolean;
  let looking: PromiseWithResolvers<boolean>;
  let loaded: Promise<unknown>;
  let checkInMs: number;
  let nowMs: number;
  const codes = (): unknown[] | undefined =>
    editor.diagnostics.get('file:///a.job.yml')?.map((mark) => (mark as { code: string }).code);

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout'] });
    nowMs = 7_000;
    mock.method(performance, 'now', () => nowMs);
    [reported, checks, found, isMissing, checkInMs] = [[], 0, [problem('a')], false, 0];
    looking = Promise.withResolvers();
    const language = {
      validate: () => {
        checks += 1;
        nowMs += checkInMs;
        return found;
      },
    };
    loaded = Promise.resolve(language);
    start();
    file = textFile('file:///a.job.yml', 'name: a') as never;
    standIn.workspace.textDocuments = [file as never];
  });
  function start(): void {
    diagnostics = new Diagnostics(
      { load: () => loaded, parsed: () => ({}) } as never,
      {
        onDidChange: filesChanged.event,
        problemsOf: () => (isMissing ? [problem('missingFile')] : []),
        refresh: () => looking.promise,
      } as never,
      (error) => reported.push(error),
    );
  }
  afterEach(() => {
    diagnostics.dispose();
    mock.timers.reset();
    mock.reset();
  });
  const pass = async (durationInMs: number): Promise<void> => {
    mock.timers.tick(durationInMs);
    await settle();
  };
  const open = async (): Promise<void> => {
    editor.events.opened.fire(file);
    await pass(0);
  };
  const change = (): void => {
    file.version += 1;
    editor.events.changed.fire({ document: file });
  };
  const filesAreFound = async (areNews = true): Promise<void> => {
    isMissing = true;
    looking.resolve(areNews);
    await settle();
  };

  it('are drawn as what they are of: faded or struck through', async () => {
    found = [
      { ...problem('a'), severity: 'hint', tags: ['deprecated'] },
      { ...problem('b'), severity: 'warning', tags: ['unnecessary'] },
      problem('c'),
    ] as never;
    await open();
    const marks = editor.diagnostics.get('file:///a.job.yml') as { code: string; severity: number; tags?: number[] }[];
    assert.deepEqual(
      marks.map(({ code, severity, tags }) => [code, severity, tags]),
      [
        ['a', standIn.DiagnosticSeverity.Hint, [standIn.DiagnosticTag.Deprecated]],
        ['b', standIn.DiagnosticSeverity.Warning, [standIn.DiagnosticTag.Unnecessary]],
        ['c', standIn.DiagnosticSeverity.Error, undefined],
      ],
    );
  });

  it('stand there before the disk was asked, and again with what it said', async () => {
    await open();
    assert.deepEqual(codes(), ['a']);
    await filesAreFound();
    assert.deepEqual(codes(), ['a', 'missingFile']);
  });

  it('stay as they are where the disk had nothing new to say', async () => {
    await open();
    await filesAreFound(false);
    assert.deepEqual(codes(), ['a']);
  });

  it('do not come back to a file that was closed while the disk was asked', async () => {
    await open();
    file.isClosed = true;
    editor.events.closed.fire(file);
    await filesAreFound();
    assert.equal(codes(), undefined);
  });

  it('are not those of an older text where the file was changed while the disk was asked', async () => {
    await open();
    const older = looking;
    looking = Promise.withResolvers();
    found = [problem('b')];
    change();
    await pass(250);
    assert.deepEqual(codes(), ['b']);
    older.resolve(true);
    await settle();
    assert.deepEqual(codes(), ['b']);
  });

  it('are not made for a file that was closed, or changed again, while the language was loaded', async () => {
    const loading = Promise.withResolvers<unknown>();
    const language = await loaded;
    loaded = loading.promise;
    await open();
    change();
    loading.resolve(language);
    await settle();
    assert.deepEqual([checks, codes()], [0, undefined], 'the next check is on its way');
    file.isClosed = true;
    editor.events.closed.fire(file);
    await pass(1_000);
    assert.deepEqual([checks, codes(), reported], [0, undefined, []]);
  });

  it('are not made for a file that was closed while the language was loaded, and nothing else was', async () => {
    const loading = Promise.withResolvers<unknown>();
    const language = await loaded;
    loaded = loading.promise;
    await open();
    file.isClosed = true;
    editor.events.closed.fire(file);
    loading.resolve(language);
    await settle();
    assert.deepEqual([checks, codes(), reported], [0, undefined, []]);
  });

  it('follow a keystroke at once, and a slow check after a longer break that has an end', async () => {
    await open();
    for (const [waitInMs, durationInMs] of [
      [10, 40],
      [80, 5_000],
      [250, 0],
      [10, 0],
    ] as const) {
      const before = checks;
      checkInMs = durationInMs;
      change();
      await pass(waitInMs - 1);
      assert.equal(checks, before, `before ${waitInMs} ms`);
      await pass(1);
      assert.equal(checks, before + 1, `after ${waitInMs} ms`);
    }
  });

  it('wait for the last of several keystrokes', async () => {
    await open();
    for (const _ of 'name') {
      change();
      await pass(9);
    }
    assert.equal(checks, 1);
    await pass(1);
    assert.equal(checks, 2);
  });

  const bystander = (uri: string, languageId?: string): object => textFile(uri, 'name: a', languageId);

  it('are those of every job file that is open, from the start and when files of the folder came or went', async () => {
    diagnostics.dispose();
    editor.reset();
    const second = bystander('file:///b.job.yml');
    standIn.workspace.textDocuments = [file, second, bystander('file:///c.yml', 'yaml')] as never;
    start();
    await pass(0);
    assert.deepEqual([checks, [...editor.diagnostics.keys()]], [2, ['file:///a.job.yml', 'file:///b.job.yml']]);
    filesChanged.fire();
    await pass(249);
    assert.equal(checks, 2);
    await pass(1);
    assert.equal(checks, 4);
  });

  it('are not made of other languages, nor of the service’s side of a comparison', async () => {
    for (const other of [bystander('file:///b.yml', 'yaml'), bystander('millrace-compare:/a.job.yml')]) {
      editor.events.opened.fire(other);
      editor.events.changed.fire({ document: other });
      await pass(1_000);
    }
    assert.deepEqual([checks, editor.diagnostics.size], [0, 0]);
  });

  it('are taken away with the job file alone, and not made of what was closed before its turn', async () => {
    await open();
    editor.diagnostics.set('file:///b.yml', ['of somebody else']);
    editor.events.closed.fire(bystander('file:///b.yml', 'yaml'));
    assert.deepEqual([...editor.diagnostics.keys()], ['file:///a.job.yml', 'file:///b.yml']);
    change();
    editor.events.closed.fire(file);
    await pass(1_000);
    assert.deepEqual([checks, [...editor.diagnostics.keys()]], [1, ['file:///b.yml']]);
  });

  it('are made no more once it is over', async () => {
    change();
    diagnostics.dispose();
    assert.deepEqual(
      [editor.events.opened.isHeard, editor.events.changed.isHeard, editor.events.closed.isHeard],
      [false, false, false],
    );
    filesChanged.fire();
    await pass(1_000);
    assert.deepEqual([checks, filesChanged.hasListeners, editor.diagnostics.size], [0, false, 0]);
  });

  it('have their source, code, words and place', async () => {
    found = [{ ...problem('a'), message: 'A message', start: 2, end: 5, severity: 'information' }];
    await open();
    const [mark, ...more] = editor.diagnostics.get('file:///a.job.yml') ?? [];
    assert.deepEqual(
      [{ ...(mark as object) }, more],
      [
        {
          range: new standIn.Range(0, 2, 0, 5),
          message: 'A message',
          severity: standIn.DiagnosticSeverity.Information,
          source: 'Millrace',
          code: 'a',
        },
        [],
      ],
    );
  });

  it('lead back to their problems, also those that the editor has made anew', async () => {
    found = [problem('a'), { ...problem('a'), start: 2, end: 3 }, { ...problem('a'), message: 'other' }, problem('b')];
    await open();
    const marks = (editor.diagnostics.get('file:///a.job.yml') ?? []) as Record<string, unknown>[];
    const problemsOf = (...asked: unknown[]): unknown[] =>
      diagnostics
        .problemsOf(file as never, asked as never)
        .map((each) => [asked.indexOf(each.diagnostic), each.problem]);
    assert.deepEqual(
      problemsOf(...marks),
      found.map((each, index) => [index, each]),
    );
    // Copies, and marks that are nobody's.
    const copies = marks.map((mark) => ({ ...mark }));
    assert.deepEqual(
      problemsOf(...copies.toReversed()),
      found.toReversed().map((each, index) => [index, each]),
    );
    const [first] = copies;
    assert.deepEqual(
      problemsOf(
        { ...first, code: 'c' },
        { ...first, message: 'c' },
        { ...first, range: new standIn.Range(0, 0, 0, 2) },
        first,
      ),
      [[3, found[0]]],
    );
    assert.deepEqual(diagnostics.problemsOf(bystander('file:///b.job.yml') as never, marks as never), []);
  });

  it('tell why there are none', async () => {
    loaded = Promise.reject(new Error('gone'));
    await open();
    assert.match(String(reported), /gone/);
  });
});
