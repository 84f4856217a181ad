import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createClient } from '../../../../../src/api/client/createClient.ts';
import type { RetryWait } from '../../../../../src/api/client/index.ts';
import { runSession, type SessionEnd } from '../../../../../src/chat/session.ts';
import { nodeFetch } from '../../../../../src/connection/host/nodeFetch.ts';
import { startTestService, testToken, type TestService } from '../../support/testService.ts';

/** What the chat shows for a question: the client, the stream and the failure are those of the extension. */
async function ask(service: TestService, endpoint: string): Promise<SessionEnd & { waits: number }> {
  const waits: RetryWait[] = [];
  const client = createClient({
    baseUrl: service.service.url,
    auth: { kind: 'bearer', token: testToken },
    fetch: nodeFetch,
    onRetry: (wait) => waits.push(wait),
  });
  const { signal } = new AbortController();
  const chunks = client.inference.streamChat(
    endpoint,
    { messages: [{ role: 'user', content: 'hello' }], stream: true },
    { signal },
  );
  const end = await runSession({
    open: () => Promise.resolve(chunks),
    signal,
    onPart: () => assert.fail('nothing was answered'),
  });
  return { ...end, waits: waits.length };
}

describe('a model of models.json whose server is not there', () => {
  let service: TestService;
  let port: number;
  before(async () => {
    service = await startTestService();
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    ({ port } = closed.address() as AddressInfo);
    closed.close();
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    fs.writeFileSync(
      path.join(service.folder, 'models.json'),
      JSON.stringify({
        discover: false,
        upstreams: [
          { name: 'lab', kind: 'openai', baseUrl, models: ['llama'] },
          { name: 'here', kind: 'ollama', baseUrl, models: [{ model: 'qwen', endpoint: 'mine' }] },
          { name: 'whole', kind: 'vllm', baseUrl, models: 'all' },
        ],
      }),
    );
  });
  after(() => service.close());

  it('is told as the answer, with cause and remedy, without a wait', async () => {
    for (const endpoint of ['llama', 'mine']) {
      const { status, failure, waits } = await ask(service, endpoint);
      const words = `${failure?.message ?? ''} ${failure?.remedy ?? ''}`;
      assert.deepEqual([status, waits], ['failed', 0], words);
      assert.match(words, /cannot be reached \(.*ECONNREFUSED.*\)\. Start it, or correct its baseUrl\./);
      assert.ok(words.includes(String(port)), words);
    }
  });

  it('is named where its models could not be asked for', async () => {
    const { status, failure, waits } = await ask(service, 'mistral');
    const words = `${failure?.message ?? ''} ${failure?.remedy ?? ''}`;
    assert.deepEqual([status, waits], ['failed', 0], words);
    assert.match(
      words,
      /"mistral" does not exist\..*The models of the upstream "whole" could not be listed\. .*cannot be reached \(.*ECONNREFUSED.*\)\./,
    );
    assert.ok(words.includes(String(port)), words);
  });
});
