import assert from 'node:assert/strict';
import type { Intent, IntentStore } from '../../../src/api/client/index.ts';
import { localProfile } from '../../../src/connection/connection.ts';
import { Connector } from '../../../src/connection/connector.ts';
import { AppError, isAppError } from '../../../src/shared/errors.ts';
import { connectorBench } from './connectorBench.ts';
import { reply, startServer, workspace } from './testServer.ts';
import './connectorProfiles.part.ts';
import './connectorSignIns.part.ts';

describe('connector', () => {
  const bench = connectorBench();

  describe('of the local service', () => {
    it('starts it once for all who ask', async () => {
      const [first, second] = await Promise.all([
        bench.connector.connect(localProfile),
        bench.connector.connect(localProfile),
      ]);
      assert.equal(bench.launcher.starts, 1);
      assert.equal(first, second);
      assert.equal(first.client.baseUrl, bench.launcher.url);
    });

    it('tells whether its service is used, without starting it', async () => {
      assert.equal(await bench.connector.isUsed(localProfile), false);
      bench.launcher.starts = 1;
      assert.equal(await bench.connector.isUsed(localProfile), true);
      bench.launcher.starts = 0;
      await bench.connector.connect(localProfile);
      bench.launcher.starts = 0;
      assert.equal(await bench.connector.isUsed(localProfile), true, 'it is connected');
      assert.equal(await bench.connector.isUsed(bench.remote()), true);
      bench.connector.forget('local');
      bench.trusted = false;
      await assert.rejects(bench.connector.isUsed(localProfile), { kind: 'untrusted' });
      assert.equal(await bench.connector.isUsed(bench.remote()), true);
    });

    it('starts it again after it died', async () => {
      await bench.connector.connect(localProfile);
      bench.clock.time += 60_000;
      bench.launcher.exits.fire(undefined);
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2);
    });

    it('asks the bench.launcher again when nothing bench.answers at the address any more', async () => {
      const dead = await startServer(() => undefined);
      await dead.close();
      bench.launcher.url = dead.url;
      const { client } = await bench.connector.connect(localProfile);
      await assert.rejects(client.jobs.listRuns(), { kind: 'network' });
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2);
    });

    it('blames no sign-in where another service bench.answers at the address', async () => {
      const other = await startServer((_, response) =>
        reply(response, 401, { error_code: 'UNAUTHENTICATED', message: 'no' }),
      );
      try {
        bench.launcher.url = other.url;
        const { client } = await bench.connector.connect(localProfile);
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
        await bench.connector.connect(localProfile);
        assert.equal(bench.launcher.starts, 2);
      } finally {
        await other.close();
      }
    });

    it('does not try a failed start again and again by itself', async () => {
      bench.launcher.failing = new AppError('unavailable', 'There is no node.', { remedy: 'Install it.' });
      for (let poll = 0; poll < 1000; poll++) {
        await assert.rejects(bench.connector.connect(localProfile, { background: true }), {
          message: 'There is no node.',
          remedy: 'Install it.',
        });
        bench.clock.time += 60;
      }
      // One minute: after 0, 2, 6, 14 and 30 seconds.
      assert.equal(bench.launcher.starts, 5);
    });

    it('makes nobody wait after a start that was given up and did not fail', async () => {
      bench.launcher.failing = new AppError('aborted', 'Left.');
      for (let count = 0; count < 3; count += 1)
        await assert.rejects(bench.connector.connect(localProfile, { background: true }), { kind: 'aborted' });
      bench.launcher.failing = undefined;
      await bench.connector.connect(localProfile, { background: true });
      assert.equal(bench.launcher.starts, 4);
    });

    it('tries at once again when the user asks for it', async () => {
      bench.launcher.failing = new Error('EACCES');
      await assert.rejects(
        bench.connector.connect(localProfile),
        (error) =>
          isAppError(error) &&
          error.kind === 'unavailable' &&
          /EACCES/.test(error.message) &&
          error.remedy !== undefined,
      );
      bench.launcher.failing = undefined;
      await assert.rejects(bench.connector.connect(localProfile, { background: true }));
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2);
    });

    it('takes a service that dies at once for one that did not start', async () => {
      for (let poll = 0; poll < 20; poll++) {
        await bench.connector.connect(localProfile, { background: true }).then(
          () => bench.launcher.exits.fire(undefined),
          () => undefined,
        );
        bench.clock.time += 500;
      }
      assert.ok(bench.launcher.starts <= 4, `${bench.launcher.starts} starts in 10 s`);
    });

    it('waits a minute at most between starts that fail, and two seconds after the first of others', async () => {
      const look = () => bench.connector.connect(localProfile, { background: true }).catch(() => undefined);
      const startsAfter = async (...pauses: number[]): Promise<number[]> => {
        const starts = [];
        for (const pause of pauses) {
          bench.clock.time += pause;
          await look();
          starts.push(bench.launcher.starts);
        }
        return starts;
      };
      bench.launcher.failing = new Error('EACCES');
      assert.deepEqual(await startsAfter(0, 1999, 1, 3999, 1, 8000, 16_000, 32_000), [1, 1, 2, 2, 3, 4, 5, 6]);
      assert.deepEqual(await startsAfter(59_999, 1, 59_999, 1), [6, 7, 7, 8]);
      // A service that has lived is none that fails.
      bench.launcher.failing = undefined;
      assert.deepEqual(await startsAfter(60_000), [9]);
      bench.clock.time += 10_000;
      bench.launcher.exits.fire(undefined);
      bench.launcher.failing = new Error('EACCES');
      assert.deepEqual(await startsAfter(0, 1999, 1), [10, 10, 11]);
    });

    it('counts one that lived for less than ten seconds as one that did not start, and says how long it did', async () => {
      await bench.connector.connect(localProfile);
      bench.clock.time += 9999;
      bench.launcher.exits.fire(undefined);
      await assert.rejects(bench.connector.connect(localProfile, { background: true }), {
        kind: 'unavailable',
        message: 'The local service stopped 10 s after it had started.',
        remedy: 'Check the log of the local service (Millrace: Show Log of the Local Service), then try again.',
      });
      await bench.connector.connect(localProfile);
      bench.clock.time += 10_000;
      bench.launcher.exits.fire(undefined);
      await bench.connector.connect(localProfile, { background: true });
      assert.equal(bench.launcher.starts, 3);
    });

    it('counts from its own start, not from when it was looked for again', async () => {
      bench.launcher.token = 'of the one that goes on';
      await bench.connector.connect(localProfile);
      bench.clock.time += 60_000;
      bench.connector.forget('local');
      await bench.connector.connect(localProfile);
      bench.launcher.exits.fire(undefined);
      await bench.connector.connect(localProfile, { background: true });
      assert.equal(bench.launcher.starts, 3);
    });

    it('forgets a failed start with its profile, and when the user stops the service', async () => {
      const fail = async (): Promise<void> => {
        bench.launcher.failing = new Error('EACCES');
        await assert.rejects(bench.connector.connect(localProfile));
        bench.launcher.failing = undefined;
      };
      const isTried = (): Promise<boolean> =>
        bench.connector.connect(localProfile, { background: true }).then(
          () => true,
          () => false,
        );
      await fail();
      bench.connector.forget('other');
      assert.equal(await isTried(), false);
      bench.connector.forget('local');
      assert.equal(await isTried(), true);
      bench.connector.forget('local');
      await fail();
      bench.launcher.stopped = true;
      bench.launcher.exits.fire(undefined);
      bench.launcher.stopped = false;
      assert.equal(await isTried(), true);
    });

    it('has nothing left of it once it is over', async () => {
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.exits.hasListeners, true);
      bench.connector.dispose();
      assert.equal(bench.launcher.exits.hasListeners, false);
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2, 'the connection of before is not used');
    });

    it('is not started in an untrusted workspace', async () => {
      bench.trusted = false;
      await assert.rejects(bench.connector.connect(localProfile), { kind: 'untrusted' });
      assert.equal(bench.launcher.starts, 0);
      bench.trusted = true;
      await bench.connector.connect(localProfile);
    });

    it('leaves it stopped while somebody only looks, and starts it for who acts', async () => {
      await bench.connector.connect(localProfile);
      bench.launcher.stopped = true;
      // Stopped in its first seconds: that is no failure to live.
      bench.launcher.exits.fire(undefined);
      for (let poll = 0; poll < 3; poll++) {
        await assert.rejects(
          bench.connector.connect(localProfile, { background: true }),
          (error) =>
            isAppError(error) &&
            error.kind === 'unavailable' &&
            /is stopped/.test(error.message) &&
            /Refresh/.test(error.remedy ?? ''),
        );
      }
      assert.equal(bench.launcher.starts, 1);
      const [looked, acted] = await Promise.allSettled([
        bench.connector.connect(localProfile, { background: true }),
        bench.connector.connect(localProfile),
      ]);
      assert.deepEqual([looked.status, acted.status, bench.launcher.starts], ['rejected', 'fulfilled', 2]);
      bench.launcher.stopped = false;
      await bench.connector.connect(localProfile, { background: true });
    });

    it('looks no more at what is about to stop', async () => {
      await bench.connector.connect(localProfile);
      bench.launcher.stopped = true;
      await assert.rejects(bench.connector.connect(localProfile, { background: true }), /is stopped/);
    });

    it('waits for nothing once it is started again after a stop', async () => {
      await bench.connector.connect(localProfile);
      bench.launcher.stopped = true;
      bench.launcher.exits.fire(undefined);
      bench.launcher.stopped = false;
      await bench.connector.connect(localProfile, { background: true });
      assert.equal(bench.launcher.starts, 2);
    });

    it('lets one caller leave without the others', async () => {
      const abort = new AbortController();
      const left = bench.connector.connect(localProfile, { signal: abort.signal });
      const stayed = bench.connector.connect(localProfile);
      abort.abort();
      await assert.rejects(left, { kind: 'aborted' });
      assert.ok(await stayed);
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
            const { client } = await bench.connector.connect(
              bench.remote({ baseUrl: honest.url, authKind, headerName: 'x-key', userName: 'u' }),
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
        intent('mine', `r ${bench.server.url}`, 999_000),
        intent('elsewhere', 'r https://other.example', 999_000),
        intent('now', `r ${bench.server.url}`, 1_000_001),
      ].map((entry) => [entry.token, entry]),
    );
    const store: IntentStore = {
      save: async (entry) => void stored.set(entry.token, entry),
      settle: async (token) => void stored.delete(token),
      list: async () => [...stored.values()],
    };
    const { promise: told, resolve } = Promise.withResolvers<string>();
    const resuming = new Connector({
      ...bench.options(),
      intents: store,
      resumed: (_profile, resumed) => resolve('runId' in resumed ? resumed.runId : String(resumed.error)),
    });
    await resuming.connect(bench.remote());
    assert.equal(await told, '7');
    await resuming.connect(bench.remote({ name: 'renamed' }));
    assert.deepEqual(
      bench.server.requests.map(({ body }) => body),
      ['{"job_id":9007199254740993,"idempotency_token":"mine"}'],
    );
    assert.deepEqual([...stored.keys()], ['elsewhere', 'now']);
    resuming.dispose();
  });

  it("finishes at a profile's new address what was begun there", async () => {
    const other = await startServer(workspace(() => bench.accepted));
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
    const resuming = new Connector({ ...bench.options(), intents: store, resumed: () => resolve() });
    try {
      await resuming.connect(bench.remote());
      await resuming.connect(bench.remote({ baseUrl: other.url }));
      await told;
      assert.deepEqual([bench.server.requests.length, other.requests.length, stored.size], [0, 1, 0]);
    } finally {
      resuming.dispose();
      await other.close();
    }
  });
});
