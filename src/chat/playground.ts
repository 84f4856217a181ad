import type { Answer, Turn, UserTurn } from './conversation.ts';
import type { Parameters, PlaygroundTask } from './conversationEvent.ts';
import type { ModelRequest } from './modelRequest.ts';

/** The name under which it is kept among the parameters that each line is an input of its own. It is not sent. */
export const eachLineParameter = 'each_line';

/** The parameters with that turned on or off. */
export function withEachLine(parameters: Parameters, isOn: boolean): Parameters {
  const { [eachLineParameter]: _before, ...rest } = parameters;
  return isOn ? { ...rest, [eachLineParameter]: true } : rest;
}

/** The prompts or texts of a request: what was typed, or each line of it, and what was attached to it. */
export function inputsOf({ text, attachments }: UserTurn, parameters: Parameters): string[] {
  const attached = attachments.map((attachment) => attachment.text);
  if (parameters[eachLineParameter] !== true) return [[...attached, text].filter((part) => part !== '').join('\n\n')];
  return [...attached, ...text.split(/\r?\n/)].filter((part) => part.trim() !== '');
}

/**
 * A completion or embedding request (Inference API, Completion request and Embedding request) for the last turn. Several completions of
 * a prompt are not streamed: an `index` names the prompt, and nothing says which of its completions a piece belongs to.
 */
export function playgroundRequest(task: PlaygroundTask, turns: readonly Turn[], parameters: Parameters): ModelRequest {
  const turn = turns.findLast((candidate): candidate is UserTurn => candidate.role === 'user');
  const inputs = turn ? inputsOf(turn, parameters) : [];
  const input = parameters[eachLineParameter] === true ? inputs : (inputs[0] ?? '');
  const { [eachLineParameter]: _eachLine, ...rest } = parameters;
  if (task === 'embedding') return { task, body: { input, ...rest } };
  const stream = completionCount(parameters) > 1 ? { stream: false } : {};
  return { task, body: { prompt: input, stream: true, ...rest, ...stream } };
}

/** How many completions each prompt has. */
export function completionCount(parameters: Parameters = {}): number {
  const { n } = parameters;
  return typeof n === 'number' && n > 1 ? n : 1;
}

/** All that an answer holds as one text: its completions one after the other, or its vectors as JSON. */
export function resultText(task: PlaygroundTask, { choices }: Answer): string {
  const texts = choices.map(({ text }) => text);
  return task === 'embedding' ? `[${texts.join(',\n')}]` : texts.join('\n\n');
}

/** Those of the parameters that a request of some fields takes. */
export function acceptedParameters(parameters: Parameters, fields: readonly { name: string }[]): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => fields.some((field) => field.name === name)));
}
