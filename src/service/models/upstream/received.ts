import type * as z from 'zod';
import {
  chatChunk,
  chatResponse,
  completionResponse,
  type ChatChunk,
  type ChatResponse,
  type CompletionResponse,
  type Logprobs,
} from '../../../api/schema/inference/schemas.ts';
import { fieldsOf, isAbsent } from '../../../shared/fields.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { upstreamFailure } from '../modelErrors.ts';
import type { WireLogprobs, WireUsage } from '../wire.ts';

/** Parses what a server sent with the schemas that every client uses. Anything that does not fit is an error. */
function read<T extends z.ZodType>(schema: T, value: unknown, label: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw upstreamFailure(
    'protocol',
    `${label} sent an answer of another form: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`,
    { cause: result.error },
  );
}

export const readChat = (value: unknown, label: string): ChatResponse =>
  read(chatResponse, withKnownForms(value), label);
export const readChunk = (value: unknown, label: string): ChatChunk => read(chatChunk, withKnownForms(value), label);
export const readCompletion = (value: unknown, label: string): CompletionResponse =>
  read(completionResponse, value, label);

/** Returns an answer or a chunk with the forms of other servers replaced by those of the document. */
function withKnownForms(value: unknown): unknown {
  const choices = fieldsOf(value)?.['choices'];
  if (!Array.isArray(choices)) return value;
  return {
    ...fieldsOf(value),
    choices: choices.map((each: unknown) => {
      const choice = fieldsOf(each);
      if (!choice) return each;
      const { message, delta, finish_reason: reason } = choice;
      return {
        ...choice,
        message: withToolCalls(message),
        // A server that does not stream answers with one message, which is one large delta.
        delta: withToolCalls(delta ?? message),
        finish_reason: reason === 'function_call' ? 'tool_calls' : reason,
      };
    }),
  };
}

/** Turns the older form of a single call into a list, arguments into JSON text, and a refusal into text. */
function withToolCalls(value: unknown): unknown {
  const message = fieldsOf(value);
  if (!message) return value;
  const { content, refusal, function_call: single } = message;
  const calls = message['tool_calls'] ?? (isAbsent(single) ? undefined : [{ type: 'function', function: single }]);
  return {
    ...message,
    content: isAbsent(content) && !isAbsent(refusal) ? refusal : content,
    tool_calls: Array.isArray(calls) ? calls.map(withArgumentsText) : calls,
  };
}

function withArgumentsText(value: unknown): unknown {
  const call = fieldsOf(value);
  const called = fieldsOf(call?.['function']);
  const given = called?.['arguments'];
  if (typeof given !== 'object' || given === null) return value;
  return { ...call, function: { ...called, arguments: stringifyJson(given) } };
}

/** Returns the server's token counts, or `undefined` if it sent none. */
export function usageFrom(
  usage: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | undefined,
): Required<WireUsage> | undefined {
  if (usage?.prompt_tokens === undefined && usage?.completion_tokens === undefined) return undefined;
  const prompt = usage.prompt_tokens ?? 0;
  const completion = usage.completion_tokens ?? 0;
  return {
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: usage.total_tokens ?? prompt + completion,
  };
}

/** Adds the token counts of several calls that together are one: the prompt was the same, or was counted for each. */
export function addUsage(
  left: WireUsage | undefined,
  right: WireUsage | undefined,
  samePrompt: boolean,
): WireUsage | undefined {
  if (!left || !right) return left ?? right;
  const prompt = samePrompt
    ? Math.max(left.prompt_tokens, right.prompt_tokens)
    : left.prompt_tokens + right.prompt_tokens;
  const completion = (left.completion_tokens ?? 0) + (right.completion_tokens ?? 0);
  return { completion_tokens: completion, prompt_tokens: prompt, total_tokens: prompt + completion };
}

/** Returns log probabilities in the document's form, with all fields. */
export function logprobsFrom(logprobs: Logprobs | undefined): WireLogprobs | undefined {
  const content = logprobs?.content;
  if (!content) return undefined;
  return {
    content: content.map((entry) => ({
      token: entry.token ?? '',
      logprob: entry.logprob ?? 0,
      bytes: entry.bytes ?? null,
      top_logprobs: (entry.top_logprobs ?? []).map((top) => ({
        token: top.token ?? '',
        logprob: top.logprob ?? 0,
        bytes: top.bytes ?? null,
      })),
    })),
  };
}
