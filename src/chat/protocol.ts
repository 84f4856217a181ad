import * as z from 'zod/mini';
import type { CodeColours } from './codeColours.ts';
import type { Conversation } from './conversation.ts';
import {
  type CommandCompletion,
  type ConversationEvent,
  type Failure,
  type Parameters,
  parametersSchema,
  type SuggestionIcon,
  taskSchema,
  toolResultSchema,
  type PlaygroundTask,
} from './conversationEvent.ts';
import type { Draft } from './draft.ts';
import { fileParameters } from './parameterFile.ts';
import type { ParameterField } from './parameterForm.ts';

/**
 * All messages between the host and the chat view, in both directions. The host parses what it receives; the view checks whether it knows
 * the message. Each request of the view gets exactly one reply. The host pushes snapshots and numbered events, so that the view can be
 * killed and redrawn at any time.
 */

/** Ids become file names, so only these characters are allowed. */
const id = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,100}$/));
/** Maximum text length, far above any prompt that a model accepts, so that a message cannot exhaust memory. */
const longText = z.string().check(z.maxLength(10_000_000));
const run = z.object({ profileId: z.string().check(z.maxLength(200)), runId: z.string().check(z.regex(/^\d{1,19}$/)) });
const nothing = z.optional(z.object({}));
const answerCode = z.object({ text: longText, language: z.string().check(z.maxLength(50)) });

/** The endpoint on screen when the user sends a message, and the name of its profile. */
const seenSchema = z.object({ profile: z.string(), endpoint: z.string(), task: z.optional(taskSchema) });
export type SeenEndpoint = z.infer<typeof seenSchema>;

/** Requests that the view may send. A method that is not listed here does not exist. */
export const requestParams = {
  /** Requests the whole state, when the view appears or has missed an event. */
  ready: nothing,
  /** Sends a message to the conversation shown in the view, since the host may have just switched to another. */
  send: z.object({
    id: z.optional(id),
    text: longText,
    toolResults: z.optional(z.array(toolResultSchema)),
    seen: z.optional(seenSchema),
  }),
  /** Creates a new variant of a user's turn; the old one and everything below it is kept. */
  editAndResend: z.object({ turnId: id, text: longText }),
  /** Creates a new variant of an answer. */
  regenerate: z.object({ turnId: id }),
  /** Requests another answer from an endpoint that the user picks first. */
  askElsewhere: z.object({ turnId: id }),
  /** Shows a picker of further actions on an answer. */
  moreOfAnswer: z.object({ turnId: id, showsExchange: z.optional(z.boolean()) }),
  /** Accepts or declines the offer of more room, which is then not made again. */
  takeRoom: z.object({ way: z.enum(['tab', 'sideBar', 'none']) }),
  signIn: nothing,
  /** Replaces the API key of an answer's model server, then asks again. */
  setKey: z.object({ turnId: id }),
  stop: nothing,
  /** Stores the text being typed with its conversation. */
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
  /** Sends the first queued message and stops the answer being written. */
  sendQueued: nothing,
  /** Removes a message from the queue, or moves it back into the prompt. */
  takeBack: z.object({ id, edit: z.boolean() }),
  /** Continues a conversation of another profile with the current profile's service. */
  adoptProfile: nothing,
  /** Ends the wait and tries again now. */
  retryNow: nothing,
  selectVariant: z.object({ turnId: id }),
  selectChoice: z.object({ turnId: id, choice: z.number() }),
  /** The host shows the picker, since the list may have to be fetched, and other names can be typed. */
  chooseEndpoint: nothing,
  refreshEndpoints: nothing,
  chooseProfile: nothing,
  /** The host lets the user pick the file. */
  parameterFromFile: z.object({ name: z.enum(fileParameters) }),
  setParameters: z.object({ parameters: parametersSchema }),
  /** The host lets the user choose or save parameters under a name. */
  choosePreset: nothing,
  openConversation: z.object({ id }),
  showHistory: nothing,
  openLink: z.object({ url: z.string().check(z.maxLength(10_000)) }),
  copy: z.object({ text: longText }),
  insertAtCursor: z.object({ text: longText }),
  /** Opens code from an answer as a new file, which is not written until the user saves it. */
  newFile: answerCode,
  /** Shows how an answer's code would change its file, and applies the change if the user agrees. */
  applyCode: answerCode,
  /** Attaches files or what has this name after a `#`, or lets the user choose in the host. */
  attachContext: z.optional(
    z.object({
      uris: z.optional(z.array(z.string().check(z.maxLength(10_000))).check(z.maxLength(10_000))),
      named: z.optional(z.string().check(z.maxLength(1000))),
    }),
  ),
  removeAttachment: z.object({ index: z.number().check(z.int(), z.gte(0)) }),
  dismissNotice: nothing,
  /** Runs the calls of an answer; those that change something only if that is allowed. */
  runTools: z.object({ turnId: id, isAllowed: z.boolean() }),
  /** The host lets the user choose the functions that the endpoint may call in this conversation. */
  chooseTools: nothing,
  openRun: run,
  /** Opens a section of the manual. */
  openSection: z.object({ section: z.string().check(z.maxLength(1000)) }),
  /** Requests completions of the command that the prompt begins with, or of a word that begins with `#`. */
  complete: z.object({ text: z.string().check(z.maxLength(1000)) }),
  /** Runs the action that an empty view suggested under this title. */
  takeSuggestion: z.object({ title: z.string().check(z.maxLength(1000)) }),
} as const;

