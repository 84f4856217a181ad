import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile, type Connection, type Profile } from '../../../../src/connection/connection.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { startHttpServer } from '../../../support/httpServer.ts';
import { holdTrail } from '../../../support/trail.ts';

const { EditorConnections } = await import('../../../../src/connection/host/editorConnections.ts');
const { SecretVault } = await import('../../../../src/connection/host/secretVault.ts');
const { RetryProgress } = await import('../../../../src/connection/host/createConnector.ts');

const staging: Profile = {
  ...localProfile,
  id: 'one',
  name: 'One',
  kind: 'remote',
  baseUrl: 'https://one.example.com',
};

function secretStorage(): {
  values: Map<string, string>;
  get(key: string): Promise<string | undefined>;
  store(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  keys(): Promise<string[]>;
} {
  const values = new Map<string, string>();
  return {
    values,
    get: async (key) => values.get(key),
    store: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
    keys: async () => [...values.keys()],
  };
}

describe('the connections of the editor', () => {
  holdTrail(import.meta.url);
  let connections: InstanceType<typeof EditorConnections>;
  let hasLocalData: boolean;
  beforeEach(() => {
    editor.reset();
    hasLocalData = false;
    const context = {
      workspaceState: memento(),
      globalState: memento(),
      secrets: secretStorage(),
      globalStorageUri: standIn.Uri.file('/tmp/millrace-none'),
    };
    connections = new EditorConnections(context as never, {
      log: silentLogger,
      launcher: () => Promise.reject(new Error('not wanted')),
      hasLocalData: () => hasLocalData,
      isProcessAlive: () => false,
    });
  });
  afterEach(() => connections.dispose());
  const confirm = (change: Partial<Profile>, detail?: string): Promise<boolean> =>
    connections.confirmMutation<never>(
      'Delete job etl',
      { profile: { ...staging, ...change }, client: {} } as Connection,
      detail,
    );

  it('ask before a change only where the profile is production, by name and address', async () => {
    assert.equal(await confirm({}), true);
    assert.deepEqual(editor.shown, []);
    assert.equal(await confirm({ production: true }), false);
    editor.answer = () => 'Do It on One';
    assert.equal(await confirm({ production: true }, 'These change.'), true);
    assert.deepEqual(shownTexts(), [
      'warning: PRODUCTION "One": Delete job etl? [Change Nothing | Do It on One]',
      'warning: PRODUCTION "One": Delete job etl? [Change Nothing | Do It on One]',
    ]);
    assert.deepEqual(
      editor.shown.map(({ options }) => options),
      [
        { modal: true, detail: 'This changes the production workspace at https://one.example.com.' },
        { modal: true, detail: 'These change.\n\nThis changes the production workspace at https://one.example.com.' },
      ],
    );
  });

  it('offer in the one question of production what may be done instead', async () => {
    const asked = (production: boolean): Promise<boolean | string> =>
      connections.confirmMutation(
        'Replace job etl',
        { profile: { ...staging, production }, client: {} } as Connection,
        'These change.',
        ['Compare', 'Merge'],
      );
    assert.deepEqual([await asked(false), editor.shown.length], [true, 0]);
    assert.equal(await asked(true), false);
    assert.deepEqual(shownTexts(), [
      'warning: PRODUCTION "One": Replace job etl? [Change Nothing | Do It on One | Compare | Merge]',
    ]);
    for (const [button, answer] of [
      ['Change Nothing', false],
      ['Do It on One', true],
      ['Merge', 'Merge'],
    ] as const) {
      editor.answer = () => button;
      assert.equal(await asked(true), answer);
    }
  });

  it('refuse a change where the profile is read-only, and do not ask', async () => {
    editor.answer = ({ actions }) => actions[0];
    await assert.rejects(confirm({ readOnly: true, production: true }), { kind: 'readOnly' });
    assert.deepEqual(editor.shown, []);
  });

  it('start nothing for looking, and know no profile that is not there', async () => {
    assert.equal(await connections.connectTo('nobody'), undefined);
    assert.deepEqual([await connections.connectIfUsed(), await connections.connectTo('local')], [undefined, undefined]);
    assert.equal(connections.isKnownEmpty, true);
    hasLocalData = true;
    assert.equal(connections.isKnownEmpty, false);
    await assert.rejects(connections.connectIfUsed(), /not wanted/);
    hasLocalData = false;
    assert.equal(connections.isKnownEmpty, false);
    await assert.rejects(connections.connectIfUsed(), /not wanted/, 'by then it may run without any');
    assert.deepEqual([connections.current.id, connections.profiles.length], ['local', 1]);
  });

  it('ask a service that failed a moment ago at once where the user asks, else after a pause', async () => {
    const server = await startHttpServer((_request, response) => void response.writeHead(503).end('{}'));
    editor.settings['millrace.profiles'] = [{ id: 'one', name: 'One', baseUrl: server.url, authKind: 'none' }];
    editor.settings['millrace.defaultProfile'] = 'one';
    editor.events.settings.fire({ affectsConfiguration: () => true });
    try {
      const look = async (connection: Promise<Connection | undefined>): Promise<number> => {
        const before = server.requests.length;
        await assert.rejects(
          (await connection)?.client.jobs.list({ retry: 'fail' }) ?? Promise.resolve(),
          /jobs\/list/,
        );
        return server.requests.length - before;
      };
      const byUser = { byUser: true };
      const counts = [
        await look(connections.connectIfUsed()),
        await look(connections.connectIfUsed()),
        await look(connections.connectIfUsed(byUser)),
        await look(connections.connectTo('one')),
        await look(connections.connectTo('one', byUser)),
      ];
      assert.deepEqual(counts, [1, 0, 1, 0, 1]);
    } finally {
      await server.close();
    }
  });

  it('wait for no connection that is no longer wanted, whoever asked for it', async () => {
    editor.settings['millrace.profiles'] = [
      { id: 'one', name: 'One', baseUrl: 'http://127.0.0.1:9', authKind: 'none' },
    ];
    editor.settings['millrace.defaultProfile'] = 'one';
    editor.events.settings.fire({ affectsConfiguration: () => true });
    const signal = AbortSignal.abort();
    for (const byUser of [false, true]) {
      await assert.rejects(connections.connectIfUsed({ signal, byUser }), { kind: 'aborted' });
      await assert.rejects(connections.connectTo('one', { signal, byUser }), { kind: 'aborted' });
    }
    await assert.rejects(connections.connect({ signal }), { kind: 'aborted' });
  });

  it('tell everyone when the workspace is trusted', () => {
    const told: string[] = [];
    const subscription = connections.onDidChange(({ id }) => told.push(id));
    editor.events.trusted.fire();
    assert.deepEqual(told, ['local']);
    subscription.dispose();
    editor.events.trusted.fire();
    assert.deepEqual(told, ['local']);
    connections.dispose();
    assert.equal(editor.events.trusted.isHeard, false);
  });
});

describe('the vault of secrets', () => {
  let storage: ReturnType<typeof secretStorage>;
  let vault: InstanceType<typeof SecretVault>;
  beforeEach(() => {
    storage = secretStorage();
    vault = new SecretVault(storage as never);
  });

  it('gives a secret to its profile at its address, and to no other', async () => {
    await vault.store(staging, 's3cret');
    assert.equal(await vault.get(staging), 's3cret');
    assert.equal(await vault.get({ ...staging, baseUrl: 'https://one.example.com/other/path' }), 's3cret');
    for (const other of [
      { baseUrl: 'https://two.example.com' },
      { baseUrl: 'http://one.example.com' },
      { baseUrl: 'https://one.example.com:8443' },
      { id: 'two' },
      { id: 'one@https' },
    ])
      assert.equal(await vault.get({ ...staging, ...other }), undefined);
  });

  it('refuses to have stored what the storage did not keep', async () => {
    storage.get = async () => undefined;
    await assert.rejects(vault.store(staging, 's3cret'), { kind: 'unavailable', remedy: /keyring/ });
    storage.get = async () => 'other';
    await assert.rejects(vault.store(staging, 's3cret'), { kind: 'unavailable' });
    storage.store = () => Promise.reject(new Error('locked'));
    await assert.rejects(vault.store(staging, 's3cret'), { kind: 'unavailable', message: /One/ });
  });

  it('forgets all that was stored for a profile, and nothing of others', async () => {
    const moved = { ...staging, baseUrl: 'https://two.example.com' };
    const other = { ...staging, id: 'one-b' };
    for (const profile of [staging, moved, other]) await vault.store(profile, 's3cret');
    await vault.forget('one', moved);
    assert.deepEqual(
      [await vault.get(staging), await vault.get(moved), await vault.get(other)],
      [undefined, 's3cret', 's3cret'],
    );
    await vault.forget('one');
    assert.deepEqual([await vault.get(moved), await vault.get(other)], [undefined, 's3cret']);
    await vault.remove(other);
    assert.equal(storage.values.size, 0);
  });
});

describe('the notification that calls wait', () => {
  holdTrail(import.meta.url, '-3');
  let progress: InstanceType<typeof RetryProgress>;
  beforeEach(() => {
    editor.reset();
    progress = new RetryProgress();
  });
  afterEach(() => progress.dispose());

  it('counts down with the reason, tries at once or stops when asked to, and is gone when nothing waits', async () => {
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const now = Date.now();
    const wait = {
      operation: 'jobs/list',
      attempt: 1,
      waitUntil: now + 20_000,
      giveUpAt: now + 60_000,
      reason: new AppError('server', 'Not well [x](command:y).'),
      retryNow: () => done.push('now'),
      stop: () => done.push('stop'),
      ended: promise,
    };
    progress.add(wait);
    progress.add({ ...wait, operation: 'jobs/get' });
    assert.equal(editor.progress.length, 1);
    const [shown] = editor.progress;
    assert.deepEqual(shown?.options, { location: 15, title: 'Millrace', cancellable: true });
    const message = (shown?.reports.at(-1) as { message: string } | undefined)?.message ?? '';
    assert.match(
      message,
      /Not well .*jobs\/list and 1 more in 20 s.* \[Retry now\]\(command:millrace.connection.retryNow\)$/,
    );
    assert.doesNotMatch(message, /\]\(command:y\)/);
    editor.commands.get('millrace.connection.retryNow')?.();
    shown?.cancel();
    assert.deepEqual(done, ['now', 'now', 'stop', 'stop']);
    resolve();
    await nextTurn();
    shown?.cancel();
    assert.equal(done.length, 4);
    progress.add({ ...wait, ended: new Promise(() => undefined) });
    assert.equal(editor.progress.length, 2);
    progress.dispose();
    assert.equal(editor.commands.has('millrace.connection.retryNow'), false);
  });
});
