import assert from 'node:assert/strict';
import type { ModelRequest } from '../../../../src/chat/playground.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

const { ConnectionBackend } = await import('../../../../src/chat/host/connectionBackend.ts');

describe('ConnectionBackend', () => {
  const signal = new AbortController().signal;

  it("lists the profile's endpoints first and starts no service", async () => {
    editor.reset();
    const options: unknown[] = [];
    const connections = new FakeConnections({
      inference: {
        listEndpoints: async (given: unknown) => (
          options.push(given),
          [
            { name: 'm', task: 'chat', description: 'd', state: { ready: 'READY' } },
            { name: 'e', task: 'embedding', state: { ready: 'NOT_READY' } },
            { name: 'n', task: 'chat', state: { ready: 'WARMING' } },
          ]
        ),
      },
    });
    connections.current = {
      ...staging,
      endpoints: [
        { name: 'mine', task: 'chat' },
        { name: 'emb', task: 'embedding' },
      ],
    };
    const backend = new ConnectionBackend(connections);
    const { items, isWhole } = await backend.listEndpoints({ signal, start: false });
    assert.deepEqual(
      [items.map(({ name }) => name), isWhole, options],
      [['mine', 'emb', 'm', 'e', 'n'], true, [{ signal, retry: 'fail' }]],
    );
    assert.deepEqual(
      items.map(({ task }) => task),
      [undefined, 'embedding', undefined, 'embedding', undefined],
    );
    assert.deepEqual(
      items.map(({ server, detail }) => [server, detail]),
      [
        ['named in the profile', undefined],
        ['named in the profile', undefined],
        [staging.name, 'd'],
        [`${staging.name}, not ready`, undefined],
        [`${staging.name}, WARMING`, undefined],
      ],
    );
    await backend.listEndpoints({ signal, start: true });
    assert.deepEqual(
      connections.calls.map(({ how, signal: given }) => [how, given === signal]),
      [
        ['look', true],
        ['connect', true],
      ],
    );
    connections.isUsed = false;
    connections.current = localProfile;
    assert.deepEqual(await backend.listEndpoints({ signal, start: false }), {
      items: [{ name: 'guide', server: 'Local' }],
      isWhole: false,
    });
    assert.deepEqual(backend.profile, { id: 'local', name: 'Local', isProduction: false, isLocal: true });
  });

  it('returns its address and its sign-in without the secret, and reports profile changes', async () => {
    const connections = new FakeConnections({ baseUrl: 'https://team.example' });
    connections.current = { ...staging, authKind: 'header', headerName: 'x-key', userName: 'u', production: true };
    connections.isUsed = false;
    const backend = new ConnectionBackend(connections);
    assert.deepEqual(await backend.address(), {
      baseUrl: 'https://team.example',
      signIn: { authKind: 'header', headerName: 'x-key', userName: 'u', kind: 'remote' },
    });
    assert.deepEqual(backend.profile, { id: 'staging', name: 'Staging', isProduction: true, isLocal: false });
    let changes = 0;
    const subscription = backend.onDidChangeProfile(
      (...told: unknown[]) => (changes += 1 + told.filter(Boolean).length),
    );
    connections.change(localProfile);
    assert.equal(changes, 1);
    subscription.dispose();
    connections.change(staging);
    assert.equal(changes, 1);
  });

  it('passes the request and its options to the client', async () => {
    const calls: unknown[] = [];
    const connections = new FakeConnections({
      inference: {
        streamChat: async function* (...call: unknown[]) {
          calls.push(call);
          yield {};
        },
      },
    });
    const [onRetry, onEvent] = [() => undefined, () => undefined];
    const request: ModelRequest = { body: { messages: [{ role: 'user', content: 'Hi' }], stream: true } };
    const chunks = await new ConnectionBackend(connections).chat('e', request, { signal, onRetry, onEvent });
    for await (const chunk of chunks) assert.deepEqual(chunk, {});
    assert.deepEqual(calls, [['e', request.body, { signal, onRetry, onEvent, showsRetries: true }]]);
    assert.equal(connections.calls[0]?.signal, signal);
  });
});
