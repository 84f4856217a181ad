import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, JobSettings, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import { KeptStartedRuns } from '../../../../src/runs/host/keptStartedRuns.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, shownTexts, standIn, memento } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { notifyFinished } = await import('../../../../src/runs/host/startedRuns.ts');
const { StartedMessages } = await import('../../../../src/runs/host/startedRuns.ts');
const { StartedRuns } = await import('../../../../src/runs/host/startedRuns.ts');

describe('the message about a finished run', () => {
  beforeEach(() => editor.reset());

  const run = (result: string, message?: string) => ({
    run_id: '7',
    job_id: '1',
    number_in_job: '3',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: result, state_message: message },
  });
  const tell = (result: string, startedHere: boolean, message?: string, cause?: string): string[] => {
    const shown: string[] = [];
    notifyFinished(
      { run: run(result, message), job: { job_id: '1', settings: { name: 'etl' } } },
      { startedHere, profile: localProfile, cause },
      (id) => shown.push(id),
    );
    return shown;
  };

  it('names job, run and profile, and warns with the reason for a failure', () => {
    tell('SUCCESS', true, 'fine');
    tell('FAILED', true, 'no [disk](command:x)');
    const [good = '', bad = ''] = shownTexts();
    assert.match(good, /^information: etl .* on Local: Succeeded \[Show Output \| Run Again\]$/);
    assert.match(bad, /^warning: etl .* on Local: Failed. no .*\[Show Output \| Run Again \| Explain \| Fix…\]$/);
    assert.doesNotMatch(bad, /\]\(command/);
  });

  it('offers no explanation of a canceled run, and a fix only for a run of this machine', () => {
    tell('CANCELED', true, 'Cancelled by a user');
    const failed = { run: run('FAILED'), job: undefined };
    notifyFinished(failed, { startedHere: true, profile: staging }, () => undefined);
    const [canceled = '', remote = ''] = shownTexts();
    assert.match(canceled, /^information: .*\[Show Output \| Run Again\]$/);
    assert.match(remote, /\[Show Output \| Run Again \| Explain\]$/);
  });

  for (const [policy, expected] of Object.entries({
    started: [true, true, false, false],
    all: [true, true, true, true],
    failed: [false, true, false, true],
    none: [false, false, false, false],
  })) {
    it(`follows the setting "${policy}"`, () => {
      editor.settings['millrace.notifications.runFinished'] = policy;
      const told = (
        [
          ['SUCCESS', true],
          ['FAILED', true],
          ['SUCCESS', false],
          ['FAILED', false],
        ] as const
      ).map(([result, here]) => {
        editor.shown.length = 0;
        tell(result, here);
        return editor.shown.length === 1;
      });
      assert.deepEqual(told, expected);
    });
  }

  it('is shown for each attempt that the setting includes', () => {
    const told = (policy: string, attempt: number, result = 'FAILED'): boolean => {
      editor.reset();
      editor.settings['millrace.notifications.runFinished'] = policy;
      notifyFinished(
        {
          run: { ...run(result), attempt_number: attempt },
          job: { job_id: '1', settings: { name: 'etl', max_retries: 2 } },
        },
        { startedHere: true, profile: localProfile, cause: undefined },
        () => undefined,
      );
      return editor.shown.length === 1;
    };
    for (const [policy, expected] of [
      ['started', [true, false, true]],
      ['all', [true, true, true]],
      ['failed', [true, true, true]],
    ] as const)
      assert.deepEqual(
        [0, 1, 2].map((attempt) => told(policy, attempt)),
        expected,
        policy,
      );
    assert.equal(told('started', 1, 'SUCCESS'), true);
  });

  it('offers to repeat or explain the run on its own profile', async () => {
    editor.answer = ({ actions }) => actions[1];
    tell('SUCCESS', true);
    editor.answer = ({ actions }) => actions[2];
    tell('FAILED', true);
    await nextTurn();
    const target = { profileId: 'local', runId: '7' };
    assert.deepEqual(editor.executed, [
      ['millrace.run.repeat', target],
      ['millrace.run.askChat', target],
    ]);
  });
});

