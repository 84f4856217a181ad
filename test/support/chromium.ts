import fs from 'node:fs';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { installDebianPackage } from './debian.ts';

/** Chromium without a window of its own, which needs some half of the processor time of one that could show it. */
const shells = ['/usr/bin/chromium-headless-shell'];
const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

let found: Promise<string> | undefined;

/**
 * Finds a Chromium, the one that `CHROMIUM_EXECUTABLE` names before others, or installs Debian's, saying so; throws with the remedy if it
 * can do neither.
 */
export function ensureChromium(say: (line: string) => void = console.log): Promise<string> {
  found ??= findOrInstall(say).then((place) => {
    // The processes that the tests are spread over need not look again, nor try in vain to install it.
    process.env['CHROMIUM_EXECUTABLE'] = place;
    return place;
  });
  return found;
}

async function findOrInstall(say: (line: string) => void): Promise<string> {
  const named = process.env['CHROMIUM_EXECUTABLE'];
  const shell = firstOf([...(named === undefined ? [] : [named]), ...shells]);
  if (shell !== undefined) return shell;
  const why = 'the tests open the windows of the browser-hosted VS Code in it';
  const failures = [await installDebianPackage('chromium-headless-shell', `${why} (about 220 MB)`, say)];
  if (failures[0] !== undefined && firstOf(browsers) === undefined)
    failures.push(await installDebianPackage('chromium', `${why} (about 350 MB)`, say));
  const installed = firstOf([...shells, ...browsers]);
  if (installed !== undefined) return installed;
  throw new Error(
    `No Chromium was found, and ${failures.find(Boolean) ?? 'none was found after its installation'}; the editor's window was not opened. ` +
      'Install Chromium (Debian: apt-get install chromium-headless-shell), or set CHROMIUM_EXECUTABLE to a Chrome or Chromium.',
  );
}

function firstOf(places: readonly string[]): string | undefined {
  return places.find((place) => fs.existsSync(place));
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
