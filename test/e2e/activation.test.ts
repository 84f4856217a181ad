import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { extensionHostChildren } from '../support/extensionHost.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow } from '../support/window.ts';

/** A program of the package, or an engine that it starts; the editor's own extensions start programs of theirs at any moment. */
function isOurs(command: string, profileFolder: string): boolean {
  const [program = ''] = command.split(' ');
  return (
    command.includes(path.join(profileFolder, 'ext', 'millrace.')) ||
    /(^|[\\/])(python[\d.]*|py|java)(\.exe)?$/.test(program)
  );
}

describe('the package in an editor that has never seen it', () => {
  for (const version of ['1.139', '1.105'] as const) {
    it(`is activated in VS Code ${version} by its view, and starts no process by that`, async () => {
      const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-e2e-'));
      const window = await openWindow({ version, vsix: vsixFile, workspace });
      try {
        const before = extensionHostChildren(window.editor);
        await window.openView('Millrace');
        await window.activationTime('Millrace');
        const after = extensionHostChildren(window.editor);
        const started = after?.filter(
          (command) => !before?.includes(command) && isOurs(command, window.editor.profileFolder),
        );
        assert.deepEqual(started ?? [], []);
        await window.openView('Millrace');
        await window.screenshot(`activated-${version}`);
      } finally {
        await window.close();
        fs.rmSync(workspace, { recursive: true, force: true });
      }
    });
  }
});
