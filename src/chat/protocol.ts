import * as z from 'zod/mini';
import type { CodeColours } from './codeColours.ts';
import type { Conversation } from './conversation.ts';
import {
  type ConversationEvent,
  type Failure,
  type Parameters,
  parametersSchema,
  type SuggestionIcon,
  toolResultSchema,
  type PlaygroundTask,
} from './conversationEvent.ts';
import type { Draft } from './draft.ts';
import { fileParameters } from './parameterFile.ts';
import type { ParameterField } from './parameterForm.ts';

/**
 * Every message between the host and the chat view, in both directions. The host parses what it receives, the view looks whether it is
 * what it knows. The view asks and each request gets exactly one reply; the host pushes snapshots and numbered events, so that the
 * view can be killed at any time and drawn again.
 */

/** Ids become file names, so nothing else than these characters is an id. */
const id = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,100}$/));
/** Far above any prompt a model takes; a bound, so that a message cannot exhaust memory. */
const longText = z.string().check(z.maxLength(10_000_000));
const run = z.object({ profileId: z.string().check(z.maxLength(200)), runId: z.string().check(z.regex(/^\d{1,19}$/)) });
const nothing = z.optional(z.object({}));
const answerCode = z.object({ text: longText, language: z.string().check(z.maxLength(50)) });

/** What the view may ask for. A method that is not listed here does not exist. */
export const requestParams = {
  /** The whole state; sent when the view appears and when it missed an event. */
  ready: nothing,
  /** A message of the conversation that is on the page: another may have come into sight at that moment. */
  send: z.object({ id: z.optional(id), text: longText, toolResults: z.optional(z.array(toolResultSchema)) }),
  /** A new variant of a user's turn; the old one and everything below it is kept. */
  editAndResend: z.object({ turnId: id, text: longText }),
  /** A new variant of an answer. */
  regenerate: z.object({ turnId: id }),
  /** Another answer, of an endpoint that the user is asked for first. */
  askElsewhere: z.object({ turnId: id }),
  /** Shows a picker of the further actions on an answer. */
  moreOfAnswer: z.object({ turnId: id }),
  /** Takes up the offer of more room, or declines it; it is not made again. */
  takeRoom: z.object({ way: z.enum(['tab', 'sideBar', 'none']) }),
  signIn: nothing,
  stop: nothing,
  /** What is being typed, to be kept with its conversation. */
  changeDraft: z.object({
    id,
    /** When it was typed, by the host's clock. */
    atMs: z.optional(z.number()),
    text: z.optional(longText),
    edit: z.optional(z.nullable(z.object({ turnId: id, text: longText }))),
    toolResults: z.optional(
      z.nullable(z.object({ answerId: id, contents: z.array(longText).check(z.maxLength(100)) })),
    ),
  }),
  /** Sends the first message that waits, in place of what is being written. */
  sendQueued: nothing,
  /** Takes a message out of the queue: away, or back into the prompt. */
  takeBack: z.object({ id, edit: z.boolean() }),
  /** Goes on with the current profile's service in a conversation of another. */
  adoptProfile: nothing,
  /** Stops waiting and tries again now. */
  retryNow: nothing,
  selectVariant: z.object({ turnId: id }),
  selectChoice: z.object({ turnId: id, choice: z.number() }),
  /** The host lets the user choose, since the list may have to be asked for, and names that are not in it can be typed. */
  chooseEndpoint: nothing,
  refreshEndpoints: nothing,
  chooseProfile: nothing,
  /** The host lets the user choose the file. */
  parameterFromFile: z.object({ name: z.enum(fileParameters) }),
  setParameters: z.object({ parameters: parametersSchema }),
  openConversation: z.object({ id }),
  showHistory: nothing,
  openLink: z.object({ url: z.string().check(z.maxLength(10_000)) }),
  copy: z.object({ text: longText }),
  insertAtCursor: z.object({ text: longText }),
  /** Code of an answer as a new file, which is not written before the user saves it. */
  newFile: answerCode,
  /** Shows what the code of an answer changes in its file, and changes that if the user agrees. */
  applyCode: answerCode,
  /** What goes with the next message: what was dropped on the page, else what the host lets the user choose. */
  attachContext: z.optional(
    z.object({ uris: z.optional(z.array(z.string().check(z.maxLength(10_000))).check(z.maxLength(10_000))) }),
  ),
  removeAttachment: z.object({ index: z.number().check(z.int(), z.gte(0)) }),
  dismissNotice: nothing,
  /** Does what the calls of an answer ask for; those that change something only if that is allowed. */
  runTools: z.object({ turnId: id, isAllowed: z.boolean() }),
  /** Whether models may call the built-in functions. */
  offerTools: z.object({ isOn: z.boolean() }),
  openRun: run,
  /** Does what an empty view suggested under this title. */
  takeSuggestion: z.object({ title: z.string().check(z.maxLength(1000)) }),
} as const;

