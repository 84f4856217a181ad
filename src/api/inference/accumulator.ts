import type { ChatChunk, ChatResponse } from './chat.ts';
import type { CompletionChunk, CompletionResponse } from './completion.ts';
import { contentText } from './messageText.ts';
import type { Usage } from './usage.ts';

type ChunkChoice = NonNullable<ChatChunk['choices']>[number];
type Delta = NonNullable<ChunkChoice['delta']>;
type CallDelta = NonNullable<Delta['tool_calls']>[number];
type TokenLogprobs = NonNullable<NonNullable<ChunkChoice['logprobs']>['content']>;

/** A tool call put together from its fragments. */
export interface AccumulatedToolCall {
  index: number;
  id: string;
  type: string;
  name: string;
  /** Serialized JSON, as far as it came. */
  arguments: string;
}

/** One choice of a chat stream, as far as it came. */
export interface AccumulatedChoice {
  readonly index: number;
  role: string;
  text: string;
  /** What some servers send apart from the answer: reasoning, in a field or parts of its own. */
  reasoning: string;
  readonly toolCalls: AccumulatedToolCall[];
  /** As it came; undefined until the choice has ended. */
  finishReason: string | undefined;
  /** Log probabilities of the tokens, in order; empty where none were sent. */
  readonly logprobs: TokenLogprobs;
}

/**
 * Puts the chunks of a chat stream together (Inference API, Chat response): text and tool calls of every choice, usage
 * from whichever chunk carries it, the role from any delta.
 */
export class ChatAccumulator {
  readonly #choices = new Map<number, AccumulatedChoice>();
  id: string | undefined;
  model: string | undefined;
  created: number | undefined;
  usage: Usage | undefined;

