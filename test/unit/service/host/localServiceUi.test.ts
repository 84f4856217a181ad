import assert from 'node:assert/strict';
import fs from 'node:fs';
import { registerHooks } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { mailPasswordName, storageKeyOf } from '../../../../src/service/host/serviceSecrets.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

// The service itself is a stand-in: `localService.test.ts` has the real one.
registerHooks({
  resolve: (name, context, next) =>
    name === './launcher.ts' && context.parentURL?.endsWith('/registerLocalService.ts') === true
      ? {
          url: 'data:text/javascript,export const createLauncher = (...given) => globalThis.createTestLauncher(...given)',
          shortCircuit: true,
        }
      : next(name, context),
});
const { registerLocalService } = await import('../../../../src/service/host/registerLocalService.ts');
const { setMailPassword } = await import('../../../../src/service/host/secretCommands.ts');
const { createLauncher } = await import('../../../../src/service/host/launcher.ts');

describe('Local service commands', () => {
  const changed = new Emitter<void>();
  let service: Record<string, unknown> & { url: string | undefined; going: unknown };
  let done: string[];
  const start = () => {
    const subscriptions: unknown[] = [];
    const registered = registerLocalService({ subscriptions, secrets: {} } as never, { log: silentLogger });
    return { registered, subscriptions };
  };
  beforeEach(() => {
    editor.reset();
    done = [];
    service = {
      url: undefined,
      going: { count: 0, names: [] },
      logPath: '/data/service.log',
      dataFolder: '/data',
      onDidChange: changed.event,
      start: async () => (done.push('start'), { url: 'http://127.0.0.1:5' }),
      stop: async () => void done.push('stop'),
      reset: async () => void done.push('reset'),
      goingRuns: async () => (service.going instanceof Error ? Promise.reject(service.going) : service.going),
    };
    Object.assign(globalThis, { createTestLauncher: () => service });
  });

  it('show where the service runs in the status bar while it runs', async () => {
    const { registered } = start();
    await registered.launcher();
    let changes = 0;
    registered.onDidChange(() => (changes += 1));
    changed.fire();
    assert.deepEqual([editor.statusItem, changes], [{}, 1]);
    service.url = 'http://127.0.0.1:5';
    changed.fire();
    const { text, tooltip, accessibilityInformation, command, isShown } = editor.statusItem;
    assert.deepEqual([text, command, isShown], ['$(server-process)', 'millrace.service.show', true]);
    assert.match(String(tooltip), /^The local service runs at http:\/\/127\.0\.0\.1:5\./);
    assert.deepEqual(accessibilityInformation, { label: tooltip });
    service.url = undefined;
    changed.fire();
    assert.equal(editor.statusItem['isShown'], false);
    service.url = 'http://127.0.0.1:6';
    changed.fire();
    assert.equal(editor.statusItem['isShown'], true);
    registered.dispose();
    assert.equal(editor.statusItem['isShown'], false);
    changed.fire();
    assert.equal(changes, 4);
  });

  it('stop at once without runs, and ask where runs are active', async () => {
    const { registered } = start();
    await registered.run('stop');
    assert.deepEqual([done, editor.shown], [['stop'], []]);
    assert.deepEqual(editor.said, [
      'The local service stays stopped until you refresh the Jobs view, deploy, run or chat.',
    ]);
    for (const [going, detail] of [
      [{ count: 2, names: ['a #1', 'b'] }, 'Active runs that this ends: a #1 and b.'],
      [{ count: 7, names: ['a #1', 'b'] }, 'Active runs that this ends: a #1, b and 5 more.'],
      [{ count: 3, names: [] }, 'Active runs that this ends: 3.'],
      [new Error('no'), 'It does not answer, so active runs are unknown. Stopping it ends them.'],
    ] as const) {
      [done, service.going] = [[], going];
      await registered.run('stop');
      assert.deepEqual(done, [], 'nothing was pressed');
      const [shown] = editor.shown.splice(0);
      assert.deepEqual([shown?.text, shown?.actions], ['Stop the local service?', ['Stop and End Runs']]);
      assert.ok(shown?.options?.detail?.startsWith(detail), shown?.options?.detail);
    }
    editor.answer = ({ actions }) => actions[0];
    await registered.run('stop');
    assert.deepEqual(done, ['stop']);
  });

  it('remove all data only after a confirmation', async () => {
    const { registered } = start();
    await registered.run('reset');
    assert.deepEqual(
      [done, shownTexts()],
      [[], ['warning: Reset the local service of this workspace? [Remove Everything]']],
    );
    assert.match(
      editor.shown[0]?.options?.detail ?? '',
      /from \/data\. Workspace files stay\. This cannot be undone\.$/,
    );
    service.going = { count: 1, names: ['a #1'] };
    editor.answer = ({ actions }) => actions[0];
    await registered.run('reset');
    assert.deepEqual(done, ['reset']);
    assert.match(editor.shown[1]?.options?.detail ?? '', /cannot be undone\.\n\nActive runs that this ends: a #1\.$/);
    assert.equal(
      shownTexts().at(-1),
      'information: The local service was reset. It starts empty when it is next used.',
    );
  });
});

describe('Secret prompts', () => {
  let kept: Map<string, string>;
  let keeps: boolean;
  /** That of the editor takes its time, as it asks the system. */
  const later = <T>(work: () => T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(work())));
  const storage = {
    get: (name: string) => later(() => kept.get(name)),
    store: (name: string, value: string) => later(() => void (keeps && kept.set(name, value))),
    delete: (name: string) => later(() => void kept.delete(name)),
  } as never;
  beforeEach(() => {
    editor.reset();
    [kept, keeps] = [new Map(), true];
  });

  it('keep what is typed, remove on empty input and leave on Escape', async () => {
    const key = storageKeyOf(mailPasswordName);
    editor.input = () => 'pass';
    await setMailPassword(storage);
    assert.equal(kept.get(key), 'pass');
    const [asked] = editor.asked as { prompt: string; password: boolean }[];
    assert.match(asked?.prompt ?? '', /^Password of the mail server in millrace\.local\.smtp\./);
    assert.equal(asked?.password, true, 'what is typed is not shown');
    editor.input = () => undefined;
    await setMailPassword(storage);
    assert.deepEqual([kept.get(key), editor.shown.length], ['pass', 1]);
    editor.input = () => '';
    await setMailPassword(storage);
    assert.equal(kept.has(key), false);
    assert.deepEqual(shownTexts(), [
      `information: The secret "${mailPasswordName}" is stored in the editor's secret storage. The local service uses it from its next start.`,
      `information: The secret "${mailPasswordName}" was removed.`,
    ]);
  });

  it('do not claim to keep what the storage refused', async () => {
    keeps = false;
    editor.input = () => 'pass';
    await assert.rejects(setMailPassword(storage), {
      kind: 'unavailable',
      message: `The editor's secret storage did not store the secret "${mailPasswordName}". It is not stored anywhere.`,
    });
    assert.deepEqual(editor.shown, []);
  });
});

