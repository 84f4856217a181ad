import assert from 'node:assert/strict';
import { localProfile } from '../../../../src/connection/connection.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

const { ConnectionBackend } = await import('../../../../src/chat/host/connectionBackend.ts');

describe("the chat's service", () => {
  const signal = new AbortController().signal;

  it('lists chat endpoints, those that the profile names first, and starts nothing for looking', async () => {
    editor.reset();
    const options: unknown[] = [];
    const connections = new FakeConnections({
      inference: {
        listEndpoints: async (given: unknown) => (
          options.push(given),
          [
            { name: 'm', task: 'chat', description: 'd' },
            { name: 'e', task: 'embedding' },
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
      [['mine', 'm'], true, [{ signal, retry: 'fail' }]],
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
      items: [{ name: 'guide', group: 'Endpoints of Local' }],
      isWhole: false,
    });
    assert.deepEqual(backend.profile, { id: 'local', name: 'Local', isProduction: false, isLocal: true });
  });

  it('says what to do where the service lists none', async () => {
    const refusing = (kind: 'notFound' | 'server') =>
      new FakeConnections({ inference: { listEndpoints: () => Promise.reject(new AppError(kind, 'No.')) } });
    await assert.rejects(new ConnectionBackend(refusing('notFound')).listEndpoints({ signal, start: true }), {
      kind: 'notFound',
      remedy: /Another endpoint/,
    });
    await assert.rejects(new ConnectionBackend(refusing('server')).listEndpoints({ signal, start: true }), {
      message: 'No.',
    });
    const named = refusing('notFound');
    named.current = { ...staging, endpoints: [{ name: 'mine', task: 'chat' }] };
    assert.deepEqual(
      (await new ConnectionBackend(named).listEndpoints({ signal, start: true })).items.map(({ name }) => name),
      ['mine'],
    );
  });
});
