import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type * as real from 'vscode';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import type { ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { eventually } from '../../../support/eventually.ts';
import { root } from '../../../support/paths.ts';

const { RunPages: Pages } = await import('../../../../src/runs/host/runPages.ts');

const failed: Run = {
  run_id: '7',
  job_id: '1',
  number_in_job: '3',
  run_type: 'JOB_RUN',
  start_time: 1000,
  end_time: 9000,
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
} as Run;
const trace =
  'Traceback (most recent call last):\n  File "/work/main.py", line 1, in <module>\n' +
  '  File "/work/rates.py", line 2, in rate\n  File "/usr/lib/python3/x.py", line 9, in y\nValueError: no';

describe('the tabs of runs', () => {
  let panels: FakePanel[];
  let kept: ReturnType<typeof memento>;
  let connections: FakeConnections;
  let pages: RunPages;
  let failures: unknown[];
  let store: RunStore;
  let given: Run;
  const makePanel = standIn.window.createWebviewPanel;

  beforeEach(() => {
    editor.reset();
    [panels, failures] = [[], []];
    store = new RunStore();
    given = failed;
    kept = memento();
    standIn.window.createWebviewPanel = ((_type: string, title: string) => {
      panels.push(new FakePanel(title));
      return panels.at(-1);
    }) as never;
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    for (const name of ['/work/main.py', '/work/rates.py']) editor.files.add(name);
    editor.documents = [textFile('file:///work/rates.py', 'def rate():\n    raise ValueError("no")\n') as never];
    connections = new FakeConnections({
      jobs: { getRun: async () => given, get: async () => ({ job_id: '1', settings: { name: 'etl' } }) },
      localService: {
        runOutput: async () => ({
          text: 'out\n',
          nextOffset: 4,
          size: 4,
          isEnd: true,
          error: 'ValueError: no',
          errorTrace: trace,
        }),
      },
    });
    pages = new Pages({
      context: {
        extension: { packageJSON: JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) },
        extensionUri: standIn.Uri.file('/extension'),
        workspaceState: kept,
      } as unknown as real.ExtensionContext,
      viewType: 'millrace.page',
      connections,
      runs: {
        store,
        attend: () => ({ dispose: () => undefined }),
        loadRuns: async () => undefined,
      },
      jobFilesOf: () => ['file:///work/etl.job.yml', 'file:///work/gone.job.yml'],
      syncOf: async () => undefined,
      presentFailure: (...failure) => failures.push(failure),
    });
  });
  afterEach(() => {
    pages.dispose();
    for (const panel of panels) panel.close();
    standIn.window.createWebviewPanel = makePanel;
  });

  const subject = { kind: 'run', profileId: 'local', id: '7' } as const;
  async function open(): Promise<FakePanel> {
    pages.open(subject);
    const panel = panels.at(-1);
    assert.ok(panel);
    await panel.says({ type: 'ready' });
    await panel.says({ type: 'taken' });
    return panel;
  }
  const viewOf = (panel: FakePanel): Extract<ToPage, { type: 'run' }>['view'] => {
    const last = panel.posted.findLast((message) => message.type === 'run');
    assert.ok(last);
    return last.view;
  };

  it('are named after job and number, one for each run, and know what they are of', async () => {
    const panel = await open();
    assert.equal(panel.title, 'etl #3');
    pages.open(subject);
    assert.deepEqual([panels.length, panel.revealed], [1, 1]);
    assert.match(panel.webview.html, /data-subject="\{&quot;kind&quot;:&quot;run&quot;/);
    assert.match(panel.webview.html, /default-src 'none'; script-src 'nonce-/);
    assert.deepEqual(kept.values['millrace.openPages'], { 'etl #3': subject });
    panel.close();
    assert.deepEqual(kept.values['millrace.openPages'], {});
    pages.open(subject);
    assert.equal(panels.length, 2);
  });

  it('show the line of the workspace that failed, lead to places of it, and mark it in its file', async () => {
    const panel = await open();
    // Files are really looked for.
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
    const good = { ...failed, run_id: '8', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } } as Run;
    const connection = await connections.connect();
    await pages.ended(connection, { run: { ...good, run_id: '6' }, job: undefined });
    assert.equal(editor.diagnostics.size, 1, 'a good run from before says nothing');
    await pages.ended(connection, { run: good, job: undefined });
    assert.equal(editor.diagnostics.size, 0);
    const cause = await pages.ended(connection, { run: { ...failed, run_id: '9' }, job: undefined });
    assert.deepEqual([editor.diagnostics.size, cause], [1, 'ValueError: no (rates.py:2)'], 'what its message says');
    assert.deepEqual(failures, []);
  });

  it('mark nothing that failed before a run of the job which is known to be good', async () => {
    const good = { ...failed, run_id: '8', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } } as Run;
    store.setJobs([{ job_id: failed.job_id ?? '' }], 1);
    store.setRunsOf(failed.job_id ?? '', [good, failed], true, 1);
    const panel = await open();
    while (!viewOf(panel).frame) await settle();
    for (let turn = 0; turn < 20; turn += 1) await settle();
    assert.equal(editor.diagnostics.size, 0);
  });

  it('have icons of what is true also while nobody looks at them', async () => {
    given = { ...failed, end_time: 0, state: { life_cycle_state: 'RUNNING' } };
    const colours = (): (string | undefined)[] =>
      panels.map(({ iconPath }) => /stroke="#(\w+)"/.exec(atob(String(iconPath?.dark).split(',')[1] ?? ''))?.[1]);
    store.setJobs([{ job_id: '1' }], 1);
    store.mergeRuns([given], 1);
    await open();
    pages.open({ kind: 'job', profileId: 'local', id: '1' });
    await panels[1]?.says({ type: 'ready' });
    const [going] = colours();
    for (const panel of panels) panel.show(false);
    const [none] = colours();
    store.mergeRuns([failed], 2);
    assert.deepEqual([none === going, ...colours()], [false, 'F4716B', 'F4716B']);
    store.markStale(new AppError('network', 'Away.'));
    assert.deepEqual(colours(), ['F4716B', none]);
    panels[1]?.show(true);
    assert.equal(colours()[1], 'F4716B');
  });

  it('run the commands of their buttons for this run, and nothing else', async () => {
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
    await panel.says({ type: 'copy', text: 'x' });
    assert.equal(editor.clipboard, 'x');
    await panel.says({ type: 'openRun', runId: '5' });
    assert.equal(panels.length, 2);
    await panel.says({ type: 'openJob', jobId: '3' });
    assert.equal(panels.length, 3);
    assert.match(panels[2]?.webview.html ?? '', /data-subject="\{&quot;kind&quot;:&quot;job&quot;/);
    await panel.says({ type: 'action', id: 'jobFile' });
    assert.deepEqual(editor.executed.at(-1), ['millrace.job.openAsFile', { profileId: 'local', jobId: '1' }]);
  });

  it('show a job, whose buttons run the commands on it', async () => {
    editor.files.add('/work/etl.job.yml');
    editor.documents.push(textFile('file:///work/etl.job.yml', 'name: etl\n') as never);
    const settings = { name: 'etl', spark_python_task: { python_file: '/main.py' } };
    store.setJobs([{ job_id: '1', settings } as never], 1);
    store.setRunsOf('1', [failed], false, 1);
    pages.open({ kind: 'job', profileId: 'local', id: '1' });
    const panel = panels.at(-1);
    assert.ok(panel);
    assert.equal(panel.title, 'Job 1', 'until its name is known');
    await panel.says({ type: 'ready' });
    const jobView = (): Extract<ToPage, { type: 'job' }>['view'] | undefined =>
      panel.posted.findLast((message) => message.type === 'job')?.view;
    while (!jobView()?.files?.length) await settle();
    assert.equal(panel.title, 'etl');
    assert.deepEqual(jobView()?.files?.[0]?.link, { label: 'etl.job.yml', action: 'file0' });
    assert.deepEqual(jobView()?.facts[0]?.values[0]?.place, { file: '/main.py', line: 1 });
    for (const id of ['runNow', 'explain', 'compare0', 'toString', 'file9', 'retry'])
      await panel.says({ type: 'action', id });
    assert.deepEqual(editor.executed, [
      ['millrace.job.runNow', { profileId: 'local', jobId: '1' }],
      ['millrace.run.askChat', { profileId: 'local', runId: '7' }],
      ['millrace.jobFile.compare', standIn.Uri.parse('file:///work/etl.job.yml')],
      ['millrace.jobs.refresh'],
    ]);
    assert.equal(editor.shownDocuments.length, 0);
    await panel.says({ type: 'action', id: 'file0' });
    await panel.says({ type: 'openPlace', place: { file: '/main.py', line: 1 } });
    while (editor.shownDocuments.length < 2) await settle();
    await panel.says({ type: 'openRun', runId: '7' });
    assert.equal(panels.length, 2);
    const restored = new FakePanel('etl');
    pages.restore(restored as never, { kind: 'job', profileId: 'local', id: '1' });
    await restored.says({ type: 'ready' });
    assert.equal(restored.posted.findLast((message) => message.type === 'job')?.view.title, 'etl');
    restored.close();
    assert.deepEqual(failures, []);
  });

  it('say of a job that the service does not have any more', async () => {
    store.setJobs([], 1);
    store.mergeRuns([], 1);
    Object.assign((connections.client as { jobs: object }).jobs, {
      get: async () => Promise.reject(new AppError('notFound', 'Job 404 does not exist.')),
      listRuns: async () => ({ runs: [], has_more: false }),
    });
    pages.open({ kind: 'job', profileId: 'local', id: '404' });
    const panel = panels.at(-1);
    assert.ok(panel);
    await panel.says({ type: 'ready' });
    const noticeText = (): string | undefined =>
      panel.posted.findLast((message) => message.type === 'job')?.view.notice?.text;
    await eventually(() => assert.equal(noticeText(), 'Local has no such job any more.'));
  });

  it('stand again in the next window by what the editor kept, else by their name, and else say so', async () => {
    const restored = new FakePanel('etl #3');
    pages.restore(restored as never, subject);
    await restored.says({ type: 'ready' });
    await restored.says({ type: 'taken' });
    assert.match(viewOf(restored).title, /^Failed after/);
    kept.values['millrace.openPages'] = { 'other #1': subject };
    const byName = new FakePanel('other #1');
    pages.restore(byName as never, undefined);
    await byName.says({ type: 'ready' });
    assert.match(viewOf(byName).title, /^Failed after/);
    const forgotten = new FakePanel('gone #2');
    pages.restore(forgotten as never, { kind: 'run' });
    await forgotten.says({ type: 'ready' });
    assert.equal(viewOf(forgotten).notice?.text, 'What this page showed could not be restored.');
    assert.match(viewOf(forgotten).notice?.detail ?? '', /gone #2/);
    assert.deepEqual(
      viewOf(forgotten).notice?.actions.map(({ id }) => id),
      ['openAgain'],
    );
    await forgotten.says({ type: 'action', id: 'openAgain' });
    assert.deepEqual(editor.executed.at(-1), ['millrace.openRun']);
    for (const panel of [restored, byName, forgotten]) panel.close();
  });

  it('hand a long piece of the output over in bytes, and a short one as it is', async () => {
    const texts: unknown[] = [];
    for (const text of ['é\n', 'é\n'.repeat(5000)]) {
      Object.assign(connections.client, {
        localService: { runOutput: async () => ({ text, nextOffset: 9, size: 9, isEnd: true }) },
      });
      const panel = await open();
      texts.push(panel.posted.find((message) => message.type === 'output')?.text);
      panel.close();
    }
    assert.deepEqual(texts, ['é\n', new TextEncoder().encode('é\n'.repeat(5000))]);
  });

  it('say why there is nothing where their profile is gone', async () => {
    connections.profiles = [localProfile];
    pages.open({ ...subject, profileId: 'staging' });
    await panels.at(-1)?.says({ type: 'ready' });
    const panel = panels.at(-1);
    assert.ok(panel);
    assert.equal(viewOf(panel).notice?.actions[0]?.id, 'retry');
  });

  it('are remembered by the names of their tabs: the hundred newest, each under the name that it has now', async () => {
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

  it('stand in the next window, but the marks in files go with this one', async () => {
    const panel = await open();
    while (!editor.diagnostics.has('file:///work/rates.py')) await settle();
    pages.dispose();
    assert.equal(editor.diagnostics.size, 0);
    assert.deepEqual(kept.values['millrace.openPages'], { 'etl #3': subject });
    const posted = panel.posted.length;
    panel.show(false);
    panel.close();
    await panel.says({ type: 'ready' });
    assert.equal(panel.posted.length, posted, 'who is closed asks for nothing');
  });

  it('rest while another tab is in front, and look again when they are', async () => {
    let asked = 0;
    const running = { ...failed, end_time: 0, state: { life_cycle_state: 'RUNNING' } } as Run;
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
});
