import { contentText } from '../api/inference/messageText.ts';
import type { AnswerDelta, ChoiceDelta, TokenLogprob, Usage } from './conversationEvent.ts';

/** What the chunks since the last frame added to an answer. */
export type AnswerPart = Pick<AnswerDelta, 'choices' | 'model' | 'usage'>;

/**
 * Joins the chunks of one frame into one part, leniently: unknown fields are passed over, content may be a string or a
 * list of parts, usage may come with any chunk or with none, and the role is not needed (Inference API, Events).
 */
export class ChunkCollector {
  #choices = new Map<number, ChoiceDelta>();
  #model: string | undefined;
  #usage: Usage | undefined;
  #hasWork = false;
  #handedOver = false;
  /** Every choice that was seen, and whether its finish_reason was. */
  readonly #finished = new Map<number, boolean>();
  #hasAny = false;

  /** True where `take` would give something. */
  get hasWork(): boolean {
    return this.#hasWork;
  }

  get isFirst(): boolean {
    return !this.#handedOver;
  }

  /** True once some text or tool call arrived. */
  get hasAny(): boolean {
    return this.#hasAny;
  }

  /** True where at least one choice was seen and each one that was has its finish_reason. */
  get isComplete(): boolean {
    return this.#finished.size > 0 && ![...this.#finished.values()].includes(false);
  }

  /** Adds one chunk, or one whole answer of an endpoint that was asked not to stream. */
  add(chunk: unknown): void {
    const record = asRecord(chunk);
    if (!record) return;
    if (typeof record['model'] === 'string' && record['model'] !== '') this.#model = record['model'];
    const usage = toUsage(record['usage']);
    if (usage) {
      this.#usage = usage;
      this.#hasWork = true;
    }
    const choices = Array.isArray(record['choices']) ? record['choices'] : [];
    choices.forEach((choice: unknown, position) => this.#addChoice(choice, position));
  }

  #addChoice(value: unknown, position: number): void {
    const choice = asRecord(value);
    if (!choice) return;
    const index = toIndex(choice['index']) ?? position;
    const message = asRecord(choice['delta']) ?? asRecord(choice['message']) ?? {};
    const delta = this.#choices.get(index) ?? { choice: index };
    this.#choices.set(index, delta);
    const text = contentText(message['content']);
    if (text !== '') {
      delta.text = (delta.text ?? '') + text;
      this.#hasAny = true;
    }
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
    calls.forEach((call: unknown, callPosition) => this.#addToolCall(delta, call, callPosition));
    const logprobs = toLogprobs(choice['logprobs']);
    if (logprobs.length > 0) delta.logprobs = [...(delta.logprobs ?? []), ...logprobs];
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') {
      delta.finishReason = reason;
      this.#finished.set(index, true);
    } else if (!this.#finished.has(index)) {
      this.#finished.set(index, false);
    }
    this.#hasWork = true;
  }

  #addToolCall(delta: ChoiceDelta, value: unknown, position: number): void {
    const call = asRecord(value);
    if (!call) return;
    const index = toIndex(call['index']) ?? position;
    const target = asRecord(call['function']) ?? {};
    const argumentsText = typeof target['arguments'] === 'object' && target['arguments'] !== null
      ? JSON.stringify(target['arguments']) // Some servers send the arguments parsed.
      : target['arguments'];
    delta.toolCalls = [...(delta.toolCalls ?? []), {
      index,
      ...(typeof call['id'] === 'string' && call['id'] !== '' ? { id: call['id'] } : {}),
      ...(typeof target['name'] === 'string' ? { name: target['name'] } : {}),
      ...(typeof argumentsText === 'string' ? { arguments: argumentsText } : {}),
    }];
    this.#hasAny = true;
  }

  /** What was added since the last call, or undefined where nothing was. */
  take(): AnswerPart | undefined {
    if (!this.#hasWork) return undefined;
    const part: AnswerPart = { choices: [...this.#choices.values()] };
    if (this.#model !== undefined) part.model = this.#model;
    if (this.#usage !== undefined) part.usage = this.#usage;
    this.#choices = new Map();
    this.#model = undefined;
    this.#usage = undefined;
    this.#hasWork = false;
    this.#handedOver = true;
    return part;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function toIndex(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1000 ? value : undefined;
}

function toUsage(value: unknown): Usage | undefined {
  const record = asRecord(value);
  if (!record) return undefined;
  const usage: Usage = {};
  for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const) {
    const count = record[name];
    if (typeof count === 'number' && Number.isFinite(count)) usage[name] = count;
  }
  return Object.keys(usage).length > 0 ? usage : undefined;
}

function toLogprobs(value: unknown): TokenLogprob[] {
  const content = asRecord(value)?.['content'];
  if (!Array.isArray(content)) return [];
  return content.flatMap((entry: unknown) => {
    const token = toTokenLogprob(entry);
    if (!token) return [];
    const top = asRecord(entry)?.['top_logprobs'];
    const alternatives = Array.isArray(top) ? top.flatMap((candidate: unknown) => toTokenLogprob(candidate) ?? []) : [];
    return [{ ...token, alternatives }];
  });
}

function toTokenLogprob(value: unknown): { token: string; logprob: number } | undefined {
  const record = asRecord(value);
  const token = record?.['token'];
  const logprob = record?.['logprob'];
  return typeof token === 'string' && typeof logprob === 'number' && Number.isFinite(logprob) ? { token, logprob } : undefined;
}
