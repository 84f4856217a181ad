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
});
