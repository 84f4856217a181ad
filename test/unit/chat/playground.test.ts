import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { shownChoice, visibleTurns, type Answer } from '../../../src/chat/conversation.ts';
import { toMarkdown } from '../../../src/chat/exportConversation.ts';
import { completionCount } from '../../../src/chat/playground.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { type Chat, ask, closeChats, current, open } from './openedChat.ts';

/** Returns ports whose service has an endpoint for each task. */
function everyTask(): FakePorts {
  const ports = fakePorts();
  ports.backend.endpoints.push(
    { name: 'base', server: 'G', task: 'completion' },
    { name: 'e5', server: 'G', task: 'embedding' },
  );
  return ports;
}

async function choose(chat: Chat, name: string): Promise<void> {
  chat.ports.editor.endpointName = name;
  await chat.service.chooseEndpoint();
}

const lastAnswer = (chat: Chat): Answer => visibleTurns(current(chat)).at(-1) as Answer;
const lastRequest = ({ ports }: Chat): unknown => ports.backend.requests.at(-1)?.request;

const choices = (...texts: string[]): (() => AsyncGenerator<ChatChunk>) =>
  async function* () {
    yield {
      choices: texts.map((content, index) => ({ index, delta: { content }, finish_reason: 'stop' })),
      usage: { prompt_tokens: 4, total_tokens: 4 },
    };
  };

describe('playgrounds', () => {
  afterEach(closeChats);

  it('count the completions of a prompt, which are one unless `n` requests more', () => {
    for (const [n, count] of [
      [undefined, 1],
      [0, 1],
      [1, 1],
      [2, 2],
      ['3', 1],
    ] as const)
      assert.equal(completionCount({ n } as never), count);
    assert.equal(completionCount(), 1);
  });

  it('send only the prompt and the parameters of a completion', async () => {
    const chat = await open(everyTask());
    await chat.service.setParameters({ system: 'Be short.', temperature: 0.5, logprobs: true });
    await choose(chat, 'base');
    const { view } = await chat.service.snapshot();
    assert.deepEqual(
      [view.task, view.endpoint, view.parameters, view.tools.names],
      ['completion', 'base', { temperature: 0.5 }, []],
    );
    await chat.service.setParameters({ temperature: 0.5, echo: true, suffix: '!', error_behavior: 'truncate' });
    await ask(chat, 'Once upon');
    await ask(chat, 'a time');
    assert.deepEqual(
      chat.ports.backend.requests,
      ['Once upon', 'a time'].map((prompt) => ({
        endpoint: 'base',
        request: { prompt, stream: true, temperature: 0.5, echo: true, suffix: '!', error_behavior: 'truncate' },
      })),
    );
    await assert.rejects(chat.service.setParameters({ tools: [] }), /"tools" is not a parameter/);
    await assert.rejects(chat.service.setParameters({ top_k: 0 }), /^AppError: top_k: |top_k: must/);
    // The parameters of a chat return when the user switches back to a chat endpoint.
    await choose(chat, 'guide');
    assert.deepEqual((await chat.service.snapshot()).view.parameters, {
      system: 'Be short.',
      logprobs: true,
      temperature: 0.5,
    });
  });

  it('send each line as a separate prompt, and several completions without streaming', async () => {
    const chat = await open(everyTask());
    await choose(chat, 'base');
    await chat.service.setParameters({ each_line: true });
    chat.ports.backend.answer = choices('A', 'B');
    await ask(chat, 'one\n\n two\r\n');
    assert.deepEqual(lastRequest(chat), { prompt: ['one', ' two'], stream: true });
    await chat.service.setParameters({ n: 3, stream: true });
    await ask(chat, 'one\ntwo');
    assert.deepEqual(lastRequest(chat), { prompt: 'one\ntwo', n: 3, stream: false });
    await chat.service.setParameters({ stream: false });
    await ask(chat, 'x');
    assert.deepEqual(lastRequest(chat), { prompt: 'x', stream: false });
  });

  it('embed one text unless the lines are switched off, which changes no completion', async () => {
    const chat = await open(everyTask());
    await choose(chat, 'e5');
    chat.ports.backend.answer = choices('[1,2]');
    await chat.service.setParameters({ whole_text: true });
    await ask(chat, 'one\ntwo');
    assert.deepEqual(lastRequest(chat), { input: 'one\ntwo' });
    await choose(chat, 'base');
    await ask(chat, 'one\ntwo');
    assert.deepEqual(lastRequest(chat), { prompt: 'one\ntwo', stream: true });
  });

  it('keep every completion and vector in the export, the copy and the response', async () => {
    const chat = await open(everyTask());
    await choose(chat, 'e5');
    await chat.service.setParameters({ instruction: 'query: ' });
    chat.service.prompt.attach({ label: 'a.txt', text: 'attached\nlines' });
    chat.ports.backend.answer = choices('[1,2]', '[3,4]', '[5,6]');
    const conversation = await ask(chat, 'one\ntwo');
    assert.deepEqual(lastRequest(chat), { input: ['attached\nlines', 'one', 'two'], instruction: 'query: ' });
    assert.deepEqual([lastAnswer(chat).choices.length, shownChoice(lastAnswer(chat))?.text], [3, '[1,2]']);
    assert.equal(chat.service.answers.last, '[[1,2],\n[3,4],\n[5,6]]');
    assert.match(toMarkdown(conversation), /```json\n\[\[1,2\],\n\[3,4\],\n\[5,6\]\]\n```/);
    const { request, response } = JSON.parse(
      await chat.service.answers.exchangeText(conversation.id, lastAnswer(chat).id),
    ) as Record<string, unknown>;
    assert.deepEqual(request, {
      post: '/serving-endpoints/e5/invocations',
      body: { input: ['attached\nlines', 'one', 'two'], instruction: 'query: ' },
    });
    assert.deepEqual(response, {
      data: [
        [1, 2],
        [3, 4],
        [5, 6],
      ].map((embedding, index) => ({ object: 'embedding', index, embedding })),
      usage: { prompt_tokens: 4, total_tokens: 4 },
    });
    chat.ports.editor.picked = 'Copy Request as Python';
    await chat.service.answers.more(lastAnswer(chat).id);
    const copied = String(chat.ports.editor.calls.find(([name]) => name === 'copy')?.[1]);
    assert.match(copied, /serving-endpoints\/e5\/invocations/);
    assert.doesNotMatch(copied, /stream/, 'vectors are not streamed');
    assert.doesNotMatch(await chat.service.wordsOf(conversation.id), /\[1,2\]/, 'numbers are nothing to search for');
  });
});
