/** What a running job prints, from `print` to the page of the run in a real window: how late, in how long tasks, and for how many bytes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { createClient, type Client } from '../../src/api/client/index.ts';
import type { Profile } from '../../src/connection/connection.ts';
import { RunPageSession } from '../../src/runs/page/runPageSession.ts';
import type { ServiceFile } from '../../src/service/startup/serviceFile.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { recordFigures, type Figure } from '../support/bench.ts';
import { longestTasks } from '../support/chatHarness/longestTask.ts';
import { packageExtension } from '../support/package.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

/** Prints so many numbered lines a second once the page looks on, and leaves behind when it printed two hundred of them. */
const program = `import json, os, sys, time
name, rate, total = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
while not os.path.exists(name + ".go"):
    time.sleep(0.02)
stamps, began = [], time.time()
for number in range(1, total + 1):
    if number % (total // 200) == 0:
        stamps.append([number, time.time() * 1000])
    print(number, "2026-11-22 10:00:00 INFO what a program says while it works, in a line of the usual length: end")
    ahead = began + number / rate - time.time() if rate else 0
    if ahead > 0.002:
        time.sleep(ahead)
json.dump(stamps, open(name + ".stamps", "w"))
`;

interface Load {
  name: string;
  /** 0: as fast as it can. */
  linesPerSecond: number;
  lines: number;
}

const loads: readonly Load[] = [
  { name: 'steady', linesPerSecond: 200, lines: 3000 },
  { name: 'quick', linesPerSecond: 20_000, lines: 200_000 },
  { name: 'long', linesPerSecond: 0, lines: 1_000_000 },
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-output-'));
const workspace = path.join(folder, 'workspace');
const profileFolder = path.join(folder, 'profile');

function prepare(): void {
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, 'printer.py'), program);
  for (const { name, linesPerSecond, lines } of loads)
    fs.writeFileSync(
      path.join(workspace, `${name}.job.yml`),
      `name: ${name}\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /printer.py\n` +
        `  parameters: ["${name}", "${linesPerSecond}", "${lines}"]\n`,
    );
}

interface Seen {
  /** Milliseconds since the epoch. */
  atMs: number;
  /** The newest line of the page then. */
  line: number;
}

/** Notes the newest line of the page, among those that were read or in the tail, when the frame that drew it is over. */
async function beginToLook(page: FrameLocator): Promise<void> {
  await page.locator('.rows').evaluate((rows) => {
    const seen: { atMs: number; line: number }[] = [];
    Object.assign(window, { seenLines: seen });
    const tail = document.querySelector('.tail-lines');
    const newest = (parent: Element | null, selector: string): number => {
      for (let row = parent?.lastElementChild; row; row = row.previousElementSibling) {
        const number = /^(\d+) .*: end$/.exec(row.querySelector(selector)?.textContent ?? row.textContent ?? '')?.[1];
        if (number !== undefined) return Number(number);
      }
      return 0;
    };
    const look = (): void => {
      const line = Math.max(newest(rows, '.text'), newest(tail, '.none'));
      if (line > (seen.at(-1)?.line ?? 0)) seen.push({ atMs: Date.now(), line });
    };
    const observer = new MutationObserver(() => requestAnimationFrame(look));
    for (const each of [rows, tail]) if (each) observer.observe(each, { childList: true });
  });
}

const seenLines = (page: FrameLocator): Promise<Seen[]> =>
  page.locator('.rows').evaluate(() => (window as unknown as { seenLines: Seen[] }).seenLines);

/** How late the lines were whose printing was noted, in milliseconds, the quickest first. */
function delays(stamps: readonly [line: number, atMs: number][], seen: readonly Seen[]): number[] {
  return stamps
    .map(([line, printedMs]) => (seen.find((each) => each.line >= line)?.atMs ?? Infinity) - printedMs)
    .sort((left, right) => left - right);
}

/** The service of the window, and the bytes of its answers that were read by it. */
function countingClient(): { client: Client; bytes(): number } {
  const { url, token } = JSON.parse(fs.readFileSync(fileOfProfile('**/local/*/service.json'), 'utf8')) as ServiceFile;
  let bytes = 0;
  const client = createClient({
    baseUrl: url,
    auth: { kind: 'bearer', token },
    fetch: async (...request) => {
      const response = await fetch(...request);
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length;
          controller.enqueue(chunk);
        },
      });
      return new Response(response.body?.pipeThrough(counted), response);
    },
  });
  return { client, bytes: () => bytes };
}

function fileOfProfile(pattern: string): string {
  const [file] = fs.globSync(pattern, { cwd: profileFolder });
  if (file === undefined) throw new Error(`The window's profile has no ${pattern}.`);
  return path.join(profileFolder, file);
}

interface Followed {
  /** Bytes that come over the wire for each byte of the output. */
  bytesForEach: number;
  /** As of the page: what this machine needs for all that is done before a page has it. */
  late: number[];
}

