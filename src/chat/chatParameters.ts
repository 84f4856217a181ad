import * as z from 'zod';
import { wholeAsChatChunk } from '../api/client/inference/chunk.ts';
import { endpointTaskOf } from '../api/schema/inference/endpoints.ts';
import { type ChatChunk, chatRequest, type ChatResponse } from '../api/schema/inference/schemas.ts';
import { decodeChecked, formatProblem } from '../api/schema/problems.ts';
import { l10n } from '../shared/l10n.ts';
import { systemPromptParameter } from './chatRequest.ts';
import type { Failure, Parameters } from './conversationEvent.ts';
import { describeParameters, type ParameterField } from './parameterForm.ts';

/** The parameter form of a chat request, from the request's own schema (Inference API, Chat request). */
export function chatParameterFields(): ParameterField[] {
  const systemPrompt = l10n.t(
    'What the model is told first. Sent as the first message of the conversation, in the role "system".',
  );
  return describeParameters(z.toJSONSchema(chatRequest, { io: 'input', unrepresentable: 'any' }), systemPrompt);
}

/** What is wrong with the parameters by the request's rules (Inference API, Chat request and Limits), or undefined. */
export function checkParameters(parameters: Parameters): Failure | undefined {
  const { [systemPromptParameter]: _system, ...rest } = parameters;
  const result = decodeChecked(chatRequest, { messages: [{ role: 'user', content: '-' }], ...rest });
  if (result.ok) return undefined;
  // One line for each: the form shows it at its field.
  return {
    kind: 'invalid',
    message: result.problems.map((problem) => formatProblem(problem)).join('\n'),
    remedy: l10n.t('Correct the value or leave the field empty.'),
  };
}

/** Whether an endpoint can chat. A task that is not named may well be chat; one that is another of the three is not. */
export function mayChat(task: string | undefined): boolean {
  return (endpointTaskOf(task) ?? 'chat') === 'chat';
}

/** An answer that did not come as a stream, as the one chunk of one. */
export function chunkOfWhole(response: ChatResponse): ChatChunk | undefined {
  return wholeAsChatChunk(response);
}
