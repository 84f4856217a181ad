import assert from 'node:assert/strict';
import type { Job, JobSettings, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { KeptStartedRuns } from '../../../../src/runs/host/keptStartedRuns.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';
import './watchedRuns.part.ts';

const { StartedRuns } = await import('../../../../src/runs/host/startedRuns.ts');

const running = { life_cycle_state: 'RUNNING' };
const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };

describe('a run that was started here and is tried again', () => {
  let store: RunStore;
  let started: InstanceType<typeof StartedRuns>;
  let now: number;
  /** What the service says of the job. */
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
  /** The runs have the ids 5, 6 and so on. */
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
    // A failure is told with its cause, which is asked for.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    return shownTexts().map((text) => text.replace(/ \[.*/, ''));
  };

  const showOther = (): void => {
    started.leave();
    started.enter('other');
    assert.equal(started.areGoing, false);
  };

  it('is told of when its first attempt fails and when it ends, however many attempts lie between', async () => {
    have({ max_retries: 3 });
    started.watch('staging', '5');
    see(0, running);
    see(0, failed);
    assert.deepEqual(await told(), ['warning: etl #5 on Staging: Failed, attempt 1 of 4']);
    // Another one of the job while it goes on is the first one's rival.
    assert.doesNotMatch(shownTexts()[0] ?? '', /Run Again/);
    see(1, running);
    see(1, failed);
    // One that came and went between two looks.
    see(2, failed);
    see(3, running);
    assert.equal(started.areGoing, true);
    see(3, succeeded);
    assert.deepEqual((await told()).slice(1), ['information: etl #8 on Staging: Succeeded, attempt 4 of 4']);
    assert.equal(started.areGoing, false);
  });

  it('is told of as failed with its last attempt, which can be run again', async () => {
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

  it("is not mistaken for another's, nor for one without a second attempt", async () => {
    have({ max_retries: 3 });
    started.watch('staging', '5');
    see(0, failed, '20');
    see(1, failed, '20');
    assert.deepEqual(await told(), []);
    see(0, succeeded);
    see(1, succeeded);
    assert.deepEqual(await told(), ['information: etl #5 on Staging: Succeeded']);
  });

  it('is looked for again, with the next attempt, once its profile is back', async () => {
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
