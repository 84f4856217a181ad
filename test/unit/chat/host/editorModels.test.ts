import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../../src/api/schema/inference/schemas.ts';
import { fakePorts, type FakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import * as vscode from '../../../support/editorStandIn/vscode.ts';

const { withEditorModels } = await import('../../../../src/chat/host/editorModels.ts');

describe("the editor's models in the chat", () => {
  let backend: FakePorts['backend'];
  let sent: { messages: unknown; options: Record<string, unknown>; token: { isCancellationRequested: boolean } }[];
  let answer: () => AsyncGenerator<unknown>;
  beforeEach(() => {
    editor.reset();
    ({ backend } = fakePorts());
    sent = [];
    answer = async function* () {
      yield new vscode.LanguageModelTextPart('Hi');
      yield new vscode.LanguageModelTextPart('.');
    };
    const sendRequest = async (messages: unknown, options: never, token: never) => {
      sent.push({ messages, options, token });
      return { stream: answer() };
    };
    editor.models = [
      { id: 'gpt', vendor: 'copilot', name: 'GPT', sendRequest },
      { id: 'guide', vendor: 'millrace', name: 'guide', sendRequest },
    ];
  });
  const list = async (start: boolean): Promise<string[]> =>
    (await withEditorModels(backend as never).listEndpoints({ signal: new AbortController().signal, start })).items.map(
      ({ name }) => name,
    );
  const ask = async (body: object, signal = new AbortController().signal, endpoint = 'gpt@copilot') => {
    const chunks: ChatChunk[] = [];
    const options = { signal, onRetry: () => undefined };
    for await (const chunk of await withEditorModels(backend as never).chat(endpoint, { body } as never, options))
      chunks.push(chunk);
    return chunks;
  };
  const messages = [{ role: 'user', content: 'Hello' }];

  it('are listed after the endpoints of the service when the user opens the list, without our own', async () => {
    assert.deepEqual([await list(false), await list(true)], [['guide'], ['guide', 'gpt@copilot']]);
  });

  it('stream their text and name themselves', async () => {
    const chunks = await ask({ messages, temperature: 0.5 });
    assert.deepEqual(
      chunks.map(({ model, choices }) => [model, choices?.[0]?.delta?.content, choices?.[0]?.finish_reason]),
      [
        ['GPT', 'Hi', undefined],
        ['GPT', '.', undefined],
        ['GPT', undefined, 'stop'],
      ],
    );
    assert.deepEqual([sent[0]?.options['modelOptions'], backend.requests], [{ temperature: 0.5 }, []]);
  });

  it('get the calls of functions with their results, and call functions', async () => {
    answer = async function* () {
      yield new vscode.LanguageModelToolCallPart('c2', 'list_jobs', { limit: 1 });
    };
    const call = { id: 'c1', type: 'function', function: { name: 'list_jobs', arguments: '{}' } };
    const [first, last] = await ask({
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: '[]' },
      ],
      tools: [{ type: 'function', function: { name: 'list_jobs', description: 'Lists jobs' } }],
    });
    assert.deepEqual(first?.choices?.[0]?.delta?.tool_calls?.[0], {
      ...call,
      index: 0,
      id: 'c2',
      function: { name: 'list_jobs', arguments: '{"limit":1}' },
    });
    assert.equal(last?.choices?.[0]?.finish_reason, 'tool_calls');
    assert.deepEqual(
      ((sent[0]?.messages ?? []) as { role: number; content: object[] }[]).map(({ role, content: [part] }) => [
        role,
        { ...part },
      ]),
      [
        [1, { value: 'Hello' }],
        [2, { callId: 'c1', name: 'list_jobs', input: {} }],
        [1, { callId: 'c1', content: [new vscode.LanguageModelTextPart('[]')] }],
      ],
    );
  });

  it('stop when the user stops the answer', async () => {
    const controller = new AbortController();
    answer = async function* () {
      controller.abort();
      yield new vscode.LanguageModelTextPart(String(sent[0]?.token.isCancellationRequested));
    };
    assert.equal((await ask({ messages }, controller.signal))[0]?.choices?.[0]?.delta?.content, 'true');
  });

  it('say in plain words why they did not answer', async () => {
    for (const [code, kind] of [
      ['NoPermissions', 'forbidden'],
      ['Blocked', 'rateLimited'],
      ['NotFound', 'notFound'],
      ['Unknown', 'server'],
    ] as const) {
      answer = async function* () {
        yield await Promise.reject(new vscode.LanguageModelError(code));
      };
      await assert.rejects(ask({ messages }), { kind });
    }
    await assert.rejects(ask({ messages }, undefined, 'gone@copilot'), { kind: 'notFound' });
  });
});
