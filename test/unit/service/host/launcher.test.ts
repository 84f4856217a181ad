import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mailPasswordName, storageKeyOf } from '../../../../src/service/host/serviceSecrets.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { createLauncher } = await import('../../../../src/service/host/launcher.ts');

describe("the local service of a window's folder", () => {
  let folder: string;
  let secrets: Map<string, string>;
  let subscriptions: { dispose(): void }[];
  let warned: string[];
  beforeEach(() => {
    editor.reset();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'launcher-'));
    fs.mkdirSync(path.join(folder, 'dist'));
    fs.copyFileSync(
      path.join(import.meta.dirname, '../../../support/writesItsStart.cjs'),
      path.join(folder, 'dist', 'millrace.js'),
    );
    [secrets, subscriptions, warned] = [new Map(), [], []];
  });
  afterEach(() => {
    for (const each of subscriptions) each.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const launch = () =>
    createLauncher(
      {
        extensionPath: folder,
        globalStorageUri: { fsPath: path.join(folder, 'store') },
        secrets: { get: async (name: string) => secrets.get(name) },
        subscriptions,
      } as never,
      { log: { ...silentLogger, warn: (text) => void warned.push(text) } },
    );
  const started = async (): Promise<[string[], { token: string; configuration: Record<string, unknown> }]> => {
    const service = launch();
    await assert.rejects(service.start(), /could not be started: No disk\./);
    return JSON.parse(fs.readFileSync(path.join(service.dataFolder, 'given.json'), 'utf8')) as never;
  };

  it('is started with what the settings say, and with defaults for what they do not', async () => {
    const [args, { token, configuration }] = await started();
    const data = path.join(folder, 'store', 'local', 'no-folder');
    assert.deepEqual(args, [
      'serve',
      '--root',
      path.join(data, 'empty'),
      '--data',
      data,
      '--options',
      '-',
      '--idle-exit',
      '600',
    ]);
    assert.ok(fs.existsSync(path.join(data, 'empty')));
    assert.match(token, /^[\w-]{43}$/);
    assert.deepEqual([configuration, subscriptions.length, editor.shown], [{ spark: {} }, 1, []]);
    Object.assign(editor.settings, {
      'millrace.local.maxParallelRuns': 0,
      'millrace.local.python': '  ',
      'millrace.local.smtp': null,
    });
    assert.deepEqual((await started())[1].configuration, { spark: {} });
    Object.assign(editor.settings, {
      'millrace.local.maxParallelRuns': 3,
      'millrace.local.python': ' /usr/bin/python3 ',
      'millrace.local.notebookEngine': 'jupyter',
      'millrace.local.sparkMaster': 'local[2]',
      'millrace.local.sparkSubmit': '/s',
      'millrace.local.environment': ['A'],
      'millrace.local.discoverModels': false,
    });
    assert.deepEqual((await started())[1].configuration, {
      maxParallelRuns: 3,
      python: '/usr/bin/python3',
      notebookEngine: 'jupyter',
      spark: { master: 'local[2]', sparkSubmit: '/s' },
      environment: ['A'],
      discoverModels: false,
    });
  });

  it('gets the secrets that the settings name, and says which are missing', async () => {
    Object.assign(editor.settings, {
      'millrace.local.smtp': { host: 'm.example', user: 'u' },
      'millrace.local.destinations': {
        hook: { url: 'https://x.example', headers: { authorization: '${secret:one}' } },
      },
    });
    await started();
    assert.deepEqual(shownTexts(), [
      'warning: The mail server\'s password is not set, so e-mail may be refused. Run "Millrace: Set Mail Password…".',
      'warning: The secrets one are not set, so messages to hook become files. Run "Millrace: Set Secret of the Local Service…" and start the service again.',
    ]);
    assert.deepEqual(
      warned.map((text) => `warning: ${text}`),
      shownTexts(),
    );
    editor.shown = [];
    secrets.set(storageKeyOf(mailPasswordName), 'pass').set(storageKeyOf('one'), 'value');
    const text = JSON.stringify((await started())[1].configuration);
    assert.match(text, /"pass"/);
    assert.match(text, /"authorization":"value"/);
    assert.deepEqual(editor.shown, []);
  });

  it('uses no secret that stands in the settings, and says so', async () => {
    Object.assign(editor.settings, {
      'millrace.local.smtp': { host: 'm.example', user: 'u', password: 'plain' },
      'millrace.local.destinations': {
        hook: { url: 'https://x.example', headers: { authorization: 'Bearer abcdefghijklmnop' } },
      },
    });
    await started();
    assert.match(shownTexts()[0] ?? '', /The password in the setting millrace\.local\.smtp is not used/);
    assert.match(shownTexts()[1] ?? '', /Headers of the destinations hook hold a secret in the settings/);
    assert.equal(editor.shown.length, 2);
  });

  it('is not started while the workspace is not trusted', async () => {
    standIn.workspace.isTrusted = false;
    await assert.rejects(launch().start(), /Restricted Mode/);
  });
});
