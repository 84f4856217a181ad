import type { RetryWait } from '../api/client/index.ts';
import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import type { Clock } from '../shared/clock.ts';
import type { Event } from '../shared/event.ts';
import type { SignIn } from '../shared/httpCommand.ts';
import type { Logger } from '../shared/log.ts';
import type { ChatTools, Suggestion } from './chatTools.ts';
import type { Attachment, Failure, Parameters, PlaygroundTask } from './conversationEvent.ts';
import type { Drafts } from './drafts.ts';
import type { History } from './history.ts';
import type { ModelRequest } from './modelRequest.ts';
import type { AnswerCode } from './namedFile.ts';
import type { JsonFile } from './parameterFile.ts';
import type { ParameterField } from './parameterForm.ts';
import type { Endpoint } from './protocol.ts';

/** The service that answers, behind the current profile. */
export interface ChatBackend {
  readonly profile: { id: string; name: string; isProduction: boolean; isLocal: boolean };
  readonly onDidChangeProfile: Event<void>;
  /** Where the current service is, started if need be, and how it is signed in to; never with the secret. */
  address(): Promise<{ baseUrl: string; signIn: SignIn }>;
  /** What the profile itself names, known without asking the service. */
  readonly knownEndpoints: readonly Endpoint[];
  /**
   * Endpoints of every task; rejects if they cannot be listed. Without `start` a service that does not run stays so, and the list is
   * what is known without it.
   */
  listEndpoints(options: { signal: AbortSignal; start: boolean }): Promise<EndpointList>;
  /**
   * The chunks of a streamed answer, or the only one if the request says `stream: false`; completions and vectors come as
   * those of a chat, each as a choice. `onRetry` is told of every wait for a service that is not well; the answer shows it.
   */
  chat(
    endpoint: string,
    request: ModelRequest,
    options: { signal: AbortSignal; onRetry: (wait: RetryWait) => void; onEvent?: (data: () => string) => void },
  ): Promise<AsyncIterable<ChatChunk>>;
}

/** The endpoint and the task of a request. */
export type ChosenEndpoint = Pick<Endpoint, 'name' | 'task'>;

export interface EndpointList {
  readonly items: readonly Endpoint[];
  /** False if the service was not asked. */
  readonly isWhole: boolean;
}

/** What the chat asks of the editor. */
export interface ChatEditor {
  /** Opens an http or https address after the editor's own question. */
  openExternal(url: string): Promise<void>;
  copy(text: string): Promise<void>;
  insertAtCursor(text: string): Promise<void>;
  /** Opens code as an unsaved file, under the name that the answer gives if no file has it. */
  newFile(code: AnswerCode): Promise<void>;
  applyCode(code: AnswerCode): Promise<void>;
  /** The selection of the active editor, or its whole text if nothing is selected. */
  selection(): Promise<Attachment | undefined>;
  /** What the selection would be attached as; undefined if nothing is selected. */
  readonly selected: string | undefined;
  /** Asks for one of the endpoints, or for the name of another. */
  pickEndpoint(
    items: Promise<readonly Endpoint[]>,
    current: ChosenEndpoint | undefined,
  ): Promise<ChosenEndpoint | undefined>;
  /** Asks what is to go with the next message: a selection, a file, problems. */
  pickContext(dropped?: readonly string[]): Promise<readonly Attachment[]>;
  /** Lets the user choose one of several things to do. */
  pick<T extends { label: string; detail: string }>(title: string, items: readonly T[]): Promise<T | undefined>;
  /** As `pick`, several at a time; all are chosen at first. */
  pickSeveral<T extends { label: string; detail: string }>(
    title: string,
    items: readonly T[],
  ): Promise<T[] | undefined>;
  /** Asks for a JSON file of the workspace, or of anywhere else. */
  pickJsonFile(title: string): Promise<JsonFile | undefined>;
  inform(text: string): void;
  /** Opens the request and the response of an answer; nothing of it can be changed. */
  showExchange(conversationId: string, answer: { id: string; endpoint: string }): Promise<void>;
  signIn(): Promise<void>;
  showHistory(): Promise<void>;
  chooseProfile(): Promise<void>;
  /** The conversation that this window showed last. */
  recallConversation(): string | undefined;
  rememberConversation(id: string | undefined): Promise<void>;
}

export interface ChatPorts {
  readonly backend: ChatBackend;
  readonly editor: ChatEditor;
  readonly history: History;
  readonly drafts: Drafts;
  /** What happens to a message that is sent while an answer is written: it waits, or the answer is stopped. */
  whileAnswering(): 'queue' | 'stop';
  readonly clock: Clock;
  readonly log: Logger;
  newId(): string;
  /** The form of a request; without a task of a chat's. */
  parameterFields(task?: PlaygroundTask): readonly ParameterField[];
  /** What is wrong with the parameters by the request's own schema, or undefined. */
  checkParameters(parameters: Parameters, task?: PlaygroundTask): Failure | undefined;
  readonly suggestions: readonly Suggestion[];
  /** More room than half of a side bar: offered until something is chosen. */
  readonly room: { readonly isOffered: boolean; take(way: 'tab' | 'sideBar' | 'none'): Promise<void> };
  /** What models may call. */
  readonly tools: ChatTools;
  /** Whether other models than the guide may call them. */
  offersTools(): boolean;
  setOffersTools(isOn: boolean): Promise<void>;
}
