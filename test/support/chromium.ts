import fs from 'node:fs';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { installDebianPackage } from './debian.ts';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of a Chromium or Chrome on this machine, `CHROMIUM_EXECUTABLE` first; undefined if there is none. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_EXECUTABLE'];
  return [...(named === undefined ? [] : [named]), ...places].find((place) => fs.existsSync(place));
}

/** Finds Chromium or installs Debian's, saying so; throws with the remedy if it can do neither. */
export async function ensureChromium(say: (line: string) => void = console.log): Promise<string> {
  const found = findChromium();
  if (found !== undefined) return found;
  const remedy =
    'Install Chromium (Debian: apt-get install chromium), or set CHROMIUM_EXECUTABLE to a Chrome or Chromium.';
  const failure = await installDebianPackage(
    'chromium',
    'the window of the browser-hosted VS Code runs in it (about 350 MB)',
    say,
  );
  const installed = findChromium();
  if (installed === undefined)
    throw new Error(
      `No Chromium was found, and ${failure ?? 'none was found after its installation'}; the editor's window was not opened. ${remedy}`,
    );
  return installed;
}

/** A headless Chromium that makes no requests of its own. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch(launchOptionsFor(await ensureChromium()));
}

/** As root Chromium has no sandbox to offer; the other switches keep it from fetching anything by itself. */
function launchOptionsFor(executablePath: string): LaunchOptions {
  return {
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
    ],
  };
}
