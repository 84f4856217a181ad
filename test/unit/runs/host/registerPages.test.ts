import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type * as real from 'vscode';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { settle } from '../../../support/fakeClock.ts';

const { registerPages } = await import('../../../../src/runs/host/registerPages.ts');

const failed = {
  run_id: '7',
  job_id: '1',
  run_type: 'JOB_RUN',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
} as Run;

const trace = 'Traceback (most recent call last):\n  File "/work/main.py", line 1, in <module>\nValueError: no';

describe('what is known of a run that failed', () => {
  let asked = 0;
  let answer: () => Promise<object>;
  let pages: ReturnType<typeof registerPages>;
  let store: RunStore;
  let readRuns: string[];
  let atOnce: number;
  let mostAtOnce: number;

  beforeEach(() => {
    editor.reset();
    asked = 0;
    store = new RunStore();
    answer = async () => ({ text: '', errorTrace: trace });
    [readRuns, atOnce, mostAtOnce] = [[], 0, 0];
    const runOutput = async ({ runId }: { runId: string }): Promise<object> => {
      asked += 1;
      readRuns.push(runId);
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      return answer().finally(() => (atOnce -= 1));
    };
    pages = registerPages({ workspaceState: memento() } as unknown as real.ExtensionContext, {
      connections: new FakeConnections({ localService: { runOutput } }),
      runs: { store, attend: () => ({ dispose: () => undefined }), loadRuns: async () => undefined },
      log: silentLogger,
      presentFailure: () => assert.fail('nobody asked for it'),
      jobFilesOf: () => [],
      syncOf: async () => undefined,
    });
  });
  afterEach(() => pages.dispose());
  const cause = (): Promise<string | undefined> => pages.causeOf(localProfile, { run: failed, job: undefined });

  it('is nothing where it cannot be read, or not soon: the message does not wait for it', async () => {
    answer = () => Promise.reject(new Error('gone'));
    assert.equal(await cause(), undefined);
    answer = () => new Promise(() => undefined);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let told: unknown = 'nothing yet';
      void cause().then((known) => (told = known));
      const after = async (waitInMs: number): Promise<unknown> => {
        await settle();
        mock.timers.tick(waitInMs);
        await settle();
        return told;
      };
      assert.deepEqual([await after(1999), await after(1)], ['nothing yet', undefined]);
    } finally {
      mock.timers.reset();
    }
  });

  it('is read of the jobs whose last run failed before this window, once and of so many at most', async () => {
    // What ends badly in this window is none of these.
    store.mergeRuns([{ ...failed, run_id: '100', state: { life_cycle_state: 'RUNNING' } }], 0);
    store.mergeRuns([{ ...failed, run_id: '100' }], 0);
    await eventually(() => assert.deepEqual(readRuns, ['100']));
    await settle();
    assert.deepEqual(readRuns.splice(0), ['100'], 'once');
    const ids = Array.from({ length: 30 }, (_each, index) => String(index + 1));
    store.setJobs(
      ids.map((id) => ({ job_id: id })),
      0,
    );
    const runOf = (id: string, result: 'FAILED' | 'SUCCESS'): Run => ({
      ...failed,
      job_id: id,
      run_id: `10${id}`,
      state: { life_cycle_state: 'TERMINATED', result_state: result },
    });
    store.mergeRuns([runOf('1', 'FAILED'), runOf('2', 'SUCCESS')], 1);
    store.mergeRuns([runOf('1', 'FAILED')], 2);
    await eventually(() => assert.deepEqual(readRuns, ['101']));
    store.mergeRuns(
      ids.slice(2).map((id) => runOf(id, 'FAILED')),
      3,
    );
    await eventually(() => assert.equal(readRuns.length, 20));
    await settle();
    assert.equal(mostAtOnce, 1, 'one after the other');
    assert.deepEqual([readRuns.length, new Set(readRuns).size], [20, 20]);
  });

  it('is marked no more once the job is well again', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    editor.files.add('/work/main.py');
    assert.match((await cause()) ?? '', /^ValueError: no \(.*main\.py:1\)$/);
    assert.equal(editor.diagnostics.size, 1);
    const well = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    for (const state of [{ life_cycle_state: 'RUNNING' }, well])
      store.mergeRuns([{ ...failed, run_id: '8', state }], 0);
    await eventually(() => assert.equal(editor.diagnostics.size, 0));
  });
});
