import { contentText } from '../../../api/schema/inference/chat.ts';
import type { CompletionRequest } from '../../../api/schema/inference/schemas.ts';
import { upstreamFailure } from '../modelErrors.ts';
import type { ModelCall } from '../modelTypes.ts';
import type { WireUsage } from '../wire.ts';
import { handledFields, otherFields, samplingOf, streamedBody } from './chatRequestBody.ts';
import { readChunk, readCompletion, usageFrom } from './received.ts';
import type { UpstreamTarget } from './upstreamChat.ts';
import type { StreamOptions } from './upstreamConnection.ts';

/** A piece of a completion of one prompt. */
export interface CompletionPiece {
  readonly text: string;
  readonly finishReason?: string;
  readonly usage?: Required<WireUsage>;
}

/** Handled here for the server, or with another meaning there: `suffix` is fill-in-the-middle. */
const handled = handledFields('prompt', 'error_behavior', 'suffix', 'echo', 'use_raw_prompt');

function sharedBody(target: UpstreamTarget, request: CompletionRequest): Record<string, unknown> {
  return {
    ...target.capabilities.neutralSampling,
    ...otherFields(request, handled),
    model: target.model,
    ...samplingOf(request, target.capabilities),
  };
}

/** A way to request a completion of one prompt from a model server. */
type PieceSource = (
  target: UpstreamTarget,
  prompt: string,
  request: CompletionRequest,
  call: ModelCall & Pick<StreamOptions, 'onMark'>,
) => AsyncGenerator<CompletionPiece>;

/** How a prompt reaches the model (Inference API, use_raw_prompt): as a turn of its chat template, or unchanged. */
export type PromptRoute = 'template' | 'raw';

/**
 * Yields the pieces of one completion.
 * @throws AppError `cutOff` if the server ended without a finish_reason and nothing else says that it is complete
 */
export async function* completionPieces(
  target: UpstreamTarget,
  route: PromptRoute,
  prompt: string,
  request: CompletionRequest,
  call: ModelCall,
): AsyncGenerator<CompletionPiece> {
  let finished = false;
  const source =
    route === 'template'
      ? templatedPieces
      : target.capabilities.rawPrompt === 'ollamaGenerate'
        ? ollamaPieces
        : rawPieces;
  let [isMarked, isCounted] = [false, false];
  const onMark = (): void => {
    isMarked = true;
  };
  for await (const piece of source(target, prompt, request, { ...call, onMark })) {
    finished ||= piece.finishReason !== undefined;
    isCounted ||= piece.usage !== undefined;
    yield piece;
  }
  // As for chats, usage and the end mark together show that nothing is missing.
  if (!finished && !(isMarked && isCounted))
    throw upstreamFailure(
      'cutOff',
      `${target.connection.label} broke off its answer: it ended without a finish_reason.`,
    );
}

const templatedPieces: PieceSource = async function* (target, prompt, request, call) {
  const { connection, capabilities } = target;
  const body = streamedBody(
    { ...sharedBody(target, request), messages: [{ role: 'user', content: prompt }] },
    capabilities,
  );
  for await (const value of connection.postStream('/chat/completions', body, call)) {
    const chunk = readChunk(value, connection.label);
    const choice = chunk.choices?.[0];
    const whole = choice?.['message'] as { content?: unknown } | undefined;
    yield {
      text: contentText(choice?.delta?.content) || contentText(whole?.content),
      finishReason: choice?.finish_reason || undefined,
      usage: usageFrom(chunk.usage),
    };
  }
};

const rawPieces: PieceSource = async function* (target, prompt, request, call) {
  const { connection, capabilities } = target;
  const body = streamedBody({ ...sharedBody(target, request), prompt }, capabilities);
  // If left out, some servers generate 16 tokens.
  if (body['max_tokens'] === undefined && capabilities.unlimitedTokens !== undefined)
    body['max_tokens'] = capabilities.unlimitedTokens;
  for await (const value of connection.postStream('/completions', body, call)) {
    const chunk = readCompletion(value, connection.label);
    const choice = chunk.choices?.[0];
    yield { text: choice?.text ?? '', finishReason: choice?.finish_reason || undefined, usage: usageFrom(chunk.usage) };
  }
};

/** Ollama's completions route always applies the model's template; only its own route has a raw form. */
const ollamaPieces: PieceSource = async function* (target, prompt, request, call) {
  const { connection } = target;
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []);
  const options = {
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    top_k: request.top_k ?? 0,
    num_predict: request.max_tokens ?? -1,
    ...(stop.length > 0 && { stop }),
  };
  for await (const value of connection.postStream(
    '//api/generate',
    { model: target.model, prompt, raw: true, stream: true, options },
    { ...call, format: 'lines' },
  )) {
    const done = value['done'] === true;
    const reason = value['done_reason'];
    yield {
      text: typeof value['response'] === 'string' ? value['response'] : '',
      ...(done && {
        finishReason: typeof reason === 'string' && reason !== '' ? reason : 'stop',
        usage: usageFrom({
          prompt_tokens: Number(value['prompt_eval_count'] ?? 0),
          completion_tokens: Number(value['eval_count'] ?? 0),
        }),
      }),
    };
  }
};
