import { type ChoiceDelta, join } from '../api/schema/inference/answer.ts';
import type {
  AnswerEnd,
  AnswerLink,
  Attachment,
  ConversationEvent,
  Failure,
  Parameters,
  TokenLogprob,
  ToolChoices,
  ToolResult,
  Usage,
  PlaygroundTask,
} from './conversationEvent.ts';

export interface ToolCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Choice {
  readonly choice: number;
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls: ToolCall[];
  readonly logprobs: TokenLogprob[];
  readonly finishReason?: string;
}

export interface UserTurn {
  readonly role: 'user';
  readonly id: string;
  readonly parentId: string | null;
  readonly text: string;
  readonly attachments: Attachment[];
  readonly toolResults: ToolResult[];
  readonly createdAtMs: number;
}

export interface Answer {
  readonly role: 'assistant';
  readonly id: string;
  readonly parentId: string | null;
  readonly endpoint: string;
  /** How the answer was requested: parameters, and the built-in functions that were offered. */
  readonly parameters?: Parameters;
  readonly offersTools?: boolean | string[];
  /** Set if a look-up answers and not a model. */
  readonly isLookUp?: boolean;
  readonly links?: AnswerLink[];
  readonly model?: string;
  readonly status: 'streaming' | AnswerEnd;
  readonly choices: Choice[];
  readonly shownChoice: number;
  readonly usage?: Usage;
  readonly failure?: Failure;
  readonly createdAtMs: number;
  readonly firstAtMs?: number;
  readonly endedAtMs?: number;
}

export type Turn = UserTurn | Answer;

/**
 * A whole conversation, as the host holds it and as a snapshot for the view. `turns` is a tree in order of creation: turns with the same
 * parent are variants of each other, and `shown` names the one to follow below each parent ('' is the root). Nothing is ever removed, so an
 * edit keeps the branch it replaced.
 */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Absent in files from before this field existed. */
  readonly profile?: { id: string; name: string };
  readonly endpoint?: string;
  /** Set if the conversation is a playground of this task, in which each request is independent. */
  readonly task?: PlaygroundTask;
  readonly parameters: Parameters;
  readonly tools?: ToolChoices;
  readonly turns: Turn[];
  readonly shown: { parentId: string; childId: string }[];
}

export function emptyConversation(id: string, atMs: number): Conversation {
  return { id, title: '', createdAtMs: atMs, updatedAtMs: atMs, parameters: {}, turns: [], shown: [] };
}

/**
 * Returns the conversation after one event. Never throws and never changes its input: an event that does not fit (an unknown turn, a second
 * turn with the same id) leaves the conversation unchanged, since a damaged history file may lack a line.
 */
export function applyEvent(conversation: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case 'created':
      return {
        ...conversation,
        id: event.id,
        title: event.title,
        createdAtMs: event.atMs,
        updatedAtMs: event.atMs,
        ...(event.profile && { profile: event.profile }),
      };
    case 'renamed':
      return { ...conversation, title: event.title, updatedAtMs: event.atMs };
    case 'profileChosen': {
      const { endpoint: _endpoint, ...rest } = conversation;
      return { ...rest, profile: event.profile };
    }
    case 'endpointChosen': {
      const { task: _task, ...rest } = conversation;
      return { ...rest, endpoint: event.endpoint, ...(event.task && { task: event.task }) };
    }
    case 'parametersChanged':
      return { ...conversation, parameters: event.parameters };
    case 'toolsChosen':
      return { ...conversation, tools: event.tools };
    case 'userAdded': {
      const { id, parentId, text, attachments = [], toolResults = [], atMs } = event;
      return addTurn(conversation, { role: 'user', id, parentId, text, attachments, toolResults, createdAtMs: atMs });
    }
    case 'answerStarted': {
      const { id, parentId, endpoint, parameters, offersTools, isLookUp, atMs } = event;
      const added = addTurn(conversation, {
        role: 'assistant',
        id,
        parentId,
        endpoint,
        ...(parameters && { parameters }),
        ...(offersTools !== undefined && { offersTools }),
        ...(isLookUp && { isLookUp }),
        status: 'streaming',
        choices: [],
        shownChoice: 0,
        createdAtMs: atMs,
      });
      // A command does not change the endpoint that the next question goes to.
      return added === conversation || isLookUp ? added : { ...added, endpoint };
    }
    case 'answerDelta':
      return changeAnswer(conversation, event.id, (answer) => ({
        ...answer,
        ...(answer.firstAtMs === undefined && event.atMs !== undefined && { firstAtMs: event.atMs }),
        model: event.model ?? answer.model,
        usage: event.usage ?? answer.usage,
        choices: join({ choices: answer.choices }, event)
          .choices.map(settled)
          .sort((left, right) => left.choice - right.choice),
      }));
    case 'linksAdded':
      return changeAnswer(conversation, event.id, (answer) => ({ ...answer, links: event.links }));
    case 'answerEnded': {
      const ended = changeAnswer(conversation, event.id, (answer) => ({
        ...answer,
        status: event.status,
        failure: event.failure,
        endedAtMs: event.atMs,
      }));
      return ended === conversation ? conversation : { ...ended, updatedAtMs: event.atMs };
    }
    case 'variantSelected': {
      const turn = conversation.turns.find((candidate) => candidate.id === event.id);
      return turn ? { ...conversation, shown: showChild(conversation.shown, turn) } : conversation;
    }
    case 'choiceSelected':
      return changeAnswer(conversation, event.id, (answer) =>
        answer.choices.some((choice) => choice.choice === event.choice)
          ? { ...answer, shownChoice: event.choice }
          : answer,
      );
  }
}

