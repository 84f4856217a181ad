import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { openManyJobs } from '../support/manyJobs.ts';
import { vsixFile } from '../support/paths.ts';
import type { EditorWindow } from '../support/window.ts';

describe('Twelve thousand jobs', () => {
  let window: EditorWindow;
  let folder: string;

  before(async function () {
    this.timeout(300_000);
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-many-'));
    window = await openManyJobs(folder, [vsixFile]);
  });

  after(async () => {
    await window?.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('can all be reached by keyboard', async function () {
    this.timeout(300_000);
    const firstRow = window
      .treeRows('Jobs')
      .filter({ hasText: 'nightly etl 00000' })
      .filter({ hasText: /no runs yet|Succeeded/ });
    await window.openView('Millrace');
    await firstRow.waitFor();
    await window.screenshot('many-jobs');
    // The last jobs are in the last group.
    await window.viewHeader('Chat').click();
    const group = window.treeRows('Jobs').filter({ hasText: 'nightly etl 11999' }).filter({ hasText: '1000 jobs' });
    // A key that is pressed while the rows are drawn anew is lost.
    await eventually(async () => {
      if (!(await group.isVisible())) await firstRow.click({ timeout: 5000 }).catch(() => undefined);
      await window.page.keyboard.press('End');
      await group.waitFor({ timeout: 5000 });
    });
    await window.page.keyboard.press('ArrowRight');
    // Its jobs come in a moment, and the view follows the row that has the focus.
    const last = window
      .treeRows('Jobs')
      .filter({ hasText: /nightly etl 110\d\d/ })
      .filter({ hasText: 'no runs yet' });
    await eventually(async () => {
      if ((await last.count()) > 0) return true;
      await window.page.keyboard.press('ArrowDown');
      await window.page.waitForTimeout(200);
      return false;
    }, 'the jobs of the last group');
  });
});
