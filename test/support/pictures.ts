/**
 * Takes the README's pictures from the running product: the packaged extension in a real editor, against the local
 * service. Run it with `npm run pictures` after a change that can be seen.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packageExtension } from './package.ts';
import { root, vsixFile } from './paths.ts';
import { openWindow, type EditorWindow } from './window.ts';

const folder = path.join(root, 'media', 'pictures');

/** The pictures are taken twice, for readers with a dark and with a light page. */
const themes = { dark: 'Default Dark Modern', light: 'Default Light Modern' } as const;

export async function takePictures(): Promise<void> {
  await packageExtension();
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, theme] of Object.entries(themes)) await takeInTheme(name, theme);
}

async function takeInTheme(name: string, theme: string): Promise<void> {
  const workspace = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-pictures-')), 'mill');
  fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
  const window = await openWindow({
    vsix: vsixFile,
    workspace,
    size: { width: 1360, height: 860 },
    scale: 2,
    complete: true,
    settings: { 'workbench.colorTheme': theme, 'editor.minimap.enabled': false },
  });
  try {
    await window.openView('Millrace');
    await overview(window);
    await problem(window);
    await hover(window);
    await exported(window, workspace);
    await writePictures(window, name);
  } finally {
    await window.close();
    fs.rmSync(path.dirname(workspace), { recursive: true, force: true });
  }
}

/** PNGs by the names of their files. They are written at the end: another page of the browser would take the window's focus. */
const taken = new Map<string, Buffer>();

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the editors are, beside the wider side bar. */
const editors = (height: number): Area => ({ x: 473, y: 30, width: 884, height });

async function shoot(window: EditorWindow, name: string, area?: Area): Promise<void> {
  await window.page.mouse.move(900, 700);
  // What fades away, and lenses that are drawn late, are not for a picture.
  await window.page.waitForTimeout(1500);
  taken.set(name, await window.page.screenshot({ clip: area }));
}

/** Writes the pictures as WebP, which is a third of a PNG's size. */
async function writePictures(window: EditorWindow, theme: string): Promise<void> {
  const page = await window.context.newPage();
  for (const [name, png] of taken) {
    const url = await page.evaluate(
      async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = Math.min(image.width, 2000);
        canvas.height = Math.round((image.height * canvas.width) / image.width);
        const context = canvas.getContext('2d');
        if (context) context.imageSmoothingQuality = 'high';
        context?.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL('image/webp', 0.7);
      },
      `data:image/png;base64,${png.toString('base64')}`,
    );
    fs.writeFileSync(
      path.join(folder, `${name}-${theme}.webp`),
      Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'),
    );
    console.log(`media/pictures/${name}-${theme}.webp`);
  }
}

const row = (window: EditorWindow, text: string) => window.treeRows('Jobs').filter({ hasText: text });

async function overview(window: EditorWindow): Promise<void> {
  await drag(window, 120);
  const chat = await window.webview();
  await chat.getByRole('textbox', { name: 'Message' }).fill('/new etl.py, every weekday at 2:30, 3 retries');
  await chat.getByRole('button', { name: 'Send' }).click();
  await chat.getByRole('article', { name: 'Millrace' }).locator('.code-block').waitFor({ timeout: 60_000 });
  for (const [file, name] of [
    ['hello.job.yml', 'Hello'],
    ['simulation.job.yml', 'Simulation'],
    ['daily-report.job.yml', 'Daily report'],
  ] as const) {
    await window.openFile(file);
    await window.runCommand('Millrace: Run Now');
    await window.pick(file);
    await row(window, name).filter({ hasText: 'Succeeded' }).waitFor({ timeout: 60_000 });
  }
  await row(window, 'Daily report').click();
  await row(window, '#1').first().waitFor();
  await window.clearNotifications();
  await window.openFile('daily-report.job.yml');
  await shoot(window, 'overview');
}

async function problem(window: EditorWindow): Promise<void> {
  await window.openFile('hello.job.yml');
  await window.editorLines().filter({ hasText: 'timeout_seconds' }).click();
  await window.page.keyboard.press('End');
  await window.page.keyboard.type('\nmax_concurrent_runs: 5000');
  await window.page.keyboard.press('Enter');
  await window.page.keyboard.type('sch');
  await window.page.keyboard.press('Control+Space');
  await window.page.locator('.suggest-widget.visible .monaco-list-row').first().waitFor();
  await shoot(window, 'job-file', editors(300));
  await window.page.keyboard.press('Escape');
  await window.runCommand('File: Revert File');
}

async function hover(window: EditorWindow): Promise<void> {
  await window.openFile('daily-report.job.yml');
  await window.editorLines().filter({ hasText: 'quartz_cron_expression' }).getByText('MON').first().hover();
  await window.page
    .locator('.monaco-hover:visible')
    .filter({ hasText: 'MON-FRI' })
    .or(window.page.locator('.monaco-hover:visible'))
    .first()
    .waitFor();
  taken.set('hover', await window.page.screenshot({ clip: editors(300) }));
}

async function exported(window: EditorWindow, workspace: string): Promise<void> {
  const target = path.join(workspace, 'exports');
  fs.mkdirSync(target);
  await window.contextMenu(row(window, '#1').first(), 'Export Run…');
  await window.pick('Code');
  await window.type(`${target}/`);
  await window.notifications().filter({ hasText: 'Exported' }).getByRole('button', { name: 'Preview' }).click();
  await (await window.webview('daily_report')).frameLocator('iframe').getByText('Report for').first().waitFor();
  await window.clearNotifications();
  await shoot(window, 'export', editors(500));
}

/** Makes the side bar wider by so many pixels. */
async function drag(window: EditorWindow, pixels: number): Promise<void> {
  const box = await window.page.locator('.part.sidebar').boundingBox();
  if (!box) return;
  const x = box.x + box.width + 1;
  await window.page.mouse.move(x, 400);
  await window.page.mouse.down();
  await window.page.mouse.move(x + pixels, 400, { steps: 8 });
  await window.page.mouse.up();
}
