import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type * as vscode from 'vscode';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { registerTerminalCommand } = await import('../../../../src/service/host/terminalCommand.ts');

describe('the command of the terminals', () => {
  let storage: string;
  let variables: Map<string, string>;
  let registered: vscode.Disposable | undefined;

  beforeEach(() => {
    editor.reset();
    storage = mkdtempSync(join(tmpdir(), 'millrace-terminal-'));
    variables = new Map();
  });
  afterEach(() => {
    registered?.dispose();
    rmSync(storage, { recursive: true, force: true });
  });

  function register(): void {
    const set = (name: string, value: string): void => void variables.set(name, value);
    registered = registerTerminalCommand(
      {
        globalStorageUri: standIn.Uri.file(storage),
        extensionPath: '/the/extension',
        environmentVariableCollection: {
          prepend: set,
          replace: set,
          delete: (name: string) => variables.delete(name),
          clear: () => variables.clear(),
        },
      } as unknown as vscode.ExtensionContext,
      { log: silentLogger },
    );
  }
  const changeSetting = (value: boolean): void => {
    editor.settings['millrace.terminal.command'] = value;
    editor.events.settings.fire({ affectsConfiguration: (name: string) => name === 'millrace.terminal.command' });
  };

  it('is on the PATH with the service of the folder, and leaves it when the setting says so', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    register();
    await eventually(() => assert.equal(variables.get('MILLRACE_ROOT'), '/work'));
    assert.equal(variables.get('PATH'), join(storage, 'bin') + delimiter);
    assert.match(variables.get('MILLRACE_DATA') ?? '', /local\/work-[0-9a-f]{12}$/);
    assert.match(readFileSync(join(storage, 'bin', 'millrace'), 'utf8'), /\/the\/extension\/dist\/millrace\.js/);
    changeSetting(false);
    assert.deepEqual([...variables], []);
    // Turned on and off again at once: what was begun first does not come last.
    changeSetting(true);
    changeSetting(false);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual([...variables], []);
  });

  it('names no service of a folder that is not open any more', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    register();
    await eventually(() => assert.equal(variables.size, 3));
    standIn.workspace.workspaceFolders = [];
    editor.events.folders.fire(undefined);
    await eventually(() => assert.deepEqual([...variables.keys()], ['PATH']));
  });

  it('is not there where the workspace is not trusted, until it is', async () => {
    standIn.workspace.isTrusted = false;
    register();
    assert.deepEqual([...variables], []);
    standIn.workspace.isTrusted = true;
    editor.events.trusted.fire();
    await eventually(() => assert.equal(variables.has('PATH'), true));
  });
});
