import assert from 'node:assert/strict';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { RunPages } from '../../../../src/runs/host/runPages.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { type FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, type memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { FakePanel, settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { eventually } from '../../../support/eventually.ts';
import { failed, good, PagesBench, running, subject, viewOf } from './runPagesBench.ts';

describe('the tabs of runs', () => {
  useStillDisk();
  let bench: PagesBench;
  let panels: FakePanel[];
  let kept: ReturnType<typeof memento>;
  let connections: FakeConnections;
  let pages: RunPages;
  let failures: unknown[];

  beforeEach(() => {
    bench = new PagesBench();
    ({ panels, kept, connections, pages, failures } = bench);
  });
  afterEach(() => bench.dispose());
  const open = (): Promise<FakePanel> => bench.open();

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
    const connection = await connections.connect();
    await pages.marks.ended(connection, { run: { ...good, run_id: '6' }, job: undefined });
    assert.equal(editor.diagnostics.size, 1, 'a good run from before says nothing');
    await pages.marks.ended(connection, { run: good, job: undefined });
    assert.equal(editor.diagnostics.size, 0);
    const cause = await pages.marks.ended(connection, { run: { ...failed, run_id: '9' }, job: undefined });
    assert.deepEqual([editor.diagnostics.size, cause], [1, 'ValueError: no (rates.py:2)'], 'what its message says');
    assert.deepEqual(failures, []);
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
    await forgotten.says({ type: 'copy', text: 'x' });
    for (const panel of [restored, byName, forgotten]) panel.close();
    await forgotten.says({ type: 'action', id: 'openAgain' });
    assert.equal(editor.executed.length, 1);
  });

  it('say why there is nothing where their profile is gone', async () => {
    connections.profiles = [localProfile];
    pages.open({ ...subject, profileId: 'staging' });
    await panels.at(-1)?.says({ type: 'ready' });
    const panel = panels.at(-1);
    assert.ok(panel);
    assert.equal(viewOf(panel).notice?.actions[0]?.id, 'retry');
  });

  it('rest while another tab is in front, and look again when they are', async () => {
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

  it('are made so that nothing but the page itself is loaded in them, and stay while another is in front', async () => {
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