export type Method = keyof typeof requestParams;
export type ParamsOf<M extends Method> = z.infer<(typeof requestParams)[M]>;

export const methods = Object.keys(requestParams) as Method[];

/** A message from the view. Its parameters are then parsed by the method's own schema. */
export const requestSchema = z.object({
  type: z.literal('request'),
  id: z.number().check(z.int(), z.gte(0)),
  method: z.enum(methods as [Method, ...Method[]]),
  params: z.optional(z.unknown()),
});

export interface Endpoint {
  readonly name: string;
  /** The owner of the endpoint, and whether it is ready. */
  readonly server: string;
  /** Absent for a chat. */
  readonly task?: PlaygroundTask;
  readonly detail?: string;
  /** Maximum tokens of a request and its answer, if the server tells it. */
  readonly contextLength?: number;
}

/** Everything except the conversation itself. Small, and always sent as a whole. */
export interface ViewState {
  /** Increases with every state: a push may overtake a reply, and the older of the two is ignored. */
  readonly revision: number;
  readonly profile: { name: string; isProduction: boolean; isLocal: boolean };
  /** Profile of the conversation, if it is not the current one. */
  readonly otherProfile?: string;
  readonly endpoints: { status: 'loading' | 'ready' | 'failed'; items: Endpoint[]; failure?: Failure };
  /** Endpoint of the next turn, if one is chosen or only one exists. */
  readonly endpoint?: string;
  /** Whether look-ups answer and not a model. */
  readonly isLookUp?: boolean;
  /** Set if the view shows a playground of this task instead of a chat. */
  readonly task?: PlaygroundTask;
  readonly parameterFields: ParameterField[];
  /** Parameters of the conversation, or of a new one. */
  readonly parameters: Parameters;
  /** Attachments of the next message; `size` in characters. */
  readonly attachments: { label: string; size: number }[];
  /** Whether a message sent while an answer is being written stops the answer instead of being queued. */
  readonly nextStops?: boolean;
  /** Queued messages; the one with `isNext` is sent automatically once no answer is being written. */
  readonly queue: { id: string; text: string; labels: string[]; isNext: boolean }[];
  readonly recent: { id: string; title: string; updatedAtMs: number; isWriting: boolean; isUnread: boolean }[];
  /** Built-in functions: the number of all, and the names of those that the endpoint may call in this conversation. */
  readonly tools: {
    count: number;
    names: string[];
    isUnderWay: boolean;
    /** What the last answer's calls would change or read, for the user to confirm. */
    offer?: { answerId: string; changes: string[] };
  };
  /** At most four; those with `isDeed` run an action, the others send a question. Those with an icon refer to the present state. */
  readonly suggestions: { title: string; prompt: string; isDeed?: boolean; icon?: SuggestionIcon; deed?: string }[];
  /** Whether to offer the user more room for the chat; the offer is made once. */
  readonly offersRoom: boolean;
  /** A message that belongs to no single answer, such as a history that cannot be written. */
  readonly notice?: Failure;
  /** Set while the answer waits for an unhealthy service. */
  readonly wait?: { failure: Failure; attempt: number; waitUntilMs: number; giveUpAtMs: number };
}

export interface Snapshot {
  /** Number of the last event that the conversation contains. */
  readonly sequence: number;
  readonly conversation: Conversation | null;
  /** The draft; `id` is the conversation's id, even before it begins. */
  readonly draft: { id: string } & Pick<Draft, 'text' | 'edit' | 'toolResults' | 'atMs'>;
  /** Time of the host's clock. */
  readonly nowMs: number;
  readonly view: ViewState;
}

export interface Reply {
  readonly type: 'reply';
  /** Id of the request; null if the message was too damaged to contain one. */
  readonly id: number | null;
  readonly failure?: Failure;
  readonly snapshot?: Snapshot;
  readonly completions?: readonly CommandCompletion[];
}

/** Messages from the host. The view reads them without a library: `webview/hostMessage.ts`. */
export type HostMessage =
  | Reply
  | { type: 'snapshot'; snapshot: Snapshot }
  | { type: 'event'; conversationId: string; sequence: number; event: ConversationEvent }
  | { type: 'view'; view: ViewState }
  | { type: 'focusPrompt' }
  | { type: 'find' }
  | { type: 'codeColours'; colours: CodeColours }
  /** Inserts text into the prompt for review; nothing is sent. */
  | { type: 'draft'; text: string };
