import assert from 'node:assert/strict';
import { builtInEndpoints } from '../../../../src/service/models/modelRouter.ts';
import type { WireChatChunk } from '../../../../src/service/models/wire.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { chunksOf } from './support.ts';

describe('the endpoints that need nothing', () => {
  it('are the guide in each task, with all of the traffic', () => {
    const endpoints = builtInEndpoints(new FakeClock()).map(({ served, ...rest }) => ({
      ...rest,
      served: served.map(({ name, backend, trafficPercentage }) => [
        name,
        backend.task,
        backend.model,
        trafficPercentage,
      ]),
    }));
    assert.deepEqual(endpoints, [
      {
        name: 'guide',
        task: 'chat',
        kind: 'pay-per-token',
        description: 'Built in, not a language model: answers about job files, runs and both APIs.',
        served: [['millrace-guide-1', 'chat', 'millrace-guide-1', 100]],
      },
      {
        name: 'guide-completion',
        task: 'completion',
        kind: 'pay-per-token',
        description: 'Built in, not a language model: continues a prompt from the documentation.',
        served: [['millrace-guide-completion-1', 'completion', 'millrace-guide-completion-1', 100]],
      },
      {
        name: 'guide-embedding',
        task: 'embedding',
        kind: 'pay-per-token',
        description: 'Built in: deterministic embeddings of 256 numbers from the words of a text.',
        served: [['millrace-guide-embedding-1', 'embedding', 'millrace-guide-embedding-1', 100]],
      },
    ]);
  });

  it('think for nobody who has left', async () => {
    const stop = new AbortController();
    stop.abort();
    const call = { signal: stop.signal };
    const [chat, completion] = builtInEndpoints(new FakeClock()).map(({ served }) => served[0]?.backend);
    assert.ok(chat?.task === 'chat' && completion?.task === 'completion');
    for (const answer of [
      chat.answer({ messages: [{ role: 'user', content: 'Hi' }] }, call),
      completion.answer({ prompt: 'Hi' }, call),
    ])
      await assert.rejects(answer, { name: 'AbortError' });
  });

  it('go by the clock that they are given', async () => {
    const clock = new FakeClock(1_700_000_000_999);
    const [chat, completion] = builtInEndpoints(clock).map(({ served }) => served[0]?.backend);
    assert.ok(chat?.task === 'chat' && completion?.task === 'completion');
    for (const answer of [
      chat.answer({ messages: [{ role: 'user', content: 'Hi' }], stream: true, max_tokens: 1 }, {}),
      completion.answer({ prompt: 'Hi', stream: true, max_tokens: 1 }, {}),
    ]) {
      const chunks = await chunksOf<WireChatChunk>(await answer);
      assert.deepEqual([...new Set(chunks.map(({ created }) => created))], [1_700_000_000]);
    }
  });
});
