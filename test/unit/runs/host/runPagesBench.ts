/** Tabs of runs and jobs in a window of the stand-in, for a run that failed in a file of the workspace. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type * as real from 'vscode';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import type { ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { FakePanel } from '../../../support/editorStandIn/panel.ts';
import { root } from '../../../support/paths.ts';

const { RunPages: Pages } = await import('../../../../src/runs/host/runPages.ts');

export const failed: Run = {
  run_id: '7',
  job_id: '1',
  number_in_job: '3',
  run_type: 'JOB_RUN',
  start_time: 1000,
  end_time: 9000,
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
} as Run;
export const good: Run = { ...failed, run_id: '8', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
export const running: Run = { ...failed, end_time: 0, state: { life_cycle_state: 'RUNNING' } };
export const subject = { kind: 'run', profileId: 'local', id: '7' } as const;
const trace =
  'Traceback (most recent call last):\n  File "/work/main.py", line 1, in <module>\n' +
  '  File "/work/rates.py", line 2, in rate\n  File "/usr/lib/python3/x.py", line 9, in y\nValueError: no';

export class PagesBench {
  readonly panels: FakePanel[] = [];
  readonly failures: unknown[] = [];
  readonly store = new RunStore();
  readonly kept = memento();
  /** What the service says of the run. */
  given = failed;
  /** The trace that a run has left. */
  left = trace;
  /** What the output was asked for with. */
  readonly outputAsked: unknown[] = [];
  readonly connections: FakeConnections;
  readonly pages: RunPages;
  readonly #makePanel = standIn.window.createWebviewPanel;
  /** How each tab was made. */
  readonly made: unknown[][] = [];

  constructor() {
    editor.reset();
    standIn.window.createWebviewPanel = ((...call: [string, string]) => {
      this.made.push(call);
      this.panels.push(new FakePanel(call[1]));
      return this.panels.at(-1);
    }) as never;
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    for (const name of ['/work/main.py', '/work/rates.py']) editor.files.add(name);
    editor.documents = [textFile('file:///work/rates.py', 'def rate():\n    raise ValueError("no")\n') as never];
    this.connections = new FakeConnections({
      jobs: { getRun: async () => this.given, get: async () => ({ job_id: '1', settings: { name: 'etl' } }) },
      localService: {
        runOutput: async (...asked: unknown[]) => (
          this.outputAsked.push(asked[0]),
          { text: 'out\n', nextOffset: 4, size: 4, isEnd: true, error: 'ValueError: no', errorTrace: this.left }
        ),
      },
    });
    this.pages = new Pages({
      context: {
        extension: { packageJSON: JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) },
        extensionUri: standIn.Uri.file('/extension'),
        workspaceState: this.kept,
      } as unknown as real.ExtensionContext,
      viewType: 'millrace.page',
      connections: this.connections,
      runs: {
        store: this.store,
        attend: () => ({ dispose: () => undefined }),
        loadRuns: async () => undefined,
      },
      jobFilesOf: () => ['file:///work/etl.job.yml', 'file:///work/gone.job.yml'],
      syncOf: async () => undefined,
      presentFailure: (...failure) => this.failures.push(failure),
    });
  }

  async open(): Promise<FakePanel> {
    this.pages.open(subject);
    const panel = this.panels.at(-1);
    assert.ok(panel);
    await panel.says({ type: 'ready' });
    await panel.says({ type: 'taken' });
    return panel;
  }

  dispose(): void {
    this.pages.dispose();
    for (const panel of this.panels) panel.close();
    standIn.window.createWebviewPanel = this.#makePanel;
  }
}

export function viewOf(panel: FakePanel): Extract<ToPage, { type: 'run' }>['view'] {
  const last = panel.posted.findLast((message) => message.type === 'run');
  assert.ok(last);
  return last.view;
}
