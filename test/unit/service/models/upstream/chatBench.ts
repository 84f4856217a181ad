import type { ChatRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import type { ModelAnswer } from '../../../../../src/service/models/models.ts';
import { capabilitiesOf, type UpstreamKind } from '../../../../../src/service/models/upstream/capabilities.ts';
import type { createUpstreamChat } from '../../../../../src/service/models/upstream/upstreamChat.ts';
import { AppError } from '../../../../../src/shared/errors.ts';

export interface SentChat {
  /** `props`, `chat` or `stream`. */
  what: string;
  body?: Record<string, unknown>;
  options: { signal?: AbortSignal; idleLimitInMs?: number };
}

/** What a server gives, one after the other; an error is its refusal. */
export interface ChatScript {
  kind?: UpstreamKind;
  props?: object | AppError;
  whole?: readonly (object | AppError)[];
  streams?: readonly (readonly (object | AppError)[])[];
  /** Whether streams end in `[DONE]`. */
  isMarked?: boolean;
}

/** A chat with a server that is not there. */
export class ChatBench {
  readonly sent: SentChat[] = [];
  readonly signal: AbortSignal;
  /** So many whole answers were asked for at once. */
  most = 0;
  #open = 0;
  readonly #create: typeof createUpstreamChat;
  readonly #script: ChatScript;
  #wholes = 0;
  #streams = 0;

  constructor(create: typeof createUpstreamChat, script: ChatScript, signal = new AbortController().signal) {
    this.signal = signal;
    this.#create = create;
    this.#script = script;
  }

  get kinds(): string {
    return this.sent.map(({ what }) => what).join(' ');
  }

  async ask(request: object): Promise<ModelAnswer> {
    const { kind = 'vllm', props = {}, whole = [], streams = [], isMarked = false } = this.#script;
    const given = (value: object | AppError | undefined): object => {
      if (value === undefined) throw new Error(`Asked for more than there is: ${this.kinds}`);
      if (value instanceof AppError) throw value;
      return value;
    };
    const connection = {
      label: 'Up',
      getJson: async (path: string, options: SentChat['options']) => {
        this.sent.push({ what: path === '//props' ? 'props' : path, options });
        return given(props);
      },
      postChat: async (path: string, body: Record<string, unknown>, options: SentChat['options']) => {
        this.sent.push({ what: path === '/chat/completions' ? 'chat' : path, body, options });
        const answer = whole[this.#wholes++];
        this.most = Math.max(this.most, (this.#open += 1));
        await new Promise(setImmediate);
        this.#open -= 1;
        return given(answer);
      },
      postStream: (
        path: string,
        body: Record<string, unknown>,
        options: SentChat['options'] & { onMark: () => void },
      ) => {
        this.sent.push({ what: path === '/chat/completions' ? 'stream' : path, body, options });
        const events = given(streams[this.#streams++]) as (object | AppError)[];
        return (async function* () {
          for (const event of events) yield given(event);
          if (isMarked) options.onMark();
        })();
      },
    };
    const target = { connection, capabilities: capabilitiesOf[kind], model: 'm', clock: { now: () => 1_999_999 } };
    return this.#create(target as never).answer(
      { messages: [{ role: 'user', content: 'Hello' }], ...request } as ChatRequest,
      { signal: this.signal },
    );
  }
}

export const refused = (kind: 'rejected' | 'server' | 'notFound' | 'network' | 'aborted', message: string): AppError =>
  new AppError(kind, message, {});

export const tool = (name: string): object => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
  },
});
export const called = (name: string, args = '{"a":1}', id = 'c1'): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
export const counts = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});
/** An answer with one choice of this message. */
export const answered = (message: object, more: object = {}): object => ({
  id: 'up-1',
  created: 5,
  model: 'real',
  choices: [{ index: 0, message, finish_reason: 'stop', ...more }],
  usage: counts(10, 5),
});
