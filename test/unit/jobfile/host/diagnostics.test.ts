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
    diagnostics = new Diagnostics(
      { load: () => loaded, parsed: () => ({}) } as never,
      {
        onDidChange: filesChanged.event,
        problemsOf: () => (isMissing ? [problem('missingFile')] : []),
        refresh: () => looking.promise,
      } as never,
      (error) => reported.push(error),
    );
    file = textFile('file:///a.job.yml', 'name: a') as never;
    standIn.workspace.textDocuments = [file as never];
  });
  afterEach(() => {
    diagnostics.dispose();
    mock.timers.reset();
    mock.restoreAll();
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

  it('tell why there are none', async () => {
    loaded = Promise.reject(new Error('gone'));
    await open();
    assert.match(String(reported), /gone/);
  });
});