describe('Service of a folder', () => {
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
    await assert.rejects(service.start(), /No disk\./);
    return JSON.parse(fs.readFileSync(path.join(service.dataFolder, 'given.json'), 'utf8')) as never;
  };

  it('starts with the settings and with defaults for the rest', async () => {
    const [args, { token, configuration }] = await started();
    const data = path.join(folder, 'store', 'local', 'no-folder');
    const places = ['--root', path.join(data, 'empty'), '--data', data];
    assert.deepEqual(args, ['serve', ...places, '--options', '-', '--idle-exit', '600']);
    assert.ok(fs.existsSync(path.join(data, 'empty')));
    assert.match(token, /^[\w-]{43}$/);
    assert.deepEqual([configuration, subscriptions.length, editor.shown], [{ spark: {} }, 1, []]);
    const set = (settings: object): void => {
      for (const [name, value] of Object.entries(settings)) editor.settings[`millrace.local.${name}`] = value;
    };
    set({ maxParallelRuns: 0, python: '  ', smtp: null });
    assert.deepEqual((await started())[1].configuration, { spark: {} });
    set({ maxParallelRuns: 3, python: ' /usr/bin/python3 ', notebookEngine: 'jupyter' });
    set({ sparkMaster: 'local[2]', sparkSubmit: '/s', environment: ['A'], discoverModels: false });
    assert.deepEqual((await started())[1].configuration, {
      maxParallelRuns: 3,
      python: '/usr/bin/python3',
      notebookEngine: 'jupyter',
      spark: { master: 'local[2]', sparkSubmit: '/s' },
      environment: ['A'],
      discoverModels: false,
    });
  });

  it('gets the secrets that the settings name and reports missing ones', async () => {
    Object.assign(editor.settings, {
      'millrace.local.smtp': { host: 'm.example', user: 'u' },
      'millrace.local.destinations': {
        hook: { url: 'https://x.example', headers: { authorization: '${secret:one}' } },
      },
    });
    await started();
    assert.deepEqual(shownTexts(), [
      'warning: The mail server\'s password is not set, so it may reject e-mail. Run "Millrace: Set Mail Password…".',
      'warning: The secrets one are not set, so messages to hook become files. Run "Millrace: Set Secret of the Local Service…" and restart the service.',
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

  it('uses no secret from the settings and says so', async () => {
    Object.assign(editor.settings, {
      'millrace.local.smtp': { host: 'm.example', user: 'u', password: 'plain' },
      'millrace.local.destinations': {
        hook: { url: 'https://x.example', headers: { authorization: 'Bearer abcdefghijklmnop' } },
      },
    });
    await started();
    assert.match(shownTexts()[0] ?? '', /The password in the setting millrace\.local\.smtp is ignored/);
    assert.match(shownTexts()[1] ?? '', /Headers of the destinations hook contain a secret in the settings/);
    assert.equal(editor.shown.length, 2);
  });

  it('does not start while the workspace is not trusted', async () => {
    standIn.workspace.isTrusted = false;
    await assert.rejects(launch().start(), /Restricted Mode/);
  });
});
