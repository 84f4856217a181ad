import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const even = `name: uneven # as it came
schedule:
  # at night
  quartz_cron_expression: 0 30 2 ? * MON-FRI
  timezone_id: Europe/Berlin

libraries:
  - jar: /a.jar
`;
const uneven = even
  .replace('name: ', 'name:   ')
  .replace('  # at', '      # at')
  .replace('  quartz', '      quartz')
  .replace('  timezone_id: ', '      timezone_id:    ')
  .replace('\n\n', '\n\n\n')
  .replace('  - jar', '- jar');

const several = `name: several
tasks:
  - task_key: read
    spark_python_task: {python_file: /etl/load.py}
  - task_key: clean
    depends_on: [{task_key: read}]
    spark_python_task: {python_file: /etl/load.py}
  - task_key: count
    depends_on: [{task_key: read}]
    spark_python_task: {python_file: /etl/load.py}
  - task_key: report
    depends_on: [{task_key: clean}, {task_key: count}]
    spark_python_task: {python_file: /etl/load.py}
`;
const nightly = 'name: nightly\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /etl/load.py\n';
const files: Readonly<Record<string, string>> = {
  'team.code-workspace': JSON.stringify({ folders: [{ path: 'code', name: 'Programs' }, { path: 'my jobs' }] }),
  'code/etl/load.py': 'print("loaded by Programs")\n',
  'code/pasted.job.yml': '',
  'code/uneven.job.yml': uneven,
  'code/several.job.yml': several,
  'my jobs/etl/load.py': 'print("loaded by my jobs")\n',
  'my jobs/nightly.job.yml': nightly,
};

describe('Job files in a workspace of two folders', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-jobfile-'));
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      fs.writeFileSync(path.join(workspace, name), text);
    }
    window = await openWindow({
      vsix: vsixFile,
      workspace: path.join(workspace, 'team.code-workspace'),
      size: { width: 1400, height: 900 },
    });
    await window.openView('Millrace');
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const squiggles = () => window.page.locator('.cdr.squiggly-error, .cdr.squiggly-warning');
  const suggestions = () => window.page.locator('.suggest-widget.visible .monaco-list-row');
  const lens = (text: string) => window.page.locator('.codelens-decoration a', { hasText: text }).first();
  const row = (name: string) => window.treeRows('Jobs').filter({ hasText: name });

  it('start from a template, get a schedule by completion, and are deployed and run', async () => {
    await window.page.locator('.welcome-view').getByRole('button', { name: 'New Job File' }).click();
    await lens('Deploy').waitFor();
    assert.match(await window.editorText(), /python_file:\s\/etl\/load\.py/);
    await window.editorLines().first().click();
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('sched');
    await suggestions().filter({ hasText: 'schedule' }).first().waitFor();
    await window.page.keyboard.press('Enter');
    await suggestions().filter({ hasText: '0 30 2 ? * MON-FRI' }).waitFor();
    await window.page.keyboard.press('Escape');
    await window.page.keyboard.press('Escape');
    assert.match(await window.editorText(), /schedule:\s+quartz_cron_expression:\s0\s0\s8/);
    assert.equal(await squiggles().count(), 0);
    await lens('Deploy').click();
    await window
      .notifications()
      .filter({ hasText: 'to Local as job 1' })
      .getByRole('button', { name: 'Run Now' })
      .click();
    await row('load').filter({ hasText: 'Succeeded' }).waitFor();
  });

  it('say which folder a path belongs to, lead there, and run the file of that folder', async () => {
    await window.openFile('nightly.job.yml');
    await window
      .editorLines()
      .filter({ hasText: /\/\sis\sthe\sfolder\sPrograms/ })
      .waitFor();
    await window.editorLines().getByText('load.py').first().click();
    await window.page.keyboard.press('F12');
    await window.page.locator('.tabs-container .tab.active', { hasText: 'load.py' }).waitFor();
    await eventually(async () => assert.match(await window.editorText(), /loaded by Programs/));
    await window.openFile('nightly.job.yml');
    await lens('Run Now').click();
    await row('nightly').filter({ hasText: 'Succeeded' }).click();
    await row('#1').filter({ hasText: 'Succeeded' }).first().click();
    await (await window.webview('nightly #1')).getByText('loaded by Programs').waitFor();
  });

  it('paste JSON as YAML', async () => {
    await window.openFile('pasted.job.yml');
    await lens('Start from a template').waitFor();
    await window.page.locator('.editor-instance .monaco-editor').first().click();
    await window.page.evaluate(() =>
      navigator.clipboard.writeText(
        '{"name": "pasted", "schedule": {"timezone_id": "UTC", "quartz_cron_expression": "0 0 25 * * ?"}}',
      ),
    );
    await window.page.keyboard.press('Control+V');
    await window.editorLines().filter({ hasText: 'name: pasted' }).waitFor();
    await squiggles().first().waitFor();
  });

  it('are formatted with their comments, and show the schedule in words', async () => {
    await window.openFile('uneven.job.yml');
    const words = window.editorLines().filter({ hasText: /At\s02:30,\sMonday\sto\sFriday\s·\snext\s/ });
    await words.waitFor();
    await window.editorLines().filter({ hasText: 'timezone_id' }).click();
    await window.page.keyboard.press('Control+Shift+I');
    await window
      .editorLines()
      .filter({ hasText: /^\s{2}-\sjar:/ })
      .waitFor();
    await words.waitFor();
    await window.page.keyboard.press('Control+S');
    await window.page.locator('.tab.active:not(.dirty)', { hasText: 'uneven.job.yml' }).waitFor();
    await eventually(async () =>
      assert.equal(fs.readFileSync(path.join(workspace, 'code/uneven.job.yml'), 'utf8'), even),
    );
  });

  it('draw their tasks as a graph that leads to the chosen one', async () => {
    await window.openFile('several.job.yml');
    await window.page.locator('.codelens-decoration a', { hasText: 'Run Task' }).first().waitFor();
    await window.page.locator('.codelens-decoration a', { hasText: 'Show Graph' }).click();
    const graph = await window.webview('Tasks of several.job.yml');
    await graph.getByRole('button', { name: 'report, after clean, count' }).click();
    await graph.getByRole('button', { name: /^report/, pressed: true }).waitFor();
    assert.equal(await squiggles().count(), 0);
  });
});
