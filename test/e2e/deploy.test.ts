import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const shared = 'name: Shared\nexisting_cluster_id: local\nspark_python_task: {python_file: /main.py}\n';

describe('Job files and their jobs', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-deploy-'));
    fs.writeFileSync(path.join(workspace, 'ours.job.yml'), shared);
    fs.writeFileSync(
      path.join(workspace, 'theirs.job.yml'),
      `${shared}job_id: 2\ntimeout_seconds: 99\nemail_notifications: {on_failure: [ops@example.com]}\n`,
    );
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1300, height: 800 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const dialog = () => window.page.locator('.monaco-dialog-box');
  const deploy = () => window.runCommand('Millrace: Deploy Job File');

  it('run from a template in a folder without programs', async () => {
    await window.runCommand('Millrace: New Job File');
    await window.editorLines().filter({ hasText: 'python_file' }).waitFor();
    await eventually(async () => assert.match(await window.editorText(), /python_file:\s\/main\.py/));
    await eventually(() => fs.existsSync(path.join(workspace, 'main.py')), 'the program');
    await window.screenshot('deploy-new-file');
    await window.page.locator('.codelens-decoration a', { hasText: 'Run Now' }).first().click();
    await window
      .notifications()
      .filter({ hasText: /main #1 on Local: Succeeded/ })
      .waitFor({ timeout: 60_000 });
    await window.screenshot('deploy-new-file-run');
  });

  it('ask before a deploy undoes a change of somebody else', async () => {
    await window.clearNotifications();
    await window.openFile('ours.job.yml');
    await deploy();
    await window.notifications().filter({ hasText: 'Deployed "Shared" to Local as job 2' }).waitFor();
    // Another file of the same job is another colleague's.
    await window.openFile('theirs.job.yml');
    await deploy();
    await dialog()
      .filter({ hasText: 'has other settings than theirs.job.yml' })
      .getByRole('button', { name: 'Deploy Anyway' })
      .click();
    await window.notifications().filter({ hasText: 'job 2 has the new settings' }).waitFor();
    await window.openFile('ours.job.yml');
    await deploy();
    const question = dialog().filter({
      hasText: 'Job "Shared" (2) on Local has changed since the last deploy of ours.job.yml from here.',
    });
    await question.waitFor();
    await window.screenshot('deploy-question');
    const text = await question.innerText();
    assert.match(text, /timeout_seconds: 99 returns to the default/);
    assert.match(text, /on_failure.*ops@example\.com.* is removed/);
    await question.getByRole('button', { name: 'Compare' }).click();
    await window.page.locator('.monaco-diff-editor').first().waitFor();
    await window.editorLines().filter({ hasText: 'ops@example.com' }).first().waitFor();
    await window.screenshot('deploy-comparison');
  });

  it('warn about a missing path until it exists', async () => {
    fs.writeFileSync(path.join(workspace, 'absent.job.yml'), shared.replace('/main.py', '/absent.py'));
    await window.openFile('absent.job.yml');
    const squiggle = window.page.locator('.cdr.squiggly-warning');
    await squiggle.first().waitFor();
    await window.screenshot('deploy-missing-file');
    fs.writeFileSync(path.join(workspace, 'absent.py'), 'print("here")\n');
    await squiggle.first().waitFor({ state: 'detached' });
  });
});
