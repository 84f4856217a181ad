import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { Runs } from '../../../../src/runs/host/registerRuns.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { runsServices } from '../../../support/editorStandIn/runsServices.ts';

// Loaded beforehand, so that what tells schedules is there at once.
await import('../../../../src/runs/scheduleTimes.ts');
const { registerRuns } = await import('../../../../src/runs/host/registerRuns.ts');

const running = { life_cycle_state: 'RUNNING' };
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
const run = (runId: string, state: object): Run =>
  ({ run_id: runId, job_id: '1', number_in_job: runId, run_type: 'JOB_RUN', start_time: 1, end_time: 2, state }) as Run;

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface Tree {
  getChildren(element?: unknown): Promise<{ id: string; node: { context: string; description: string } }[]>;
  getTreeItem(element: unknown): { contextValue: string };
  onDidChangeTreeData(listener: (elements: unknown) => void): unknown;
}

describe('what the jobs view gives to others', () => {
  let connections: FakeConnections;
  let runs: Runs;
  let all: Run[];
  let asked: { job_id?: string; limit?: number }[];
  let answer: (() => Promise<void>) | undefined;
  let drawn: number;
  let changed: Emitter<void>;
  let seenMs: number | undefined;
  let phase: 'held' | undefined;
  let others: object[];
  let failures: unknown[];
  const tree = (): Tree => editor.view['treeDataProvider'] as Tree;

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_000_000 });
    [all, asked, answer, drawn] = [[], [], undefined, 0];
    [seenMs, phase, others, failures] = [undefined, undefined, [], []];
    changed = new Emitter();
    connections = new FakeConnections({
      jobs: {
        list: async () => [{ job_id: '1', settings: { name: 'etl' } }, ...others],
        listRuns: async (question: { job_id?: string; limit?: number }) => {
          asked.push(question);
          await answer?.();
          return { runs: all, has_more: false };
        },
      },
    });
    connections.current = staging;
    runs = registerRuns(
      connections,
      runsServices({
        changesElsewhere: { seenMs: (jobId) => (jobId === '1' ? seenMs : undefined), onDidChange: changed.event },
        debuggedRuns: { phaseOf: () => phase, onDidChange: changed.event },
        presentFailure: (...failure) => failures.push(failure),
      }),
    );
    tree().onDidChangeTreeData(() => (drawn += 1));
  });
  afterEach(() => {
    runs.dispose();
    mock.timers.reset();
  });
  const pass = async (durationInMs: number): Promise<void> => {
    mock.timers.tick(durationInMs);
    await settle();
  };
  const rows = async (): Promise<string> => {
    const [job] = await tree().getChildren();
    return `${job?.node.context} ${job?.node.description}`;
  };
  const seen = async (...known: Run[]): Promise<void> => {
    all = known;
    await runs.refresh();
    await rows();
    await pass(200);
    drawn = 0;
  };

  it('draws runs anew that are debugged, on this machine alone', async () => {
    for (const [profile, isDebugged] of [
      [staging, false],
      [localProfile, true],
    ] as const) {
      connections.change(profile);
      all = [run('5', running)];
      await runs.refresh();
      const [job] = await tree().getChildren();
      await tree().getChildren(job);
      await pass(200);
      const label = async (): Promise<string> => {
        const [first] = await tree().getChildren();
        const [row] = await tree().getChildren(first);
        return row ? JSON.stringify(tree().getTreeItem(row)) : '';
      };
      const before = await label();
      phase = 'held';
      changed.fire();
      await pass(200);
      assert.equal((await label()) !== before, isDebugged, profile.name);
      phase = undefined;
      changed.fire();
      await pass(200);
    }
  });

  it('reads a run on another profile as well as here, and compares two', async () => {
    for (const show of [
      () => runs.showOutput('local', '5', 'etl #1'),
      () => runs.compareOutputs('local', ['5', '6'], 'T'),
    ])
      await show().catch(() => undefined);
    assert.equal(editor.executed.filter(([command]) => command === 'vscode.diff').length, 1);
    assert.equal(editor.executed.find(([command]) => command === 'vscode.diff')?.[3], 'T');
  });

  it('takes no runs of all jobs that come after another profile was chosen', async () => {
    await seen();
    await runs.arrangement.change({ by: 'time' });
    const late = Promise.withResolvers<void>();
    answer = () => late.promise;
    all = [run('5', ended)];
    const loaded = assert.rejects(runs.loadMoreRuns(undefined));
    await settle();
    answer = undefined;
    connections.change({ ...staging, id: 'other' });
    late.resolve();
    await loaded;
    assert.equal(runs.store.allRuns, undefined);
  });

  it('asks nothing of a local service that was never used', async () => {
    connections.change(localProfile);
    await pass(0);
    connections.isUsed = false;
    asked.length = 0;
    await runs.loadRuns('1', 5);
    await runs.loadMoreRuns('1');
    await runs.arrangement.change({ by: 'time' });
    await runs.loadMoreRuns(undefined);
    assert.deepEqual(asked, []);
  });
});
