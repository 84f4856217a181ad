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
import { root, vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

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
  let workspace: string;
  let window: EditorWindow;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-e2e-'));
    window = await openWindow({
      version: '1.105',
      complete: true,
      vsix: vsixFile,
      workspace,
      size: { width: 1360, height: 1000 },
    });
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('starts no process when its view is opened', async () => {
    const before = extensionHostChildren(window.editor);
    await window.openView('Millrace');
    await window.activationTime('Millrace');
    const after = extensionHostChildren(window.editor);
    const started = after?.filter(
      (command) => !before?.includes(command) && isOurs(command, window.editor.profileFolder),
    );
    assert.deepEqual(started ?? [], []);
    await window.openView('Millrace');
    await window.screenshot('activated-oldest');
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
    await window.screenshot('extension-page');
  });

  it('has visible icons in the tree and in tabs in the default themes', async () => {
    const backgrounds = new Set<string>();
    for (const theme of ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast']) {
      await window.runCommand('Preferences: Color Theme');
      await enterText(window.input(), theme);
      await window.pick(theme);
      const read = (): Promise<Record<string, Channels>> =>
        colorsOf(window, ['sideBar.background', 'icon.foreground', ...Object.values(runColors)]);
      let colors: Record<string, Channels> = {};
      // The colours of extensions come a moment after those of the theme.
      await eventually(async () => {
        colors = await read();
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
