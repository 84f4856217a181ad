import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { HttpCall } from '../../../../src/service/http/handler.ts';
import { outputHandlers, type OutputHandlerOptions } from '../../../../src/service/http/outputHandlers.ts';
import { outputGrowth } from '../../../../src/service/runners/outputLog.ts';
import { createChanges } from '../../../../src/service/store/changes.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import './output.part.ts';

describe('the output of a run, as it is asked for', () => {
  let folder: string;
  let clock: FakeClock;
  let run: Partial<RunRecord> | undefined;
  let outcome: object | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-endpoint-'));
    mkdirSync(join(folder, 'runs', '4'), { recursive: true });
    clock = new FakeClock();
    [run, outcome] = [{ lifeCycle: 'RUNNING', detail: '' }, undefined];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (text: string, name = 'output.log'): void => {
    writeFileSync(join(folder, 'runs', '4', name), text, { flag: 'a' });
    outputGrowth.tell(join(folder, 'runs', '4', name));
  };
  const changes = createChanges();
  const ask = (query: Record<string, string>, signal = new AbortController().signal): Promise<unknown> => {
    const [route] = outputHandlers({
      store: { changes, runParts: { outcome: () => outcome } },
      engine: { get: () => run },
      clock,
      dataFolder: folder,
    } as unknown as OutputHandlerOptions);
    const call = { path: {}, query: new URLSearchParams({ run_id: '4', ...query }), text: '', signal };
    return Promise.resolve(route!.handle(call as unknown as HttpCall));
  };

  /** Resolves when so many timers are armed: the file was read by then. */
  const waits = async (count: number): Promise<void> => {
    const end = performance.now() + 10_000;
    while (clock.pending < count && performance.now() < end) await settle();
    assert.equal(clock.pending, count);
  };

  it('is answered at once, with the versions at its beginning alone', async () => {
    write('abc');
    write('Python 3', 'versions.txt');
    assert.deepEqual(await ask({}), { text: 'abc', next_offset: 3, size: 3, is_end: false, versions: 'Python 3' });
    for (const wait of ['true', 'false'])
      assert.deepEqual(await ask({ offset: '1', wait }), { text: 'bc', next_offset: 3, size: 3, is_end: false });
    assert.deepEqual(await ask({ offset: '3' }), { text: '', next_offset: 3, size: 3, is_end: false });
    assert.equal(clock.pending, 0);
  });

  it('is waited for until there is more, and all waiting ends with it', async () => {
    const answer = ask({ wait: 'true' });
    await waits(1);
    // Of another run.
    outputGrowth.tell(join(folder, 'runs', '5', 'output.log'));
    await settle();
    write('more');
    assert.deepEqual(await answer, { text: 'more', next_offset: 4, size: 4, is_end: false, versions: undefined });
    await settle();
    assert.equal(clock.pending, 0);
  });

  it('is waited for 50 s, and for nobody who went away', async () => {
    let answered = 0;
    const count = (): void => void (answered += 1);
    const late = ask({ offset: '0', wait: 'true' }).then(count);
    const left = new AbortController();
    const gone = ask({ wait: 'true' }, left.signal).then(count);
    await waits(2);
    await clock.advance(49_999);
    assert.equal(answered, 0);
    left.abort();
    await gone;
    assert.equal(answered, 1);
    await clock.advance(1);
    await late;
    assert.deepEqual([answered, clock.pending], [2, 0]);
  });

  it('says at its end, and not before, what became of the run', async () => {
    write('abc');
    run = { lifeCycle: 'TERMINATED', result: 'FAILED', detail: '' };
    outcome = { error: 'It broke.', errorTrace: 'at 1' };
    assert.deepEqual(await ask({ offset: '1', wait: 'true' }), {
      text: 'bc',
      next_offset: 3,
      size: 3,
      is_end: true,
      error: 'It broke.',
      error_trace: 'at 1',
    });
    run = { ...run, lifeCycle: 'TERMINATING' };
    assert.deepEqual(await ask({ offset: '1' }), { text: 'bc', next_offset: 3, size: 3, is_end: false });
    // What does not fit into one answer is not the end yet.
    run = { ...run, lifeCycle: 'INTERNAL_ERROR' };
    write('x'.repeat(512 * 1024));
    assert.deepEqual(await ask({ offset: '2', wait: 'true' }).then((answer) => ({ ...(answer as object), text: '' })), {
      text: '',
      next_offset: 512 * 1024 + 2,
      size: 512 * 1024 + 3,
      is_end: false,
    });
  });

  it('is refused for a run that is not there, also one that is deleted meanwhile, or that cannot be read', async () => {
    const refusal = (asked: Promise<unknown>): Promise<ApiError> =>
      asked.then(
        () => assert.fail('it was answered'),
        (error: unknown) => (error instanceof ApiError ? error : Promise.reject(error)),
      );
    const waiting = refusal(ask({ wait: 'true' }));
    await waits(1);
    run = undefined;
    write('x');
    assert.match((await waiting).message, /Run 4 does not exist/);
    assert.equal(clock.pending, 0);
    run = { lifeCycle: 'RUNNING', detail: '' };
    rmSync(join(folder, 'runs', '4', 'output.log'));
    mkdirSync(join(folder, 'runs', '4', 'output.log'));
    const { status, errorCode, message } = await refusal(ask({}));
    assert.deepEqual([status, errorCode], [500, 'STORAGE_FAILED']);
    assert.match(message, /^The output of run 4 cannot be read: EISDIR.*Look into its folder under the data folder\.$/);
  });
});
