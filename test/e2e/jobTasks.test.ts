import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { needsDebugpy } from '../support/debugpy.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const files: Record<string, string> = {
  'jobs/greet.job.yml': 'name: greet\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /greet.py\n',
  // A mistyped name of a field, in the fourth line.
  'jobs/wrong.job.yml': 'name: wrong\nexisting_cluster_id: local\nspark_python_task:\n  pyton_file: /greet.py\n',
  'greet.py': 'greeting = "hello"\nprint(greeting)\n',
  '.vscode/tasks.json': JSON.stringify({
    version: '2.0.0',
    tasks: [
      {
        type: 'millrace',
        command: 'check',
        label: 'check all',
        problemMatcher: '$millrace',
        group: { kind: 'build', isDefault: true },
      },
      {
        type: 'millrace',
        command: 'run',
        file: 'jobs/greet.job.yml',
        label: 'greet first',
        problemMatcher: '$millrace',
      },
    ],
  }),
  '.vscode/launch.json': JSON.stringify({
    version: '0.2.0',
    configurations: [
      {
        type: 'millrace',
        request: 'launch',
        name: 'Greet',
        job: '${workspaceFolder}/jobs/greet.job.yml',
        preLaunchTask: 'greet first',
      },
    ],
  }),
};

describe('Tasks of job files', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async function () {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-tasks-'));
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      fs.writeFileSync(path.join(workspace, name), text);
    }
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('check every job file in a build, and mark problems in files that are not open', async () => {
    const { page } = window;
    await window.openFile('greet.py');
    const terminal = page.locator('.terminal-tab, .xterm').first();
    const question = page.getByPlaceholder('Select the build task to run');
    // It is the one of tasks.json, and nobody is asked which one is meant. A window that has just been opened may not have read that file
    // yet: then it does nothing, or asks. Now and then the editor finds no task at all until its window is loaded again.
    for (let left = 4; ; left -= 1) {
      await window.runCommand('Tasks: Run Build Task');
      const isAnswered = terminal.or(question).first().waitFor({ timeout: 15_000 });
      if ((await isAnswered.then(() => terminal.isVisible()).catch(() => false)) || left === 0) break;
      await page.keyboard.press('Escape');
      if (left < 4) await window.reload();
    }
    await terminal.waitFor();
    await window.screenshot('task-check-running');
    const rows = await window.problems();
    await rows.filter({ hasText: 'wrong.job.yml' }).waitFor({ timeout: 60_000 });
    const problem = rows.filter({ hasText: 'pyton_file' }).first();
    await problem.waitFor();
    await window.screenshot('task-check');
    await problem.click();
    await page.locator('.tabs-container .tab.active', { hasText: 'wrong.job.yml' }).waitFor();
    await window.statusItem(/Ln 4,/).waitFor();
  });

  it('run before a debug session whose configuration names them', async function () {
    const { page } = window;
    needsDebugpy(this);
    await window.openFile('greet.py');
    await page.locator('.margin-view-overlays .line-numbers', { hasText: /^2$/ }).first().click();
    await page.keyboard.press('F9');
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await page.keyboard.press('F5');
    await page.locator('.codicon-debug-stackframe').first().waitFor({ timeout: 120_000 });
    await window.screenshot('task-before-debugging');
    await page.keyboard.press('F5');
    // The run of the task was the first.
    await window
      .notifications()
      .filter({ hasText: /greet #2.*Succeeded/ })
      .waitFor({ timeout: 60_000 });
  });
});
