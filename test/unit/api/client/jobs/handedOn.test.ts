import assert from 'node:assert/strict';
import type { CallOptions } from '../../../../../src/api/client/client.ts';
import { createClient, type WorkspaceClient } from '../../../../../src/api/client/index.ts';
import type { Intent } from '../../../../../src/api/client/intents.ts';
import { FakeClock, settle } from '../../../../support/fakeClock.ts';
import { scriptedFetch } from '../../../../support/scriptedFetch.ts';

const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
const messages = [{ role: 'user' as const, content: 'a' }];

/** Each method of the client; those of streams with their first piece. */
const calls: Record<string, (client: WorkspaceClient, options: CallOptions) => Promise<unknown>> = {
  create: ({ jobs }, options) => jobs.create(settings, options),
  list: ({ jobs }, options) => jobs.list(options),
  get: ({ jobs }, options) => jobs.get('1', options),
  delete: ({ jobs }, options) => jobs.delete('1', options),
  reset: ({ jobs }, options) => jobs.reset('1', settings, options),
  update: ({ jobs }, options) => jobs.update({ job_id: '1', new_settings: { name: 'n' } }, options),
  runNow: ({ jobs }, options) => jobs.runNow({ job_id: '1' }, options),
  submit: ({ jobs }, options) => jobs.submit(settings, options),
  listRuns: ({ jobs }, options) => jobs.listRuns({}, options),
  getRun: ({ jobs }, options) => jobs.getRun('1', options),
  exportRun: ({ jobs }, options) => jobs.exportRun({ run_id: '1' }, options),
  cancelRun: ({ jobs }, options) => jobs.cancelRun('1', options),
  cancelAllRuns: ({ jobs }, options) => jobs.cancelAllRuns('1', options),
  getRunOutput: ({ jobs }, options) => jobs.getRunOutput('1', options),
  deleteRun: ({ jobs }, options) => jobs.deleteRun('1', options),
  chat: ({ inference }, options) => inference.chat('e', { messages }, options),
  streamChat: ({ inference }, options) => first(inference.streamChat('e', { messages }, options)),
  complete: ({ inference }, options) => inference.complete('e', { prompt: 'a' }, options),
  streamCompletion: ({ inference }, options) => first(inference.streamCompletion('e', { prompt: 'a' }, options)),
  embed: ({ inference }, options) => inference.embed('e', { input: 'a' }, options),
  createEndpoint: ({ inference }, options) => inference.createEndpoint({ name: 'e' }, options),
  deleteEndpoint: ({ inference }, options) => inference.deleteEndpoint('e', options),
  listEndpoints: ({ inference }, options) => inference.listEndpoints(options),
  sparkVersions: ({ clusters }, options) => clusters.sparkVersions(options),
  listNodeTypes: ({ clusters }, options) => clusters.listNodeTypes(options),
  listZones: ({ clusters }, options) => clusters.listZones(options),
  changes: ({ localService }, options) => localService.changes({ jobs: '1', runs: '1' }, options),
  lastRuns: ({ localService }, options) => localService.lastRuns('1', options),
  debugSubmit: ({ localService }, options) => localService.debugSubmit(settings, options),
  runOutput: ({ localService }, options) => localService.runOutput({ runId: '1', offset: 0, wait: true }, options),
  resumeIntents: async (client, options) => {
    const [resumed] = await client.resumeIntents(options);
    if (resumed && 'error' in resumed) throw resumed.error;
  },
};
/** What is never sent a second time waits for nothing. */
const once = new Set(['create', 'cancelAllRuns', 'createEndpoint', 'deleteEndpoint', 'debugSubmit']);

async function first(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item;
  return undefined;
}

describe('what a call is given', () => {
  const intent: Intent = {
    ...{ token: 't', operation: 'jobs/run-now', profile: 'p', createdAt: new FakeClock().now() },
    body: '{"job_id":1,"idempotency_token":"t"}',
  };
  const intents = { save: async () => undefined, settle: async () => undefined, list: async () => [intent] };
  const clientOf = (reply: Parameters<typeof scriptedFetch>[0]) => {
    const { fetch, requests } = scriptedFetch(reply);
    const options = { baseUrl: 'https://a.example', profile: 'p', auth: { kind: 'none' }, intents } as const;
    return { client: createClient({ ...options, fetch, clock: new FakeClock(), retry: 'fail' }), requests };
  };

  for (const [name, call] of Object.entries(calls)) {
    it(`ends ${name} with its signal, down to the request`, async () => {
      const stop = new AbortController();
      const { client, requests } = clientOf(() => 'hang');
      const ended = assert.rejects(call(client, { signal: stop.signal }), { kind: 'aborted' });
      await settle();
      assert.deepEqual([requests.length, requests[0]?.signal.aborted], [1, false]);
      stop.abort();
      await ended;
      assert.equal(requests[0]?.signal.aborted, true);
    });

    it(`has ${name} wait for a sick service where that is wanted, and tells of it`, async () => {
      const stop = new AbortController();
      const { client } = clientOf(() => ({ status: 503 }));
      const waits: string[] = [];
      const onRetry = ({ operation }: { operation: string }): void => void waits.push(operation);
      const ended = call(client, { signal: stop.signal, retry: 'wait', onRetry }).catch(() => undefined);
      await settle();
      assert.equal(waits.length, once.has(name) ? 0 : 1);
      stop.abort();
      await ended;
    });
  }
});
