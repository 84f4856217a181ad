import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

describe('The first job of an empty folder', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-first-'));
    fs.writeFileSync(path.join(workspace, 'etl.job.yml'), '');
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const suggestions = () => window.page.locator('.suggest-widget.visible .monaco-list-row');
  const lens = (text: string) => window.page.locator('.codelens-decoration a', { hasText: text }).first();

  it('is written and scheduled by completion, and its program by a quick fix', async () => {
    await window.openView('Millrace');
    await window.openFile('etl.job.yml');
    await lens('Start from a template').click();
    await suggestions().first().filter({ hasText: 'Python job' }).waitFor();
    await window.page.keyboard.press('Enter');
    await window
      .editorLines()
      .filter({ hasText: /python_file:\s\/main\.py/ })
      .waitFor();
    await window.page.keyboard.press('Escape');
    await window.page.keyboard.press('Escape');
    await window.page.locator('.cdr.squiggly-warning').first().waitFor();
    await window.editorLines().getByText('/main.py').first().click();
    const fix = window.page.locator('.action-widget .monaco-list-row', { hasText: 'Create /main.py' });
    // The key does nothing while the editor still asks what there is to correct.
    await eventually(async () => {
      await window.page.keyboard.press('Control+.');
      await fix.waitFor({ timeout: 5000 });
    });
    await window.screenshot('first-create');
    await fix.click();
    await eventually(() => assert.ok(fs.existsSync(path.join(workspace, 'main.py'))));
    await window.openFile('etl.job.yml');
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('sched');
    await suggestions().filter({ hasText: 'schedule' }).first().waitFor();
    await window.page.keyboard.press('Enter');
    await suggestions().filter({ hasText: '0 30 2 ? * MON-FRI' }).waitFor();
    await window.screenshot('first-presets');
    await window.page.keyboard.press('Escape');
    await window.page.keyboard.press('Escape');
    await window.runCommand('File: Save');
    await eventually(async () =>
      assert.equal(await window.page.locator('.cdr.squiggly-error, .cdr.squiggly-warning').count(), 0),
    );
    await window.screenshot('first-written');
    await eventually(() =>
      assert.match(
        fs.readFileSync(path.join(workspace, 'etl.job.yml'), 'utf8'),
        /schedule:\n {2}quartz_cron_expression: 0 0 8/,
      ),
    );
  });

  it('runs once it is deployed', async () => {
    await lens('Deploy').click();
    await window
      .notifications()
      .filter({ hasText: /Deployed ".*" to Local as job 1/ })
      .first()
      .waitFor();
    await window.screenshot('first-deployed');
    await window.notifications().getByRole('button', { name: 'Run Now' }).first().click();
    const row = window.treeRows('Jobs').filter({ hasText: 'my job' });
    await row.filter({ hasText: 'Succeeded' }).waitFor();
    await window.screenshot('first-run');
  });
});
