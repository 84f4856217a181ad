import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { createJournal } from '../../../../src/service/engine/runJournal.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('what happens to runs', () => {
  /** A journal on a store that cannot keep the runs of `broken`; `told` has what was done, in its order. */
  function setUp(more: { broken?: Set<string>; isClosing?: boolean } = {}) {
    const told: string[] = [];
    const clock = new FakeClock();
    const errors: string[] = [];
    let kept: string[] = [];
    const journal = createJournal({
      store: {
        transaction(body: () => void) {
          kept = [];
          body();
          told.push(...kept);
        },
        runs: {
          update({ runId, lifeCycle }: RunRecord) {
            if (more.broken?.has(runId)) throw new Error('the disk is full');
            kept.push(`${runId} ${lifeCycle}`);
          },
          delete: (runId: string) => kept.push(`delete ${runId}`),
        },
        runParts: { setOutcome: (runId: string) => kept.push(`outcome of ${runId}`) },
      } as unknown as Store,
      clock,
      notifier: {
        started: ({ runId }: RunRecord) => void kept.push(`tell start of ${runId}`),
        over: ({ runId }: RunRecord, _settings: unknown, willRetry: boolean) =>
          void kept.push(`tell end of ${runId} ${willRetry}`),
      } as never,
      logger: { ...silentLogger, error: (text) => void errors.push(text) },
      perform: ({ record }, effect) => void told.push(`${effect} ${record.runId} ${record.lifeCycle}`),
      isClosing: () => more.isClosing === true,
    });
    const run = (runId: string, record: Partial<RunRecord> = {}, settings: object = {}): ActiveRun =>
      ({
        record: {
          runId,
          jobId: '7',
          lifeCycle: 'PENDING',
          createdAt: 0,
          dispatchedAt: 0,
          attemptNumber: 0,
          message: '',
          ...record,
        },
        settings,
      }) as unknown as ActiveRun;
    return { told, clock, errors, journal, run };
  }
  const started = { type: 'started', at: 1, sparkContextId: 'c' } as const;
  const lost = { type: 'serviceLost', at: 5, message: 'Lost.' } as const;

  it('is stored and announced before anything follows from it', () => {
    const { told, journal, run } = setUp();
    const [one, two] = [run('1'), run('2')];
    journal.record([
      { run: one, event: started },
      { run: two, event: lost, outcome: { error: 'e' } },
    ]);
    assert.deepEqual(told, [
      '1 RUNNING',
      'tell start of 1',
      '2 INTERNAL_ERROR',
      'outcome of 2',
      'tell end of 2 false',
      'announceStart 1 RUNNING',
      'settle 2 INTERNAL_ERROR',
    ]);
    told.length = 0;
    journal.record([{ run: two, event: started }]);
    assert.deepEqual([told, two.record.lifeCycle], [[], 'INTERNAL_ERROR']);
  });

  it('is followed by a retry where the settings want it and nobody debugs, and is forgotten where its job is gone', () => {
    const { told, journal, run } = setUp();
    const [plain, debugged, hidden] = [
      run('1', {}, { max_retries: 1 }),
      run('2', {}, { max_retries: 1 }),
      run('3', { hidden: true }),
    ];
    debugged.debug = { progress: { phase: 'waiting' } };
    journal.record([plain, debugged, hidden].map((each) => ({ run: each, event: lost })));
    assert.deepEqual([plain.record.retryAt, debugged.record.retryAt], [5, undefined]);
    assert.deepEqual(
      told.filter((each) => /^(?:tell|delete)/.test(each)),
      ['tell end of 1 true', 'tell end of 2 false', 'tell end of 3 false', 'delete 3'],
    );
  });

  it('is stored also where nothing follows from it but other words of the run', () => {
    const { told, journal, run } = setUp();
    const ending = run('1', { lifeCycle: 'TERMINATING', stopping: 'CANCELED', message: 'Asked for.' });
    journal.record([{ run: ending, event: { type: 'finished', at: 1, result: 'SUCCESS', message: '', note: 'Cut.' } }]);
    assert.deepEqual([told, ending.record.message], [['1 TERMINATING', 'cleanUp 1 TERMINATING'], 'Asked for. Cut.']);
    told.length = 0;
    journal.record([{ run: ending, event: { type: 'timedOut', at: 1, message: 'Too late.' } }]);
    assert.deepEqual([told, ending.record.message], [[], 'Asked for. Cut.']);
  });

  it('that cannot be stored changes nothing, holds no other run up, and is stored a second later', async () => {
    const broken = new Set(['1']);
    const { told, clock, errors, journal, run } = setUp({ broken });
    const [one, two] = [run('1'), run('2')];
    assert.throws(() => journal.record([{ run: one, event: started }]), /disk is full/);
    assert.deepEqual([told, one.record.lifeCycle], [[], 'PENDING']);
    journal.recordSoon([one, two].map((each) => ({ run: each, event: started })));
    assert.deepEqual([one.record.lifeCycle, two.record.lifeCycle, errors.length], ['PENDING', 'RUNNING', 1]);
    assert.match(
      errors[0] ?? '',
      /^The state of run 1 could not be stored, trying again in a second: the disk is full/,
    );
    broken.clear();
    await clock.advance(999);
    assert.equal(one.record.lifeCycle, 'PENDING');
    await clock.advance(1);
    assert.deepEqual([one.record.lifeCycle, clock.pending, errors.length], ['RUNNING', 0, 1]);
  });

  it('is not tried again while the service ends', () => {
    const { clock, errors, journal, run } = setUp({ broken: new Set(['1']), isClosing: true });
    journal.recordSoon([{ run: run('1'), event: started }]);
    assert.deepEqual([errors.length, clock.pending], [1, 0]);
  });
});