export type Method = keyof typeof requestParams;
export type ParamsOf<M extends Method> = z.infer<(typeof requestParams)[M]>;

export const methods = Object.keys(requestParams) as Method[];

/** What the view sends. The parameters are parsed by the method's own schema afterwards. */
export const requestSchema = z.object({
  type: z.literal('request'),
  id: z.number().check(z.int(), z.gte(0)),
  method: z.enum(methods as [Method, ...Method[]]),
  params: z.optional(z.unknown()),
});

export interface Endpoint {
  readonly name: string;
  /** Whose it is, and whether it is ready. */
  readonly server: string;
  /** Absent if it chats. */
  readonly task?: PlaygroundTask;
  readonly detail?: string;
}

/** Everything beside the conversation itself. Small, and always sent whole. */
export interface ViewState {
  /** Grows with every state: a reply may be overtaken by a push, and the older one of two is passed over. */
  readonly revision: number;
  readonly profile: { name: string; isProduction: boolean; isLocal: boolean };
  /** The profile that the conversation is held with, if that is not the current one. */
  readonly otherProfile?: string;
  readonly endpoints: { status: 'loading' | 'ready' | 'failed'; items: Endpoint[]; failure?: Failure };
  /** The endpoint the next turn goes to, if one is chosen or there is only one. */
  readonly endpoint?: string;
  /** What is shown is a playground of this task, and no conversation. */
  readonly task?: PlaygroundTask;
  readonly parameterFields: ParameterField[];
  /** Those of the conversation, or those that a new one will start with. */
  readonly parameters: Parameters;
  /** What goes with the next message; `size` in characters. */
  readonly attachments: { label: string; size: number }[];
  /** A message that is sent while an answer is written stops it, and does not wait. */
  readonly nextStops?: boolean;
  /** Messages that wait; the one that `isNext` is sent by itself when nothing is written any more. */
  readonly queue: { id: string; text: string; labels: string[]; isNext: boolean }[];
  readonly recent: { id: string; title: string; updatedAtMs: number; isWriting: boolean; isUnread: boolean }[];
  /** The built-in functions that models may call. */
  readonly tools: {
    names: string[];
    isOn: boolean;
    /** The endpoint has them in any case. */
    isFixed: boolean;
    isUnderWay: boolean;
    /** What calls of the last answer would change, which the user is asked about. */
    offer?: { answerId: string; changes: string[] };
  };
  /** At most four; `isDeed` is done, the others are asked. Those with an icon are of the present state. */
  readonly suggestions: { title: string; prompt: string; isDeed?: boolean; icon?: SuggestionIcon; deed?: string }[];
  /** The user has not been asked yet whether the chat should have more room. */
  readonly offersRoom: boolean;
  /** Something the user must know and that belongs to no single answer, such as a history that cannot be written. */
  readonly notice?: Failure;
  /** The answer that is being written waits for a service that is not well. */
  readonly wait?: { failure: Failure; attempt: number; waitUntilMs: number; giveUpAtMs: number };
}

export interface Snapshot {
  /** The number of the last event that the conversation contains. */
  readonly sequence: number;
  readonly conversation: Conversation | null;
  /** What was begun; `id` is the conversation's, also before it begins. */
  readonly draft: { id: string } & Pick<Draft, 'text' | 'edit' | 'toolResults' | 'atMs'>;
  /** What the host's clock says. */
  readonly nowMs: number;
  readonly view: ViewState;
}

export interface Reply {
  readonly type: 'reply';
  /** The request's id; null if the message was too broken to tell. */
  readonly id: number | null;
  readonly failure?: Failure;
  readonly snapshot?: Snapshot;
}

/** What the host sends. The view reads it without a library: `webview/hostMessage.ts`. */
export type HostMessage =
  | Reply
  | { type: 'snapshot'; snapshot: Snapshot }
  | { type: 'event'; conversationId: string; sequence: number; event: ConversationEvent }
  | { type: 'view'; view: ViewState }
  | { type: 'focusPrompt' }
  | { type: 'find' }
  | { type: 'codeColours'; colours: CodeColours }
  /** Puts text into the prompt for the user to look at; nothing is sent. */
  | { type: 'draft'; text: string };
