import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { needsDebugpy } from '../support/debugpy.ts';
import { jupyterCell, jupyterFile } from '../support/jupyterFile.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const job = `name: total
existing_cluster_id: local
spark_python_task:
  python_file: /total.py
  parameters: [a, b]
`;
const program = `import sys

total = 0
for count in range(3):
    total += count
print("total", total, sys.argv[1:])
`;

const source = `# Databricks notebook source
dbutils.widgets.text("n", "1")

# COMMAND ----------

doubled = int(dbutils.widgets.get("n")) * 2
print("doubled", doubled)
`;
const halves = jupyterFile(
  [
    // A run counts text, and nothing of what is raw.
    jupyterCell('raw', ['raw']),
    jupyterCell('markdown', ['# Halves']),
    jupyterCell('code', ['whole = 84']),
    jupyterCell('code', ['half = whole / 2\n', 'print("half", half)\n', 'raise ValueError("enough")']),
  ],
  { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
);
const notebookJob = (name: string, parameters: string): string => `name: ${name}
existing_cluster_id: local
notebook_task:
  notebook_path: /${name}
  base_parameters: ${parameters}
`;

describe('Debugging a job', () => {
  let window: EditorWindow;
  let workspace: string | undefined;

  before(async function () {
    needsDebugpy(this);
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debug-'));
    fs.writeFileSync(path.join(workspace, 'total.job.yml'), job);
    fs.writeFileSync(path.join(workspace, 'total.py'), program);
    fs.writeFileSync(
      path.join(workspace, 'once.job.yml'),
      job.replace('name: total', 'name: once').replace('total.py', 'once.py'),
    );
    fs.writeFileSync(path.join(workspace, 'once.py'), 'luck = 0\nraise ValueError("no luck")\n');
    fs.writeFileSync(path.join(workspace, 'source.job.yml'), notebookJob('source', '{n: "21"}'));
    fs.writeFileSync(path.join(workspace, 'source.py'), source);
    fs.writeFileSync(path.join(workspace, 'halves.job.yml'), notebookJob('halves', '{}'));
    fs.writeFileSync(path.join(workspace, 'halves.ipynb'), halves);
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    // Nothing was made where the suite was skipped.
    if (workspace !== undefined) fs.rmSync(workspace, { recursive: true, force: true });
  });

  const debugFile = async (name: string): Promise<void> => {
    await window.openFile(name);
    await window.page.locator('.codelens-decoration a', { hasText: 'Debug' }).first().click();
  };
  const stopped = async (): Promise<void> =>
    window.page.locator('.codicon-debug-stackframe').first().waitFor({ timeout: 120_000 });
  const value = async (name: string): Promise<string> => {
    const { page } = window;
    // If the editor has not unfolded them itself.
    const locals = page.locator('.debug-variables [role=treeitem]', { hasText: 'Locals' }).first();
    await locals.waitFor();
    if ((await locals.getAttribute('aria-expanded')) !== 'true') await locals.click();
    const variable = page.locator('.debug-variables [role=treeitem]', { hasText: new RegExp(`^${name}`) });
    await variable.waitFor();
    return variable.innerText();
  };

  it('debugs the failure of a run, and starts another run when the session is restarted', async () => {
    const { page } = window;
    await window.runCommand('Preferences: Color Theme');
    await window.type('Dark Modern');
    await window.openFile('once.job.yml');
    await window.runCommand('Millrace: Run Job File Once without Deploying');
    const told = window.notifications().filter({ hasText: /once.*Failed/i });
    await told.first().waitFor({ timeout: 60_000 });
    await window.clearNotifications();
    await window.runCommand('Millrace: Open Run');
    await window.pick(/once/);
    await (await window.webview('once')).getByRole('button', { name: 'Debug Failure' }).click();
    // Over the line in its file, whatever else of the editor is shown.
    const box = page.locator('.exception-widget', { hasText: 'no luck' });
    await box.filter({ hasText: 'ValueError' }).waitFor({ timeout: 120_000 });
    await window.screenshot('debug-exception-box');
    await window.runCommand('View: Show Run and Debug');
    const failed = page.locator('.pane-header', { hasText: 'no luck' });
    await failed.waitFor({ timeout: 60_000 });
    assert.match(await value('luck'), /luck\s*=\s*0/);
    await window.screenshot('debug-once-dark');
    await window.runCommand('Debug: Restart');
    await failed.waitFor({ state: 'hidden' });
    await failed.waitFor({ timeout: 60_000 });
    // If the list of threads is seen, which asks for the stack as well.
    await box.waitFor({ timeout: 20_000 });
    await window.runCommand('Debug: Stop');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });

  it('stops at a breakpoint, shows variables, and continues to the end', async () => {
    const { page } = window;
    await window.openFile('total.py');
    // The sixth line; the margin is where a breakpoint is set with the mouse.
    await page.locator('.margin-view-overlays .line-numbers', { hasText: /^6$/ }).first().waitFor();
    const line = await page.locator('.margin-view-overlays .line-numbers', { hasText: /^6$/ }).first().boundingBox();
    assert.ok(line);
    await page.mouse.click(line.x - 8, line.y + line.height / 2);
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await debugFile('total.job.yml');
    await stopped();
    await page.locator('.tabs-container .tab.active', { hasText: 'total.py' }).waitFor();
    assert.match(await value('total'), /total\s*=\s*3/);
    await window.screenshot('debug-stopped');
    // The badge of the run that goes on lies over the icon.
    await page.locator('.activitybar .badge[aria-label^="Millrace"]').click();
    await window.treeRows('Jobs').filter({ hasText: 'Paused in the debugger' }).first().waitFor();
    await window.screenshot('debug-held-row');
    await page.keyboard.press('F5');
    await window
      .notifications()
      .filter({ hasText: /total #1.*Succeeded/ })
      .waitFor({ timeout: 60_000 });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await window.screenshot('debug-ended');
  });

  it('stops in a cell of a source notebook', async () => {
    const { page } = window;
    await window.openFile('source.py');
    const number = page.locator('.margin-view-overlays .line-numbers', { hasText: /^7$/ }).first();
    await number.waitFor();
    const line = await number.boundingBox();
    assert.ok(line);
    await page.mouse.click(line.x - 8, line.y + line.height / 2);
    await debugFile('source.job.yml');
    await stopped();
    await page.locator('.tabs-container .tab.active', { hasText: 'source.py' }).waitFor();
    assert.match(await value('doubled'), /doubled\s*=\s*42/);
    await window.screenshot('debug-source-notebook');
    await page.keyboard.press('F5');
    await window
      .notifications()
      .filter({ hasText: /source #1.*Succeeded/ })
      .waitFor({ timeout: 60_000 });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });

  it('stops in a cell of an .ipynb notebook, and pauses where it fails', async () => {
    const { page } = window;
    await window.openFile('halves.ipynb');
    const cell = page.locator('.notebookOverlay .view-line', { hasText: 'print("half"' });
    await cell.click();
    await page.keyboard.press('F9');
    await page.locator('.notebookOverlay .codicon-debug-breakpoint').first().waitFor();
    await debugFile('halves.job.yml');
    await stopped();
    await page.locator('.tabs-container .tab.active', { hasText: 'halves.ipynb' }).waitFor();
    assert.match(await value('half'), /half\s*=\s*42\.0/);
    // Filled, since the debugger has it.
    assert.equal(await page.locator('.codicon-debug-breakpoint-unverified').count(), 0);
    await window.screenshot('debug-cell');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await page.locator('.exception-widget', { hasText: 'enough' }).waitFor({ timeout: 60_000 });
    await window.screenshot('debug-cell-failed');
    await page.keyboard.press('F5');
    await window
      .notifications()
      .filter({ hasText: /halves #1.*Failed/i })
      .waitFor({ timeout: 60_000 });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    // The link in its output leads into the line of the cell: what is typed then stands there.
    await window.runCommand('View: Close All Editors');
    await window.runCommand('Millrace: Open Run');
    await window.pick(/halves/);
    const run = await window.webview('halves #1');
    await run.getByText('cell 4, line 3').first().click();
    await page.locator('.tabs-container .tab.active', { hasText: 'halves.ipynb' }).waitFor();
    await page.locator('.notebookOverlay .monaco-editor.focused', { hasText: 'enough' }).waitFor();
    await page.keyboard.insertText('#');
    await page.locator('.notebookOverlay .view-line', { hasText: /^#raise/ }).waitFor();
    await window.screenshot('debug-cell-line');
  });
});