  add(chunk: ChatChunk): void {
    this.id ??= chunk.id;
    this.model ??= chunk.model;
    this.created ??= chunk.created;
    // Later chunks carry the larger counts where a server reports them all along.
    if (chunk.usage) this.usage = chunk.usage;
    for (const part of chunk.choices ?? []) addToChoice(this.#choice(part.index ?? 0), part);
  }

  /** The choices in the order of their index. */
  get choices(): AccumulatedChoice[] {
    return [...this.#choices.values()].sort((left, right) => left.index - right.index);
  }

  /** Text of the first choice. */
  get text(): string {
    return this.choices[0]?.text ?? '';
  }

  /** Whether every choice that began has its finish reason. */
  get complete(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every((choice) => choice.finishReason !== undefined);
  }

  /** What the same request would have answered without streaming. */
  response(): ChatResponse {
    return {
      id: this.id,
      object: 'chat.completions',
      created: this.created,
      model: this.model,
      choices: this.choices.map((choice) => ({
        index: choice.index,
        message: {
          role: choice.role,
          content: choice.text,
          tool_calls: choice.toolCalls.length === 0 ? undefined : choice.toolCalls.map((call) => ({ index: call.index, id: call.id, type: call.type, function: { name: call.name, arguments: call.arguments } })),
        },
        finish_reason: choice.finishReason,
        logprobs: choice.logprobs.length === 0 ? undefined : { content: choice.logprobs },
      })),
      usage: this.usage,
    };
  }

  #choice(index: number): AccumulatedChoice {
    let choice = this.#choices.get(index);
    if (!choice) {
      choice = { index, role: 'assistant', text: '', reasoning: '', toolCalls: [], finishReason: undefined, logprobs: [] };
      this.#choices.set(index, choice);
    }
    return choice;
  }
}

function addToChoice(choice: AccumulatedChoice, part: ChunkChoice): void {
  const { delta } = part;
  if (delta) {
    if (delta.role) choice.role = delta.role;
    addContent(choice, delta);
    for (const call of delta.tool_calls ?? []) addCall(choice, call);
  }
  if (part.logprobs?.content) choice.logprobs.push(...part.logprobs.content);
  if (part.finish_reason !== undefined) choice.finishReason = part.finish_reason;
}

function addContent(choice: AccumulatedChoice, delta: Delta): void {
  choice.text += contentText(delta.content);
  choice.reasoning += reasoningOf(delta);
}

/** Reasoning as the servers known to send it do: `reasoning_content`, `reasoning`, or parts of type `reasoning`. */
function reasoningOf(delta: Delta): string {
  for (const key of ['reasoning_content', 'reasoning']) {
    const value = delta[key];
    if (typeof value === 'string') return value;
  }
  if (typeof delta.content !== 'object') return '';
  return delta.content.map((part) => (part.type === 'reasoning' || part.type === 'thinking' ? partReasoning(part) : '')).join('');
}

function partReasoning(part: Readonly<Record<string, unknown>>): string {
  for (const key of ['text', 'thinking', 'reasoning']) {
    const value = part[key];
    if (typeof value === 'string') return value;
  }
  const summary = part['summary'];
  if (!Array.isArray(summary)) return '';
  return summary.map((entry: unknown) => (typeof entry === 'object' && entry !== null && 'text' in entry && typeof entry.text === 'string' ? entry.text : '')).join('');
}

/**
 * Fragments belong together by index. Without one they go by id, and a fragment with neither continues the last call.
 * A new id with a name begins a new call even under a known index: some servers number every call 0.
 */
function addCall(choice: AccumulatedChoice, fragment: CallDelta): void {
  const { toolCalls } = choice;
  let call = fragment.index === undefined ? byId(toolCalls, fragment.id) : toolCalls.findLast((known) => known.index === fragment.index);
  if (call && fragment.id && call.id !== '' && call.id !== fragment.id && fragment.function?.name) call = undefined;
  if (!call) {
    const taken = fragment.index === undefined || toolCalls.some((known) => known.index === fragment.index);
    const index = taken ? Math.max(-1, ...toolCalls.map((known) => known.index)) + 1 : (fragment.index ?? 0);
    call = { index, id: '', type: 'function', name: '', arguments: '' };
    toolCalls.push(call);
  }
  if (fragment.id) call.id = fragment.id;
  if (fragment.type) call.type = fragment.type;
  const { name, arguments: piece } = fragment.function ?? {};
  // Servers either send the name once, or repeat it with every fragment.
  if (name && call.name !== name) call.name += name;
  if (piece) call.arguments += piece;
}

function byId(calls: readonly AccumulatedToolCall[], id: string | undefined): AccumulatedToolCall | undefined {
  return id ? calls.find((known) => known.id === id) : calls.at(-1);
}

/** One choice of a completion stream, as far as it came. */
export interface AccumulatedCompletion {
  readonly index: number;
  text: string;
  finishReason: string | undefined;
}

/** Puts the chunks of a completion stream together (Inference API, Completion response). */
export class CompletionAccumulator {
  readonly #choices = new Map<number, AccumulatedCompletion>();
  id: string | undefined;
  model: string | undefined;
  created: number | undefined;
  usage: Usage | undefined;

  add(chunk: CompletionChunk): void {
    this.id ??= chunk.id;
    this.model ??= chunk.model;
    this.created ??= chunk.created;
    if (chunk.usage) this.usage = chunk.usage;
    for (const part of chunk.choices ?? []) {
      const index = part.index ?? 0;
      const choice = this.#choices.get(index) ?? { index, text: '', finishReason: undefined };
      this.#choices.set(index, choice);
      choice.text += part.text ?? '';
      if (part.finish_reason !== undefined) choice.finishReason = part.finish_reason;
    }
  }

  get choices(): AccumulatedCompletion[] {
    return [...this.#choices.values()].sort((left, right) => left.index - right.index);
  }

  get text(): string {
    return this.choices[0]?.text ?? '';
  }

  get complete(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every((choice) => choice.finishReason !== undefined);
  }

  response(): CompletionResponse {
    return {
      id: this.id,
      object: 'text_completion',
      created: this.created,
      model: this.model,
      choices: this.choices.map(({ index, text, finishReason }) => ({ index, text, finish_reason: finishReason })),
      usage: this.usage,
    };
  }
}
