import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { KeptStartedRuns } from '../../../../src/runs/host/keptStartedRuns.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { StartedRuns } = await import('../../../../src/runs/host/startedRuns.ts');

const running = { life_cycle_state: 'RUNNING' };
const ended = (result: string): object => ({ life_cycle_state: 'TERMINATED', result_state: result });

describe('a run whose end somebody waits for', () => {
  let store: RunStore;
  let started: InstanceType<typeof StartedRuns>;
  let connections: FakeConnections;
  let memory: ReturnType<typeof memento>;
  let changes: number;
  let outputs: string[][];
  /** Messages that a run was started, which are over by now. */
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
    // A failure is told with its cause, which is asked for.
    for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
    return shownTexts().map((text) => text.replace(/ \[.*/, ''));
  };

  it('is looked for from then on, and told, with the message that it was started gone', async () => {
    started.watch('staging', '5', 'etl #5');
    assert.deepEqual([changes, started.areGoing, [...store.expectedRunIds]], [1, true, ['5']]);
    assert.match(String(editor.progress[0]?.options['title']), /^Started etl #5 on Staging\./);
    see(running);
    await settle();
    assert.deepEqual([over, await told()], [[], []]);
    see(ended('SUCCESS'));
    await settle();
    assert.deepEqual(
      [await told(), over],
      [['information: etl #5 on Staging: Succeeded'], ['Started etl #5 on Staging.']],
    );
    assert.equal(started.areGoing, false);
  });

  it('is told at once where it has ended by then, and is not looked for', async () => {
    see(ended('FAILED'));
    started.watch('staging', '5');
    assert.deepEqual(await told(), ['warning: etl #5 on Staging: Failed']);
    assert.deepEqual([started.areGoing, [...store.expectedRunIds], changes], [false, [], 1]);
    assert.equal(editor.progress.length, 0, 'nobody was told that it was started');
  });

  it('goes on while another profile is shown, and is looked for here again with its own', async () => {
    started.watch('staging', '5');
    started.leave();
    assert.equal(started.areGoing, false);
    started.enter('local');
    store.clear();
    assert.deepEqual([...store.expectedRunIds], []);
    started.watch('local', '9');
    assert.deepEqual([...store.expectedRunIds], ['9']);
    started.leave();
    started.enter('staging');
    assert.equal(started.areGoing, true);
    assert.ok(store.expectedRunIds.has('5'));
    await settle();
  });

  it('is not told where the user has ended it himself, but where it failed all the same', async () => {
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

  /** The window is gone, and another one of its workspace opened. */
  const reopen = (): void => {
    started.dispose();
    store.dispose();
    store = new RunStore();
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    started = open();
    started.resume();
  };
  const kept = (): unknown => new KeptStartedRuns(memory).recent.map(({ profileId, runId }) => [profileId, runId]);

  it('is waited for after its window is gone, until it has ended, was deleted, or has nobody to ask', async () => {
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