describe('the message about a started run', () => {
  let messages: InstanceType<typeof StartedMessages>;
  let over: string[];

  beforeEach(() => {
    editor.reset();
    messages = new StartedMessages();
    over = [];
    // A message disappears when its task ends.
    const { withProgress } = standIn.window;
    standIn.window.withProgress = async (options, task) => {
      const result = await withProgress.call(standIn.window, options, task);
      over.push(String(options['title']));
      return result;
    };
    restore = () => (standIn.window.withProgress = withProgress);
  });
  let restore: () => void;
  afterEach(() => {
    restore();
    messages.dispose();
  });
  const shown = () => editor.progress.map(({ options }) => options);

  it('names run and profile, links to the output and disappears with the end of the run', async () => {
    messages.started(localProfile, '7', 'etl #3');
    assert.equal(shown().length, 1);
    assert.equal(shown()[0]?.['location'], 15);
    const title = String(shown()[0]?.['title']);
    assert.match(title, /^Started etl #3 on Local\. \[Show Output\]\(command:millrace\.openRun\?[^)\s]+\)$/);
    const argument = /\?([^)]+)\)$/.exec(title)?.[1] ?? '';
    assert.deepEqual(JSON.parse(decodeURIComponent(argument)), [{ profileId: 'local', runId: '7' }]);
    await nextTurn();
    assert.deepEqual(over, []);
    messages.ended('other', '7');
    messages.ended('local', '8');
    await nextTurn();
    assert.deepEqual(over, [], 'another run has ended');
    messages.ended('local', '7');
    await nextTurn();
    assert.deepEqual(over, [title]);
    assert.equal(shown().length, 1, 'nothing of it goes on in the status bar');
  });

  it("makes no links of the server's text", () => {
    messages.started({ ...localProfile, name: 'L](command:b)' }, '7', 'etl](command:a)');
    const links = String(shown()[0]?.['title']).match(/\]\(command:[^)]*/g);
    assert.equal(links?.length, 1);
  });
});

