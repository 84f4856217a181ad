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
