/** What 12,000 jobs cost the extension host: the longest block against a view of as many plain rows, and the memory against its limit. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median, recordFigures } from '../support/bench.ts';
import { type HostWork, packHostProbe, packManyRowsExtension } from '../support/carrier.ts';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { jobCount, openManyJobs } from '../support/manyJobs.ts';
import { packageExtension } from '../support/package.ts';
import { vsixFile } from '../support/paths.ts';
import type { EditorWindow } from '../support/window.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-many-'));
const resultFile = path.join(folder, 'work.json');

async function measured(window: EditorWindow, action: () => Promise<void>): Promise<HostWork> {
  fs.rmSync(resultFile, { force: true });
  await window.runCommand('Probe: Begin');
  await action();
  await window.page.waitForTimeout(3000);
  await window.runCommand('Probe: End');
  // The file is there a moment before its text is.
  const isWritten = (): boolean => fs.existsSync(resultFile) && fs.readFileSync(resultFile, 'utf8').endsWith('}');
  await eventually(isWritten, 'the reading');
  return JSON.parse(fs.readFileSync(resultFile, 'utf8')) as HostWork;
}

try {
  await packageExtension();
  const window = await openManyJobs(folder, [
    vsixFile,
    await packHostProbe(path.join(folder, 'probe'), resultFile),
    await packManyRowsExtension(path.join(folder, 'rows'), jobCount),
  ]);
  const rows = await measured(window, async () => {
    await window.openView('Many Rows');
    await window.page.locator('.sidebar').getByText('Row 1', { exact: true }).waitFor();
  });
  const firstRow = window
    .treeRows('Jobs')
    .filter({ hasText: 'nightly etl 00000' })
    .filter({ hasText: /no runs yet|Succeeded/ });
  // Loading the code is not measured: it is loaded once the jobs were shown.
  await window.openView('Millrace');
  await firstRow.waitFor();
  const tries: HostWork[] = [];
  for (let round = 0; round < 5; round += 1) {
    await chooseProfile(window, 'Nobody');
    await window.page.locator('.sidebar').getByText('unreachable').waitFor();
    tries.push(
      await measured(window, async () => {
        await chooseProfile(window, 'Local');
        await firstRow.waitFor();
      }),
    );
  }
  await window.close();
  recordFigures('manyJobs', [
    {
      name: 'longest block of the extension host for 12,000 jobs',
      ours: median(tries.map((one) => one.longestBlockInMs)),
      peer: rows.longestBlockInMs,
      peerName: 'as many plain rows',
      unit: 'ms',
      goal: 0.85,
    },
    {
      name: 'memory for 12,000 jobs',
      ours: median(tries.map((one) => one.memoryInMB)),
      peer: 12,
      peerName: 'the limit',
      unit: 'MB',
      goal: 1,
    },
  ]);
} finally {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