describe('a started run with retries', () => {
  const running = { life_cycle_state: 'RUNNING' };
  const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
  const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };

  let store: RunStore;
  let started: InstanceType<typeof StartedRuns>;
  let now: number;
  /** The job that the service returns. */
  let asked: () => Promise<Job>;
  const realNow = Date.now;

  beforeEach(() => {
    editor.reset();
    now = 1_000_000;
    Date.now = () => now;
    store = new RunStore();
    const connections = new FakeConnections({ jobs: { get: () => asked() } });
    asked = () => Promise.reject(new Error('gone'));
    connections.current = staging;
    started = new StartedRuns({
      connections,
      store,
      log: silentLogger,
      kept: new KeptStartedRuns(memento()),
      causeOf: async () => undefined,
      show: () => {},
      changed: () => {},
    });
  });
  afterEach(() => {
    Date.now = realNow;
    started.dispose();
    store.dispose();
  });

  const have = (settings: JobSettings): void =>
    store.setJobs([{ job_id: '1', settings: { name: 'etl', ...settings } }], now);
  /** Merges an attempt; the ids of the runs are 5, 6 and so on. */
  const see = (attempt: number, state: object, original = '5'): void =>
    store.mergeRuns(
      [
        {
          run_id: String(Number(original) + attempt),
          original_attempt_run_id: original,
          job_id: '1',
          number_in_job: String(Number(original) + attempt),
          attempt_number: attempt,
          run_type: 'JOB_RUN',
          start_time: 1,
          end_time: 2,
          state,
        } as Run,
      ],
      now,
    );
  const told = async (): Promise<string[]> => {
    // Finding the cause of a failure is asynchronous.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    return shownTexts().map((text) => text.replace(/ \[.*/, ''));
  };

  const showOther = (): void => {
    started.leave();
    started.enter('other');
    assert.equal(started.areGoing, false);
  };

  it('is reported after its first failed attempt and at its end', async () => {
    have({ max_retries: 3 });
    started.watch('staging', '5');
    see(0, running);
    see(0, failed);
    assert.deepEqual(await told(), ['warning: etl #5 on Staging: Failed, attempt 1 of 4']);
    // The next attempt is still to come, so the message must not offer to run the job again.
    assert.doesNotMatch(shownTexts()[0] ?? '', /Run Again/);
    see(1, running);
    see(1, failed);
    // The poller missed this attempt while it was active.
    see(2, failed);
    see(3, running);
    assert.equal(started.areGoing, true);
    see(3, succeeded);
    assert.deepEqual((await told()).slice(1), ['information: etl #8 on Staging: Succeeded, attempt 4 of 4']);
    assert.equal(started.areGoing, false);
  });

  it('offers to run again after its last attempt fails', async () => {
    have({ max_retries: 1 });
    started.watch('staging', '5');
    see(0, failed);
    see(1, failed);
    assert.deepEqual(await told(), [
      'warning: etl #5 on Staging: Failed, attempt 1 of 2',
      'warning: etl #6 on Staging: Failed, attempt 2 of 2',
    ]);
    assert.match(shownTexts()[1] ?? '', /Run Again/);
    assert.equal(started.areGoing, false);
    see(2, succeeded);
    assert.equal((await told()).length, 2);
  });

  it('is not confused with another run of the job', async () => {
    have({ max_retries: 3 });
    started.watch('staging', '5');
    see(0, failed, '20');
    see(1, failed, '20');
    assert.deepEqual(await told(), []);
    see(0, succeeded);
    see(1, succeeded);
    assert.deepEqual(await told(), ['information: etl #5 on Staging: Succeeded']);
  });

  it('is followed again when its profile is current', async () => {
    have({ max_retries: 3 });
    started.watch('staging', '5');
    see(0, failed);
    showOther();
    started.leave();
    started.enter('staging');
    assert.equal(started.areGoing, true);
    see(1, succeeded);
    assert.equal((await told()).length, 2);
    assert.equal(started.areGoing, false);
  });
});

