/** What starting Millrace costs in a real editor, against extensions that do next to nothing, in the same session. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { median, recordFigures, type Figure } from '../support/bench.ts';
import { packEmptyExtension, packExtension, packOneRowExtension } from '../support/carrier.ts';
import { packageExtension } from '../support/package.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

/** Even, so that each is as often the first as the second: with one more of either, the median of ours would be a first and theirs a second. */
const rounds = 10;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-activation-'));
const workspace = path.join(folder, 'workspace');

/** Each round in a window of its own. The first extension to be started pays for what both use, so they take turns. */
async function eachRound(
  packages: readonly string[],
  ours: (window: EditorWindow) => Promise<void>,
  theirs: (window: EditorWindow) => Promise<void>,
  read: (window: EditorWindow, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const window = await openWindow({ complete: true, vsix: packages, workspace });
    try {
      // The editor's own extensions start at the same time as the window: they are not to be measured.
      await window.page.waitForTimeout(3000);
      const steps = [ours, theirs];
      for (const step of round % 2 === 0 ? steps : steps.reverse()) await step(window);
      await read(window, round + 1);
    } finally {
      await window.close();
    }
  }
}

/** The editor tells whole milliseconds: below one, half of one is as good a guess as there is. */
const floor = (values: readonly number[]): number => median(values.map((value) => Math.max(value, 0.5)));

/** Our package with a manifest that does not start it with the window, so that its code is timed in a window at rest. */
function packAsleep(): string {
  const files = unzipSync(fs.readFileSync(vsixFile));
  const manifest = JSON.parse(strFromU8(files['extension/package.json'] ?? new Uint8Array())) as {
    activationEvents: string[];
  };
  manifest.activationEvents = manifest.activationEvents.filter((event) => event !== 'onStartupFinished');
  files['extension/package.json'] = strToU8(JSON.stringify(manifest));
  const file = path.join(folder, 'asleep.vsix');
  fs.writeFileSync(file, zipSync(files));
  return file;
}

/** The milliseconds that the editor itself tells of an activation: reading the code, running it, and waiting for what it returned. */
async function activation(
  way: string,
  packages: readonly string[],
  start: (window: EditorWindow) => Promise<void>,
): Promise<Figure> {
  const times = { millrace: [] as number[], empty: [] as number[] };
  await eachRound(
    packages,
    start,
    (window) => window.runCommand('Empty: Activate'),
    async (window, round) => {
      times.millrace.push(await window.activationTime('Millrace'));
      times.empty.push(await window.activationTime('Empty'));
      console.log(
        `${way}, round ${round}: Millrace ${times.millrace.at(-1)} ms, the empty extension ${times.empty.at(-1)} ms`,
      );
    },
  );
  return {
    name: `activating the extension ${way}`,
    ours: floor(times.millrace),
    peer: floor(times.empty),
    peerName: 'an empty extension',
    unit: 'ms',
    goal: 7,
  };
}

/**
 * The same at the moment at which it really happens: with everything else that waited for the window to stand. One empty extension
 * comes before ours in the editor's list and one after it, for the first pays for what all use.
 */
async function activationWithWindow(): Promise<Figure> {
  const peers = await Promise.all(
    ['aaa', 'zzz'].map((publisher) =>
      packExtension(
        path.join(folder, publisher),
        `Empty ${publisher}`,
        {},
        `vscode.commands.registerCommand('${publisher}.empty', () => undefined)`,
        { publisher, activationEvents: ['onStartupFinished'] },
      ),
    ),
  );
  const times = { millrace: [] as number[], empty: [] as number[] };
  const nothing = (): Promise<void> => Promise.resolve();
  await eachRound([vsixFile, ...peers], nothing, nothing, async (window, round) => {
    times.millrace.push(await window.activationTime('Millrace'));
    const empty = [await window.activationTime('Empty aaa'), await window.activationTime('Empty zzz')];
    times.empty.push(...empty);
    console.log(
      `with the window, round ${round}: Millrace ${times.millrace.at(-1)} ms, empty extensions ${empty.join(' and ')} ms`,
    );
  });
  return {
    name: 'activating the extension with the window',
    ours: floor(times.millrace),
    peer: floor(times.empty),
    peerName: 'an empty extension',
    unit: 'ms',
    goal: 1.3,
  };
}

/**
 * From the click on the view's icon to what it shows, which an activation that merely put off its work would not shorten. Ours asks
 * whether the local service was ever used, and opens the chat beside the jobs; the other view has one row.
 */
async function firstLook(oneRow: string): Promise<Figure> {
  const times = { millrace: [] as number[], oneRow: [] as number[] };
  const timed = async (into: number[], action: () => Promise<void>): Promise<void> => {
    const startedAt = performance.now();
    await action();
    into.push(performance.now() - startedAt);
  };
  const show = async (window: EditorWindow, view: string, text: string): Promise<void> => {
    await window.page.locator('.activitybar').getByRole('tab', { name: view }).locator('a').first().click();
    await window.page.locator('.sidebar').getByText(text).first().waitFor();
  };
  await eachRound(
    [vsixFile, oneRow],
    (window) => timed(times.millrace, () => show(window, 'Millrace', 'No jobs yet')),
    (window) => timed(times.oneRow, () => show(window, 'One Row', 'The row')),
    (_, round) =>
      Promise.resolve(
        console.log(
          `first look, round ${round}: Millrace ${times.millrace.at(-1)?.toFixed(0)} ms, a view of one row ${times.oneRow.at(-1)?.toFixed(0)} ms`,
        ),
      ),
  );
  return {
    name: 'from the click to the jobs',
    ours: median(times.millrace),
    peer: median(times.oneRow),
    peerName: 'a view of one row',
    unit: 'ms',
    goal: 1.6,
  };
}

try {
  fs.mkdirSync(workspace);
  await packageExtension();
  const empty = await packEmptyExtension(path.join(folder, 'empty'));
  const oneRow = await packOneRowExtension(path.join(folder, 'one-row'));
  const byCommand = async (window: EditorWindow): Promise<void> => {
    await window.runCommand('Millrace: Choose Profile…');
    await window.quickPickRows().filter({ hasText: 'Local' }).first().waitFor();
    await window.page.keyboard.press('Escape');
  };
  const asleep = [packAsleep(), empty];
  recordFigures('activation', [
    await activationWithWindow(),
    // The view is how most users start it, and keeps the machine busy meanwhile; the command is how the empty one starts.
    await activation('by its view', asleep, (window) => window.openView('Millrace')),
    await activation('by a command', asleep, byCommand),
    await firstLook(oneRow),
  ]);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
