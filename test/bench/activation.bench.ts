/** What activating Millrace costs in a real editor, against an empty extension in the same session. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median, recordFigures, type Figure } from '../support/bench.ts';
import { packEmptyExtension } from '../support/carrier.ts';
import { packageExtension } from '../support/package.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const rounds = 9;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-activation-'));
try {
  await packageExtension();
  const empty = await packEmptyExtension(path.join(folder, 'empty'));
  const workspace = path.join(folder, 'workspace');
  fs.mkdirSync(workspace);
  const byCommand = async (window: EditorWindow): Promise<void> => {
    await window.runCommand('Millrace: Choose Profile…');
    await window.quickPickRows().filter({ hasText: 'Local' }).first().waitFor();
    await window.page.keyboard.press('Escape');
  };
  // The view is how most users start it, and keeps the machine busy meanwhile; the command is how the empty one starts.
  const ways = [['by its view', (window: EditorWindow) => window.openView('Millrace')], ['by a command', byCommand]] as const;
  const figures: Figure[] = [];
  for (const [name, activate] of ways) {
    const times = { millrace: [] as number[], empty: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const window = await openWindow({ vsix: [vsixFile, empty], workspace });
      try {
        // The editor's own extensions start at the same time as the window: they are not to be measured.
        await window.page.waitForTimeout(3000);
        // The first extension to be activated pays for what both use: they take turns.
        const steps = [() => activate(window), () => window.runCommand('Empty: Activate')];
        for (const step of round % 2 === 0 ? steps : steps.reverse()) await step();
        times.millrace.push(await window.activationTime('Millrace'));
        times.empty.push(await window.activationTime('Empty'));
        console.log(`${name}, round ${round + 1}: Millrace ${times.millrace.at(-1)} ms, the empty extension ${times.empty.at(-1)} ms`);
      } finally {
        await window.close();
      }
    }
    // The editor tells whole milliseconds: below one, half of one is as good a guess as there is.
    const floor = (values: readonly number[]): number => median(values.map((value) => Math.max(value, 0.5)));
    figures.push({ name: `activating the extension ${name}`, ours: floor(times.millrace), peer: floor(times.empty), peerName: 'an empty extension', unit: 'ms', goal: 7 });
  }
  recordFigures('activation', figures);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