describe('a watched run', () => {
  const running = { life_cycle_state: 'RUNNING' };
  const ended = (result: string): object => ({ life_cycle_state: 'TERMINATED', result_state: result });

  let store: RunStore;
  let started: InstanceType<typeof StartedRuns>;
  let connections: FakeConnections;
  let memory: ReturnType<typeof memento>;
  let changes: number;
  let outputs: string[][];
  /** Messages about started runs that have disappeared. */
  let over: string[];
  const { withProgress } = standIn.window;

  const open = (): InstanceType<typeof StartedRuns> =>
    new StartedRuns({
      connections,
      store,
      log: silentLogger,
      kept: new KeptStartedRuns(memory),
      causeOf: async () => undefined,
      show: (...output) => outputs.push(output),
      changed: () => (changes += 1),
    });

  beforeEach(() => {
    editor.reset();
    over = [];
    standIn.window.withProgress = async (options, task) => {
      const result = await withProgress.call(standIn.window, options, task);
      over.push(String(options['title']).replace(/ \[.*/, ''));
      return result;
    };
    store = new RunStore();
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    connections = new FakeConnections();
    connections.current = staging;
    [changes, outputs] = [0, []];
    memory = memento();
    started = open();
  });
  afterEach(() => {
    started.dispose();
    store.dispose();
    standIn.window.withProgress = withProgress;
  });
  const see = (state: object, id = '5'): void =>
    store.mergeRuns([{ run_id: id, job_id: '1', number_in_job: id, run_type: 'JOB_RUN', state } as Run], 2);
  const told = async (): Promise<string[]> => {
    // Finding the cause of a failure is asynchronous.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    return shownTexts().map((text) => text.replace(/ \[.*/, ''));
  };

  it('is reported at once if it has already ended', async () => {
    see(ended('FAILED'));
    started.watch('staging', '5');
    assert.deepEqual(await told(), ['warning: etl #5 on Staging: Failed']);
    assert.deepEqual([started.areGoing, [...store.expectedRunIds], changes], [false, [], 1]);
    assert.equal(editor.progress.length, 0, 'nobody was told that it was started');
  });

  it('is not reported if the user canceled it, unless it failed', async () => {
    for (const [result, expected] of [
      ['CANCELED', 0],
      ['FAILED', 1],
    ] as const) {
      editor.shown.length = 0;
      const id = `${result.length}`;
      started.watch('staging', id, `etl #${id}`);
      started.cancellations.add('staging', [id]);
      see(ended(result), id);
      await settle();
      assert.deepEqual([(await told()).length, over.at(-1)], [expected, `Started etl #${id} on Staging.`], result);
    }
  });

  /** Closes the window and opens another one for the same workspace. */
  const reopen = (): void => {
    started.dispose();
    store.dispose();
    store = new RunStore();
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    started = open();
    started.resume();
  };
  const kept = (): unknown => new KeptStartedRuns(memory).recent.map(({ profileId, runId }) => [profileId, runId]);

  it('is still watched in the next window', async () => {
    for (const id of ['5', '6', '7']) started.watch('staging', id, `etl #${id}`);
    started.watch('local', '9');
    reopen();
    assert.deepEqual([started.areGoing, [...store.expectedRunIds]], [true, ['5', '6', '7']]);
    assert.equal(editor.progress.length, 3, 'that it was started is not told again');
    see(ended('FAILED'));
    see(running, '6');
    see(running, '7');
    store.removeRun('6');
    await settle();
    assert.deepEqual(await told(), ['warning: etl #5 on Staging: Failed']);
    assert.deepEqual(kept(), [
      ['staging', '7'],
      ['local', '9'],
    ]);
    connections.profiles = [staging];
    reopen();
    started.leave();
    started.enter('local');
    assert.equal(started.areGoing, false, 'a profile that is gone has no runs');
  });
});

describe('KeptStartedRuns', () => {
  const dayMs = 86_400_000;

  let memory: ReturnType<typeof memento>;
  let now: number;
  const open = (): KeptStartedRuns => new KeptStartedRuns(memory, () => now);
  const recent = (): string[] => open().recent.map(({ profileId, runId }) => `${profileId} ${runId}`);

  beforeEach(() => {
    memory = memento();
    now = 100 * dayMs;
  });

  it('returns the runs in the order of their start, each once', () => {
    const kept = open();
    kept.add('local', '1');
    kept.add('team', '1');
    kept.add('local', '2');
    kept.add('local', '1');
    assert.deepEqual(recent(), ['team 1', 'local 2', 'local 1']);
    kept.delete('team', '2');
    kept.delete('local', '2');
    assert.deepEqual(recent(), ['team 1', 'local 1']);
    assert.deepEqual(Object.keys(memory.values), ['millrace.runs.started']);
  });

  it('drops runs after a week, even if the clock changed', () => {
    open().add('local', '1');
    now += 7 * dayMs - 1;
    assert.deepEqual(recent(), ['local 1']);
    now += 1;
    assert.deepEqual(recent(), []);
    now -= 14 * dayMs;
    assert.deepEqual(recent(), []);
  });

  it('keeps the newest 50 runs', () => {
    const kept = open();
    for (let id = 1; id <= 51; id++) kept.add('local', String(id));
    assert.deepEqual([recent().length, recent()[0], recent().at(-1)], [50, 'local 2', 'local 51']);
  });

  it('ignores invalid data', () => {
    const good = { profileId: 'local', runId: '1', sinceMs: now };
    for (const found of [undefined, 'x', {}, [null, 5, { ...good, runId: 1 }, { ...good, sinceMs: 'now' }, {}]]) {
      memory.values['millrace.runs.started'] = found;
      assert.deepEqual(recent(), []);
    }
    memory.values['millrace.runs.started'] = [null, good];
    assert.deepEqual(recent(), ['local 1']);
  });
});
