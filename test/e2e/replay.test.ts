import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const job = `name: report
existing_cluster_id: local
spark_python_task:
  python_file: /report.py
  parameters: [day, "dbfs:/in/days.csv"]
`;

describe('Replay', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-replay-'));
    fs.writeFileSync(path.join(workspace, 'report.job.yml'), job);
    fs.writeFileSync(path.join(workspace, 'report.py'), 'import os\n\nprint("begin")\nprint("process", os.getpid())\n');
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('lists what is missing here beforehand, and shows both runs side by side afterwards', async () => {
    const { page } = window;
    await window.openFile('report.job.yml');
    await page.locator('.codelens-decoration a', { hasText: 'Run Now' }).first().click();
    const told = window.notifications();
    await told.filter({ hasText: /report #1.*Succeeded/ }).waitFor({ timeout: 60_000 });
    await window.runCommand('Millrace: Replay Here…');
    await window.pick('#1');
    const dialog = window.dialog();
    await dialog.filter({ hasText: 'on this machine?' }).waitFor();
    const words = await dialog.innerText();
    for (const each of ['Code: /report.py', '["day","dbfs:/in/days.csv"]', 'Files and mounts: dbfs:/in/days.csv'])
      assert.ok(words.includes(each), words);
    await window.screenshot('replay-question');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    const message = told.filter({ hasText: 'The outputs first differ in line 2' });
    await message.waitFor({ timeout: 60_000 });
    assert.match(await message.innerText(), /Succeeded there, Succeeded here/);
    await message.getByRole('button', { name: 'Show Side by Side' }).click();
    await page.locator('.tabs-container .tab.active', { hasText: '↔ replay' }).waitFor();
    await page.locator('.monaco-diff-editor .line-delete').first().waitFor();
    const sides = ['original', 'modified'].map((side) =>
      page.locator(`.monaco-diff-editor .editor.${side} .view-lines`),
    );
    const [there = '', here = ''] = await Promise.all(sides.map((side) => side.innerText()));
    assert.deepEqual(
      [there, here].map((text) => /on.this.machine/.test(text)),
      [false, true],
      `${there}\n${here}`,
    );
    await window.screenshot('replay-compared');
  });
});