/** Follows a run of its own as the page does, without anything being drawn. */
async function followWithoutPage({ name, linesPerSecond, lines }: Load): Promise<Followed> {
  const { client, bytes } = countingClient();
  const seen: Seen[] = [];
  fs.writeFileSync(path.join(workspace, `${name}-counted.go`), '');
  const { run_id: runId } = await client.jobs.submit({
    existing_cluster_id: 'local',
    spark_python_task: {
      python_file: '/printer.py',
      parameters: [`${name}-counted`, String(linesPerSecond), String(lines / 5)],
    },
  });
  const profile = { id: 'local', name: 'Local', kind: 'local' } as unknown as Profile;
  await new Promise<void>((resolve) => {
    const session = new RunPageSession(runId, {
      clock: systemClock,
      profile: () => profile,
      connect: () => Promise.resolve({ client, profile }),
      post: (message) => {
        if (message.type !== 'output') return;
        const line = Number(/(?:^|\n)(\d+) [^\n]*\n$/.exec(message.text.slice(-300))?.[1]);
        if (line) seen.push({ atMs: Date.now(), line });
        setImmediate(() => session.taken());
      },
      setTitle: () => undefined,
      usualMs: () => undefined,
      locate: () => Promise.resolve(undefined),
      ended: () => {
        // Resumed it would look on, and keep the bench from ending.
        session.pause();
        resolve();
      },
    });
    session.resume();
  });
  return {
    bytesForEach: bytes() / fs.statSync(fileOfProfile(`**/runs/${runId}/output.log`)).size,
    late: delays(readStamps(`${name}-counted`), seen),
  };
}

const readStamps = (name: string): [line: number, atMs: number][] =>
  JSON.parse(fs.readFileSync(path.join(workspace, `${name}.stamps`), 'utf8')) as [number, number][];

const at = (late: readonly number[], share: number): number => late[Math.ceil(late.length * share) - 1] ?? Infinity;

async function measureLoad(window: EditorWindow, load: Load): Promise<Figure[]> {
  const { name, linesPerSecond } = load;
  await window.openFile(`${name}.job.yml`);
  await window.runCommand('Millrace: Run Now');
  await window.pick(`${name}.job.yml`);
  const row = (text: string) => window.treeRows('Jobs').filter({ hasText: text });
  await row(name).filter({ hasText: 'Running' }).click();
  await row('#1').filter({ hasText: 'Running' }).click();
  const page = await window.webview(`${name} #1`);
  await page.locator('.row', { hasText: 'ready' }).waitFor();
  await window.runCommand('Notifications: Clear All Notifications');
  const {
    runs: [run],
  } = await countingClient().client.jobs.listRuns({ active_only: true });
  if (!run) throw new Error(`No run of ${name} is going.`);
  await beginToLook(page);
  const browser = window.context.browser();
  if (!browser) throw new Error('The window has no browser.');
  const startedAt = performance.now();
  const tasks = await longestTasks(browser, window.page, async () => {
    fs.writeFileSync(path.join(workspace, `${name}.go`), '');
    await page.getByText('End of output.').waitFor({ timeout: 300_000 });
  });
  console.log(
    `${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s; longest tasks: ${tasks
      .slice(0, 8)
      .map((each) => each.toFixed(0))
      .join(', ')} ms`,
  );
  const outputBytes = fs.statSync(fileOfProfile(`**/runs/${run.run_id}/output.log`)).size;
  const late = delays(readStamps(name), await seenLines(page));
  const followed = await followWithoutPage(load);
  for (const [who, each] of [
    ['page', late],
    ['without a page', followed.late],
  ] as const)
    console.log(
      `${name}: ${who}: ${[0.5, 0.95, 1].map((share) => `${share * 100} of 100 ${at(each, share).toFixed(0)} ms`).join(', ')}`,
    );
  const words =
    linesPerSecond === 0
      ? `${(outputBytes / 1e6).toFixed(0)} MB as fast as can be`
      : `${linesPerSecond} lines a second`;
  const promise = { peerName: 'what is promised', goal: 1 };
  const scrolled =
    linesPerSecond > 0
      ? tasks
      : [...tasks, ...(await longestTasks(browser, window.page, () => scrollThrough(window, page)))];
  return [
    {
      name: `from print to the page, 95 of 100, ${words}`,
      ours: at(late, 0.95),
      peer: 300,
      unit: 'ms',
      // What is printed as fast as can be is as late as the machine is slow.
      ...(linesPerSecond > 0 ? promise : { peerName: promise.peerName }),
    },
    { name: `longest task of the window, ${words}`, ours: Math.max(...scrolled), peer: 50, unit: 'ms CPU', ...promise },
    { name: `bytes read, ${words}`, ours: followed.bytesForEach, peer: 1.2, unit: 'times the output', ...promise },
  ];
}

async function scrollThrough(window: EditorWindow, page: FrameLocator): Promise<void> {
  await page.locator('.scroller').focus();
  await window.page.keyboard.press('Home');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  for (let count = 0; count < 60; count += 1) await window.page.keyboard.press('PageDown');
  const box = await page.locator('.scroller').boundingBox();
  if (box) await window.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let count = 0; count < 200; count += 1) await window.page.mouse.wheel(0, 80_000);
  await window.page.keyboard.press('End');
  await page.locator('.row', { hasText: '1000000 2026' }).waitFor();
}

try {
  prepare();
  await packageExtension();
  const window = await openWindow({
    complete: true,
    vsix: vsixFile,
    workspace,
    profileFolder,
    size: { width: 1400, height: 900 },
  });
  try {
    await window.openView('Millrace');
    const figures: Figure[] = [];
    for (const load of loads) figures.push(...(await measureLoad(window, load)));
    recordFigures('output', figures);
  } catch (error) {
    await window.screenshot('output-bench-failed');
    throw error;
  } finally {
    await window.close();
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
