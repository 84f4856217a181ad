import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type * as vscode from 'vscode';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { registerCliOnPath } = await import('../../../../src/service/host/cliOnPath.ts');

describe('the command of the terminals', () => {
  let storage: string;
  let variables: Map<string, string>;
  let registered: vscode.Disposable | undefined;
  let warnings: string[];
  let collection: { description?: string };

  beforeEach(() => {
    editor.reset();
    storage = mkdtempSync(join(tmpdir(), 'millrace-terminal-'));
    variables = new Map();
    [warnings, collection] = [[], {}];
  });
  afterEach(() => {
    registered?.dispose();
    rmSync(storage, { recursive: true, force: true });
  });

  function register(): void {
    const set = (name: string, value: string): void => void variables.set(name, value);
    registered = registerCliOnPath(
      {
        globalStorageUri: standIn.Uri.file(storage),
        extensionPath: '/the/extension',
        environmentVariableCollection: Object.assign(collection, {
          prepend: set,
          replace: set,
          delete: (name: string) => variables.delete(name),
          clear: () => variables.clear(),
        }),
      } as unknown as vscode.ExtensionContext,
      { log: { ...silentLogger, warn: (message: string) => void warnings.push(message) } },
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

  it('says what it is for, and is a program that is written anew only where it is another', async () => {
    register();
    await eventually(() => assert.deepEqual([...variables.keys()], ['PATH']));
    assert.equal(
      collection.description,
      'Puts the command `millrace` on the PATH, for the local service of this window.',
    );
    const bin = join(storage, 'bin');
    const names = readdirSync(bin);
    assert.ok(names.includes('millrace') && names.every((name) => !name.includes(String(process.pid))), names.join());
    if (process.platform !== 'win32')
      for (const name of names) assert.equal(statSync(join(bin, name)).mode & 0o777, 0o755, name);
    const path = join(bin, 'millrace');
    const text = readFileSync(path, 'utf8');
    utimesSync(path, 1, 1);
    variables.clear();
    editor.events.folders.fire(undefined);
    await eventually(() => assert.equal(variables.size, 1));
    assert.equal(statSync(path).mtimeMs, 1000);
    writeFileSync(path, 'other');
    variables.clear();
    editor.events.folders.fire(undefined);
    await eventually(() => assert.equal(variables.size, 1));
    assert.equal(readFileSync(path, 'utf8'), text);
  });

  it('looks again at its own setting alone, and at nothing once it is over', async () => {
    register();
    await eventually(() => assert.equal(variables.size, 1));
    editor.settings['millrace.terminal.command'] = false;
    editor.events.settings.fire({ affectsConfiguration: (name: string) => name !== 'millrace.terminal.command' });
    assert.equal(variables.size, 1);
    registered?.dispose();
    changeSetting(false);
    editor.events.folders.fire(undefined);
    editor.events.trusted.fire();
    assert.equal(variables.size, 1);
    registered = undefined;
  });

  it('is noted down where it cannot be written', async () => {
    writeFileSync(join(storage, 'bin'), '');
    register();
    await eventually(() => assert.equal(warnings.length, 1));
    assert.match(warnings[0] ?? '', /^The command millrace is not in the terminals: .*EEXIST/);
    assert.equal(variables.size, 0);
  });
});
