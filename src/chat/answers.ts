import { AppError } from '../shared/errors.ts';
import { copiedNote, curlCommand, pythonProgram, type SignIn } from '../shared/httpCommand.ts';
import { l10n } from '../shared/l10n.ts';
import type { Asking } from './asking.ts';
import type { ChatPorts } from './chatPorts.ts';
import { requestOf } from './chatRequest.ts';
import type { ToolDefinition } from './chatTools.ts';
import { pathTo, shownChoice, visibleTurns, type Answer, type Choice, type Conversation } from './conversation.ts';
import { splitThoughts } from './conversationThoughts.ts';
import { editorModelOf } from './editorModel.ts';
import { namedFile, type AnswerCode } from './namedFile.ts';
import type { OpenConversations } from './openConversations.ts';
import { type ModelRequest, resultText } from './playground.ts';
import type { Recipient } from './recipient.ts';
import type { ToolCalls } from './toolCalls.ts';

/** What the answers on screen contain, and how they were requested. */
export class Answers {
  readonly #ports: Pick<ChatPorts, 'editor' | 'backend'>;
  readonly #conversations: OpenConversations;
  readonly #recipient: Recipient;
  readonly #asking: Pick<Asking, 'events' | 'requireTurn'>;
  readonly #toolCalls: Pick<ToolCalls, 'definitions'>;

  constructor(
    ports: Pick<ChatPorts, 'editor' | 'backend'>,
    conversations: OpenConversations,
    recipient: Recipient,
    asking: Pick<Asking, 'events' | 'requireTurn'>,
    toolCalls: Pick<ToolCalls, 'definitions'>,
  ) {
    [this.#ports, this.#conversations, this.#recipient] = [ports, conversations, recipient];
    [this.#asking, this.#toolCalls] = [asking, toolCalls];
  }

  /** Lets the user copy the request of an answer or view it with its response, or shows it at once. */
  async more(turnId: string, showsExchange = false): Promise<void> {
    const { store, turn } = this.#asking.requireTurn(turnId);
    if (turn.role !== 'assistant') throw new AppError('invalid', l10n.t('Only an answer has a request.'));
    const { editor, backend } = this.#ports;
    const { conversation } = store;
    if (showsExchange) return editor.showExchange(conversation.id, turn);
    const picked = await editor.pick(
      l10n.t('Answer of {0}', turn.endpoint),
      answerCopies(conversation, turn, this.#toolCalls.definitions),
    );
    if (!picked) return;
    if (!picked.copy) return editor.showExchange(conversation.id, turn);
    this.#recipient.requireProfile(store);
    const service = await backend.address();
    await editor.copy(picked.copy(service));
    editor.inform(copiedNote(service.signIn));
  }

  /** Returns the request and the response of an answer in any conversation, as JSON. */
  async exchangeText(conversationId: string, answerId: string): Promise<string> {
    const { conversation } = await this.#conversations.load(conversationId);
    const answer = conversation.turns.find(({ id }) => id === answerId);
    if (answer?.role !== 'assistant') return '';
    return exchangeText(conversation, answer, this.#toolCalls.definitions, this.#asking.events.of(answerId));
  }

  /** The text of the last answer that has one. */
  get last(): string | undefined {
    return this.#texts.findLast((text) => text !== '');
  }

  /** Returns code on screen with the file that its answer names for it. */
  code(text: string, language: string): AnswerCode {
    const path = namedFile(this.#texts, text);
    return path === undefined ? { text, language } : { text, language, path };
  }

  get #texts(): string[] {
    const { conversation } = this.#conversations.current ?? {};
    const turns = conversation ? visibleTurns(conversation) : [];
    return turns.map((turn) => {
      if (turn.role === 'user') return '';
      return conversation?.task
        ? resultText(conversation.task, turn)
        : splitThoughts(shownChoice(turn)?.text ?? '').text;
    });
  }
}

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
function exchangeText(
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
interface AnswerCopy {
  readonly label: string;
  readonly detail: string;
  /** Returns the text to copy; without this method, the exchange is shown. */
  copy?(service: { baseUrl: string; signIn: SignIn }): string;
}

function answerCopies(conversation: Conversation, answer: Answer, tools: readonly ToolDefinition[]): AnswerCopy[] {
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
