import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { Runs } from '../../../../src/runs/host/registerRuns.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { runsServices } from '../../../support/editorStandIn/runsServices.ts';

const { registerRuns } = await import('../../../../src/runs/host/registerRuns.ts');

interface Question {
  job_id?: string;
  limit?: number;
  offset?: number;
  run_type?: string;
  active_only?: boolean;
}

const running = { life_cycle_state: 'RUNNING' };
const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
const run = (runId: string, state: object): Run =>
  ({ run_id: runId, job_id: '1', number_in_job: runId, run_type: 'JOB_RUN', start_time: 1, state }) as Run;

describe('the jobs view', () => {
  let connections: FakeConnections;
  let runs: Runs;
  let all: Run[];
  let settings: object;
  let asked: { question: Question; options: { signal: AbortSignal; retry?: string } }[];
  let failures: unknown[];
  let kept: ReturnType<typeof memento>;
  let causesAsked: string[];
  let cause: string | undefined;

  beforeEach(() => {
    editor.reset();
    [all, asked, failures, causesAsked] = [[], [], [], []];
    settings = { name: 'etl' };
    const jobs = {
      list: async () => [{ job_id: '1', settings }],
      listRuns: async (question: Question, options: { signal: AbortSignal; retry?: string }) => {
        asked.push({ question, options });
        return {
          runs: all.filter(({ state }) => question.active_only !== true || state?.life_cycle_state === 'RUNNING'),
          has_more: false,
        };
      },
      getRun: async (runId: string) => all.find((one) => one.run_id === runId),
    };
    connections = new FakeConnections({ jobs });
    connections.current = staging;
    kept = memento();
    cause = undefined;
    runs = registerRuns(
      connections,
      runsServices({
        memento: kept,
        causeOf: async (profile, { run: { run_id: runId } }) => {
          causesAsked.push(`${profile.id} ${runId}`);
          return cause;
        },
        presentFailure: (...failure) => failures.push(failure),
      }),
    );
  });
  afterEach(() => runs.dispose());
  /** What the editor does once it was told that the rows are others. */
  const drawn = async (): Promise<void> => {
    await pause(60);
    await (editor.view['treeDataProvider'] as { getChildren(): Promise<unknown> }).getChildren();
    await pause(10);
  };

  it('does not count runs that may have ended since they were seen', async () => {
    all = [run('5', running)];
    await runs.refresh();
    connections.client = {
      jobs: { list: () => Promise.reject(new Error('gone')), listRuns: () => Promise.reject(new Error('gone')) },
    };
    await runs.refresh().catch(() => undefined);
    assert.equal(runs.store.freshness.kind, 'stale');
    assert.equal(editor.view['badge'], undefined);
  });

  it('tells the end of a run that was started here, once, and opens its page when asked to', async () => {
    all = [run('5', running), run('6', running)];
    await runs.refresh();
    runs.watch('staging', '5');
    all = [run('5', succeeded), run('6', succeeded)];
    await runs.refresh();
    await runs.refresh();
    assert.equal(shownTexts().length, 1);
    assert.match(shownTexts()[0] ?? '', /etl .*5.* on Staging: Succeeded/);
    editor.answer = ({ actions }) => actions[0];
    runs.watch('staging', '6');
    assert.equal(shownTexts().length, 2);
    await pause(1);
    assert.deepEqual(editor.executed.at(-1), ['millrace.openRun', { profileId: 'staging', runId: '6' }]);
    assert.deepEqual(failures, []);
  });

  it('goes on waiting for a run whose profile is left, and takes it back with the profile', async () => {
    all = [run('5', running)];
    await runs.refresh();
    runs.watch('staging', '5');
    connections.change(localProfile);
    assert.equal(runs.store.expectedRunIds.has('5'), false);
    connections.change(staging);
    assert.equal(runs.store.expectedRunIds.has('5'), true);
    all = [run('5', succeeded)];
    await runs.refresh();
    assert.match(shownTexts()[0] ?? '', /on Staging: Succeeded/);
  });

  it('asks nothing while nobody sees it, unless somebody waits for a run', async () => {
    editor.view['visible'] = false;
    standIn.window.state = { focused: false };
    editor.events.visibility.fire(undefined);
    await pause(20);
    connections.calls.length = 0;
    connections.change({ ...staging, id: 'other' });
    await pause(50);
    assert.deepEqual(connections.calls, []);
    runs.watch('other', '5');
    await pause(50);
    assert.notDeepEqual(connections.calls, []);
  });

  it('tells what is filtered and how much that leaves, and keeps it', async () => {
    all = [run('5', succeeded)];
    await runs.refresh();
    await runs.arrangement.change({ states: ['succeeded'] });
    await drawn();
    assert.equal(editor.view['description'], 'Staging · succeeded');
    assert.equal(editor.view['message'], '1 of 1 jobs match: succeeded');
    assert.ok(editor.executed.some((call) => String(call) === 'setContext,millrace.jobsFiltered,true'));
    // If nothing is left, a message would keep the button away that clears the filter.
    await runs.arrangement.change({ states: ['failed'] });
    await drawn();
    assert.deepEqual([editor.view['description'], editor.view['message']], ['Staging · failed', undefined]);
    await runs.arrangement.pin('staging', ['1'], true);
    runs.dispose();
    runs = registerRuns(connections, runsServices({ memento: kept }));
    assert.equal(editor.view['description'], 'Staging · failed');
    assert.deepEqual([...runs.arrangement.pinned('staging')], ['1']);
    assert.equal(runs.arrangement.pinned('local').size, 0);
  });
});
