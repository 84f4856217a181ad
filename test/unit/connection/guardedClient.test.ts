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
});
