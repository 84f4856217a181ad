import assert from 'node:assert/strict';
import type { Intent, IntentStore } from '../../../src/api/client/index.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { Connector, type ConnectorOptions } from '../../../src/connection/connector.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import type { LocalServiceLauncher } from '../../../src/connection/localServiceLauncher.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { AppError, isAppError } from '../../../src/shared/errors.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { reply, startServer, type TestServer, workspace } from './testServer.ts';

class FakeLauncher implements LocalServiceLauncher {
  readonly exits = new Emitter<unknown>();
  readonly onDidExit = this.exits.event;
  starts = 0;
  failing: unknown;
  url = 'http://127.0.0.1:9';
  start(): Promise<{ url: string; token: string }> {
    this.starts++;
    return this.failing === undefined
      ? Promise.resolve({ url: this.url, token: `t${this.starts}` })
      : Promise.reject(this.failing as Error);
  }
  isUsed(): boolean {
    return this.starts > 0;
  }
  stopped = false;
  isStopped(): boolean {
    return this.stopped;
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

class FakeClock implements Clock {
  time = 1_000_000;
  now(): number {
    return this.time;
  }
  schedule(delayInMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayInMs);
    return () => clearTimeout(timer);
  }
}

describe('connector', () => {
  let launcher: FakeLauncher;
  let clock: FakeClock;
  let trusted: boolean;
  let secrets: Map<string, string>;
  let questions: string[];
  let answers: string[];
  let commandRuns: number;
  let connector: Connector;
  let server: TestServer;
  let accepted: string;

  const options = (): ConnectorOptions => ({
    log: silentLogger,
    launcher: () => Promise.resolve(launcher),
    secretOf: (profile) => Promise.resolve(secrets.get(profile.id)),
    runCommand: () => Promise.resolve(`printed-${++commandRuns}`),
    isTrusted: () => trusted,
    signInNeeded: (profile) => questions.push(profile.id),
    signInAccepted: (profile) => answers.push(profile.id),
    clientOptions: { retry: 'fail', fetch: nodeFetch },
    clock,
  });

  beforeEach(async () => {
    launcher = new FakeLauncher();
    clock = new FakeClock();
    trusted = true;
    secrets = new Map([['r', 'right-token']]);
    questions = [];
    answers = [];
    commandRuns = 0;
    accepted = 'right-token';
    server = await startServer(workspace(() => accepted));
    connector = new Connector(options());
  });

  afterEach(async () => {
    connector.dispose();
    await server.close();
  });

  const remote = (changes: Partial<Profile> = {}): Profile => ({
    ...localProfile,
    id: 'r',
    name: 'Remote',
    kind: 'remote',
    baseUrl: server.url,
    ...changes,
  });

  describe('of the local service', () => {
    it('starts it once for all who ask', async () => {
      const [first, second] = await Promise.all([connector.connect(localProfile), connector.connect(localProfile)]);
      assert.equal(launcher.starts, 1);
      assert.equal(first, second);
      assert.equal(first.client.baseUrl, launcher.url);
    });

    it('starts it again after it died', async () => {
      await connector.connect(localProfile);
      clock.time += 60_000;
      launcher.exits.fire(undefined);
      await connector.connect(localProfile);
      assert.equal(launcher.starts, 2);
    });

    it('asks the launcher again when nothing answers at the address any more', async () => {
      const dead = await startServer(() => undefined);
      await dead.close();
      launcher.url = dead.url;
      const { client } = await connector.connect(localProfile);
      await assert.rejects(client.jobs.listRuns(), { kind: 'network' });
      await connector.connect(localProfile);
      assert.equal(launcher.starts, 2);
    });

    it('blames no sign-in where another service answers at the address', async () => {
      const other = await startServer((_, response) =>
        reply(response, 401, { error_code: 'UNAUTHENTICATED', message: 'no' }),
      );
      try {
        launcher.url = other.url;
        const { client } = await connector.connect(localProfile);
        const isHonest = (error: unknown): boolean =>
          isAppError(error) &&
          error.kind === 'unavailable' &&
          /^\S+: the local service has ended meanwhile/.test(error.message) &&
          !/token|credentials/i.test(`${error.message} ${error.remedy}`);
        await assert.rejects(client.jobs.listRuns(), isHonest);
        await assert.rejects(async () => {
          for await (const chunk of client.inference.streamChat('guide', {
            messages: [{ role: 'user', content: 'Hi' }],
          }))
            assert.ok(chunk);
        }, isHonest);
        await connector.connect(localProfile);
        assert.equal(launcher.starts, 2);
      } finally {
        await other.close();
      }
    });

    it('does not try a failed start again and again by itself', async () => {
      launcher.failing = new AppError('unavailable', 'There is no node.', { remedy: 'Install it.' });
      for (let poll = 0; poll < 1000; poll++) {
        await assert.rejects(connector.connect(localProfile, { background: true }), {
          message: 'There is no node.',
          remedy: 'Install it.',
        });
        clock.time += 60;
      }
      // One minute: after 0, 2, 6, 14 and 30 seconds.
      assert.equal(launcher.starts, 5);
    });

    it('tries at once again when the user asks for it', async () => {
      launcher.failing = new Error('EACCES');
      await assert.rejects(
        connector.connect(localProfile),
        (error) =>
          isAppError(error) &&
          error.kind === 'unavailable' &&
          /EACCES/.test(error.message) &&
          error.remedy !== undefined,
      );
      launcher.failing = undefined;
      await assert.rejects(connector.connect(localProfile, { background: true }));
      await connector.connect(localProfile);
      assert.equal(launcher.starts, 2);
    });

    it('takes a service that dies at once for one that did not start', async () => {
      for (let poll = 0; poll < 20; poll++) {
        await connector.connect(localProfile, { background: true }).then(
          () => launcher.exits.fire(undefined),
          () => undefined,
        );
        clock.time += 500;
      }
      assert.ok(launcher.starts <= 4, `${launcher.starts} starts in 10 s`);
    });

    it('is not started in an untrusted workspace', async () => {
      trusted = false;
      await assert.rejects(connector.connect(localProfile), { kind: 'untrusted' });
      assert.equal(launcher.starts, 0);
      trusted = true;
      await connector.connect(localProfile);
    });

    it('leaves it stopped while somebody only looks, and starts it for who acts', async () => {
      await connector.connect(localProfile);
      launcher.stopped = true;
      // Stopped in its first seconds: that is no failure to live.
      launcher.exits.fire(undefined);
      for (let poll = 0; poll < 3; poll++) {
        await assert.rejects(
          connector.connect(localProfile, { background: true }),
          (error) =>
            isAppError(error) &&
            error.kind === 'unavailable' &&
            /is stopped/.test(error.message) &&
            /Refresh/.test(error.remedy ?? ''),
        );
      }
      assert.equal(launcher.starts, 1);
      const [looked, acted] = await Promise.allSettled([
        connector.connect(localProfile, { background: true }),
        connector.connect(localProfile),
      ]);
      assert.deepEqual([looked.status, acted.status, launcher.starts], ['rejected', 'fulfilled', 2]);
      launcher.stopped = false;
      await connector.connect(localProfile, { background: true });
    });

    it('looks no more at what is about to stop', async () => {
      await connector.connect(localProfile);
      launcher.stopped = true;
      await assert.rejects(connector.connect(localProfile, { background: true }), /is stopped/);
    });

    it('waits for nothing once it is started again after a stop', async () => {
      await connector.connect(localProfile);
      launcher.stopped = true;
      launcher.exits.fire(undefined);
      launcher.stopped = false;
      await connector.connect(localProfile, { background: true });
      assert.equal(launcher.starts, 2);
    });

    it('lets one caller leave without the others', async () => {
      const abort = new AbortController();
      const left = connector.connect(localProfile, { signal: abort.signal });
      const stayed = connector.connect(localProfile);
      abort.abort();
      await assert.rejects(left, { kind: 'aborted' });
      assert.ok(await stayed);
    });
  });

  describe('of a remote profile', () => {
    it('signs with the stored secret and keeps the connection', async () => {
      const first = await connector.connect(remote());
      await first.client.jobs.listRuns();
      assert.equal(server.requests[0]?.headers.authorization, 'Bearer right-token');
      assert.equal(await connector.connect(remote()), first);
      assert.notEqual(await connector.connect(remote({ readOnly: true })), first);
      assert.equal(launcher.starts, 0);
    });

    it('works in an untrusted workspace, a command excepted', async () => {
      trusted = false;
      const { client } = await connector.connect(remote());
      await client.jobs.listRuns();
      await assert.rejects(connector.connect(remote({ id: 'c', authKind: 'command', command: 'x' })), {
        kind: 'untrusted',
      });
      assert.equal(commandRuns, 0);
    });

    it('runs no command after trust was lost either', async () => {
      const { client } = await connector.connect(remote({ authKind: 'command', command: 'x' }));
      trusted = false;
      await assert.rejects(client.jobs.listRuns(), { kind: 'untrusted' });
      assert.equal(commandRuns, 0);
    });

    it('sends nothing without a secret, and asks', async () => {
      secrets.clear();
      const { client } = await connector.connect(remote());
      await assert.rejects(
        client.jobs.listRuns(),
        (error) => isAppError(error) && error.kind === 'unauthenticated' && error.remedy !== undefined,
      );
      assert.equal(server.requests.length, 0);
      assert.deepEqual(questions, ['r']);
    });

    it('uses a new secret without a new connection', async () => {
      accepted = 'newer-token';
      const { client } = await connector.connect(remote());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      secrets.set('r', 'newer-token');
      assert.deepEqual((await client.jobs.listRuns()).runs, []);
    });

    it('tells once that the service answers again after its refusals', async () => {
      const { client } = await connector.connect(remote());
      await client.jobs.listRuns();
      assert.deepEqual(answers, []);
      accepted = 'rotated';
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      await assert.rejects(client.jobs.get('1'), { kind: 'unauthenticated' });
      assert.deepEqual([questions, answers], [['r', 'r'], []]);
      accepted = 'right-token';
      await client.jobs.listRuns();
      await client.jobs.listRuns();
      assert.deepEqual(answers, ['r']);
    });

    it('takes no late refusal for one of the changed profile', async () => {
      const before = await connector.connect(remote({ baseUrl: `${server.url}/elsewhere` }));
      const after = await connector.connect(remote());
      secrets.set('r', 'wrong');
      await assert.rejects(before.client.jobs.listRuns());
      assert.deepEqual(questions, []);
      await assert.rejects(after.client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.deepEqual(questions, ['r']);
    });

    it('refuses mutations of a read-only profile before anything is sent', async () => {
      const { client } = await connector.connect(remote({ readOnly: true }));
      await assert.rejects(
        client.jobs.runNow({ job_id: '1' }),
        (error) =>
          isAppError(error) &&
          error.kind === 'readOnly' &&
          /"Remote" is read-only/.test(error.message) &&
          error.remedy !== undefined,
      );
      assert.equal(server.requests.length, 0);
    });

    for (const [authKind, changes, header, value] of [
      ['basic', { userName: 'ann' }, 'authorization', `Basic ${Buffer.from('ann:right-token').toString('base64')}`],
      ['header', { headerName: 'X-Api-Key' }, 'x-api-key', 'right-token'],
      ['none', {}, 'authorization', undefined],
    ] as const) {
      it(`signs in by ${authKind}`, async () => {
        const { client } = await connector.connect(remote({ authKind, ...changes }));
        await client.jobs.listRuns().catch(() => undefined);
        assert.equal(server.requests[0]?.headers[header], value);
      });
    }
  });

  describe('of a command', () => {
    const command = (): Profile => remote({ authKind: 'command', command: 'x' });

    it('runs it once for many calls', async () => {
      accepted = 'printed-1';
      const { client } = await connector.connect(command());
      await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(commandRuns, 1);
    });

    it('runs it once more for all the calls that an expired token failed, and sends them again', async () => {
      accepted = 'printed-1';
      const { client } = await connector.connect(command());
      await client.jobs.listRuns();
      accepted = 'printed-2';
      const pages = await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(pages.length, 20);
      assert.equal(commandRuns, 2);
      assert.deepEqual(questions, []);
    });

    it('gives a token to the origin alone that it was printed for, and asks again for each', async () => {
      const other = await startServer(workspace(() => 'printed-2'));
      try {
        accepted = 'printed-1';
        const first = await connector.connect(command());
        await first.client.jobs.listRuns();
        // As it is while settings.json is written: whoever polls comes before anybody calls `forget`.
        const moved = { ...command(), baseUrl: other.url };
        const second = await connector.connect(moved);
        await Promise.all([second.client.jobs.listRuns(), first.client.jobs.listRuns(), second.client.jobs.listRuns()]);
        assert.deepEqual(
          [...new Set(other.requests.map(({ headers }) => headers.authorization))],
          ['Bearer printed-2'],
        );
        assert.deepEqual(
          [...new Set(server.requests.map(({ headers }) => headers.authorization))],
          ['Bearer printed-1'],
        );
        assert.equal(commandRuns, 2);
      } finally {
        await other.close();
      }
    });

    it('runs another command for its own token', async () => {
      accepted = 'printed-1';
      await (await connector.connect(command())).client.jobs.listRuns();
      accepted = 'printed-2';
      await (await connector.connect({ ...command(), command: 'y' })).client.jobs.listRuns();
      assert.equal(server.requests.at(-1)?.headers.authorization, 'Bearer printed-2');
      assert.equal(server.requests.length, 2);
    });

    it("forgets the tokens of a profile at every origin, and no other profile's", async () => {
      accepted = 'printed-1';
      const { client } = await connector.connect(command());
      const namesake = await connector.connect({ ...command(), id: 'r2' });
      await client.jobs.listRuns();
      connector.forget('r2');
      await client.jobs.listRuns();
      assert.equal(commandRuns, 1);
      connector.forget('r');
      accepted = 'printed-2';
      await Promise.all([client.jobs.listRuns(), client.jobs.listRuns()]);
      assert.equal(commandRuns, 2);
      accepted = 'printed-3';
      await namesake.client.jobs.listRuns();
      assert.equal(commandRuns, 3);
    });

    it('asks where the new token is refused too', async () => {
      accepted = 'never';
      const { client } = await connector.connect(command());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.ok(commandRuns <= 2);
    });
  });

  it('keeps a token on its origin, whatever the redirect', async () => {
    const thief = await startServer((_, response) => reply(response, 200, {}));
    const lookalike = thief.url.replace('127.0.0.1', 'localhost');
    const targets = [
      thief.url,
      lookalike,
      `${thief.url.replace('http:', 'https:')}`,
      thief.url.replace('//', '//u:p@'),
      `//127.0.0.1:${thief.port}`,
    ];
    try {
      for (const target of targets) {
        for (const status of [301, 302, 303, 307, 308]) {
          const honest = await startServer((request, response) =>
            reply(response, status, '', { location: `${target}${request.url ?? ''}` }),
          );
          for (const authKind of ['bearer', 'header', 'basic'] as const) {
            const { client } = await connector.connect(
              remote({ baseUrl: honest.url, authKind, headerName: 'x-key', userName: 'u' }),
            );
            await assert.rejects(client.jobs.listRuns(), { kind: 'protocol' });
            await assert.rejects(client.jobs.runNow({ job_id: '1' }), { kind: 'protocol' });
          }
          await honest.close();
        }
      }
      assert.equal(thief.requests.length, 0);
    } finally {
      await thief.close();
    }
  });

  it('finishes at the first connection what an earlier process began, once, and at the same address only', async () => {
    const intent = (token: string, profile: string, createdAt: number): Intent => ({
      token,
      profile,
      createdAt,
      operation: 'jobs/run-now',
      body: `{"job_id":9007199254740993,"idempotency_token":"${token}"}`,
    });
    const stored = new Map(
      [
        intent('mine', `r ${server.url}`, 999_000),
        intent('elsewhere', 'r https://other.example', 999_000),
        intent('now', `r ${server.url}`, 1_000_001),
      ].map((entry) => [entry.token, entry]),
    );
    const store: IntentStore = {
      save: async (entry) => void stored.set(entry.token, entry),
      settle: async (token) => void stored.delete(token),
      list: async () => [...stored.values()],
    };
    const { promise: told, resolve } = Promise.withResolvers<string>();
    const resuming = new Connector({
      ...options(),
      intents: store,
      resumed: (_profile, resumed) => resolve('runId' in resumed ? resumed.runId : String(resumed.error)),
    });
    await resuming.connect(remote());
    assert.equal(await told, '7');
    await resuming.connect(remote({ name: 'renamed' }));
    assert.deepEqual(
      server.requests.map(({ body }) => body),
      ['{"job_id":9007199254740993,"idempotency_token":"mine"}'],
    );
    assert.deepEqual([...stored.keys()], ['elsewhere', 'now']);
    resuming.dispose();
  });

  it("finishes at a profile's new address what was begun there", async () => {
    const other = await startServer(workspace(() => accepted));
    const stored = new Map<string, Intent>([
      [
        'there',
        {
          token: 'there',
          profile: `r ${other.url}`,
          createdAt: 999_000,
          operation: 'jobs/run-now',
          body: '{"job_id":1,"idempotency_token":"there"}',
        },
      ],
    ]);
    const store: IntentStore = {
      save: async (entry) => void stored.set(entry.token, entry),
      settle: async (token) => void stored.delete(token),
      list: async () => [...stored.values()],
    };
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const resuming = new Connector({ ...options(), intents: store, resumed: () => resolve() });
    try {
      await resuming.connect(remote());
      await resuming.connect(remote({ baseUrl: other.url }));
      await told;
      assert.deepEqual([server.requests.length, other.requests.length, stored.size], [0, 1, 0]);
    } finally {
      resuming.dispose();
      await other.close();
    }
  });
});
