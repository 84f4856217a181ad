import type { ChatRequest, CompletionRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import {
  capabilitiesOf,
  upstreamKinds,
  type UpstreamKind,
} from '../../../../../src/service/models/upstream/capabilities.ts';
import { chatBody } from '../../../../../src/service/models/upstream/chatRequestBody.ts';
import { completionPieces, type PromptRoute } from '../../../../../src/service/models/upstream/completionSource.ts';
import type { UpstreamTarget } from '../../../../../src/service/models/upstream/upstreamChat.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';
import { assertApproved } from '../../../../support/approved.ts';

const hello = { role: 'user', content: 'Hello' };
const parameters = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const tool = (name: string, more: object = {}): object => ({
  type: 'function',
  function: { name, description: `Does ${name}`, parameters, ...more },
});
const tools = [tool('add'), tool('other', { parameters: undefined, strict: true })];
const parts = (...types: string[]): object[] =>
  types.map((type) => (type === 'text' ? { type, text: 'T' } : { type, image_url: { url: 'data:x' } }));

const chats: readonly (readonly [name: string, request: object])[] = [
  ['plain', {}],
  [
    'sampling',
    { temperature: 0, top_p: 0.5, top_k: 5, max_tokens: 7, stop: ['a', 'b'], seed: 1, frequency_penalty: 0.1 },
  ],
  ['one of all tokens', { top_k: 1, stop: 'x' }],
  ['several', { n: 3 }],
  ['log probabilities', { logprobs: true, top_logprobs: 2 }],
  ['log probabilities without others', { logprobs: true }],
  ['parts of text', { messages: [{ role: 'user', content: parts('text', 'text') }] }],
  [
    'parts with a picture',
    {
      messages: [
        { role: 'system', content: parts('text') },
        { role: 'user', content: parts('text', 'image_url') },
      ],
    },
  ],
  ['tools', { tools }],
  ['tools, of which none', { tools, tool_choice: 'none' }],
  ['tools, as wanted', { tools, tool_choice: 'auto' }],
  ['tools, one of them', { tools, tool_choice: 'required' }],
  ['tools, this one', { tools, tool_choice: { type: 'function', function: { name: 'add' } } }],
  [
    'tools, this one, below a rule',
    {
      tools,
      tool_choice: { type: 'function', function: { name: 'other' } },
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
    },
  ],
  [
    'tools, one, below a rule in parts',
    { tools, tool_choice: 'required', messages: [{ role: 'system', content: parts('text') }, hello] },
  ],
  [
    'what a tool gave',
    {
      tools,
      messages: [
        hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '2' },
      ],
    },
  ],
  ['JSON', { response_format: { type: 'json_object' } }],
  ['text', { response_format: { type: 'text' }, tools }],
  [
    'a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema: parameters, strict: true } } },
  ],
  ['JSON and tools', { response_format: { type: 'json_object' }, tools }],
];

