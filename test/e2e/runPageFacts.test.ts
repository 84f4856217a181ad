import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const jobOf = (name: string, more: string): string =>
  `name: ${name}\nexisting_cluster_id: local\nspark_python_task: { python_file: /${name}.py }\n${more}`;
const files: Readonly<Record<string, string>> = {
  'late.job.yml': jobOf('late', 'timeout_seconds: 2\n'),
  'late.py': 'import time\ntime.sleep(600)\n',
  'broken.job.yml': jobOf('broken', 'max_retries: 1\n'),
  'broken.py': 'import json\njson.loads("no")\n',
  'quick.job.yml': jobOf('quick', ''),
  'quick.py': 'import os, time\ntime.sleep(600 if os.path.exists(__file__ + ".slow") else 0)\n',
};

describe('Facts on the run page', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-facts-'));
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, name), text);
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1500, height: 950 } });
    await window.openView('Millrace');
    await window.viewHeader('Chat').click();
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
  const start = async (name: string): Promise<void> => {
    await window.openFile(`${name}.job.yml`);
    await window.page.locator('.codelens-decoration a', { hasText: 'Run Now' }).first().click();
  };

  it("name the job's time limit for a run that timed out, and lead to the setting", async () => {
    await start('late');
    await row('late').filter({ hasText: 'Timed out' }).click();
    await row('#1').filter({ hasText: 'Timed out' }).click();
    const page = await window.webview('late #1');
    await page.getByText('The job now allows 2 s: timeout_seconds').waitFor();
    assert.deepEqual(await window.accessibilityProblems(page), []);
    await window.screenshot('run-page-timed-out');
    await page.getByRole('button', { name: 'timeout_seconds' }).click();
    await window.page.locator('.tab.active', { hasText: 'late.job.yml' }).waitFor();
    await row('late').click();
  });

  it("name the trigger of a retry's first attempt, fold library frames, and offer more actions in a menu", async () => {
    await start('broken');
    await row('broken').filter({ hasText: 'Failed' }).click();
    await row('#2').filter({ hasText: 'attempt 2' }).filter({ hasText: 'Failed' }).click();
    const page = await window.webview('broken #2');
    await page.getByText('Retry. First attempt: Manual or API').waitFor();
    await page.getByText(/^60 more days, until \w+/).waitFor();
    const frames = page.locator('details', { hasText: /\d frames of libraries/ });
    assert.equal(await frames.getByText(/decoder\.py:\d+, raw_decode/).isVisible(), false);
    assert.equal(
      await frames.locator('summary').evaluate((summary) => getComputedStyle(summary, '::before').clipPath.slice(0, 5)),
      'path(',
      "the editor's chevron",
    );
    await frames.locator('summary').click();
    await frames.getByText(/decoder\.py:\d+, raw_decode/).waitFor();
    assert.deepEqual(await window.accessibilityProblems(page), []);
    assert.ok((await page.locator('.head .button').count()) <= 5);
    await window.screenshot('run-page-retried');
    await page.getByRole('button', { name: 'More…' }).click();
    await window.quickPickRows().filter({ hasText: 'Run Again with Changes…' }).waitFor();
    await window.screenshot('run-page-more');
    await window.pick('Copy as curl');
    await window.notifications().filter({ hasText: 'Copied' }).first().waitFor();
    await row('broken').first().click();
  });

  it('show the usual duration during a run', async () => {
    for (let number = 1; number <= 5; number += 1) {
      await start('quick');
      if (number === 1) await row('quick').filter({ hasText: 'Succeeded' }).click();
      await row(`#${number}`).filter({ hasText: 'Succeeded' }).first().waitFor();
    }
    fs.writeFileSync(path.join(workspace, 'quick.py.slow'), '');
    await start('quick');
    await row('#6').filter({ hasText: 'Running' }).click();
    const page = await window.webview('quick #6');
    await page.getByText(/ · usually takes \d/).waitFor();
    await window.screenshot('run-page-usually');
    await page.getByRole('button', { name: 'Cancel Run' }).click();
    await page.getByRole('heading', { name: /^Canceled/ }).waitFor();
  });
});