function addTurn(conversation: Conversation, turn: Turn): Conversation {
  const known = new Set(conversation.turns.map((existing) => existing.id));
  if (known.has(turn.id) || (turn.parentId !== null && !known.has(turn.parentId))) return conversation;
  return {
    ...conversation,
    updatedAtMs: turn.createdAtMs,
    turns: [...conversation.turns, turn],
    shown: showChild(conversation.shown, turn),
  };
}

function showChild(shown: Conversation['shown'], turn: Turn): Conversation['shown'] {
  const parentId = turn.parentId ?? '';
  return [...shown.filter((entry) => entry.parentId !== parentId), { parentId, childId: turn.id }];
}

function changeAnswer(conversation: Conversation, id: string, change: (answer: Answer) => Answer): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.id === id);
  const turn = conversation.turns[index];
  if (turn?.role !== 'assistant') return conversation;
  return { ...conversation, turns: conversation.turns.with(index, change(turn)) };
}

/** Returns a choice as it is stored, without empty fields. */
function settled({ choice, text = '', reasoning, toolCalls = [], logprobs = [], finishReason }: ChoiceDelta): Choice {
  const calls = toolCalls.map(({ index, id = '', name = '', arguments: given = '' }) => ({
    index,
    id,
    name,
    arguments: given,
  }));
  return { choice, text, ...(reasoning !== undefined && { reasoning }), toolCalls: calls, logprobs, finishReason };
}

/** Returns whether the last message on screen consists of the results of tool calls, which the user need not have sent. */
export function isRoundOfCalls(conversation: Conversation): boolean {
  const last = visibleTurns(conversation).findLast((turn) => turn.role === 'user');
  return last?.role === 'user' && last.toolResults.length > 0;
}

/** Returns the turns on screen in order: below each parent, the shown variant, or the newest if none is marked. */
export function visibleTurns(conversation: Conversation): Turn[] {
  const children = childrenByParent(conversation);
  const shown = new Map(conversation.shown.map((entry) => [entry.parentId, entry.childId]));
  const path: Turn[] = [];
  let parentId = '';
  for (;;) {
    const variants = children.get(parentId);
    if (!variants) return path;
    const turn = variants.find((variant) => variant.id === shown.get(parentId)) ?? variants.at(-1);
    if (!turn) return path;
    path.push(turn);
    parentId = turn.id;
  }
}

/** Returns the turn and its alternatives below the same parent, oldest first. */
export function variantsOf(conversation: Conversation, turn: Turn): Turn[] {
  return conversation.turns.filter((candidate) => candidate.parentId === turn.parentId);
}

/** Returns the turns from the first one to the turn `id`, whichever variants are on screen. Empty for an unknown id. */
export function pathTo(conversation: Conversation, id: string | null): Turn[] {
  const byId = new Map(conversation.turns.map((turn) => [turn.id, turn]));
  const path: Turn[] = [];
  for (
    let turn = id === null ? undefined : byId.get(id);
    turn;
    turn = turn.parentId === null ? undefined : byId.get(turn.parentId)
  ) {
    path.unshift(turn);
  }
  return path;
}

/** Returns the id that a call's result refers to: the call's own, or a generated one if the model sent none. */
export function toolCallId(answer: Answer, call: ToolCall): string {
  return call.id || `call_${answer.id}_${call.index}`;
}

/** Returns the choice of an answer that is on screen and from which the conversation continues. */
export function shownChoice(answer: Answer): Choice | undefined {
  return answer.choices.find((choice) => choice.choice === answer.shownChoice) ?? answer.choices[0];
}

/** Returns the answer being written, wherever in the tree it is. */
export function streamingAnswer(conversation: Conversation): Answer | undefined {
  return conversation.turns.find((turn): turn is Answer => turn.role === 'assistant' && turn.status === 'streaming');
}

/** Returns the total usage of all answers that reported any, including other branches, and the number of these answers. */
export function totalUsage({ turns }: Conversation): { usage: Usage; count: number } {
  const usages = turns.flatMap((turn) => (turn.role === 'assistant' && turn.usage ? [turn.usage] : []));
  const sum = (field: keyof Usage): number => usages.reduce((total, usage) => total + (usage[field] ?? 0), 0);
  return {
    usage: {
      prompt_tokens: sum('prompt_tokens'),
      completion_tokens: sum('completion_tokens'),
      total_tokens: sum('total_tokens'),
    },
    count: usages.length,
  };
}

function childrenByParent(conversation: Conversation): Map<string, Turn[]> {
  const children = new Map<string, Turn[]>();
  for (const turn of conversation.turns) {
    const parentId = turn.parentId ?? '';
    const siblings = children.get(parentId);
    if (siblings) siblings.push(turn);
    else children.set(parentId, [turn]);
  }
  return children;
}

const maxTitleLength = 60;

/** Returns the title of a conversation that begins with this text. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1).trimEnd()}…` : line;
}
