import { isAbsent, isFields, type WritableFields } from '../../../shared/fields.ts';
import { type ChatChunk, contentText } from '../../schema/inference/chat.ts';
import type { CompletionChunk } from '../../schema/inference/completion.ts';
import type { AnyChunk } from './streamPlan.ts';

// Checks of received chunks, written by hand because they run for every token. A field that is absent, null or of another type is converted
// in place to what its type declares; everything else stays unchanged.

/** Removes null, converts a number or boolean to text, and removes any other value that is not text. */
function fixText(fields: WritableFields, key: string): void {
  const value = fields[key];
  if (value === undefined || typeof value === 'string') return;
  fields[key] = typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Fixes a text whose presence decides something, such as that a choice has ended. */
function fixDecidingText(fields: WritableFields, key: string): void {
  if (isAbsent(fields[key])) fields[key] = undefined;
  else fixText(fields, key);
}

function fixNumber(fields: WritableFields, key: string): void {
  const value = fields[key];
  if (value === undefined || typeof value === 'number') return;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  fields[key] = Number.isNaN(number) ? undefined : number;
}

function fixObject(fields: WritableFields, key: string): WritableFields | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (isFields(value)) return value;
  fields[key] = undefined;
  return undefined;
}

function fixList(fields: WritableFields, key: string): WritableFields[] | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    fields[key] = undefined;
    return undefined;
  }
  if (value.every(isFields)) return value;
  const kept = value.filter(isFields);
  fields[key] = kept;
  return kept;
}

/** Fields of every chunk. They are accessed by name because access through a variable is several times slower. */
interface Envelope {
  readonly id: unknown;
  readonly object: unknown;
  readonly model: unknown;
  readonly created: unknown;
  readonly usage: unknown;
}

function fixEnvelope(chunk: WritableFields): void {
  const { id, object, model, created, usage } = chunk as unknown as Envelope;
  if (typeof id !== 'string') fixText(chunk, 'id');
  if (typeof object !== 'string') fixText(chunk, 'object');
  if (typeof model !== 'string') fixText(chunk, 'model');
  if (typeof created !== 'number') fixNumber(chunk, 'created');
  if (usage !== undefined) fixUsage(chunk);
}

function fixUsage(chunk: WritableFields): void {
  const usage = fixObject(chunk, 'usage');
  if (!usage) return;
  fixNumber(usage, 'completion_tokens');
  fixNumber(usage, 'prompt_tokens');
  fixNumber(usage, 'total_tokens');
}

/** Fields of a message that are accessed by name. */
interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly function_call?: unknown;
  readonly tool_calls?: unknown;
}

function fixMessage(message: WritableFields): void {
  fixText(message, 'role');
  if (typeof message['content'] !== 'string') fixContent(message);
  const { content, refusal, function_call: call, tool_calls: calls } = message as unknown as Message;
  // A refusal comes in place of the text.
  if (typeof refusal === 'string' && isAbsent(content)) message['content'] = refusal;
  // The older form of a single call.
  if (isFields(call) && isAbsent(calls)) message['tool_calls'] = [{ type: 'function', function: call }];
  if (message['tool_calls'] !== undefined) fixToolCalls(message);
}

/** Normalizes content, which is text or a list of parts: some servers send reasoning and text side by side. */
function fixContent(message: WritableFields): void {
  const content = message['content'];
  if (content === undefined) return;
  if (isFields(content)) message['content'] = [content];
  else if (!Array.isArray(content)) {
    fixText(message, 'content');
    return;
  }
  const parts = (message['content'] as unknown[])
    .map((part): unknown => (typeof part === 'string' ? { type: 'text', text: part } : part))
    .filter((part): part is WritableFields => isFields(part));
  for (const part of parts) {
    fixText(part, 'text');
    if (typeof part['type'] !== 'string') part['type'] = 'text';
  }
  message['content'] = parts;
}

function fixToolCalls(message: WritableFields): void {
  for (const call of fixList(message, 'tool_calls') ?? []) {
    fixNumber(call, 'index');
    fixDecidingText(call, 'id');
    fixText(call, 'type');
    const called = fixObject(call, 'function');
    if (!called) continue;
    fixDecidingText(called, 'name');
    // Some servers send the arguments as an object instead of JSON text.
    if (typeof called['arguments'] === 'object' && called['arguments'] !== null)
      called['arguments'] = JSON.stringify(called['arguments']);
    fixText(called, 'arguments');
  }
}

