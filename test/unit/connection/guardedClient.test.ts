import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../src/api/client/index.ts';
import { clusterRoutes } from '../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../src/api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../../../src/api/schema/localServiceRoutes.ts';
import type { Route } from '../../../src/api/schema/route.ts';
import { guardClient } from '../../../src/connection/guardedClient.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { reply, startServer, type TestServer } from './testServer.ts';

const refusing = {
  refuse: (operation: string) => new AppError('readOnly', operation),
  recover: () => Promise.resolve(false),
};

describe('guarded client', () => {
  let server: TestServer;
  let client: Client;

  beforeEach(async () => {
    server = await startServer((_request, response) => reply(response, 200, {}));
    client = createClient({ baseUrl: server.url, auth: { kind: 'none' } });
  });

  afterEach(() => server.close());

  it('refuses every route that changes anything, by the method of its name', async () => {
    const guarded = guardClient(client, refusing);
    const tables = {
      jobs: jobsRoutes,
      inference: inferenceRoutes,
      clusters: clusterRoutes,
      localService: localServiceRoutes,
    };
    const refused: string[] = [];
    for (const [section, routes] of Object.entries(tables)) {
      const methods = guarded[section as keyof typeof tables] as unknown as Record<string, () => Promise<unknown>>;
      for (const [name, { operation, mutates }] of Object.entries<Route>(routes)) {
        if (!mutates) continue;
        assert.equal(
          typeof methods[name],
          'function',
          `The client calls the route ${operation} by its name, ${name}().`,
        );
        await assert.rejects(methods[name]!(), { kind: 'readOnly', message: operation });
        refused.push(operation);
      }
    }
    assert.equal(refused.length, 12);
    assert.equal(server.requests.length, 0);
  });

  it('sends no mutation of a read-only profile', async () => {
    const { jobs, inference } = guardClient(client, refusing);
    const calls = [
      jobs.create({ name: 'x' } as never),
      jobs.delete('1'),
      jobs.reset('1', {} as never),
      jobs.update({ job_id: '1' }),
      jobs.runNow({ job_id: '1' }),
      jobs.submit({} as never),
      jobs.cancelRun('1'),
      jobs.cancelAllRuns('1'),
      jobs.deleteRun('1'),
      inference.createEndpoint({} as never),
      inference.deleteEndpoint('e'),
    ];
    const outcomes = await Promise.allSettled(calls);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as AppError).kind : outcome.status)),
      calls.map(() => 'readOnly'),
    );
    assert.equal(server.requests.length, 0);
  });

  it('lets a read-only profile read', async () => {
    const { runs } = await guardClient(client, refusing).jobs.listRuns();
    assert.deepEqual(runs, []);
    assert.equal(server.requests.length, 1);
  });

  it('makes a call once more when its failure was mended, and only once', async () => {
    let failures = 0;
    const recovered = guardClient(
      failing(() => ++failures),
      { recover: () => Promise.resolve(true) },
    );
    await assert.rejects(recovered.jobs.list(), { kind: 'unauthenticated' });
    assert.equal(failures, 2);
  });

  it('makes a stream anew before its first piece', async () => {
    let streams = 0;
    const flaky = {
      ...client,
      inference: {
        ...client.inference,
        async *streamChat() {
          if (++streams === 1) throw new AppError('unauthenticated', 'expired');
          yield { id: '1' } as never;
          yield { id: '2' } as never;
        },
      },
    } as Client;
    const ids: unknown[] = [];
    for await (const chunk of guardClient(flaky, { recover: () => Promise.resolve(true) }).inference.streamChat('e', {
      messages: [],
    }))
      ids.push(chunk.id);
    assert.deepEqual(ids, ['1', '2']);
    assert.equal(streams, 2);
  });

  describe('a stream', () => {
    let calls: string[];
    let failures: AppError[];
    const streamOf = (guard: Parameters<typeof guardClient>[1]): AsyncIterable<{ id?: string }> => {
      const client_ = {
        ...client,
        inference: {
          ...client.inference,
          async *streamChat() {
            calls.push('begun');
            try {
              const failure = failures.shift();
              if (failure) throw failure;
              yield { id: '1' } as never;
              const later = failures.shift();
              if (later) throw later;
              yield { id: '2' } as never;
            } finally {
              calls.push('closed');
            }
          },
        },
      } as Client;
      return guardClient(client_, guard).inference.streamChat('e', { messages: [] }) as AsyncIterable<{ id?: string }>;
    };
    const expired = (): AppError => new AppError('unauthenticated', 'expired');
    beforeEach(() => ([calls, failures] = [[], []]));

    it('is closed when nobody reads on, the one that was made anew as well', async () => {
      for (const failed of [[], [expired()]]) {
        [calls, failures] = [[], failed];
        const wanted = failed.length === 0 ? ['begun', 'closed'] : ['begun', 'closed', 'begun', 'closed'];
        for await (const { id } of streamOf({ recover: () => Promise.resolve(true) })) {
          assert.equal(id, '1');
          break;
        }
        assert.deepEqual(calls, wanted);
      }
    });

    it('tells once that it went well, at its first piece', async () => {
      let times = 0;
      const guard = { recover: () => Promise.resolve(false), succeeded: () => void (times += 1) };
      for await (const _ of streamOf(guard)) assert.equal(times, 1);
      assert.equal(times, 1);
      failures = [expired()];
      await assert.rejects(async () => {
        for await (const _ of streamOf(guard)) assert.fail('nothing comes');
      });
      assert.equal(times, 1);
    });

    it('is not begun again once something came, nor where that mends nothing, and its failure is said in better words', async () => {
      let asked = 0;
      const better = new AppError('unauthenticated', 'sign in again');
      const guard = {
        recover: () => {
          asked += 1;
          return Promise.resolve(false);
        },
        reword: () => better,
      };
      failures = [expired()];
      await assert.rejects(streamOf(guard)[Symbol.asyncIterator]().next(), better);
      assert.deepEqual([asked, calls], [1, ['begun', 'closed']]);
      const late = expired();
      failures = [];
      const stream = streamOf(guard)[Symbol.asyncIterator]();
      await stream.next();
      failures = [late];
      await assert.rejects(stream.next(), late);
      assert.equal(asked, 1);
    });
  });

  function failing(count: () => number): Client {
    return {
      ...client,
      jobs: {
        ...client.jobs,
        list: () => {
          count();
          return Promise.reject(new AppError('unauthenticated', 'no'));
        },
      },
    };
  }

  it('is the client itself in all that is no call', () => {
    const guarded = guardClient(client, refusing);
    assert.equal(guarded.baseUrl, client.baseUrl);
    assert.equal(guarded.retryNow, client.retryNow);
  });

  it('has no method that no route speaks for, since it might change something', () => {
    const withMethod = { ...client, jobs: { ...client.jobs, purge: () => Promise.resolve() } } as Client;
    const { jobs } = guardClient(withMethod, refusing);
    assert.equal('purge' in jobs, false);
    assert.deepEqual(Object.keys(jobs).sort(), Object.keys(client.jobs).sort());
  });

  it('mutates where nothing refuses that', async () => {
    await guardClient(client, { recover: () => Promise.resolve(false) }).jobs.delete('1');
    assert.equal(server.requests.length, 1);
  });

  describe('a call', () => {
    /** A client whose list of jobs ends with each of these in turn: an error is thrown, all else is given. */
    const jobsOf = (...outcomes: unknown[]): Client =>
      ({ ...client, jobs: { ...client.jobs, list: async () => give(outcomes.shift()) } }) as Client;
    const give = (outcome: unknown): unknown => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    const failure = new AppError('unauthenticated', 'expired');
    let log: unknown[];
    let generation: number;
    const guard = (mends: boolean, reword?: (error: AppError) => AppError) => ({
      signInGeneration: () => generation,
      recover: async (error: AppError, given: unknown) => {
        log.push(['recover', error, given]);
        generation += 1;
        await Promise.resolve();
        return mends;
      },
      succeeded: () => log.push('succeeded'),
      ...(reword ? { reword } : {}),
    });
    beforeEach(() => ([log, generation] = [[], 1]));

    it('that goes well is told of once it has', async () => {
      assert.equal(await guardClient(jobsOf('answer'), guard(true)).jobs.list(), 'answer');
      assert.deepEqual(log, ['succeeded']);
    });

    it('that failed is looked at with the sign-in that it was made with, and gives the answer of the second one', async () => {
      assert.equal(await guardClient(jobsOf(failure, 'answer'), guard(true)).jobs.list(), 'answer');
      assert.deepEqual(log, [['recover', failure, 1], 'succeeded']);
    });

    it('that fails again is not mended twice, and did not go well', async () => {
      const second = new AppError('server', 'again');
      await assert.rejects(guardClient(jobsOf(failure, second), guard(true)).jobs.list(), second);
      assert.deepEqual(log, [['recover', failure, 1]]);
    });

    it('that nothing mends fails in the words of its connection, or its own', async () => {
      const better = new AppError('unavailable', 'sign in again');
      const reword = (error: AppError): AppError => (error === failure ? better : error);
      await assert.rejects(guardClient(jobsOf(failure), guard(false, reword)).jobs.list(), better);
      await assert.rejects(guardClient(jobsOf(failure), guard(false)).jobs.list(), failure);
      assert.deepEqual(log, [
        ['recover', failure, 1],
        ['recover', failure, 2],
      ]);
    });

    it('that fails by a fault of this program is not looked at', async () => {
      const fault = new TypeError('no');
      await assert.rejects(guardClient(jobsOf(fault, 'answer'), guard(true)).jobs.list(), fault);
      assert.deepEqual(log, []);
    });

    it('of a stream is looked at in the same way', async () => {
      const streamOf = (...outcomes: unknown[]): AsyncIterator<unknown> => {
        const inference = {
          ...client.inference,
          async *streamChat() {
            yield give(outcomes.shift());
          },
        };
        const guarded = guardClient({ ...client, inference } as unknown as Client, guard(true));
        return guarded.inference.streamChat('e', { messages: [] })[Symbol.asyncIterator]();
      };
      assert.deepEqual(await streamOf(failure, 'piece').next(), { done: false, value: 'piece' });
      assert.deepEqual(log, [['recover', failure, 1], 'succeeded']);
      log = [];
      const fault = new TypeError('no');
      await assert.rejects(streamOf(fault, 'piece').next(), fault);
      const second = new AppError('server', 'again');
      await assert.rejects(streamOf(failure, second).next(), second);
      assert.deepEqual(log, [['recover', failure, 2]]);
    });
  });
});
