import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { Runs } from '../../../../src/runs/host/registerRuns.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
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

  it('is the rows that are selected, and word of when the editor was given some', async () => {
    editor.view['selection'] = ['row'];
    assert.deepEqual(runs.selection, ['row']);
    let isShown = false;
    const look = async (isVisible: boolean): Promise<boolean> => {
      editor.view['visible'] = isVisible;
      isShown = false;
      void runs.shown().then(() => (isShown = true));
      await settle();
      return isShown;
    };
    assert.deepEqual([await look(false), await look(true)], [true, false], 'nobody waits for what is not to be seen');
    await seen();
    assert.equal(isShown, true);
    editor.view['visible'] = false;
    await runs.shown();
  });

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

  it('asks as often as if it was seen itself while a page shows what is known', async () => {
    editor.view['visible'] = false;
    editor.events.visibility.fire({ visible: false });
    await pass(600_000);
    const before = asked.length;
    const page = runs.attend();
    const other = runs.attend();
    page.dispose();
    await pass(60_000);
    assert.ok(asked.length > before, 'as long as one of them is there');
    other.dispose();
    await pass(1000);
    const after = asked.length;
    await pass(600_000);
    assert.equal(asked.length, after);
    // Nobody looks at a window without the focus.
    standIn.window.state = { focused: false };
    runs.attend();
    await pass(600_000);
    assert.equal(asked.length, after);
  });

  it('tells how long ago runs ended as time passes, where somebody can see it', async () => {
    await seen(run('5', ended));
    const [job] = await tree().getChildren();
    await tree().getChildren(job);
    editor.view['visible'] = false;
    editor.events.visibility.fire({ visible: false });
    await pass(3_600_000);
    const hidden = drawn;
    editor.view['visible'] = true;
    connections.client = {
      jobs: { list: () => new Promise(() => undefined), listRuns: () => new Promise(() => undefined) },
    };
    await pass(30_000);
    await pass(200);
    assert.ok(drawn > hidden, `${drawn} after ${hidden}`);
    runs.store.markStale(new AppError('network', 'Away.'));
    await pass(200);
    drawn = 0;
    await pass(300_000);
    await pass(200);
    assert.equal(drawn, 0, 'what is not current tells moments, which stay true');
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

  it('asks the local service alone for what only that tells', async () => {
    const toldOf: string[] = [];
    const changes = async (): Promise<object> => {
      toldOf.push(connections.current.id);
      throw new Error('not there');
    };
    Object.assign(connections.client, { localService: { changes, lastRuns: changes } });
    await runs.refresh();
    assert.deepEqual(toldOf, []);
    connections.change(localProfile);
    await runs.refresh();
    assert.deepEqual([...new Set(toldOf)], ['local']);
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

  it('asks again for all that failed where the user wants it', async () => {
    await seen(run('5', ended));
    const [job] = await tree().getChildren();
    answer = () => Promise.reject(new Error('gone'));
    runs.store.forgetPages();
    const failed = await tree().getChildren(job);
    assert.equal(failed[0]?.node.context, 'stale');
    answer = undefined;
    const again = mock.method(runs.store, 'askAgain');
    drawn = 0;
    await runs.reload();
    assert.equal(again.mock.callCount(), 1);
    await pass(200);
    assert.ok(drawn > 0);
    const [first] = await tree().getChildren();
    assert.equal((await tree().getChildren(first))[0]?.id.includes('5'), true);
  });
});
