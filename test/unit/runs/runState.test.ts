import assert from 'node:assert/strict';
import { lifeCycleStates, resultStates } from '../../../src/api/schema/jobs/run.ts';
import {
  debuggedStatus,
  runColors,
  runDurationInMs,
  runStatus,
  stateMessage,
  type RunPhase,
  type RunStatus,
} from '../../../src/runs/runState.ts';

type Row = [
  lifeCycle: string | undefined,
  result: string | undefined,
  cancelled: boolean | undefined,
  phase: RunPhase,
  label: string,
  active: boolean,
  terminal: boolean,
];

const rows: Row[] = [
  ['QUEUED', undefined, undefined, 'queued', 'Queued', true, false],
  ['PENDING', undefined, undefined, 'pending', 'Pending', true, false],
  ['PENDING', undefined, true, 'stopping', 'Stopping', true, false],
  ['RUNNING', undefined, false, 'running', 'Running', true, false],
  ['RUNNING', undefined, true, 'stopping', 'Stopping', true, false],
  ['TERMINATING', undefined, undefined, 'finishing', 'Finishing', true, false],
  ['TERMINATING', 'SUCCESS', false, 'finishing', 'Finishing', true, false],
  ['TERMINATING', 'CANCELED', false, 'cancelling', 'Canceling', true, false],
  ['TERMINATING', 'CANCELED', true, 'cancelling', 'Canceling', true, false],
  // The scheduler's time-out is nobody's cancellation, and the flag alone does not tell which of both it is.
  ['TERMINATING', 'TIMEDOUT', true, 'timingOut', 'Timing out', true, false],
  ['TERMINATING', 'TIMED_OUT', false, 'timingOut', 'Timing out', true, false],
  ['RUNNING', 'TIMEDOUT', true, 'timingOut', 'Timing out', true, false],
  ['TERMINATING', undefined, true, 'stopping', 'Stopping', true, false],
  ['TERMINATED', 'SUCCESS', undefined, 'succeeded', 'Succeeded', false, true],
  ['TERMINATED', 'SUCCESSFUL', undefined, 'succeeded', 'Succeeded', false, true],
  ['TERMINATED', 'FAILED', undefined, 'failed', 'Failed', false, true],
  ['TERMINATED', 'TIMEDOUT', true, 'timedOut', 'Timed out', false, true],
  ['TERMINATED', 'TIMED_OUT', true, 'timedOut', 'Timed out', false, true],
  ['TERMINATED', 'CANCELED', true, 'cancelled', 'Canceled', false, true],
  ['TERMINATED', undefined, undefined, 'unknown', 'TERMINATED, result not reported', false, true],
  ['SKIPPED', undefined, undefined, 'skipped', 'Skipped', false, true],
  ['INTERNAL_ERROR', undefined, undefined, 'internalError', 'Internal error', false, true],
  ['INTERNAL_ERROR', 'FAILED', undefined, 'internalError', 'Internal error', false, true],
  // Values of real servers, and values that nobody has seen: their own words, a question mark, never an ordinary state.
  ['BLOCKED', undefined, undefined, 'unknown', 'BLOCKED', true, false],
  ['WAITING_FOR_RETRY', undefined, undefined, 'unknown', 'WAITING_FOR_RETRY', true, false],
  ['TERMINATED', 'SUCCESS_WITH_FAILURES', undefined, 'unknown', 'TERMINATED, SUCCESS_WITH_FAILURES', false, true],
  ['TERMINATED', 'UPSTREAM_FAILED', undefined, 'unknown', 'TERMINATED, UPSTREAM_FAILED', false, true],
  ['TERMINATED', 'constructor', undefined, 'unknown', 'TERMINATED, constructor', false, true],
  ['HIBERNATING', 'SUCCESS', undefined, 'unknown', 'HIBERNATING, SUCCESS', true, false],
  // What contradicts itself is none of both.
  ['RUNNING', 'SUCCESS', undefined, 'unknown', 'RUNNING, SUCCESS', true, false],
  ['SKIPPED', 'SUCCESS', undefined, 'unknown', 'SKIPPED, SUCCESS', false, true],
  ['TERMINATED', '', undefined, 'unknown', 'TERMINATED, result not reported', false, true],
  ['', '', undefined, 'unknown', 'State not reported', true, false],
  [undefined, undefined, undefined, 'unknown', 'State not reported', true, false],
];

