import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os, { homedir, tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Intent } from '../../../../src/api/client/index.ts';
import { type Connection, localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { Connector } from '../../../../src/connection/connector.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { runTokenCommand } from '../../../../src/connection/host/tokenCommand.ts';
import { AppError, isAppError } from '../../../../src/shared/errors.ts';
import { DisposableStore } from '../../../../src/shared/lifecycle.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { startHttpServer } from '../../../support/httpServer.ts';
import { startServer, type TestServer, workspace } from '../testServer.ts';

const { EditorConnections } = await import('../../../../src/connection/host/editorConnections.ts');

const { SecretVault } = await import('../../../../src/connection/host/secretVault.ts');

const { RetryProgress } = await import('../../../../src/connection/host/createConnector.ts');

const { createConnector } = await import('../../../../src/connection/host/createConnector.ts');

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
      { verb: 'Delete', detail },
    );

  it('ask before a change only for production, by name and address', async () => {
    assert.equal(await confirm({}), true);
    assert.deepEqual(editor.shown, []);
    assert.equal(await confirm({ production: true }), false);
    editor.answer = () => 'Delete on One';
    assert.equal(await confirm({ production: true }, 'These change.'), true);
    assert.deepEqual(shownTexts(), [
      'warning: PRODUCTION "One": Delete job etl? [Delete on One]',
      'warning: PRODUCTION "One": Delete job etl? [Delete on One]',
    ]);
    assert.deepEqual(
      editor.shown.map(({ options }) => options),
      [
        { modal: true, detail: 'This changes the production workspace at https://one.example.com.' },
        { modal: true, detail: 'These change.\n\nThis changes the production workspace at https://one.example.com.' },
      ],
    );
  });

  it('refuse a change of a read-only profile without a prompt', async () => {
    editor.answer = ({ actions }) => actions[0];
    await assert.rejects(confirm({ readOnly: true, production: true }), { kind: 'readOnly' });
    assert.deepEqual(editor.shown, []);
  });

  it('start nothing for a read', async () => {
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

  it('retry a failed service at once for the user, else after a pause', async () => {
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
});

describe('the secret vault', () => {
  let storage: ReturnType<typeof secretStorage>;
  let vault: InstanceType<typeof SecretVault>;
  beforeEach(() => {
    storage = secretStorage();
    vault = new SecretVault(storage as never);
  });

  it('returns a secret only to its profile at its origin', async () => {
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

  it('forgets the secrets of one profile only', async () => {
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

describe('the notification of waiting calls', () => {
  let progress: InstanceType<typeof RetryProgress>;
  beforeEach(() => {
    editor.reset();
    progress = new RetryProgress();
  });
  afterEach(() => progress.dispose());

  it('counts down, retries or stops on request, and closes', async () => {
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

describe('the connector of the editor', () => {
  let folder: string;
  let server: TestServer;
  let asked: unknown[][];
  let lookedFor: number[];
  let disposables: DisposableStore;
  let profile: Profile;
  beforeEach(async () => {
    editor.reset();
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-connector-'));
    server = await startServer(workspace('right'));
    [asked, lookedFor, disposables] = [[], [], new DisposableStore()];
    profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: server.url };
  });
  afterEach(async () => {
    disposables.dispose();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const create = (secret = 'right', isFolderOpen = true): Connector => {
    const storage = (name: string) => standIn.Uri.file(path.join(folder, name));
    const services = {
      context: { storageUri: isFolderOpen ? storage('own') : undefined, globalStorageUri: storage('shared') },
      log: silentLogger,
      disposables,
      vault: { get: async ({ id }: Profile) => `${secret}${id === 'r' ? '' : '-of-another'}` },
      question: {
        ask: ({ id }: Profile, { status }: { status?: number }) => asked.push(['ask', id, status]),
        accepted: ({ id }: Profile) => asked.push(['accepted', id]),
      },
    } as unknown as ProfileServices;
    const launcher = async () => assert.fail('The local service is not wanted.');
    // Another window, which lives.
    const isProcessAlive = (id: number): boolean => (lookedFor.push(id), true);
    return createConnector(services, { launcher, isProcessAlive });
  };
  const list = async (connector: Connector, of = profile): Promise<unknown> =>
    (await connector.connect(of)).client.jobs.listRuns({}, { retry: 'fail' });
  const intent = (token: string, more: Partial<Intent> = {}): Intent => ({
    token,
    profile: `r ${server.url}`,
    createdAt: Date.now() - 1000,
    operation: 'jobs/run-now',
    body: `{"job_id":1,"idempotency_token":"${token}"}`,
    ...more,
  });

  it('uses the stored sign-in and asks for another when it is refused', async () => {
    const connector = create();
    await list(connector);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer right');
    assert.deepEqual(asked, []);
    const other = create('wrong');
    await assert.rejects(list(other), { kind: 'unauthenticated' });
    assert.deepEqual(asked, [['ask', 'r', 401]]);
  });

  it('runs a token command only in a trusted workspace', async () => {
    const connector = create();
    const command: Profile = { ...profile, authKind: 'command', command: 'echo right' };
    standIn.workspace.isTrusted = false;
    await assert.rejects(connector.connect(command), { kind: 'untrusted' });
    standIn.workspace.isTrusted = true;
    await list(connector, command);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer right');
  });

  it('starts the run requested before the editor closed', async () => {
    const { createdAt } = intent('t');
    const store = new FileIntentStore(path.join(folder, 'own', 'intents'));
    await store.save(intent('t', { createdAt }));
    await new FileIntentStore(path.join(folder, 'shared', 'intents')).save(intent('of others'));
    await create().connect(profile);
    await eventually(() => assert.equal(editor.shown.length, 1));
    const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(createdAt);
    assert.deepEqual(shownTexts(), [
      `information: The run requested at ${time}, when the editor closed, has been started on "Remote": run 7.`,
    ]);
    assert.deepEqual(
      server.requests.map(({ body }) => body),
      ['{"job_id":1,"idempotency_token":"t"}'],
    );
    await eventually(async () => assert.deepEqual(await store.list(), []));
  });
});

describe('a token command', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-command-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  async function program(source: string): Promise<string> {
    const file = join(folder, `p${Math.random().toString(36).slice(2)}.cjs`);
    await writeFile(file, source);
    return `"${process.execPath}" "${file}"`;
  }

  it('returns the printed token', async () => {
    assert.equal(await runTokenCommand(await program('console.log("  tok-1  ")')), 'tok-1');
    assert.equal(
      await runTokenCommand(await program('console.log(JSON.stringify({ access_token: "tok-2", expiry: "x" }))')),
      'tok-2',
    );
  });

  it('returns the token field of JSON', async () => {
    const cases: [printed: string, token: string][] = [
      ['{"token": " t ", "accessToken": " a "}', 'a'],
      ['{"token": "t", "access_token": "b", "accessToken": "a"}', 'b'],
      [' {"token": " t\\n"} \n', 't'],
      ['{brace', '{brace'],
    ];
    const found = cases.map(async ([printed]) =>
      runTokenCommand(await program(`process.stdout.write(${JSON.stringify(printed)})`)),
    );
    assert.deepEqual(
      await Promise.all(found),
      cases.map(([, token]) => token),
    );
    await assert.rejects(
      runTokenCommand(await program('console.log(JSON.stringify({ access_token: 5 }))')),
      /printed no token|without a token/,
    );
  });

  it('reports its last three lines without secrets', async () => {
    const said = await program(
      'console.error("one\\ntwo\\nthree\\nBearer abcdefghijklmnopqrstuvwxyz0123456789\\n" + "x".repeat(900)); process.kill(process.pid, "SIGTERM")',
    );
    await assert.rejects(runTokenCommand(said), (error) => {
      assert.ok(isAppError(error));
      assert.match(error.message, /failed \(SIGTERM\)\. Nothing was sent\. It said: three Bearer .*xxx$/);
      assert.doesNotMatch(error.message, /two|abcdefghij/);
      assert.ok(error.message.length < 800, String(error.message.length));
      return true;
    });
    const long = await program('process.stdout.write("x".repeat(300 * 1024))');
    await assert.rejects(runTokenCommand(long), { kind: 'unavailable' });
  });

  it('runs without a shell', async () => {
    const marker = join(folder, 'marker');
    const command = await program('console.log(process.argv.slice(2).join("|"))');
    assert.equal(
      await runTokenCommand(`${command} ; touch ${marker} && $(touch ${marker}) \`touch\``),
      `;|touch|${marker}|&&|$(touch|${marker})|\`touch\``,
    );
    await assert.rejects(access(marker));
  });

  it('runs in the home folder with the environment of the user', async () => {
    const command = await program(
      'console.log(JSON.stringify({ token: JSON.stringify([process.cwd(), ' +
        'Object.keys(process.env).filter((name) => /^(VSCODE|MILLRACE)_PROBE/.test(name))]) }))',
    );
    Object.assign(process.env, { VSCODE_PROBE: 'a', MILLRACE_PROBE: 'b' });
    try {
      assert.deepEqual(JSON.parse(await runTokenCommand(command)), [realpathSync(homedir()), []]);
    } finally {
      delete process.env['VSCODE_PROBE'];
      delete process.env['MILLRACE_PROBE'];
    }
  });

  it('reports the failure and never its output', async () => {
    const cases: [string, string, RegExp][] = [
      ['millrace-no-such-program', 'unavailable', /was not found/],
      [
        await program('console.log("printed-secret-token"); console.error("login has expired"); process.exit(3)'),
        'unavailable',
        /failed \(3\).*login has expired/,
      ],
      [await program(''), 'unavailable', /printed no token|without a token/],
      [await program('console.log("{}")'), 'unavailable', /printed no token|without a token/],
      ['tool "open', 'invalid', /unclosed/],
    ];
    for (const [command, kind, message] of cases) {
      await assert.rejects(
        runTokenCommand(command),
        (error) =>
          isAppError(error) &&
          error.kind === kind &&
          message.test(error.message) &&
          error.remedy !== undefined &&
          !error.message.includes('printed-secret-token'),
      );
    }
  });

  it('can be stopped', async () => {
    const abort = new AbortController();
    const running = runTokenCommand(await program('setInterval(() => {}, 1000)'), { signal: abort.signal });
    abort.abort();
    await assert.rejects(running, { kind: 'aborted' });
  });
});
