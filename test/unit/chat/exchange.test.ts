import assert from 'node:assert/strict';
import { totalUsage } from '../../../src/chat/conversation.ts';
import { textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { ask, closeChats, open } from './openedChat.ts';

interface Exchange {
  request: { post: string; body: Record<string, unknown> };
  response: { choices: { message: { content: string } }[]; usage: unknown };
  status: string;
}

describe('the request and the response of an answer', () => {
  afterEach(closeChats);

  it('are what was sent and what came, also when the parameters are others by now', async () => {
    const chat = await open();
    const { service, ports } = chat;
    await service.setParameters({ temperature: 0.5, system: 'Be brief.' });
    ports.backend.answer = textAnswer('One.', { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } });
    await ask(chat, 'First?');
    await service.setParameters({ max_tokens: 5 });
    const conversation = await ask(chat, 'Second?');
    const answers = conversation.turns.filter((turn) => turn.role === 'assistant');
    const exchanges = await Promise.all(
      answers.map(async ({ id }) => JSON.parse(await service.exchangeText(conversation.id, id)) as Exchange),
    );
    assert.deepEqual(
      exchanges.map(({ request }) => request.body),
      ports.backend.requests.map(({ request }) => request),
    );
    assert.equal(exchanges[0]?.request.post, '/serving-endpoints/guide/invocations');
    assert.equal(exchanges[0]?.request.body['temperature'], 0.5);
    assert.deepEqual(exchanges[1]?.response.usage, { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
    assert.equal(exchanges[1]?.response.choices[0]?.message.content, 'One.');
    assert.equal(exchanges[1]?.status, 'done');
    assert.deepEqual(totalUsage(conversation), {
      usage: { prompt_tokens: 14, completion_tokens: 4, total_tokens: 18 },
      count: 2,
    });
    assert.equal(await service.exchangeText(conversation.id, 'unknown'), '');
  });

  it('hold the events that the answer came in, bounded and of the last answers only', async () => {
    const chat = await open();
    const { service, ports } = chat;
    const { chat: answered } = ports.backend;
    let events: string[] = [];
    ports.backend.chat = (endpoint, request, options) => {
      for (const event of events) options.onEvent?.(() => event);
      return answered.call(ports.backend, endpoint, request, options);
    };
    const streamOf = async (text: string): Promise<unknown> => {
      const conversation = await ask(chat, text);
      const { id } = conversation.turns.at(-1) ?? {};
      const { stream } = JSON.parse(await service.exchangeText(conversation.id, id ?? '')) as { stream?: unknown };
      return stream;
    };
    assert.equal(await streamOf('None?'), undefined);
    events = ['{"choices":[{"delta":{"content":"Hel"}}]}', '{"choices": [ ] , "own": 1}', '[DONE]'];
    assert.deepEqual(await streamOf('Three?'), { events });
    events = Array.from({ length: 30 }, () => 'x'.repeat(10_000));
    assert.deepEqual(await streamOf('Many?'), { events: events.slice(0, 20), left_out: 10 });
    const [, second] = service.currentConversation?.turns.filter((turn) => turn.role === 'assistant') ?? [];
    assert.notEqual(service.asking.events.of(second?.id ?? ''), undefined);
    for (let count = 0; count < 20; count += 1) await ask(chat, `Next ${count}?`);
    assert.equal(service.asking.events.of(second?.id ?? ''), undefined);
  });

  it('are shown, or copied without the sign-in', async () => {
    const chat = await open();
    const { service, ports } = chat;
    const conversation = await ask(chat, 'Hi');
    const id = conversation.turns.at(-1)?.id ?? '';
    await service.moreOfAnswer(id);
    assert.deepEqual(ports.editor.calls, [
      ['pick', 'Answer of guide', ['Show Request and Response', 'Copy Request as curl', 'Copy Request as Python']],
    ]);
    ports.editor.picked = 'Show Request and Response';
    await service.moreOfAnswer(id);
    assert.deepEqual(ports.editor.calls.at(-1), ['showExchange', conversation.id, id]);
    for (const [label, mark] of [
      ['Copy Request as curl', 'curl -sSN -H'],
      ['Copy Request as Python', '"stream": False'],
    ] as const) {
      ports.editor.picked = label;
      await service.moreOfAnswer(id);
      const [copied, note]: unknown[][] = ports.editor.calls.slice(-2);
      assert.ok(String(copied?.[1]).includes(mark), String(copied?.[1]));
      assert.ok(String(copied?.[1]).includes('https://models.example/serving-endpoints/guide/invocations'));
      assert.deepEqual(note, [
        'inform',
        'Copied without the sign-in: set MILLRACE_TOKEN in the shell that it is pasted into.',
      ]);
    }
    await assert.rejects(service.moreOfAnswer(conversation.turns[0]?.id ?? ''), /Only an answer/);
  });
});
