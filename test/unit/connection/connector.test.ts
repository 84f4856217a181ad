import assert from 'node:assert/strict';
import type { Intent, IntentStore } from '../../../src/api/client/index.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { Connector } from '../../../src/connection/connector.ts';
import { SignInRefusals } from '../../../src/connection/signInRefusals.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { connectorBench } from './connectorBench.ts';
import { startServer, workspace } from './testServer.ts';

describe('the connector', () => {
  const bench = connectorBench();

  describe('for the local service', () => {
    it('starts it once for all callers', async () => {
      const [first, second] = await Promise.all([
        bench.connector.connect(localProfile),
        bench.connector.connect(localProfile),
      ]);
      assert.equal(bench.launcher.starts, 1);
      assert.equal(first, second);
      assert.equal(first.client.baseUrl, bench.launcher.url);
    });

    it('starts it again after it died', async () => {
      await bench.connector.connect(localProfile);
      bench.clock.time += 60_000;
      bench.launcher.exits.fire(undefined);
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2);
    });

    it('starts it again when nothing answers at the address any more', async () => {
      const dead = await startServer(() => undefined);
      await dead.close();
      bench.launcher.url = dead.url;
      const { client } = await bench.connector.connect(localProfile);
      await assert.rejects(client.jobs.listRuns(), { kind: 'network' });
      await bench.connector.connect(localProfile);
      assert.equal(bench.launcher.starts, 2);
    });

    it('waits between failing starts for two seconds at first and a minute at most', async () => {
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

    it('treats a service that lived for less than ten seconds as a failed start', async () => {
      await bench.connector.connect(localProfile);
      bench.clock.time += 9999;
      bench.launcher.exits.fire(undefined);
      await assert.rejects(bench.connector.connect(localProfile, { background: true }), {
        kind: 'unavailable',
        message: 'The local service stopped 10 s after its start.',
        remedy: 'Check the log of the local service (Millrace: Show Log of the Local Service), then try again.',
      });
      await bench.connector.connect(localProfile);
      bench.clock.time += 10_000;
      bench.launcher.exits.fire(undefined);
      await bench.connector.connect(localProfile, { background: true });
      assert.equal(bench.launcher.starts, 3);
    });

    it('does not start it in an untrusted workspace', async () => {
      bench.trusted = false;
      await assert.rejects(bench.connector.connect(localProfile), { kind: 'untrusted' });
      assert.equal(bench.launcher.starts, 0);
      bench.trusted = true;
      await bench.connector.connect(localProfile);
    });

    it('leaves it stopped for a reader and starts it for an action', async () => {
      await bench.connector.connect(localProfile);
      bench.launcher.stopped = true;
      // Stopped in its first seconds: that is no failure to live.
      bench.launcher.exits.fire(undefined);
      for (let poll = 0; poll < 3; poll++) {
        await assert.rejects(bench.connector.connect(localProfile, { background: true }), {
          kind: 'unavailable',
          message: /is stopped/,
          remedy: /Refresh/,
        });
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

    it('lets one caller cancel without the others', async () => {
      const abort = new AbortController();
      const left = bench.connector.connect(localProfile, { signal: abort.signal });
      const stayed = bench.connector.connect(localProfile);
      abort.abort();
      await assert.rejects(left, { kind: 'aborted' });
      assert.ok(await stayed);
    });
  });

  it('finishes interrupted requests once, at the same address only', async () => {
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
});

describe('the connector of several profiles', () => {
  const bench = connectorBench();

  describe('for a remote profile', () => {
    it('signs with the stored secret and keeps the connection', async () => {
      const first = await bench.connector.connect(bench.remote());
      await first.client.jobs.listRuns();
      assert.equal(bench.server.requests[0]?.headers.authorization, 'Bearer right-token');
      assert.equal(await bench.connector.connect(bench.remote()), first);
      assert.notEqual(await bench.connector.connect(bench.remote({ readOnly: true })), first);
      assert.equal(bench.launcher.starts, 0);
    });

    it('works in an untrusted workspace, but for a token command', async () => {
      bench.trusted = false;
      const { client } = await bench.connector.connect(bench.remote());
      await client.jobs.listRuns();
      await assert.rejects(bench.connector.connect(bench.remote({ id: 'c', authKind: 'command', command: 'x' })), {
        kind: 'untrusted',
      });
      assert.equal(bench.commandRuns, 0);
    });

    it('runs no command after trust was lost', async () => {
      const { client } = await bench.connector.connect(bench.remote({ authKind: 'command', command: 'x' }));
      bench.trusted = false;
      await assert.rejects(client.jobs.listRuns(), { kind: 'untrusted' });
      assert.equal(bench.commandRuns, 0);
    });

    it('sends nothing without a secret, and asks for one', async () => {
      bench.secrets.clear();
      const { client } = await bench.connector.connect(bench.remote());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated', remedy: /./ });
      assert.equal(bench.server.requests.length, 0);
      assert.deepEqual(bench.questions, ['r']);
    });

    it('uses a new secret on the same connection', async () => {
      bench.accepted = 'newer-token';
      const { client } = await bench.connector.connect(bench.remote());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.equal(bench.server.requests.length, 1, 'what was refused is not sent again unasked');
      bench.secrets.set('r', 'newer-token');
      assert.deepEqual((await client.jobs.listRuns()).runs, []);
    });

    it('refuses changes of a read-only profile before sending anything', async () => {
      const { client } = await bench.connector.connect(bench.remote({ readOnly: true }));
      await assert.rejects(client.jobs.runNow({ job_id: '1' }), {
        kind: 'readOnly',
        message: /"Remote" is read-only/,
        remedy: /./,
      });
      assert.equal(bench.server.requests.length, 0);
    });

    for (const [authKind, changes, header, value] of [
      ['basic', { userName: 'ann' }, 'authorization', `Basic ${Buffer.from('ann:right-token').toString('base64')}`],
      ['header', { headerName: 'X-Api-Key' }, 'x-api-key', 'right-token'],
      ['none', {}, 'authorization', undefined],
    ] as const) {
      it(`signs in by ${authKind}`, async () => {
        const { client } = await bench.connector.connect(bench.remote({ authKind, ...changes }));
        await client.jobs.listRuns().catch(() => undefined);
        assert.equal(bench.server.requests[0]?.headers[header], value);
      });
    }
  });

  describe('for a token command', () => {
    const command = (): Profile => bench.remote({ authKind: 'command', command: 'x' });

    it('runs it once for many calls', async () => {
      bench.accepted = 'printed-1';
      const { client } = await bench.connector.connect(command());
      await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(bench.commandRuns, 1);
    });

    it('runs it once for all calls that an expired token failed, and repeats them', async () => {
      bench.accepted = 'printed-1';
      const { client } = await bench.connector.connect(command());
      await client.jobs.listRuns();
      bench.accepted = 'printed-2';
      const pages = await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(pages.length, 20);
      assert.equal(bench.commandRuns, 2);
      assert.deepEqual(bench.questions, []);
    });

    it('uses a token only at the origin it was printed for', async () => {
      const other = await startServer(workspace(() => 'printed-2'));
      try {
        bench.accepted = 'printed-1';
        const first = await bench.connector.connect(command());
        await first.client.jobs.listRuns();
        // As it is while settings.json is written: whoever polls comes before anybody calls `forget`.
        const moved = { ...command(), baseUrl: other.url };
        const second = await bench.connector.connect(moved);
        await Promise.all([second.client.jobs.listRuns(), first.client.jobs.listRuns(), second.client.jobs.listRuns()]);
        assert.deepEqual(
          [...new Set(other.requests.map(({ headers }) => headers.authorization))],
          ['Bearer printed-2'],
        );
        assert.deepEqual(
          [...new Set(bench.server.requests.map(({ headers }) => headers.authorization))],
          ['Bearer printed-1'],
        );
        assert.equal(bench.commandRuns, 2);
      } finally {
        await other.close();
      }
    });

    it('forgets the tokens of one profile only', async () => {
      bench.accepted = 'printed-1';
      const { client } = await bench.connector.connect(command());
      const namesake = await bench.connector.connect({ ...command(), id: 'r2' });
      await client.jobs.listRuns();
      bench.connector.forget('r2');
      await client.jobs.listRuns();
      assert.equal(bench.commandRuns, 1);
      bench.connector.forget('r');
      bench.accepted = 'printed-2';
      await Promise.all([client.jobs.listRuns(), client.jobs.listRuns()]);
      assert.equal(bench.commandRuns, 2);
      bench.accepted = 'printed-3';
      await namesake.client.jobs.listRuns();
      assert.equal(bench.commandRuns, 3);
    });

    it('asks for a sign-in when one is refused, and says once that one is accepted again', async () => {
      bench.accepted = 'another';
      const { client } = await bench.connector.connect(bench.remote());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.deepEqual([bench.questions, bench.answers], [['r'], []]);
      bench.accepted = 'right-token';
      for (let count = 0; count < 2; count += 1) await client.jobs.listRuns();
      assert.deepEqual([bench.questions, bench.answers], [['r'], ['r']]);
    });

    it('asks for a sign-in when the new token is refused too', async () => {
      bench.accepted = 'never';
      const { client } = await bench.connector.connect(command());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.ok(bench.commandRuns <= 2);
    });
  });
});

describe('a refused sign-in', () => {
  const profile: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote' };

  it('is reported every ten minutes at most', async () => {
    const clock = new FakeClock();
    const refusals = new SignInRefusals(clock);
    refusals.add(profile, 401);
    refusals.accepted('r');
    assert.deepEqual([refusals.add(profile, 401), refusals.stateOf('r')], [false, 'refused']);
    refusals.accepted('r');
    await clock.advance(10 * 60_000);
    assert.equal(refusals.add(profile, 401), true);
  });

  it('is news for a changed profile or a new sign-in', () => {
    const refusals = new SignInRefusals(new FakeClock());
    refusals.add(profile, 401);
    assert.equal(refusals.add({ ...profile, baseUrl: 'https://other.example' }, 401), true);
    refusals.forget('r');
    assert.equal(refusals.stateOf('r'), 'fine');
    assert.equal(refusals.add(profile, 401), true);
  });
});