function fixLogprobs(choice: WritableFields): void {
  const logprobs = fixObject(choice, 'logprobs');
  if (!logprobs) return;
  for (const entry of fixList(logprobs, 'content') ?? []) {
    fixText(entry, 'token');
    fixNumber(entry, 'logprob');
    if (entry['bytes'] === null) entry['bytes'] = undefined;
    for (const candidate of fixList(entry, 'top_logprobs') ?? []) {
      fixText(candidate, 'token');
      fixNumber(candidate, 'logprob');
      if (candidate['bytes'] === null) candidate['bytes'] = undefined;
    }
  }
}

/** A chunk with a single piece of text, the usual case. It needs only a few checks; all others go through the repairs. */
interface PlainChoice {
  readonly index: unknown;
  delta: Message | null | undefined;
  finish_reason: unknown;
  readonly logprobs: unknown;
}

function fixChoice(choice: WritableFields): void {
  const { index, delta, finish_reason: finishReason, logprobs } = choice as unknown as PlainChoice;
  if (typeof index !== 'number') fixNumber(choice, 'index');
  if (finishReason === null) (choice as unknown as PlainChoice).finish_reason = undefined;
  else if (finishReason !== undefined) fixDecidingText(choice, 'finish_reason');
  if (!isPlainDelta(delta)) {
    if (delta === undefined || delta === null) choice['delta'] = messageOf(choice);
    else if (typeof delta === 'string') choice['delta'] = { content: delta };
    const message = fixObject(choice, 'delta');
    if (message) fixMessage(message);
  }
  if (logprobs !== undefined) fixLogprobs(choice);
}

function isPlainDelta(delta: PlainChoice['delta']): boolean {
  if (typeof delta !== 'object' || delta === null) return false;
  const { role, content, refusal, function_call: call, tool_calls: calls } = delta;
  return (
    typeof content === 'string' &&
    (role === undefined || typeof role === 'string') &&
    (refusal === undefined || refusal === null) &&
    (call === undefined || call === null) &&
    calls === undefined &&
    !Array.isArray(delta)
  );
}

/** Returns what a choice says in another field than `delta`: a whole message, or the text of a completion. */
function messageOf({ message, text }: WritableFields): unknown {
  return message ?? (typeof text === 'string' ? { content: text } : undefined);
}

/**
 * Reads one event of a chat stream (Inference API, ChatCompletionChunk). @returns the chunk, or `undefined` if the value is not an object
 */
export function asChatChunk(value: unknown): ChatChunk | undefined {
  if (!isFields(value)) return undefined;
  fixEnvelope(value);
  const choices = fixList(value, 'choices');
  if (choices) for (const choice of choices) fixChoice(choice);
  return value as ChatChunk;
}

/**
 * Reads one event of a completion stream (Inference API, CompletionChoice). @returns the chunk, or `undefined` if the value is not an
 * object
 */
export function asCompletionChunk(value: unknown): CompletionChunk | undefined {
  if (!isFields(value)) return undefined;
  fixEnvelope(value);
  for (const choice of fixList(value, 'choices') ?? []) {
    fixNumber(choice, 'index');
    fixDecidingText(choice, 'finish_reason');
    fixText(choice, 'text');
    const message = choice['delta'] ?? choice['message'];
    if (choice['text'] === undefined && isFields(message)) choice['text'] = contentText(message['content']);
  }
  return value as CompletionChunk;
}

/** Converts a whole response to the only chunk of a stream, for servers that do not stream although requested to. */
export function wholeAsChatChunk(value: unknown): ChatChunk | undefined {
  if (!isFields(value)) return undefined;
  return ended(asChatChunk(value));
}

export function wholeAsCompletionChunk(value: unknown): CompletionChunk | undefined {
  return ended(asCompletionChunk(value));
}

/** An answer that came whole has ended, also where it gives no reason. */
function ended<C extends AnyChunk>(chunk: C | undefined): C | undefined {
  for (const choice of chunk?.choices ?? []) choice.finish_reason ??= 'stop';
  return chunk;
}
