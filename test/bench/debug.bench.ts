/** From a click on Debug to the first stop at a breakpoint, beyond what the same program needs to begin without the debugger. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median, recordFigures, type Figure } from '../support/bench.ts';
import { newestEditor, oldestEditor, type EditorVersion } from '../support/editorRecipes.ts';
import { eventually } from '../support/eventually.ts';
import { packageExtension } from '../support/package.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const rounds = 3;
/** Says when it began, so that a run without the debugger tells what the service and Python take by themselves. */
const program = `import time

open("began", "w").write(str(time.time() * 1000))
total = 41
total += 1
print("total", total)
`;
const breakpointLine = 6;
const job = 'name: total\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /total.py\n';

class Bench {
  readonly #window: EditorWindow;
  readonly #workspace: string;

  constructor(window: EditorWindow, workspace: string) {
    this.#window = window;
    this.#workspace = workspace;
  }

  async #click(lens: RegExp): Promise<void> {
    await this.#window.clearNotifications();
    await this.#window.openFile('total.job.yml');
    const action = this.#window.page.locator('.codelens-decoration a', { hasText: lens }).first();
    await action.waitFor();
    // The list of runs draws the lens anew a moment after a run's end.
    await this.#window.page.waitForTimeout(1500);
    await action.click();
  }

  /** Milliseconds from the click to the first line of the program. */
  async plain(): Promise<number> {
    const file = path.join(this.#workspace, 'began');
    fs.rmSync(file, { force: true });
    await this.#click(/Run now\s*$/i);
    const clickedMs = Date.now();
    await eventually(async () => {
      if (!/^\d+\.\d/.test(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')) throw new Error('not begun');
    }, 'the program to begin');
    await this.#ended();
    return Number(fs.readFileSync(file, 'utf8')) - clickedMs;
  }

  /** Milliseconds from the click to the stop. */
  async debugged(): Promise<number> {
    const { page } = this.#window;
    await this.#click(/Debug\s*$/);
    const clickedMs = Date.now();
    await page.locator('.codicon-debug-stackframe').first().waitFor({ timeout: 120_000 });
    const tookMs = Date.now() - clickedMs;
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await this.#ended();
    return tookMs;
  }

  async #ended(): Promise<void> {
    await this.#window
      .notifications()
      .filter({ hasText: /total #\d+.*Succeeded/ })
      .first()
      .waitFor({ timeout: 60_000 });
  }

  async stopService(): Promise<void> {
    await this.#window.runCommand('Millrace: Stop Local Service');
    await this.#window.page.waitForTimeout(2000);
  }

  async setBreakpoint(): Promise<void> {
    const { page } = this.#window;
    await this.#window.openFile('total.py');
    const number = page
      .locator('.margin-view-overlays .line-numbers', { hasText: new RegExp(`^${breakpointLine}$`) })
      .first();
    await number.waitFor();
    const box = await number.boundingBox();
    if (!box) throw new Error('The margin is not seen.');
    await page.mouse.click(box.x - 8, box.y + box.height / 2);
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
  }
}

async function measureIn(version: EditorVersion): Promise<Figure[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debug-bench-'));
  const workspace = path.join(folder, 'workspace');
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, 'total.py'), program);
  fs.writeFileSync(path.join(workspace, 'total.job.yml'), job);
  const window = await openWindow({
    version,
    complete: true,
    vsix: vsixFile,
    workspace,
    size: { width: 1400, height: 900 },
  });
  try {
    await window.openView('Millrace');
    const bench = new Bench(window, workspace);
    await bench.plain();
    await bench.setBreakpoint();
    const installing = await bench.debugged();
    const [plain, warm, plainCold, cold]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round += 1) {
      warm.push(await bench.debugged());
      plain.push(await bench.plain());
    }
    for (let round = 0; round < rounds; round += 1) {
      await bench.stopService();
      cold.push(await bench.debugged());
      await bench.stopService();
      plainCold.push(await bench.plain());
    }
    const shown = (times: readonly number[]): string => times.map((each) => each.toFixed(0)).join(', ');
    console.log(
      `${version}: with debugpy's installation ${installing} ms; warm ${shown(warm)}, plain ${shown(plain)} ms`,
    );
    console.log(`${version}: the service started for it ${shown(cold)}, plain ${shown(plainCold)} ms`);
    const beyond = (ours: readonly number[], control: readonly number[]): number => median(ours) - median(control);
    const promise = { unit: 'ms', peerName: 'what is promised', goal: 1 };
    return [
      {
        name: `to the breakpoint beyond a plain run, warm, VS Code ${version}`,
        ours: beyond(warm, plain),
        peer: 1500,
        ...promise,
      },
      {
        name: `to the breakpoint beyond a plain run, cold, VS Code ${version}`,
        ours: beyond(cold, plainCold),
        peer: 2500,
        ...promise,
      },
      {
        name: `debugpy's installation, once, VS Code ${version}`,
        ours: installing - median(warm),
        peer: median(warm),
        unit: 'ms',
        peerName: 'a warm start',
      },
    ];
  } catch (error) {
    await window.screenshot('debug-bench-failed');
    throw error;
  } finally {
    await window.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

await packageExtension();
const figures: Figure[] = [];
for (const version of [newestEditor, oldestEditor]) figures.push(...(await measureIn(version)));
recordFigures('debug', figures);