describe('runStatus', () => {
  for (const [lifeCycle, result, cancelled, phase, label, active, terminal] of rows) {
    it(`${lifeCycle ?? '-'} / ${result ?? '-'} / ${cancelled ?? '-'} is ${phase}`, () => {
      const status = runStatus({
        state: { life_cycle_state: lifeCycle, result_state: result, user_cancelled_or_timedout: cancelled },
        end_time: 0,
      });
      assert.deepEqual(
        { phase: status.phase, label: status.label, active: status.active, terminal: status.terminal },
        { phase, label, active, terminal },
      );
      assert.equal(status.icon.id === 'question', phase === 'unknown');
    });
  }

  it('takes no word that every object knows for a state', () => {
    const words = [...Object.getOwnPropertyNames(Object.prototype), 'name', 'length', 'prototype'];
    for (const life of words)
      for (const result of [undefined, ...words]) {
        const { phase } = runStatus({ state: { life_cycle_state: life, result_state: result }, end_time: 0 });
        assert.equal(phase, 'unknown', `${life} ${result}`);
      }
    for (const result of words)
      assert.equal(runStatus({ state: { life_cycle_state: 'TERMINATED', result_state: result } }).phase, 'unknown');
  });

  it('ends the wait for a run of an unknown state once it has an end', () => {
    assert.equal(runStatus({ state: { life_cycle_state: 'HIBERNATING' }, end_time: 5 }).terminal, true);
  });

  it('has one phase for every life cycle, result and flag, unknown ones included', () => {
    const results = [undefined, ...resultStates, 'EXCLUDED'];
    const table = [...lifeCycleStates, 'HIBERNATING', undefined].map((life) => [
      life,
      ...results.flatMap((result) => {
        const [plain, unset, flagged] = [false, undefined, true].map(
          (flag) =>
            runStatus({
              state: { life_cycle_state: life, result_state: result, user_cancelled_or_timedout: flag },
            }).phase,
        );
        assert.equal(plain, unset, 'a flag that is left out is none');
        return plain === flagged ? plain : `${plain}/${flagged}`;
      }),
    ]);
    // Columns: no result, SUCCESS, FAILED, TIMEDOUT, CANCELED, another one; after the slash with the flag, if it says something.
    assert.deepEqual(table, [
      ['QUEUED', 'queued/stopping', 'unknown', 'unknown', 'timingOut', 'cancelling', 'unknown'],
      ['PENDING', 'pending/stopping', 'unknown', 'unknown', 'timingOut', 'cancelling', 'unknown'],
      ['RUNNING', 'running/stopping', 'unknown', 'unknown', 'timingOut', 'cancelling', 'unknown'],
      [
        'TERMINATING',
        'finishing/stopping',
        'finishing/stopping',
        'finishing/stopping',
        'timingOut',
        'cancelling',
        'unknown',
      ],
      ['TERMINATED', 'unknown', 'succeeded', 'failed', 'timedOut', 'cancelled', 'unknown'],
      ['SKIPPED', 'skipped', 'unknown', 'skipped', 'skipped', 'skipped', 'unknown'],
      ['INTERNAL_ERROR', 'internalError', 'unknown', 'internalError', 'internalError', 'internalError', 'unknown'],
      ['HIBERNATING', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
      [undefined, 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown'],
    ]);
  });

  it('has words, an icon and a colour for every phase, and no two that end look alike', () => {
    const seen = new Map<RunPhase, string>();
    for (const life of [...lifeCycleStates, 'HIBERNATING']) {
      for (const result of [undefined, ...resultStates]) {
        for (const flag of [false, true]) {
          const status = runStatus({
            state: { life_cycle_state: life, result_state: result, user_cancelled_or_timedout: flag },
          });
          assert.notEqual(status.active, status.terminal, `${life} ${result}`);
          const words = status.phase === 'unknown' ? [life, result].filter(Boolean).join(', ') : status.label;
          if (life !== 'TERMINATED' || result) assert.equal(status.label, words);
          seen.set(
            status.phase,
            [status.phase === 'unknown' ? '' : words, status.icon.id, status.icon.color].join(' '),
          );
        }
      }
    }
    assert.deepEqual(Object.fromEntries(seen), {
      queued: `Queued clock ${runColors.skipped}`,
      pending: `Pending loading~spin ${runColors.active}`,
      running: `Running loading~spin ${runColors.active}`,
      finishing: `Finishing loading~spin ${runColors.active}`,
      cancelling: `Cancelling loading~spin ${runColors.skipped}`,
      stopping: `Stopping loading~spin ${runColors.skipped}`,
      timingOut: `Timing out loading~spin ${runColors.failed}`,
      succeeded: `Succeeded pass ${runColors.succeeded}`,
      failed: `Failed error ${runColors.failed}`,
      timedOut: `Timed out watch ${runColors.failed}`,
      cancelled: `Cancelled circle-slash ${runColors.skipped}`,
      skipped: `Skipped debug-step-over ${runColors.skipped}`,
      internalError: `Internal error run-errors ${runColors.failed}`,
      unknown: ` question ${runColors.skipped}`,
    });
  });

  it('copes with a run that has no state at all', () => {
    assert.equal(runStatus({}).phase, 'unknown');
  });
});

describe('runDurationInMs', () => {
  it('adds the three durations of an ended run and prefers run_duration', () => {
    const ended = {
      run_id: '1',
      state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      start_time: 1000,
      end_time: 9000,
      setup_duration: 1,
      execution_duration: 20,
      cleanup_duration: 300,
    };
    assert.equal(runDurationInMs(ended, 99_999), 321);
    assert.equal(runDurationInMs({ ...ended, run_duration: 7 }, 99_999), 7);
  });

  it('counts on while the run is going and is absent before it started', () => {
    assert.equal(
      runDurationInMs({ run_id: '1', state: { life_cycle_state: 'RUNNING' }, start_time: 1000, end_time: 0 }, 4000),
      3000,
    );
    assert.equal(runDurationInMs({ run_id: '1', state: { life_cycle_state: 'QUEUED' } }, 4000), undefined);
    const skipped = { run_id: '1', state: { life_cycle_state: 'SKIPPED' }, start_time: 1000 };
    assert.equal(runDurationInMs(skipped, 4000), undefined, 'nor once it is over and nobody says when');
  });

  it('is absent where a server writes numbers that are no moments', () => {
    const running = { run_id: '1', state: { life_cycle_state: 'RUNNING' } };
    for (const odd of [9e15, -9e15, Number.MAX_SAFE_INTEGER]) {
      assert.equal(runDurationInMs({ ...running, start_time: odd, end_time: 0 }, 4000), undefined);
      assert.equal(runDurationInMs({ ...running, start_time: 1000, end_time: odd }, 4000), undefined);
    }
  });
});

describe('what a service says of a run beside its state', () => {
  it('is what it says, and nothing where that is said of every run that goes on', () => {
    const said = (message?: string): string => stateMessage({ state: { state_message: message } as never });
    assert.deepEqual([' no room ', 'In run', 'In run. Debugged.', '', undefined].map(said), [
      'no room',
      '',
      'In run. Debugged.',
      '',
      '',
    ]);
    assert.equal(stateMessage({}), '');
  });
});

describe('a run that may be debugged', () => {
  const status = (life: string, result?: string): RunStatus =>
    runStatus({ state: { life_cycle_state: life, ...(result === undefined ? {} : { result_state: result }) } });

  it('is held or goes on, also before it has begun', () => {
    for (const [life, label] of [
      ['RUNNING', 'Running'],
      ['PENDING', 'Pending'],
    ] as const) {
      const going = status(life);
      assert.deepEqual(debuggedStatus(going, 'held'), {
        ...going,
        label: 'Paused in the debugger',
        icon: { id: 'debug-pause', color: runColors.waiting },
      });
      assert.deepEqual(debuggedStatus(going, 'going'), {
        ...going,
        label: `${label} under the debugger`,
        icon: { id: 'debug-alt', color: going.icon.color },
      });
      assert.equal(debuggedStatus(going, undefined), going, 'nobody debugs it');
    }
  });

  it('tells how it ends, whatever the debugger says', () => {
    for (const ending of [
      status('QUEUED'),
      status('TERMINATING'),
      status('RUNNING', 'CANCELED'),
      status('TERMINATED', 'SUCCESS'),
      status('TERMINATED', 'FAILED'),
      status('BLOCKED'),
    ])
      for (const debug of ['held', 'going'] as const) assert.equal(debuggedStatus(ending, debug), ending, ending.label);
  });
});
