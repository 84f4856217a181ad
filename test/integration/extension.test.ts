import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
  contributes: { commands: { command: string }[] };
}

describe('The extension', () => {
  it('has registered every command of its manifest when its activation ends', async () => {
    const extension = vscode.extensions.getExtension('millrace.millrace');
    assert.ok(extension);
    await extension.activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    const { contributes } = extension.packageJSON as Manifest;
    assert.deepEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });
});
