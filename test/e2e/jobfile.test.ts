import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { root, vsixFile } from '../support/paths.ts';
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

const listed = `name: listed
tasks:
  # the only one
  - task_key: count
    spark_python_task:
      python_file: /word_count.py
    existing_cluster_id: local
`;
const several = `name: several
tasks:
  - task_key: read
    spark_python_task: {python_file: /word_count.py}
  - task_key: clean
    depends_on: [{task_key: read}]
    spark_python_task: {python_file: /word_count.py}
  - task_key: count
    depends_on: [{task_key: read}]
    spark_python_task: {python_file: /word_count.py}
  - task_key: report
    depends_on: [{task_key: clean}, {task_key: count}]
    spark_python_task: {python_file: /word_count.py}
`;
const single = `name: listed
# the only one
spark_python_task:
  python_file: /word_count.py
existing_cluster_id: local
`;

describe('Editing a job file', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-jobfile-'));
    fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
    fs.writeFileSync(path.join(workspace, 'pasted.job.yml'), '');
    fs.writeFileSync(path.join(workspace, 'new.job.yml'), 'name: new\n');
    fs.writeFileSync(path.join(workspace, 'uneven.job.yml'), uneven);
    fs.writeFileSync(path.join(workspace, 'empty.job.yml'), '');
    fs.writeFileSync(path.join(workspace, 'listed.job.yml'), listed);
    fs.writeFileSync(path.join(workspace, 'several.job.yml'), several);
    window = await openWindow({ vsix: vsixFile, workspace });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const squiggles = () => window.page.locator('.cdr.squiggly-error, .cdr.squiggly-warning');

  const suggestions = () => window.page.locator('.suggest-widget.visible .monaco-list-row');

  it('shows lenses, and an expression in words', async () => {
    await window.openFile('daily-report.job.yml');
    await window.page.locator('.codelens-decoration a', { hasText: 'Deploy' }).first().waitFor();
    await window.page.locator('.codelens-decoration a', { hasText: 'Compare with Deployed' }).first().waitFor();
    await window.editorLines().filter({ hasText: 'quartz_cron_expression' }).getByText('MON-FRI').first().hover();
    await window.page.locator('.monaco-hover', { hasText: 'At 02:30, Monday to Friday, Europe/Berlin' }).waitFor();
    await window.screenshot('jobfile-hover');
    await eventually(async () => assert.equal(await squiggles().count(), 0));
  });

  it('completes a field with its required content and its values', async () => {
    await window.openFile('new.job.yml');
    await window.editorLines().filter({ hasText: 'name' }).first().click();
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('sched');
    await window.page.locator('.suggest-widget .monaco-list-row', { hasText: 'schedule' }).first().waitFor();
    await window.screenshot('jobfile-completion');
    await window.page.keyboard.press('Enter');
    await window.editorLines().filter({ hasText: 'timezone_id' }).waitFor();
    // The expression that stands there hides none of the others.
    await suggestions().filter({ hasText: '0 30 2 ? * MON-FRI' }).waitFor();
    await window.screenshot('jobfile-presets');
    await eventually(async () =>
      assert.match(
        await window.editorText(),
        /schedule:\s+quartz_cron_expression:\s0\s0\s8\s\*\s\*\s\?[^\n]*\s+timezone_id:\sUTC/,
      ),
    );
    await window.page.keyboard.press('Escape');
  });

  it('pastes JSON as YAML', async () => {
    await window.openFile('pasted.job.yml');
    await window.page.locator('.editor-instance .monaco-editor').first().click();
    await window.page.evaluate(() =>
      navigator.clipboard.writeText(
        '{"name": "pasted", "schedule": {"timezone_id": "UTC", "quartz_cron_expression": "0 0 25 * * ?"}}',
      ),
    );
    await window.page.keyboard.press('Control+V');
    await window.editorLines().filter({ hasText: 'name: pasted' }).waitFor();
    await squiggles().first().waitFor();
    await window.screenshot('jobfile-paste');
  });

  it('formats a file, keeps its comments, and shows the schedule in words', async () => {
    await window.openFile('uneven.job.yml');
    const words = window.editorLines().filter({ hasText: /At\s02:30,\sMonday\sto\sFriday\s·\snext\s/ });
    await words.waitFor();
    await window.runCommand('Format Document');
    await window
      .editorLines()
      .filter({ hasText: /^\s{2}-\sjar:/ })
      .waitFor();
    await words.waitFor();
    await window.screenshot('jobfile-formatted');
    await window.runCommand('File: Save');
    await window.page.locator('.tab.active:not(.dirty)', { hasText: 'uneven.job.yml' }).waitFor();
    await eventually(async () => assert.equal(fs.readFileSync(path.join(workspace, 'uneven.job.yml'), 'utf8'), even));
  });

  it('starts an empty file from a template that runs a file in the folder', async () => {
    await window.openFile('empty.job.yml');
    await window
      .editorLines()
      .filter({ hasText: /Ctrl\+Space:\sjob\stemplates/ })
      .waitFor();
    await window.screenshot('jobfile-empty');
    await window.page.locator('.codelens-decoration a', { hasText: 'Start from a template' }).first().click();
    await suggestions().first().filter({ hasText: 'Python job' }).waitFor();
    await window.screenshot('jobfile-templates');
    await window.page.keyboard.press('Enter');
    await window
      .editorLines()
      .filter({ hasText: /python_file:\s\/\S+\.py/ })
      .waitFor();
    await window.page.keyboard.press('Escape');
  });

  it("turns a single task of a list into the job's task", async () => {
    await window.openFile('listed.job.yml');
    await window
      .editorLines()
      .filter({ hasText: /^tasks:/ })
      .getByText('tasks')
      .first()
      .click();
    const fix = window.page.locator('.action-widget .monaco-list-row', { hasText: 'Make count the task of the job' });
    // The key does nothing while the language loads.
    await eventually(async () => {
      await window.page.keyboard.press('Control+.');
      await fix.waitFor({ timeout: 5000 });
    });
    await window.screenshot('jobfile-tasks');
    await fix.click();
    await window
      .editorLines()
      .filter({ hasText: /^spark_python_task:/ })
      .waitFor();
    await window.runCommand('File: Save');
    await window.page.locator('.tab.active:not(.dirty)', { hasText: 'listed.job.yml' }).waitFor();
    await eventually(async () => assert.equal(fs.readFileSync(path.join(workspace, 'listed.job.yml'), 'utf8'), single));
  });

  it('draws the tasks of a job beside the file and leads to a chosen one', async () => {
    await window.openFile('several.job.yml');
    await window.page.locator('.codelens-decoration a', { hasText: 'Run Task' }).first().waitFor();
    await window.page.locator('.codelens-decoration a', { hasText: 'Show Graph' }).click();
    const graph = await window.webview('Tasks of several.job.yml');
    await graph.getByRole('button', { name: 'report, after clean, count' }).click();
    await graph.getByRole('button', { name: /^report/, pressed: true }).waitFor();
    await window.screenshot('jobfile-graph');
    assert.equal(await squiggles().count(), 0);
  });
});
