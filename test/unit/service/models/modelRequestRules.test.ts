import assert from 'node:assert/strict';
import type { ModelBackend } from '../../../../src/service/models/backend.ts';
import type { ServedEndpoint } from '../../../../src/service/models/endpoint.ts';
import { answerBody } from '../../../../src/service/models/modelRequestRules.ts';
import { refusal } from './support.ts';

type Task = ServedEndpoint['task'];
const messages = [{ role: 'user', content: 'Hi' }];
const given: Record<Task, object> = { chat: { messages }, completion: { prompt: 'P' }, embedding: { input: 'I' } };

/** What the backend is asked. */
async function asked(
  task: Task,
  body: unknown,
  kind: ServedEndpoint['kind'] = 'upstream',
): Promise<[unknown, unknown]> {
  const { signal } = new AbortController();
  const call = { signal };
  let received: [unknown, unknown] = [undefined, undefined];
  const answer = { kind: 'json' as const, body: {} };
  const backend = {
    task,
    model: 'm',
    answer: async (request: unknown, with_: unknown) => {
      received = [request, with_ === call];
      return answer;
    },
  } as ModelBackend;
  const endpoint: ServedEndpoint = { name: 'e', task, kind, description: '', served: [] };
  assert.equal(await answerBody(endpoint, backend, body, call), answer);
  return received;
}
const refused = async (...args: Parameters<typeof asked>): Promise<string> => {
  const { status, errorCode, message } = await refusal(asked(...args));
  assert.deepEqual([status, errorCode], [400, 'INVALID_PARAMETER_VALUE']);
  return message;
};

describe('a request to an endpoint', () => {
  for (const [task, body] of Object.entries(given) as [Task, object][])
    it(`of the task ${task} reaches the model as it is, with what a client may take back`, async () => {
      const [request, isSameCall] = await asked(task, { ...body, seed: 7, stop: null });
      assert.deepEqual(request, { ...body, seed: 7 });
      assert.equal(isSameCall, true);
    });

  for (const body of [undefined, null, 'text', 7, [], [given.chat]])
    it(`is none where it is ${JSON.stringify(body)}`, async () =>
      assert.equal(await refused('chat', body), 'The body must be a JSON object.'));

  it('of another task is told which one it is for', async () => {
    const expected = { chat: 'messages', completion: 'prompt', embedding: 'input' };
    for (const task of Object.keys(given) as Task[])
      for (const other of Object.keys(given) as Task[]) {
        if (task === other) continue;
        assert.equal(
          await refused(task, given[other]),
          `The endpoint "e" has the task ${task} and takes "${expected[task]}", not "${expected[other]}". ` +
            `Use an endpoint of the task that goes with "${expected[other]}".`,
        );
      }
    assert.match(await refused('completion', {}), /^prompt: is required/);
    assert.match(await refused('chat', { messages: null, prompt: 'P' }), /takes "messages", not "prompt"/);
    assert.deepEqual((await asked('completion', { prompt: 'P', input: 'x' }))[0], { prompt: 'P', input: 'x' });
  });

  it('for several choices is for endpoints that are not paid by the token', async () => {
    for (const task of ['chat', 'completion'] as const) {
      assert.match(
        await refused(task, { ...given[task], n: 2 }, 'pay-per-token'),
        /^n is 2, and "e" is a pay-per-token endpoint: n is only available on provisioned throughput endpoints\. Leave it out, or create one/,
      );
      for (const [n, kind] of [
        [1, 'pay-per-token'],
        [2, 'provisioned'],
        [2, 'upstream'],
      ] as const)
        assert.equal(((await asked(task, { ...given[task], n }, kind))[0] as { n: number }).n, n);
    }
  });

  it('says how errors are met only where it is paid by the token, or the server is the user’s own', async () => {
    const body = { prompt: 'P', error_behavior: 'truncate' };
    assert.match(
      await refused('completion', body, 'provisioned'),
      /^error_behavior is accepted only by pay-per-token endpoints, and "e" is a provisioned one\. Leave it out\./,
    );
    for (const kind of ['pay-per-token', 'upstream'] as const)
      assert.deepEqual((await asked('completion', body, kind))[0], body);
    const ofChat = { messages, error_behavior: 'truncate' };
    assert.deepEqual((await asked('chat', ofChat, 'provisioned'))[0], ofChat);
  });

  it('has no log probabilities of completions, and no stream of vectors', async () => {
    for (const logprobs of [true, 5, 0])
      assert.match(
        await refused('completion', { prompt: 'P', logprobs }),
        /^logprobs is not a field of completion requests, /,
      );
    for (const logprobs of [false, null]) await asked('completion', { prompt: 'P', logprobs });
    await asked('chat', { messages, logprobs: true });
    assert.match(
      await refused('embedding', { input: 'I', stream: true }),
      /^Embedding endpoints do not support streamed responses\./,
    );
    await asked('embedding', { input: 'I', stream: false });
    await asked('completion', { prompt: 'P', stream: true });
  });

  it('has as arguments of calls JSON objects, of a size that is read between others', async () => {
    const after = (...texts: string[]): object => ({
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: texts.map((text) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } })),
        },
        { role: 'tool', tool_call_id: 'c', content: '{}' },
      ],
    });
    const list = (count: number): string => `{"a":[${Array.from({ length: count }, () => 0).join()}]}`;
    const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const text of ['', ' \n', ' {"a": 1}', '{}', list(19_990), deep(199)]) await asked('chat', after(text));
    for (const text of ['[]', '{', 'null', '{} x', list(20_001), deep(201)])
      assert.equal(
        await refused('chat', after('{}', text)),
        'messages[1].tool_calls[1].function.arguments: must be a JSON object as text, such as {"city": "Oslo"}.',
        text.slice(0, 20),
      );
  });

  it('is told of three things that are wrong with it at most', async () => {
    const message = await refused('chat', { messages, temperature: 5, top_p: 5, top_k: 0, max_tokens: 0 });
    assert.equal(message.match(/must be/g)?.length, 3, message);
  });
});
