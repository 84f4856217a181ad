import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { Connector } from '../../../src/connection/connector.ts';
import { isAppError } from '../../../src/shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { connectorBench } from './connectorBench.ts';
import { startServer, workspace } from './testServer.ts';

describe('connector', () => {
  const bench = connectorBench();

  describe('of a remote profile', () => {
    it('signs with the stored secret and keeps the connection', async () => {
      const first = await bench.connector.connect(bench.remote());
      await first.client.jobs.listRuns();
      assert.equal(bench.server.requests[0]?.headers.authorization, 'Bearer right-token');
      assert.equal(await bench.connector.connect(bench.remote()), first);
      assert.notEqual(await bench.connector.connect(bench.remote({ readOnly: true })), first);
      assert.equal(bench.launcher.starts, 0);
    });

    it('works in an untrusted workspace, a command excepted', async () => {
      bench.trusted = false;
      const { client } = await bench.connector.connect(bench.remote());
      await client.jobs.listRuns();
      await assert.rejects(bench.connector.connect(bench.remote({ id: 'c', authKind: 'command', command: 'x' })), {
        kind: 'untrusted',
      });
      assert.equal(bench.commandRuns, 0);
    });

    it('runs no command after trust was lost either', async () => {
      const { client } = await bench.connector.connect(bench.remote({ authKind: 'command', command: 'x' }));
      bench.trusted = false;
      await assert.rejects(client.jobs.listRuns(), { kind: 'untrusted' });
      assert.equal(bench.commandRuns, 0);
    });

    it('sends nothing without a secret, and asks', async () => {
      bench.secrets.clear();
      const { client } = await bench.connector.connect(bench.remote());
      await assert.rejects(
        client.jobs.listRuns(),
        (error) => isAppError(error) && error.kind === 'unauthenticated' && error.remedy !== undefined,
      );
      assert.equal(bench.server.requests.length, 0);
      assert.deepEqual(bench.questions, ['r']);
    });

    it('keeps the newer token of its command when an older run of it fails late', async () => {
      const prints: PromiseWithResolvers<string>[] = [];
      const runCommand = (): Promise<string> => {
        const print = Promise.withResolvers<string>();
        prints.push(print);
        return print.promise;
      };
      const profile = bench.remote({ authKind: 'command', command: 'x' });
      const connector = new Connector({ ...bench.options(), runCommand });
      const older = await connector.connect(profile);
      const failing = assert.rejects(older.client.jobs.listRuns());
      await eventually(() => prints.length === 1);
      connector.forget(profile.id);
      const newer = await connector.connect(profile);
      const answered = newer.client.jobs.listRuns();
      await eventually(() => prints.length === 2);
      prints[0]?.reject(new Error('no'));
      await failing;
      prints[1]?.resolve('right-token');
      await answered;
      await newer.client.jobs.listRuns();
      assert.equal(prints.length, 2);
      connector.dispose();
    });

    it('runs its command again after it failed', async () => {
      let count = 0;
      const runCommand = async (): Promise<string> => {
        count += 1;
        if (count === 1) throw new Error('no');
        return 'right-token';
      };
      const connector = new Connector({ ...bench.options(), runCommand });
      const { client } = await connector.connect(bench.remote({ authKind: 'command', command: 'x' }));
      await assert.rejects(client.jobs.listRuns());
      await client.jobs.listRuns();
      assert.equal(count, 2);
      connector.dispose();
    });

    it('uses a new secret without a new connection', async () => {
      bench.accepted = 'newer-token';
      const { client } = await bench.connector.connect(bench.remote());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.equal(bench.server.requests.length, 1, 'what was refused is not sent again unasked');
      bench.secrets.set('r', 'newer-token');
      assert.deepEqual((await client.jobs.listRuns()).runs, []);
    });

    it('tells once that the service bench.answers again after its refusals', async () => {
      const { client } = await bench.connector.connect(bench.remote());
      await client.jobs.listRuns();
      assert.deepEqual(bench.answers, []);
      bench.accepted = 'rotated';
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      await assert.rejects(client.jobs.get('1'), { kind: 'unauthenticated' });
      assert.deepEqual([bench.questions, bench.answers], [['r', 'r'], []]);
      bench.accepted = 'right-token';
      await client.jobs.listRuns();
      await client.jobs.listRuns();
      assert.deepEqual(bench.answers, ['r']);
    });

    it('takes no late refusal for one of the changed profile', async () => {
      const before = await bench.connector.connect(bench.remote({ baseUrl: `${bench.server.url}/elsewhere` }));
      const after = await bench.connector.connect(bench.remote());
      bench.secrets.set('r', 'wrong');
      await assert.rejects(before.client.jobs.listRuns());
      assert.deepEqual(bench.questions, []);
      await assert.rejects(after.client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.deepEqual(bench.questions, ['r']);
    });

    it('refuses mutations of a read-only profile before anything is sent', async () => {
      const { client } = await bench.connector.connect(bench.remote({ readOnly: true }));
      await assert.rejects(
        client.jobs.runNow({ job_id: '1' }),
        (error) =>
          isAppError(error) &&
          error.kind === 'readOnly' &&
          /"Remote" is read-only/.test(error.message) &&
          error.remedy !== undefined,
      );
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

  describe('of a command', () => {
    const command = (): Profile => bench.remote({ authKind: 'command', command: 'x' });

    it('runs it once for many calls', async () => {
      bench.accepted = 'printed-1';
      const { client } = await bench.connector.connect(command());
      await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(bench.commandRuns, 1);
    });

    it('runs it once more for all the calls that an expired token failed, and sends them again', async () => {
      bench.accepted = 'printed-1';
      const { client } = await bench.connector.connect(command());
      await client.jobs.listRuns();
      bench.accepted = 'printed-2';
      const pages = await Promise.all(Array.from({ length: 20 }, () => client.jobs.listRuns()));
      assert.equal(pages.length, 20);
      assert.equal(bench.commandRuns, 2);
      assert.deepEqual(bench.questions, []);
    });

    it('gives a token to the origin alone that it was printed for, and asks again for each', async () => {
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

    it('runs another command for its own token', async () => {
      bench.accepted = 'printed-1';
      await (await bench.connector.connect(command())).client.jobs.listRuns();
      bench.accepted = 'printed-2';
      await (await bench.connector.connect({ ...command(), command: 'y' })).client.jobs.listRuns();
      assert.equal(bench.server.requests.at(-1)?.headers.authorization, 'Bearer printed-2');
      assert.equal(bench.server.requests.length, 2);
    });

    it("forgets the tokens of a profile at every origin, and no other profile's", async () => {
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

    it('asks where the new token is refused too', async () => {
      bench.accepted = 'never';
      const { client } = await bench.connector.connect(command());
      await assert.rejects(client.jobs.listRuns(), { kind: 'unauthenticated' });
      assert.ok(bench.commandRuns <= 2);
    });
  });
});

describe('connections beside each other', () => {
  const bench = connectorBench();

  it('keep the newer one of a profile where the older one fails late', async () => {
    const failed = Promise.withResolvers<never>();
    const start = bench.launcher.start.bind(bench.launcher);
    bench.launcher.start = () => {
      bench.launcher.start = start;
      return failed.promise;
    };
    const older = bench.connector.connect(localProfile);
    const changed = { ...localProfile, name: 'Changed' };
    const newer = await bench.connector.connect(changed);
    failed.reject(new Error('late'));
    await assert.rejects(older);
    assert.equal(await bench.connector.connect(changed), newer);
  });

  it('forget the printed token of one profile alone', async () => {
    const profiles = ['r', 's'].map((id) => bench.remote({ id, authKind: 'command', command: 'print' }));
    bench.accepted = 'printed-1';
    await (await bench.connector.connect(profiles[0]!)).client.jobs.listRuns();
    bench.accepted = 'printed-2';
    await (await bench.connector.connect(profiles[1]!)).client.jobs.listRuns();
    assert.equal(bench.commandRuns, 2);
    bench.connector.forget('r');
    await (await bench.connector.connect(profiles[1]!)).client.jobs.listRuns();
    assert.equal(bench.commandRuns, 2, 'the other one goes on with its own');
    bench.accepted = 'printed-3';
    await (await bench.connector.connect(profiles[0]!)).client.jobs.listRuns();
    assert.equal(bench.commandRuns, 3);
  });

  it('tell nothing of a sign-in by an answer to the profile as it was before', async () => {
    const old = await bench.connector.connect(bench.remote());
    const changed = await bench.connector.connect(bench.remote({ name: 'Changed' }));
    bench.secrets.set('r', 'wrong');
    await assert.rejects(changed.client.jobs.listRuns());
    assert.deepEqual(bench.questions, ['r']);
    bench.secrets.set('r', 'right-token');
    await old.client.jobs.listRuns();
    assert.deepEqual(bench.answers, []);
    await changed.client.jobs.listRuns();
    assert.deepEqual(bench.answers, ['r']);
  });
});
