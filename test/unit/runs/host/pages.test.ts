import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type * as real from 'vscode';
import type { Run, Job } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { PageContent } from '../../../../src/runs/host/pageContent.ts';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import type { FileSync } from '../../../../src/runs/page/jobFileView.ts';
import type { ToPage, JobView } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { eventually } from '../../../support/eventually.ts';
import { root } from '../../../support/paths.ts';

const { RunPages: Pages } = await import('../../../../src/runs/host/runPages.ts');
const { jobPage } = await import('../../../../src/runs/host/jobPage.ts');

const failed: Run = {
  run_id: '7',
  job_id: '1',
  number_in_job: '3',
  run_type: 'JOB_RUN',
  start_time: 1000,
  end_time: 9000,
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
} as Run;
const good: Run = { ...failed, run_id: '8', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
const running: Run = { ...failed, end_time: 0, state: { life_cycle_state: 'RUNNING' } };
const subject = { kind: 'run', profileId: 'local', id: '7' } as const;
const trace =
  'Traceback (most recent call last):\n  File "/work/main.py", line 1, in <module>\n' +
  '  File "/work/rates.py", line 2, in rate\n  File "/usr/lib/python3/x.py", line 9, in y\nValueError: no';
class PagesBench {
  readonly panels: FakePanel[] = [];
  readonly failures: unknown[] = [];
  readonly store = new RunStore();
  readonly kept = memento();
  /** The run that the service returns. */
  given = failed;
  /** The traceback of the run. */
  left = trace;
  /** The requests for output. */
  readonly outputAsked: unknown[] = [];
  readonly connections: FakeConnections;
  readonly pages: RunPages;
  readonly #makePanel = standIn.window.createWebviewPanel;
  /** The arguments of each new tab. */
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
function viewOf(panel: FakePanel): Extract<ToPage, { type: 'run' }>['view'] {
  const last = panel.posted.findLast((message) => message.type === 'run');
  assert.ok(last);
  return last.view;
}

describe('run pages', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  let connections: FakeConnections;
  let pages: RunPages;
  let failures: unknown[];

  beforeEach(() => {
    bench = new PagesBench();
    ({ panels, connections, pages, failures } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('show the failing line, open places and mark the line in its file', async () => {
    const panel = await open();
    // The file search is asynchronous.
    while (!viewOf(panel).frame) await settle();
    const { frame, callers } = viewOf(panel);
    assert.match(atob(panel.iconPath?.dark.toString().split(',')[1] ?? ''), /stroke="#F4716B"/);
    assert.deepEqual(
      [frame?.label, frame?.name, frame?.lines.find((line) => line.isFailing)?.number],
      ['rates.py:2', 'rate', 2],
    );
    assert.deepEqual(
      callers.map(({ label }) => label),
      ['main.py:1'],
    );
    await panel.says({ type: 'findFiles', files: ['/work/main.py', '/elsewhere/other.py'] });
    while (panel.posted.at(-1)?.type !== 'files') await settle();
    assert.deepEqual(panel.posted.at(-1), {
      type: 'files',
      found: ['/work/main.py'],
      missing: ['/elsewhere/other.py'],
    });
    await panel.says({ type: 'openPlace', place: { file: '/work/rates.py', line: 2 } });
    while (editor.shownDocuments.length === 0 || !editor.diagnostics.has('file:///work/rates.py')) await settle();
    assert.equal(editor.shownDocuments.length, 1);
    const marks = editor.diagnostics.get('file:///work/rates.py') as { message: string; range: standIn.Range }[];
    assert.deepEqual(
      [marks.length, marks[0]?.message, marks[0]?.range.start.line],
      [1, 'etl #3 failed here: ValueError: no', 1],
    );
    const connection = await connections.connect();
    await pages.marks.ended(connection, { run: { ...good, run_id: '6' }, job: undefined });
    assert.equal(editor.diagnostics.size, 1, 'a good run from before says nothing');
    await pages.marks.ended(connection, { run: good, job: undefined });
    assert.equal(editor.diagnostics.size, 0);
    const cause = await pages.marks.ended(connection, { run: { ...failed, run_id: '9' }, job: undefined });
    assert.deepEqual([editor.diagnostics.size, cause], [1, 'ValueError: no (rates.py:2)'], 'what its message says');
    assert.deepEqual(failures, []);
  });

  it('show a notice if their profile no longer exists', async () => {
    connections.profiles = [localProfile];
    pages.open({ ...subject, profileId: 'staging' });
    await panels.at(-1)?.says({ type: 'ready' });
    const panel = panels.at(-1);
    assert.ok(panel);
    assert.equal(viewOf(panel).notice?.actions[0]?.id, 'retry');
  });

  it('stop polling while another tab is in front', async () => {
    let asked = 0;
    const aborted: boolean[] = [];
    Object.assign(connections.client, {
      jobs: { getRun: async () => ((asked += 1), running), get: async () => ({ job_id: '1', settings: {} }) },
      localService: {
        runOutput: async (_asked: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              aborted.push(true);
              reject(new AppError('aborted', 'Stopped.'));
            }),
          ),
      },
    });
    const panel = await open();
    await eventually(() => assert.ok(asked > 0));
    panel.show(false);
    await eventually(() => assert.deepEqual(aborted, [true]));
    const before = asked;
    panel.show(true);
    await eventually(() => assert.ok(asked > before));
    panel.close();
    await eventually(() => assert.deepEqual(aborted, [true, true]));
  });

  it('load nothing but the page itself and keep their state while hidden', async () => {
    await open();
    const options = { enableScripts: true, enableForms: false, enableCommandUris: false };
    const [, , place, made] = bench.made[0] ?? [];
    const { localResourceRoots: roots, ...rest } = made as { localResourceRoots: standIn.Uri[] };
    assert.deepEqual([place, rest], [standIn.ViewColumn.Active, { ...options, retainContextWhenHidden: true }]);
    assert.deepEqual(roots.map(String), ['file:///extension/dist/webview']);
    standIn.env.language = 'de';
    pages.open({ ...subject, id: '11' });
    standIn.env.language = 'en';
    assert.match(panels[1]?.webview.html ?? '', /<html lang="en"/, 'its texts are not translated');
    const restored = new FakePanel('etl #9');
    pages.restore(restored as never, { ...subject, id: '9' });
    assert.deepEqual(restored.webview.options, { ...options, localResourceRoots: roots });
    pages.open({ ...subject, id: '10' }, 'x'.repeat(101));
    assert.equal(panels.at(-1)?.title, `${'x'.repeat(100)}…`);
  });
});

describe('a run page', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  beforeEach(() => {
    bench = new PagesBench();
    ({ panels } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('runs only its own commands, for its own run', async () => {
    const panel = await open();
    editor.pick = (items) => items.find((item) => (item as { id: string }).id === 'curl');
    const ids = ['explain', 'toString', 'millrace.run.delete', 'repeatWithChanges', 'compare', 'more'];
    for (const id of ids) await panel.says({ type: 'action', id });
    for (const odd of [{ type: 'unknown' }, 'nothing']) await panel.says(odd);
    assert.deepEqual(
      editor.executed,
      ['askChat', 'repeatWithChanges', 'compare', 'copyAsCurl'].map((name) => [
        `millrace.run.${name}`,
        { profileId: 'local', runId: '7' },
      ]),
    );
    const { executeCommand } = standIn.commands;
    standIn.commands.executeCommand = (async () => '12') as never;
    await panel.says({ type: 'action', id: 'repeat' });
    standIn.commands.executeCommand = executeCommand;
    assert.equal(panels.at(-1)?.title, 'Run 12', 'the new run has a page of its own');
    panels.at(-1)?.close();
    await panel.says({ type: 'copy', text: 'x' });
    assert.equal(editor.clipboard, 'x');
    await panel.says({ type: 'openRun', runId: '5' });
    assert.equal(panels.length, 3);
    await panel.says({ type: 'openJob', jobId: '3' });
    assert.equal(panels.length, 4);
    assert.match(panels[3]?.webview.html ?? '', /data-subject="\{&quot;kind&quot;:&quot;job&quot;/);
    await panel.says({ type: 'action', id: 'jobFile' });
    assert.deepEqual(editor.executed.at(-1), ['millrace.job.openAsFile', { profileId: 'local', jobId: '1' }]);
  });
});

describe('run pages in the next window', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  let kept: ReturnType<typeof memento>;
  let pages: RunPages;
  beforeEach(() => {
    bench = new PagesBench();
    ({ panels, kept, pages } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

  it('are restored by the current names of the newest hundred tabs', async () => {
    const old = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`old #${index}`, { ...subject, id: String(1000 + index) }]),
    );
    kept.values['millrace.openPages'] = { ...old };
    const names = (): string[] => Object.keys(kept.values['millrace.openPages'] as object);
    const panel = await open();
    assert.deepEqual([names().length, names()[0], names().at(-1)], [100, 'old #1', 'etl #3'], 'not as "Run 7"');
    const other = { ...subject, id: '8' };
    pages.open(other, 'etl #4');
    assert.deepEqual([names().length, names()[0], names().at(-1)], [100, 'old #2', 'etl #4']);
    assert.deepEqual((kept.values['millrace.openPages'] as object)['etl #4' as never], other);
    await panels.at(-1)?.says({ type: 'ready' });
    assert.equal(panels.at(-1)?.title, 'etl #3', 'what the service calls it');
    panel.close();
    assert.equal(names().includes('old #99'), true, 'the others stay');
    assert.equal(names().includes('etl #3'), false);
  });
});

describe('a job page', () => {
  const subject = { kind: 'job', profileId: 'local', id: '1' } as const;
  const job = { job_id: '1', settings: { name: 'etl', notebook_task: { notebook_path: '/jobs/n' } } } as Job;
  useStillDisk();
  let trail: unknown[];
  let store: RunStore;
  let connections: FakeConnections;
  let views: JobView[];
  let content: PageContent;
  let answer: () => Promise<Job>;
  let sync: () => FileSync | undefined;
  const executeCommand = standIn.commands.executeCommand;
  const findFiles = standIn.workspace.findFiles;

  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    trail = [];
    views = [];
    store = new RunStore();
    answer = async () => job;
    sync = () => undefined;
    connections = new FakeConnections({
      jobs: { get: (...args: unknown[]) => (trail.push(['get', ...args]), answer()) },
    });
    content = jobPage(
      subject,
      {
        post: (message: ToPage) => {
          if (message.type === 'job') views.push(message.view);
        },
        setTitle: (title, state) => trail.push(['title', title, state.icon]),
        open: (...args) => trail.push(['open', ...args]),
      },
      {
        connections,
        runs: {
          store,
          attend: () => {
            trail.push('attend');
            return new standIn.Disposable(() => trail.push('leave')) as never;
          },
          loadRuns: async (...args) => {
            trail.push(['load', ...args]);
            throw new AppError('network', 'Gone.');
          },
        },
        jobFilesOf: (...args) => {
          trail.push(['files', ...args]);
          return ['file:///work/gone.job.yml', 'file:///work/a.job.yml', 'file:///work/b.job.yml'];
        },
        async syncOf(...args) {
          trail.push(['sync', ...args]);
          return sync();
        },
      },
    );
  });
  afterEach(() => {
    content.pause();
    standIn.commands.executeCommand = executeCommand;
    standIn.workspace.findFiles = findFiles;
  });
  it('requests a job that is in no list, without retries', async () => {
    store.setJobs([], 1);
    store.mergeRuns([], 1);
    await content.act({ type: 'ready' });
    await settle();
    assert.deepEqual(
      trail.filter((line) => Array.isArray(line) && line[0] === 'get'),
      [['get', '1', { retry: 'fail' }]],
    );
    assert.equal(views.at(-1)?.title, 'etl');
    answer = async () => Promise.reject(new AppError('notFound', 'No job.'));
    content.pause();
    await content.act({ type: 'ready' });
    await settle();
    assert.equal(views.at(-1)?.notice?.text, 'Local no longer has this job.');
  });
});
