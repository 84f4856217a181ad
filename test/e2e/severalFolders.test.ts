import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const nightly = `name: nightly
existing_cluster_id: local
spark_python_task: &task
  python_file: /etl/load.py
`;
const report = `name: report
existing_cluster_id: local
notebook_task: { "notebook_path": "/report" }
`;
const files: Record<string, string> = {
  'team.code-workspace': JSON.stringify({ folders: [{ path: 'code', name: 'Programs' }, { path: 'my jobs' }] }),
  'code/etl/load.py': 'print("loaded by Programs")\n',
  'code/report.ipynb': JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  'my jobs/etl/load.py': 'print("loaded by my jobs")\n',
  'my jobs/only here.py': '',
  'my jobs/nightly.job.yml': nightly,
  'my jobs/lost.job.yml': nightly.replace('/etl/load.py', '/only here.py').replace('nightly', 'lost'),
  'my jobs/report.job.yml': report,
};

describe('Job files in a workspace of several folders', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-folders-'));
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      fs.writeFileSync(path.join(workspace, name), text);
    }
    window = await openWindow({ vsix: vsixFile, workspace: path.join(workspace, 'team.code-workspace') });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const squiggles = () => window.page.locator('.cdr.squiggly-error, .cdr.squiggly-warning');
  const hint = () => window.editorLines().filter({ hasText: /\/\sis\sthe\sfolder\sPrograms/ });
  const goToDefinition = async (text: string): Promise<void> => {
    await window.editorLines().getByText(text).first().click();
    await window.page.keyboard.press('F12');
  };

  it('say which folder a path belongs to, and F12 leads there', async () => {
    await window.openFile('nightly.job.yml');
    await hint().waitFor();
    await window.screenshot('folders-hint');
    assert.equal(await squiggles().count(), 0);
    await goToDefinition('load.py');
    await window.page.locator('.tabs-container .tab.active', { hasText: 'load.py' }).waitFor();
    await eventually(async () => assert.match(await window.editorText(), /loaded by Programs/));
    await window.screenshot('folders-definition');
  });

  it('lead to a notebook that is named without its extension', async () => {
    await window.openFile('report.job.yml');
    await hint().waitFor();
    await goToDefinition('"/report"');
    await window.page.locator('.tabs-container .tab.active', { hasText: 'report.ipynb' }).waitFor();
    await window.screenshot('folders-notebook');
  });

  it('name the folder that lacks a file, and offer only existing files', async () => {
    await window.openFile('lost.job.yml');
    await squiggles().first().waitFor();
    const problems = await window.problems();
    await problems.filter({ hasText: '/only here.py is not in the folder Programs' }).waitFor();
    await window.screenshot('folders-missing');
    await window.page.keyboard.press('Control+Shift+M');
    await window.editorLines().filter({ hasText: 'python_file' }).click();
    await window.page.keyboard.press('End');
    for (const _ of '/only here.py') await window.page.keyboard.press('Backspace');
    await window.page.keyboard.press('Control+Space');
    const offered = window.page.locator('.suggest-widget.visible .monaco-list-row');
    await offered.filter({ hasText: '/etl/load.py' }).waitFor();
    await window.screenshot('folders-completion');
    assert.equal(await offered.filter({ hasText: 'only here' }).count(), 0);
    await window.page.keyboard.press('Enter');
    await window.editorLines().filter({ hasText: '/etl/load.py' }).waitFor();
    await window.page.keyboard.press('Control+S');
    await eventually(async () => assert.equal(await squiggles().count(), 0));
  });

  it('run the file of that folder', async () => {
    await window.openView('Millrace');
    await window.openFile('nightly.job.yml');
    await window.runCommand('Millrace: Deploy Job File');
    await window.notifications().getByRole('button', { name: 'Run Now' }).click();
    const row = window.treeRows('Jobs').filter({ hasText: 'nightly' });
    await row.filter({ hasText: 'Succeeded' }).waitFor();
    await row.click();
    await window.treeRows('Jobs').filter({ hasText: '#1' }).filter({ hasText: 'Succeeded' }).click();
    const run = await window.webview('nightly #1');
    await run.getByText('loaded by Programs').waitFor();
    await window.screenshot('folders-run');
  });
});
