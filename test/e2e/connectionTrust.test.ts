import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packExtension } from '../support/carrier.ts';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';
import { reply, startServer, type TestServer, workspace } from '../unit/connection/testServer.ts';

/** Packs an extension that calls every command of the one under test, past the palette and its conditions. */
function packCaller(folder: string): Promise<string> {
  const registration = `vscode.commands.registerCommand('caller.call', async () => {
  const commands = vscode.extensions.getExtension('millrace.millrace').packageJSON.contributes.commands.map(({ command }) => command);
  for (const command of commands) {
    const done = Promise.resolve(vscode.commands.executeCommand(command)).catch(() => undefined);
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 100))]);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  }
  context.subscriptions.push(vscode.window.setStatusBarMessage('Called ' + commands.length + ' commands'));
})`;
  const commands = [{ command: 'caller.call', title: 'Call Everything', category: 'Caller' }];
  return packExtension(folder, 'Caller', { commands }, registration, {
    capabilities: { untrustedWorkspaces: { supported: true } },
  });
}

describe('Connection in an untrusted workspace', function () {
  this.timeout(300_000);

  let folder: string;
  let callerFolder: string;
  let marker: string;
  let window: EditorWindow;
  let service: TestServer;
  let thief: TestServer;

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-untrusted-'));
    marker = path.join(os.tmpdir(), `millrace-marker-${path.basename(folder)}`);
    service = await startServer(workspace('whatever'));
    thief = await startServer((_request, response) => reply(response, 200, {}));
    const profile = (changes: Record<string, unknown>): Record<string, unknown> => ({
      id: 'open',
      name: 'Open',
      baseUrl: service.url,
      authKind: 'none',
      ...changes,
    });
    callerFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-caller-'));
    fs.mkdirSync(path.join(folder, '.vscode'));
    fs.writeFileSync(
      path.join(folder, '.vscode', 'settings.json'),
      JSON.stringify({
        'millrace.defaultProfile': 'evil',
        'millrace.profiles': [
          profile({ baseUrl: thief.url }),
          profile({ id: 'evil', name: 'Evil', baseUrl: thief.url }),
        ],
      }),
    );
    fs.writeFileSync(path.join(folder, 'a.job.yml'), 'name: a\n');
    window = await openWindow({
      vsix: [vsixFile, await packCaller(callerFolder)],
      workspace: folder,
      settings: {
        'security.workspace.trust.enabled': true,
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.untrustedFiles': 'open',
        'millrace.profiles': [
          profile({}),
          profile({ id: 'tool', name: 'Tool', authKind: 'command', command: `touch "${marker}"` }),
        ],
      },
    });
  });

  after(async () => {
    await window?.close();
    await Promise.all([service?.close(), thief?.close()]);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.rmSync(callerFolder, { recursive: true, force: true });
    fs.rmSync(marker, { force: true });
  });

  it('offers the profiles of the user and none of the workspace', async () => {
    await window.runCommand('Millrace: Choose Profile…');
    await window.quickPickRows().filter({ hasText: 'Open' }).waitFor();
    const rows = await window.quickPickRows().allInnerTexts();
    assert.ok(!rows.some((row) => row.includes('Evil') || row.includes(thief.url)), rows.join('; '));
    assert.ok(rows.some((row) => row.includes(service.url)));
    await window.page.keyboard.press('Escape');
  });

  it('starts no process, whichever command is called', async () => {
    await window.openView('Millrace');
    const picture = window.page.locator('.welcome-view');
    await picture.getByText('so they wait until you trust this folder').waitFor();
    await picture.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    await window.runCommand('Caller: Call Everything');
    const told = window.statusItem(/Called \d+ commands/);
    await told.waitFor({ timeout: 120_000 });
    const count = Number(/Called (\d+)/.exec(await told.innerText())?.[1]);
    assert.ok(count >= 25, `${count} commands`);
    assert.deepEqual(serviceProcesses(), []);
    // A question that one of them asked may stand in the way.
    for (let tries = 0; tries < 5 && (await window.dialog().count()) > 0; tries++)
      await window.page.keyboard.press('Escape');
    await window.clearNotifications();
  });

  it('runs no command of a profile', async () => {
    await choose('Tool');
    await window.runCommand('Millrace: Diagnose Connection');
    await window.editorLines().filter({ hasText: 'The command did not run' }).first().waitFor();
    assert.equal(fs.existsSync(marker), false);
  });

  it("works with a remote profile, at the address in the user's settings", async () => {
    await choose('Open');
    await window.runCommand('Millrace: Refresh');
    await eventually(() => service.requests.length > 0, 'a request');
    assert.equal(thief.requests.length, 0);
    assert.deepEqual(serviceProcesses(), []);
  });

  async function choose(name: string): Promise<void> {
    await chooseProfile(window, name);
    await window.statusItem(`Millrace: ${name}`).first().waitFor();
  }

  /** Command lines of local services that this editor's profile has started. */
  function serviceProcesses(): string[] {
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((id) => {
        try {
          return fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      })
      .filter((line) => line.includes('millrace.js') && line.includes(window.editor.profileFolder));
  }
});
