import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../api/schema/inference/schemas.ts';
import type { Answer, Turn, UserTurn } from './conversation.ts';
import type { Parameters, PlaygroundTask } from './conversationEvent.ts';

/** Request to an endpoint by task; without a task, a chat request. */
export type ModelRequest =
  | { readonly task?: undefined; readonly body: ChatRequest }
  | { readonly task: 'completion'; readonly body: CompletionRequest }
  | { readonly task: 'embedding'; readonly body: EmbeddingRequest };

/**
 * Names of the parameters that say whether each line is a separate input. They are not sent. Texts to embed are separate by default and
 * prompts are not, so each task has its own.
 */
export const linesParameters = { completion: 'each_line', embedding: 'whole_text' } as const;

/** Returns whether each line is a separate input. */
export function isByLine(task: PlaygroundTask | undefined, parameters: Parameters): boolean {
  return task !== undefined && (parameters[linesParameters[task]] === true) === (task === 'completion');
}

/** Returns the parameters with which each line is a separate input, or not. */
export function withEachLine(task: PlaygroundTask, parameters: Parameters, isOn: boolean): Parameters {
  const { [linesParameters[task]]: _before, ...rest } = parameters;
  return isOn === (task === 'completion') ? { ...rest, [linesParameters[task]]: true } : rest;
}

/** Returns the prompts or texts of a request: the typed text or each line of it, with its attachments. */
export function inputsOf(
  { text, attachments }: UserTurn,
  task: PlaygroundTask | undefined,
  parameters: Parameters,
): string[] {
  const attached = attachments.map((attachment) => attachment.text);
  if (!isByLine(task, parameters)) return [[...attached, text].filter((part) => part !== '').join('\n\n')];
  return [...attached, ...text.split(/\r?\n/)].filter((part) => part.trim() !== '');
}

/**
 * Returns a completion or embedding request (Inference API, Completion request and Embedding request) for the last turn. Several
 * completions of one prompt are not streamed: `index` identifies the prompt, but nothing identifies the completion that a chunk belongs to.
 */
export function playgroundRequest(task: PlaygroundTask, turns: readonly Turn[], parameters: Parameters): ModelRequest {
  const turn = turns.findLast((candidate): candidate is UserTurn => candidate.role === 'user');
  const inputs = turn ? inputsOf(turn, task, parameters) : [];
  const input = isByLine(task, parameters) ? inputs : (inputs[0] ?? '');
  const { [linesParameters[task]]: _lines, ...rest } = parameters;
  if (task === 'embedding') return { task, body: { input, ...rest } };
  const stream = completionCount(parameters) > 1 ? { stream: false } : {};
  return { task, body: { prompt: input, stream: true, ...rest, ...stream } };
}

/** Returns the number of completions for each prompt. */
export function completionCount(parameters: Parameters = {}): number {
  const { n } = parameters;
  return typeof n === 'number' && n > 1 ? n : 1;
}

/** Returns the whole answer as one text: its completions one after the other, or its vectors as JSON. */
export function resultText(task: PlaygroundTask, { choices }: Answer): string {
  const texts = choices.map(({ text }) => text);
  return task === 'embedding' ? `[${texts.join(',\n')}]` : texts.join('\n\n');
}

/** Returns the parameters that a request with these fields accepts. */
export function acceptedParameters(parameters: Parameters, fields: readonly { name: string }[]): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => fields.some((field) => field.name === name)));
}
