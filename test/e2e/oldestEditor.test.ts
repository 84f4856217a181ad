import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tabIcon, type DeclaredColor } from '../../src/runs/page/tabIcon.ts';
import { runColors } from '../../src/runs/runState.ts';
import { enterText } from '../support/enterText.ts';
import { eventually } from '../support/eventually.ts';
import { extensionHostChildren } from '../support/extensionHost.ts';
import { usedIcons } from '../support/iconUse.ts';
import { untilKept } from '../support/keptState.ts';
import { root, vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

/** A long job, to watch and to cancel: it also leaves a child of its own, which must go too. */
const slowJob = `name: Slow
existing_cluster_id: local
spark_python_task:
  python_file: /slow.py
`;
const slowProgram = `import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)  # millrace-slow-child"])
print("child", child.pid, flush=True)
time.sleep(600)
`;

/** What the icons of tabs stand on. */
const tabGrounds = ['tab.activeBackground', 'tab.inactiveBackground', 'editor.background'];

type Channels = [red: number, green: number, blue: number, alpha: number];

const nothing: Channels = [0, 0, 0, 0];

/** The colours of the workbench by the editor's own names, as the browser resolves them. */
async function colorsOf(window: EditorWindow, names: readonly string[]): Promise<Record<string, Channels>> {
  return window.page.evaluate((wanted) => {
    const workbench = document.querySelector('.monaco-workbench');
    const probe = document.createElement('span');
    workbench?.append(probe);
    const read = (name: string): Channels => {
      probe.style.color = '';
      probe.style.color = `var(--vscode-${name.replaceAll('.', '-')}, transparent)`;
      const [red = 0, green = 0, blue = 0, alpha = 1] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(
        Number,
      );
      return [red, green, blue, alpha];
    };
    const colors = Object.fromEntries(wanted.map((name) => [name, read(name)]));
    probe.remove();
    return colors;
  }, names);
}

/** WCAG 2.2, contrast ratio, of a colour that may be see-through on one that is not. */
function contrast(front: Channels, back: Channels): number {
  const luminance = ([red, green, blue]: readonly number[]): number => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel = 0) =>
      channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = [0, 1, 2].map((index) => (front[index] ?? 0) * front[3] + (back[index] ?? 0) * (1 - front[3]));
  const [light = 0, dark = 0] = [luminance(seen), luminance(back)].sort((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

/** The colours of the icons in tabs, which are pictures: of those for dark themes or for light ones. */
function tabColors(kind: 'dark' | 'light'): Channels[] {
  const { contributes } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    contributes: { colors: readonly DeclaredColor[] };
  };
  return (['good', 'bad', 'now', 'look', 'none'] as const).map((tone) => {
    const picture = atob(tabIcon({ icon: 'pass', tone, spins: false }, contributes.colors)[kind].split(',')[1] ?? '');
    const hex = /stroke="#(\w{6})"/.exec(picture)?.[1] ?? '';
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    return [red, green, blue, 1];
  });
}

/** A program of the package, or an engine that it starts; the editor's own extensions start programs of theirs at any moment. */
function isOurs(command: string, profileFolder: string): boolean {
  const [program = ''] = command.split(' ');
  return (
    command.includes(path.join(profileFolder, 'ext', 'millrace.')) ||
    /(^|[\\/])(python[\d.]*|py|java)(\.exe)?$/.test(program)
  );
}

describe('The package in the oldest editor', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-main-'));
    fs.cpSync(path.join(root, 'media', 'sample'), workspace, { recursive: true });
    fs.writeFileSync(path.join(workspace, 'slow.job.yml'), slowJob);
    fs.writeFileSync(path.join(workspace, 'slow.py'), slowProgram);
    window = await openWindow({
      version: '1.105',
      complete: true,
      vsix: vsixFile,
      workspace,
      size: { width: 1400, height: 1000 },
    });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const jobRow = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  it('starts no process when its view is opened', async function () {
    // A second try would compare the started window with itself.
    this.retries(0);
    const before = extensionHostChildren(window.editor);
    await window.openView('Millrace');
    await window.activationTime('Millrace');
    const after = extensionHostChildren(window.editor);
    const started = after?.filter(
      (command) => !before?.includes(command) && isOurs(command, window.editor.profileFolder),
    );
    assert.deepEqual(started ?? [], []);
    await window.openView('Millrace');
  });

  it('answers in the chat without settings, an account or a model', async () => {
    await window.openView('Millrace');
    const chat = await window.webview();
    await chat.getByRole('textbox', { name: 'Message' }).fill('How do I run a job every weekday at 2:30?');
    await chat.getByRole('button', { name: 'Send' }).click();
    const answer = chat.getByRole('article', { name: 'Millrace' });
    await answer.getByText('quartz_cron_expression').first().waitFor();
    await eventually(async () =>
      assert.ok((await answer.locator('pre code').count()) > 0, 'the example is a code block'),
    );
  });

  it('marks a mistake in a job file at its place until it is fixed', async () => {
    await window.openFile('hello.job.yml');
    await window.editorLines().filter({ hasText: 'timeout_seconds' }).click();
    await window.page.keyboard.press('End');
    await window.page.keyboard.type('\nmax_concurent_runs: 1');
    const problems = await window.problems();
    await problems.filter({ hasText: 'max_concurrent_runs' }).first().waitFor();
    await window.page.keyboard.press('Control+Shift+M');
    await window.editorLines().filter({ hasText: 'max_concurent_runs' }).click();
    await window.page.keyboard.press('Control+Shift+K');
    await window.page.keyboard.press('Control+S');
  });

  it('deploys and runs the job, and the tree follows', async () => {
    await window.runCommand('Millrace: Deploy Job File');
    await window
      .notifications()
      .filter({ hasText: /Deployed "Hello" to Local as job \d+/ })
      .first()
      .waitFor();
    await window.notifications().getByRole('button', { name: 'Run Now' }).click();
    await jobRow('Hello').filter({ hasText: 'Succeeded' }).waitFor();
    await window
      .notifications()
      .filter({ hasText: /Hello #1 on Local: Succeeded/ })
      .waitFor();
    await jobRow('Hello').click();
    await jobRow('#1').filter({ hasText: 'Succeeded' }).click();
    const run = await window.webview('Hello #1');
    await run.getByRole('heading', { name: /^Succeeded in / }).waitFor();
    await run.getByText('End of output.').waitFor();
    assert.match((await run.locator('.row .text').allInnerTexts()).join('\n'), /the\s+\d/);
    assert.deepEqual(await window.accessibilityProblems(run), []);
  });

  it('cancels a run down to its last process', async () => {
    await window.openFile('slow.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('slow.job.yml');
    const row = jobRow('Slow');
    await row.filter({ hasText: 'Running' }).waitFor();
    await row.click();
    const run = jobRow('#1').filter({ hasText: 'Running' });
    await run.hover();
    await run.getByRole('button', { name: 'Cancel Run' }).click();
    // While a row is drawn anew the editor does not say which one was meant, and the command asks.
    const cancelled = jobRow('Slow').filter({ hasText: 'Canceled' });
    const asked = window.quickPickRows().filter({ hasText: 'Slow #1' });
    await cancelled.or(asked).first().waitFor();
    if (await asked.isVisible()) await window.pick('Slow #1');
    await cancelled.waitFor();
    await eventually(() => assert.deepEqual(processesWith('millrace-slow-child'), []));
  });

  it('runs a notebook with parameters and exports it', async () => {
    await window.openFile('daily-report.job.yml');
    await window.runCommand('Millrace: Run Now with Parameters…');
    await window.pick('daily-report.job.yml');
    await window.pick('region');
    await window.type('south');
    await window.pick('Run with these parameters');
    await jobRow('Daily report').filter({ hasText: 'Succeeded' }).waitFor();
    await jobRow('Daily report').click();
    // The jobs stand in the order of their names, so the first finished run is this one once there are two.
    const runs = jobRow('#1').filter({ hasText: 'Succeeded' });
    await runs.nth(1).waitFor();
    await runs.first().click();
    const run = await window.webview('Daily report #1');
    await run.locator('pre').filter({ hasText: '"region": "south"' }).waitFor();
    await run.getByRole('button', { name: 'More…' }).click();
    await window.pick('Export…');
    await window.pick('All');
    const folder = path.join(workspace, 'exports');
    fs.mkdirSync(folder);
    await window.typeFolder(folder);
    const notification = window.notifications().filter({ hasText: 'Exported' });
    await notification.first().waitFor();
    const exported = fs.readdirSync(folder).toSorted();
    assert.match(exported.join(), /^daily_report-(\d+)-dashboard\.html,daily_report-\1\.html$/);
    for (const name of exported)
      assert.match(fs.readFileSync(path.join(folder, name), 'utf8'), /Report for south, 7 days/);
    await notification.getByRole('button', { name: 'Preview' }).first().click();
    await window.page.locator('.tab.active', { hasText: 'daily_report' }).waitFor();
    const page = (await window.webview('daily_report')).frameLocator('iframe');
    await page.getByText('Report for south, 7 days').waitFor();
  });

  it('reports the end of a run that was started before a reload, and restores the conversation and the open rows', async () => {
    const end = path.join(workspace, 'end');
    fs.writeFileSync(
      path.join(workspace, 'patient.py'),
      `import os, time\nwhile not os.path.exists(${JSON.stringify(end)}): time.sleep(0.05)\n`,
    );
    const text = slowJob.replace('name: Slow', 'name: Patient').replace('slow.py', 'patient.py');
    fs.writeFileSync(path.join(workspace, 'patient.job.yml'), text);
    await window.openFile('patient.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('patient.job.yml');
    await jobRow('Patient').filter({ hasText: 'Running' }).waitFor();
    await untilKept(window.page, 'millrace.runs.started":[{"profileId":"local"');
    // Neither a page of a run nor the jobs view is open.
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
    await window.openView('Explorer');
    await window.reload();
    await window.openView('Explorer');
    fs.writeFileSync(end, '');
    await window.notifications().filter({ hasText: 'Patient #1 on Local: Succeeded' }).waitFor();
    await window.openView('Millrace');
    await jobRow('#1').first().waitFor();
    const chat = await window.webview();
    await chat.getByRole('article', { name: 'Millrace' }).getByText('quartz_cron_expression').first().waitFor();
  });

  it('finds all its icons', async () => {
    const missing = await window.page.evaluate((ids) => {
      const span = document.createElement('span');
      document.querySelector('.monaco-workbench')?.append(span);
      const isMissing = (id: string): boolean => {
        span.className = `codicon codicon-${id}`;
        return /^(none|normal|"")$/.test(getComputedStyle(span, '::before').content);
      };
      if (!isMissing('no-such-icon-for-sure')) return ['the look for icons finds everything'];
      return ids.filter(isMissing);
    }, usedIcons());
    assert.deepEqual(missing, []);
  });

  it('has a details page without broken images or links', async () => {
    await window.runCommand('Extensions: Show Installed Extensions');
    await window.page
      .locator('.extensions-viewlet .extension-list-item')
      .filter({ hasText: 'Millrace' })
      .first()
      .click();
    const page = await window.webview('Readme');
    await page.getByRole('heading', { name: 'Profiles' }).waitFor();
    const broken = await page
      .locator('img, video')
      .evaluateAll((pictures) =>
        pictures
          .filter((one) => !(one instanceof HTMLImageElement) || !one.complete || one.naturalWidth === 0)
          .map((one) => one.outerHTML),
      );
    assert.deepEqual(broken, []);
    const targets = await page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    assert.deepEqual(
      targets.filter((target) => !/^(?:https:|#|command:)/.test(target)),
      [],
    );
  });

  it('has visible icons in the tree and in tabs in the default themes', async () => {
    const themes = {
      'Dark Modern': 'vs-dark',
      'Light Modern': 'vs',
      'Dark High Contrast': 'hc-black',
      'Light High Contrast': 'hc-light',
    };
    const backgrounds = new Set<string>();
    for (const [theme, kind] of Object.entries(themes)) {
      await window.runCommand('Preferences: Color Theme');
      await enterText(window.input(), theme);
      await window.pick(theme);
      await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
      let colors: Record<string, Channels> = {};
      // The colours of extensions come a moment after those of the theme.
      await eventually(async () => {
        colors = await colorsOf(window, ['sideBar.background', 'icon.foreground', ...Object.values(runColors)]);
        return (
          !backgrounds.has(String(colors['sideBar.background'])) &&
          Object.values(colors).every(([, , , alpha]) => alpha > 0)
        );
      }, `the colours of ${theme}`);
      const { 'sideBar.background': background = nothing, ...icons } = colors;
      backgrounds.add(String(background));
      const faint = Object.entries(icons)
        .map(([name, color]) => [name, contrast(color, background)] as const)
        .filter(([, ratio]) => ratio < 3);
      assert.deepEqual(faint, [], theme);
      // Those of tabs may come later than those of the view.
      await eventually(async () => {
        const grounds = await colorsOf(window, tabGrounds);
        for (const [name, ground] of Object.entries(grounds)) {
          // A theme without a colour of its own for tabs has the editor's below them.
          const below = ground[3] > 0 ? ground : (grounds['editor.background'] ?? nothing);
          const ratios = tabColors(theme.includes('Light') ? 'light' : 'dark').map((color) => contrast(color, below));
          assert.deepEqual(
            ratios.filter((ratio) => ratio < 3),
            [],
            `${name} of ${theme}`,
          );
        }
      });
    }
  });
});

function processesWith(marker: string): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(marker) ? [command] : [];
      } catch {
        // The process ended meanwhile.
        return [];
      }
    });
}
