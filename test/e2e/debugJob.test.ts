import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
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

describe('debugging a job', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async function () {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debug-'));
    try {
      execFileSync('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', workspace, 'debugpy'], {
        stdio: 'ignore',
      });
    } catch {
      console.log('      skipped: debugpy cannot be had from PyPI on this machine');
      this.skip();
    }
    fs.readdirSync(workspace).forEach((name) => fs.rmSync(path.join(workspace, name)));
    fs.writeFileSync(path.join(workspace, 'total.job.yml'), job);
    fs.writeFileSync(path.join(workspace, 'total.py'), program);
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 900 } });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('stops at a breakpoint in the gutter, shows variables, and goes on to its end', async () => {
    const { page } = window;
    await window.openFile('total.py');
    // The sixth line; the margin is where a breakpoint is set with the mouse.
    await page.locator('.margin-view-overlays .line-numbers', { hasText: /^6$/ }).first().waitFor();
    const line = await page.locator('.margin-view-overlays .line-numbers', { hasText: /^6$/ }).first().boundingBox();
    assert.ok(line);
    await page.mouse.click(line.x - 8, line.y + line.height / 2);
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await window.openFile('total.job.yml');
    await page.locator('.codelens-decoration a', { hasText: 'Debug' }).first().click();
    await page.locator('.codicon-debug-stackframe').first().waitFor({ timeout: 120_000 });
    await page.locator('.tabs-container .tab.active', { hasText: 'total.py' }).waitFor();
    // Where the editor has not unfolded them itself.
    const locals = page.locator('.debug-variables [role=treeitem]', { hasText: 'Locals' }).first();
    await locals.waitFor();
    if ((await locals.getAttribute('aria-expanded')) !== 'true') await locals.click();
    const total = page.locator('.debug-variables [role=treeitem]', { hasText: /^total/ });
    await total.waitFor();
    assert.match(await total.innerText(), /total\s*=\s*3/);
    await window.screenshot('debug-stopped');
    await page.keyboard.press('F5');
    await window
      .notifications()
      .filter({ hasText: /total #1.*Succeeded/ })
      .waitFor({ timeout: 60_000 });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await window.screenshot('debug-ended');
  });
});