const done = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const choice = (more: object): object => ({ choices: [{ index: 0, ...more }] });
/** What the server sends, whether it marks its end, and on which way. */
const answers: readonly (readonly [
  name: string,
  route: PromptRoute,
  kind: UpstreamKind,
  events: readonly object[],
  isMarked: boolean,
])[] = [
  [
    'a turn',
    'template',
    'vllm',
    [choice({ delta: { content: 'a' } }), choice({ delta: {}, finish_reason: 'stop' }), { choices: [], usage: done }],
    true,
  ],
  ['a turn at once', 'template', 'openai', [choice({ message: { content: 'whole' }, finish_reason: 'length' })], false],
  [
    'a turn in parts',
    'template',
    'openai',
    [choice({ delta: { content: [{ type: 'text', text: 'p' }] }, finish_reason: '' }), { usage: done }],
    true,
  ],
  ['a turn that is cut', 'template', 'openai', [choice({ delta: { content: 'a' } }), { usage: done }], false],
  ['a turn with its mark alone', 'template', 'openai', [choice({ delta: { content: 'a' } }), {}], true],
  [
    'a turn that is counted before its last words',
    'template',
    'openai',
    [{ ...choice({ delta: { content: 'a' } }), usage: done }, choice({ delta: { content: 'b' } })],
    true,
  ],
  ['a prompt as it is', 'raw', 'vllm', [choice({ text: 'a' }), choice({ text: 'b', finish_reason: 'stop' })], true],
  [
    'a prompt to one that begins with few tokens',
    'raw',
    'llamacpp',
    [choice({ text: 'a', finish_reason: 'stop' }), {}],
    true,
  ],
  ['a prompt to any', 'raw', 'generic', [choice({ text: 'a' }), { choices: [], usage: done }], true],
  ['a prompt that is cut', 'raw', 'generic', [choice({ text: 'a' })], true],
  [
    'lines',
    'raw',
    'ollama',
    [
      { response: 'a' },
      { response: 'b', done: false },
      { done: true, done_reason: 'length', prompt_eval_count: 3, eval_count: 4 },
    ],
    false,
  ],
  ['lines without words', 'raw', 'ollama', [{ response: 7 }, { response: '', done: true }], false],
  ['lines with an empty reason', 'raw', 'ollama', [{ response: 'a', done: true, done_reason: '' }], false],
  ['lines that are cut', 'raw', 'ollama', [{ response: 'a' }], false],
];
const requests: readonly CompletionRequest[] = [
  { prompt: 'P' },
  {
    prompt: 'P',
    temperature: 0,
    top_p: 0.5,
    top_k: 3,
    max_tokens: 9,
    stop: 'x',
    echo: true,
    suffix: 'S',
    use_raw_prompt: true,
    seed: 5,
  } as CompletionRequest,
  { prompt: 'P', stop: ['x', 'y'], error_behavior: 'truncate' } as CompletionRequest,
];

const messageOf = (error: unknown): string => (isAppError(error) ? `${error.kind}: ${error.message}` : String(error));

describe('what model servers are sent and send, as it was approved', () => {
  it('for chats', () => {
    const lines = upstreamKinds.flatMap((kind) =>
      chats.flatMap(([name, request]) =>
        ('tools' in request ? [false, true] : [false]).map((emulateTools) => {
          try {
            const built = chatBody(
              'm',
              { messages: [hello], ...request } as ChatRequest,
              capabilitiesOf[kind],
              emulateTools,
            );
            return `${kind}, ${name}${emulateTools ? ', emulated' : ''}: ${JSON.stringify(built)}`;
          } catch (error) {
            return `${kind}, ${name}${emulateTools ? ', emulated' : ''}: ${messageOf(error)}`;
          }
        }),
      ),
    );
    assertApproved('upstream-chats', `${[...new Set(lines)].join('\n')}\n`);
  });

  it('for completions', async () => {
    const parts: string[] = [];
    for (const [name, route, kind, events, isMarked] of answers)
      for (const request of requests) {
        const sent: string[] = [];
        const postStream = async function* (
          path: string,
          body: object,
          { format, onMark }: { format?: string; onMark?: () => void },
        ) {
          sent.push(`${path} ${format ?? ''} ${JSON.stringify(body)}`);
          yield* events;
          if (isMarked) onMark?.();
        };
        const target = {
          connection: { label: 'Up', postStream },
          model: 'm',
          capabilities: capabilitiesOf[kind],
        } as unknown as UpstreamTarget;
        const pieces: string[] = [];
        try {
          for await (const piece of completionPieces(target, route, 'P', request, {} as never))
            pieces.push(JSON.stringify(piece));
        } catch (error) {
          pieces.push(messageOf(error));
        }
        parts.push(`== ${name}, ${kind}`, ...sent, ...(request === requests[0] ? pieces : []));
      }
    assertApproved('upstream-completions', `${parts.join('\n')}\n`);
  });
});
