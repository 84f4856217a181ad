import { curlCommand, pythonProgram, type SignIn } from '../shared/httpCommand.ts';
import { l10n } from '../shared/l10n.ts';
import { requestOf } from './chatRequest.ts';
import type { ToolDefinition } from './chatTools.ts';
import { pathTo, type Answer, type Choice, type Conversation } from './conversation.ts';
import { editorModelOf } from './editorModel.ts';
import type { ModelRequest } from './playground.ts';

/** Returns the request of an answer as it was sent, without credentials. */
function bodyOf(
  conversation: Conversation,
  { parentId, parameters, offersTools }: Answer,
  tools: readonly ToolDefinition[],
): ModelRequest['body'] {
  return requestOf(
    conversation.task,
    pathTo(conversation, parentId),
    parameters ?? conversation.parameters,
    tools.filter(({ function: { name } }) => (Array.isArray(offersTools) ? offersTools.includes(name) : offersTools)),
  ).body;
}

/** Returns an answer's request and response as JSON, with the streamed parts merged into one response. */
export function exchangeText(
  conversation: Conversation,
  answer: Answer,
  tools: readonly ToolDefinition[],
  stream?: { events: readonly string[] },
): string {
  const { endpoint, model, choices, usage, status, failure, createdAtMs, firstAtMs, endedAtMs } = answer;
  const after = (atMs: number | undefined): number | undefined => (atMs === undefined ? undefined : atMs - createdAtMs);
  const exchange = {
    request: { ...(!editorModelOf(endpoint) && { post: pathOf(endpoint) }), body: bodyOf(conversation, answer, tools) },
    response: { model, ...resultsOf(conversation.task, choices), usage },
    status,
    failure,
    sent_at: new Date(createdAtMs).toISOString(),
    first_token_ms: after(firstAtMs),
    ended_ms: after(endedAtMs),
    // Raw events as received, available only for the latest answers.
    stream,
  };
  return `${JSON.stringify(exchange, undefined, 2)}\n`;
}

function resultsOf(task: Conversation['task'], choices: readonly Choice[]): Record<string, unknown> {
  if (task === 'embedding')
    return {
      data: choices.map(({ choice, text }) => ({
        object: 'embedding',
        index: choice,
        embedding: JSON.parse(text) as unknown,
      })),
    };
  if (task === 'completion')
    return {
      choices: choices.map(({ choice, text, finishReason }) => ({
        index: choice,
        text,
        finish_reason: finishReason ?? null,
      })),
    };
  return { choices: choices.map(choiceOf) };
}

function choiceOf({ choice, text, reasoning, toolCalls, logprobs, finishReason }: Choice): Record<string, unknown> {
  return {
    index: choice,
    message: {
      role: 'assistant',
      content: text,
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(toolCalls.length > 0 && {
        tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: given },
        })),
      }),
    },
    ...(logprobs.length > 0 && { logprobs }),
    finish_reason: finishReason ?? null,
  };
}

/** Returns the path for requests to an endpoint, below the service's URL. */
function pathOf(endpoint: string): string {
  return `/serving-endpoints/${encodeURIComponent(endpoint)}/invocations`;
}

/** Something of an answer, besides its text, that can be copied or opened. */
export interface AnswerCopy {
  readonly label: string;
  readonly detail: string;
  /** Returns the text to copy; without this method, the exchange is shown. */
  copy?(service: { baseUrl: string; signIn: SignIn }): string;
}

export function answerCopies(
  conversation: Conversation,
  answer: Answer,
  tools: readonly ToolDefinition[],
): AnswerCopy[] {
  const url = (baseUrl: string): string => baseUrl + pathOf(answer.endpoint);
  const body = bodyOf(conversation, answer, tools);
  const show = {
    label: l10n.t('Show Request and Response'),
    detail: l10n.t('As JSON, read-only, without the sign-in'),
  };
  // The editor's models have no address.
  if (editorModelOf(answer.endpoint)) return [show];
  return [
    show,
    {
      label: l10n.t('Copy Request as curl'),
      detail: l10n.t('For a POSIX shell. The sign-in comes from a variable'),
      copy: ({ baseUrl, signIn }) => curlCommand({ url: url(baseUrl), signIn, body }),
    },
    {
      label: l10n.t('Copy Request as Python'),
      detail: l10n.t('For Python 3 without packages. The sign-in comes from a variable'),
      copy: ({ baseUrl, signIn }) =>
        pythonProgram({
          url: url(baseUrl),
          signIn,
          body: conversation.task === 'embedding' ? body : { ...body, stream: false },
        }),
    },
  ];
}
