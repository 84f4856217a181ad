import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { createRunEnds } from '../../../../src/service/engine/engine.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

describe('an end that is asked for', () => {
  let folder: string;
  let active: ActiveRuns;
  let stored: Map<string, RunRecord>;
  let calls: string[];
  const clock = new FakeClock(5000);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-ends-'));
    active = new ActiveRuns();
    [stored, calls] = [new Map(), []];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const setUp = () => {
    const recorded =
      (how: string) =>
      (happenings: readonly Happening[]): void => {
        for (const { run, event } of happenings)
          calls.push(`${how} ${event.type} ${run.record.runId} ${event.at} ${'message' in event ? event.message : ''}`);
      };
    return createRunEnds({
      store: {
        transaction(body: () => void) {
          calls.push('{');
          body();
          calls.push('}');
        },
        runs: {
          delete: (runId: string) => calls.push(`delete ${runId}`),
          waitingRetries: (jobId: string) => [...stored.values()].filter((run) => run.jobId === jobId && run.retryAt),
        },
      } as never,
      clock,
      logger: silentLogger,
      dataFolder: folder,
      active,
      journal: { record: recorded('record'), recordSoon: recorded('recordSoon') },
      retries: { drop: ({ runId }: RunRecord) => void calls.push(`drop ${runId}`) } as never,
      get: (runId) => active.find(runId)?.record ?? stored.get(runId),
    });
  };
  const record = (runId: string, more: Partial<RunRecord> = {}): RunRecord =>
    ({ runId, jobId: '7', lifeCycle: 'RUNNING', ...more }) as RunRecord;
  const adopt = (runId: string, more: Partial<RunRecord> = {}): ActiveRun => {
    const run = { record: record(runId, more) } as ActiveRun;
    active.adopt(run);
    return run;
  };
  const keep = (runId: string, more: Partial<RunRecord> = {}): void =>
    void stored.set(runId, record(runId, { lifeCycle: 'TERMINATED', ...more }));
  const isRefused = (code: string, text: RegExp) => (error: unknown) =>
    error instanceof ApiError && error.status === 400 && error.errorCode === code && text.test(error.message);
  const words = 'The run was cancelled by a user.';

  it('comes of a run that goes, of a retry that waits, and of nothing else', () => {
    const ends = setUp();
    adopt('1');
    adopt('2');
    keep('3', { retryAt: 9000 });
    keep('4');
    ends.cancel('1');
    ends.cancel('3');
    ends.cancel('4');
    assert.deepEqual(calls, [`record cancelRequested 1 5000 ${words}`, 'drop 3']);
    assert.throws(() => ends.cancel('5'), isRefused('RESOURCE_DOES_NOT_EXIST', /^Run 5 does not exist/));
  });

  it('comes of all runs of a job and of its retries', () => {
    const ends = setUp();
    adopt('1');
    adopt('2', { jobId: '8' });
    adopt('3');
    keep('4', { retryAt: 9000 });
    keep('5', { retryAt: 9000, jobId: '8' });
    ends.cancelAll('7');
    assert.deepEqual(calls, [
      'drop 4',
      `record cancelRequested 1 5000 ${words}`,
      `record cancelRequested 3 5000 ${words}`,
    ]);
    calls = [];
    ends.cancelAll('99');
    assert.deepEqual(calls, []);
  });

  it('is that of a run which is deleted, once it is over: who waits for it is told, and its folder goes', async () => {
    const ends = setUp();
    adopt('1', { lifeCycle: 'PENDING' });
    keep('2');
    for (const runId of ['1', '2']) mkdirSync(runFolder(folder, runId), { recursive: true });
    assert.throws(() => ends.delete('1'), isRefused('INVALID_STATE', /^Run 1 is PENDING; it was not deleted\./));
    assert.throws(() => ends.delete('9'), isRefused('RESOURCE_DOES_NOT_EXIST', /^Run 9 does not exist/));
    assert.deepEqual(calls, []);
    const over = active.waiters.wait('2');
    ends.delete('2');
    assert.deepEqual(calls, ['{', 'delete 2', '}']);
    assert.equal(await over, undefined);
    await eventually(() => assert.equal(existsSync(runFolder(folder, '2')), false));
    assert.equal(existsSync(runFolder(folder, '1')), true);
  });

  it('comes with the job: its runs that are over go at once, and those that go on are hidden and cancelled', async () => {
    const ends = setUp();
    const [going, other] = [adopt('1', { message: 'In run' }), adopt('2', { jobId: '8' })];
    for (const runId of ['1', '3', '4']) mkdirSync(runFolder(folder, runId), { recursive: true });
    const told: unknown[] = [];
    for (const runId of ['1', '3', '4']) void active.waiters.wait(runId).then((run) => told.push(runId, run));
    ends.jobDeleted('7', ['3', '4']);
    assert.deepEqual(
      [going.record, other.record.hidden],
      [record('1', { message: 'In run', hidden: true }), undefined],
    );
    assert.deepEqual(calls, ['recordSoon cancelRequested 1 5000 The job was deleted.']);
    await settle();
    assert.deepEqual(told, ['3', undefined, '4', undefined]);
    await eventually(() =>
      assert.deepEqual(
        ['1', '3', '4'].map((runId) => existsSync(runFolder(folder, runId))),
        [true, false, false],
      ),
    );
  });
});
