import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { needsDebugpy } from '../support/debugpy.ts';
import { eventually } from '../support/eventually.ts';
import { jupyterCell, jupyterFile } from '../support/jupyterFile.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const job = (name: string): string =>
  `name: ${name}\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /${name}.py\n  parameters: [--day, monday]\n`;
const program = `import sys

prices = {"tea": 3, "cake": 4}
total = 0
for name, price in prices.items():
    total += price
    last = name
print("total", total, sys.argv[1:])
factor = 2
total *= factor
print("doubled", total)
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
const halvesJob = 'name: halves\nexisting_cluster_id: local\nnotebook_task:\n  notebook_path: /halves\n';

describe('Debugging a job', () => {
  let window: EditorWindow;
  let workspace: string | undefined;

  before(async function () {
    needsDebugpy(this);
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debug-'));
    for (const name of ['once', 'shop']) fs.writeFileSync(path.join(workspace, `${name}.job.yml`), job(name));
    fs.writeFileSync(path.join(workspace, 'shop.py'), program);
    fs.writeFileSync(path.join(workspace, 'once.py'), 'luck = 0\nraise ValueError("no luck")\n');
    fs.writeFileSync(path.join(workspace, 'halves.job.yml'), halvesJob);
    fs.writeFileSync(path.join(workspace, 'halves.ipynb'), halves);
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1500, height: 1000 } });
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
    const variable = page.locator('.debug-variables [role=treeitem]', { hasText: new RegExp(`^${name}\\s*=`) });
    await variable.waitFor();
    return variable.innerText();
  };

  /** Chooses in the menu of the margin beside a line; the editor may close it while it still draws a breakpoint. */
  const inMargin = (line: number, entry: string): Promise<void> =>
    eventually(async () => {
      const { page } = window;
      await page.keyboard.press('Escape');
      const number = page.locator('.margin-view-overlays .line-numbers', { hasText: new RegExp(`^${line}$`) }).first();
      const box = await number.boundingBox();
      assert.ok(box);
      await page.mouse.click(box.x - 8, box.y + box.height / 2, { button: 'right' });
      const item = page.getByRole('menuitem', { name: entry });
      await item.hover({ timeout: 3000 });
      await page.locator('.monaco-menu .action-item.focused').filter({ has: item }).waitFor({ timeout: 3000 });
      await page.keyboard.press('Enter');
      await page.locator('.breakpoint-widget .monaco-editor').waitFor({ timeout: 3000 });
    }, `${entry} in the margin`);
  /** In the field below the line of a new breakpoint. */
  const typeInWidget = async (text: string): Promise<void> => {
    const field = window.page.locator('.breakpoint-widget .monaco-editor');
    await field.click();
    await field.and(window.page.locator('.focused')).waitFor();
    await window.page.keyboard.type(text);
  };
  const stoppedAt = async (line: number): Promise<void> =>
    window
      .statusItem(new RegExp(`Ln ${line},`))
      .and(window.page.locator(':visible'))
      .first()
      .waitFor({ timeout: 120_000 });
  const variable = (name: string, value: string): Locator =>
    window.page.locator('.debug-variables [role=treeitem]', { hasText: new RegExp(`^${name}\\s*=\\s*${value}$`) });
  /** A line of the debug console that is so, without its number of times. */
  const said = (line: string): Promise<void> =>
    eventually(async () => {
      const rows = await window.page.locator('.repl .monaco-list-row').allInnerTexts();
      return rows.some((row) =>
        row
          .replaceAll('\u00a0', ' ')
          .split('\n')
          .some((each) => each.trim() === line),
      );
    }, `${line} in the debug console`);
  const evaluate = async (text: string): Promise<void> => {
    const { page } = window;
    await page.locator('.repl-input-wrapper .monaco-editor').click();
    await page.keyboard.insertText(text);
    // What is offered for completion would be taken by the Enter.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
  };

  it('stops at a condition, logs without stopping, and runs to the cursor', async () => {
    const { page } = window;
    await window.openFile('shop.py');
    await inMargin(6, 'Add Conditional Breakpoint');
    await typeInWidget('price == 4');
    await page.keyboard.press('Enter');
    await inMargin(7, 'Add Logpoint');
    await typeInWidget('sold {name} for {price}');
    await page.keyboard.press('Enter');
    await window.openFile('shop.job.yml');
    await page.keyboard.press('F5');
    await stoppedAt(6);
    await page.keyboard.press('Control+Shift+D');
    await page.keyboard.press('Control+Shift+Y');
    await said('sold tea for 3');
    assert.match(await value('price'), /price\s*=\s*4/);
  });

  it('evaluates expressions, statements, errors and completions in the debug console', async () => {
    const { page } = window;
    for (const [given, answer] of [
      ['total + 39', '42'],
      ['print("seen", name)', 'seen cake'],
      ['1 / 0', 'ZeroDivisionError: division by zero'],
      ['for n in range(2):\n    print("row", n)\n', 'row 1'],
    ] as const) {
      await evaluate(given);
      await said(answer);
    }
    await page.locator('.repl-input-wrapper .monaco-editor').click();
    await page.keyboard.type('prices.ke');
    const offered = page.locator('.suggest-widget .monaco-list-row', { hasText: 'keys' });
    // An answer that comes while the next letter is typed is dropped by the editor; whoever types asks again by this key.
    await offered.waitFor({ timeout: 5000 }).catch(() => undefined);
    await eventually(async () => {
      if (await offered.isVisible()) return;
      await page.keyboard.press('Control+Space');
      await offered.waitFor({ timeout: 5000 });
    });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
  });

  it('watches an expression, shows a value under the pointer, and sets a variable', async () => {
    const { page } = window;
    await page.locator('.pane-header', { hasText: 'Watch' }).hover();
    await page.locator('.pane-header', { hasText: 'Watch' }).getByRole('button', { name: 'Add Expression' }).click();
    const field = page.locator('.debug-watch .monaco-inputbox input');
    await field.fill('total * 100');
    await field.press('Enter');
    const watched = page.locator('.debug-watch [role=treeitem]', { hasText: 'total * 100' });
    await watched.filter({ hasText: '300' }).waitFor();
    // At the name with which the line begins.
    await page.locator('.view-line', { hasText: /^total.\*=.factor/ }).hover({ position: { x: 15, y: 8 } });
    await page.locator('.debug-hover-widget', { hasText: '3' }).waitFor();
    await variable('total', '3').dblclick();
    const value = page.locator('.debug-variables .monaco-inputbox input');
    await value.fill('1000');
    await value.press('Enter');
    await variable('total', '1000').waitFor();
    await watched.filter({ hasText: '100000' }).waitFor();
  });

  it('runs to the cursor, steps, and continues with the changed values', async () => {
    const { page } = window;
    await page.locator('.view-line', { hasText: 'factor = 2' }).click();
    await window.runCommand('Debug: Run to Cursor');
    await stoppedAt(9);
    await variable('total', '1004').waitFor();
    await page.keyboard.press('F10');
    await stoppedAt(10);
    await variable('factor', '2').waitFor();
    await page.keyboard.press('F5');
    await said('doubled 2008');
    await said("total 1004 ['--day', 'monday']");
    await window
      .notifications()
      .filter({ hasText: /shop #1.*Succeeded/ })
      .waitFor({ timeout: 60_000 });
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });

  it('debugs the failure of a run, and starts another run when the session is restarted', async () => {
    const { page } = window;
    await window.openFile('once.job.yml');
    await page.locator('.codelens-decoration a', { hasText: 'Run Now' }).first().click();
    await window
      .notifications()
      .filter({ hasText: /once.*Failed/i })
      .first()
      .waitFor();
    await window.runCommand('Millrace: Open Run');
    await window.pick(/once/);
    await (await window.webview('once #1')).getByRole('button', { name: 'Debug Failure' }).click();
    // Over the line in its file, whatever else of the editor is shown.
    const box = page.locator('.exception-widget', { hasText: 'no luck' });
    await box.filter({ hasText: 'ValueError' }).waitFor({ timeout: 120_000 });
    const failed = page.locator('.pane-header', { hasText: 'no luck' });
    await failed.waitFor({ timeout: 60_000 });
    assert.match(await value('luck'), /luck\s*=\s*0/);
    await page.locator('.debug-toolbar').locator('.codicon-debug-restart').click();
    await failed.waitFor({ state: 'hidden' });
    await failed.waitFor({ timeout: 60_000 });
    // If the list of threads is seen, which asks for the stack as well.
    await box.waitFor({ timeout: 20_000 });
    await page.locator('.debug-toolbar').locator('.codicon-debug-stop').click();
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
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await page.locator('.exception-widget', { hasText: 'enough' }).waitFor({ timeout: 60_000 });
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
  });
});
