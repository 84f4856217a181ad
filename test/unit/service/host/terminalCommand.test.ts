import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { launcherScripts } from '../../../../src/service/host/cliOnPath.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { registerCliOnPath } = await import('../../../../src/service/host/cliOnPath.ts');

describe('Terminal command', () => {
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

  it("is on the PATH with the folder's service unless disabled", async () => {
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

  it('names no service of a closed folder', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    register();
    await eventually(() => assert.equal(variables.size, 3));
    standIn.workspace.workspaceFolders = [];
    editor.events.folders.fire(undefined);
    await eventually(() => assert.deepEqual([...variables.keys()], ['PATH']));
  });

  it('is absent until the workspace is trusted', async () => {
    standIn.workspace.isTrusted = false;
    register();
    assert.deepEqual([...variables], []);
    standIn.workspace.isTrusted = true;
    editor.events.trusted.fire();
    await eventually(() => assert.equal(variables.has('PATH'), true));
  });

  it('logs when it cannot be written', async () => {
    writeFileSync(join(storage, 'bin'), '');
    register();
    await eventually(() => assert.equal(warnings.length, 1));
    assert.match(warnings[0] ?? '', /^The command millrace is not in the terminals: .*EEXIST/);
    assert.equal(variables.size, 0);
  });
});

describe('Terminal script', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "millrace it's a user's launcher-"));
    writeFileSync(
      join(folder, 'millrace.js'),
      'console.log(JSON.stringify([process.argv.slice(2), process.env.ELECTRON_RUN_AS_NODE])); process.exit(3);',
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (node: string, path: string) => {
    const script = join(folder, 'millrace');
    writeFileSync(script, launcherScripts({ node, program: join(folder, 'millrace.js'), home: '/home/me' }).millrace);
    chmodSync(script, 0o755);
    const { status, stdout } = spawnSync(script, ['check', 'a b', '$HOME', "it's"], {
      env: { PATH: path },
      encoding: 'utf8',
    });
    return [status, JSON.parse(stdout) as unknown];
  };

  it('passes every word and the exit code', () => {
    assert.deepEqual(run(process.execPath, '/usr/bin:/bin'), [3, [['check', 'a b', '$HOME', "it's"], '1']]);
  });

  it('uses the Node of the PATH when the editor is gone', () => {
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    assert.deepEqual(run('/gone/code', path), [3, [['check', 'a b', '$HOME', "it's"], null]]);
    // As where its folder was taken away and something else has the name.
    writeFileSync(join(folder, 'code'), '', { mode: 0o644 });
    assert.deepEqual(run(join(folder, 'code'), path), [3, [['check', 'a b', '$HOME', "it's"], null]]);
  });

  it('keeps non-ASCII user names out of the Windows script', () => {
    const home = 'C:\\Users\\Jörg';
    const text = launcherScripts({
      node: 'c:\\users\\jörg\\Apps\\Code.exe',
      program: 'C:\\100%\\50%\\millrace.js',
      home,
    })['millrace.cmd'];
    assert.match(text, /\r\nif not exist "%USERPROFILE%\\Apps\\Code\.exe" goto path\r\n/);
    assert.match(text, /"%USERPROFILE%\\Apps\\Code\.exe" "C:\\100%%\\50%%\\millrace\.js" %\*\r\n/);
    assert.ok(!/[^\x00-\x7f]/.test(text));
  });
});
