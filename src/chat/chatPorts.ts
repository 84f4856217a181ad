import type { RetryWait } from '../api/client/index.ts';
import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import type { Clock } from '../shared/clock.ts';
import type { Event } from '../shared/event.ts';
import type { SignIn } from '../shared/httpCommand.ts';
import type { Logger } from '../shared/log.ts';
import type { ChatLookUps, ChatTools, Suggestion } from './chatTools.ts';
import type { Attachment, CommandCompletion, Failure, Parameters, PlaygroundTask } from './conversationEvent.ts';
import type { Drafts } from './drafts.ts';
import type { EditorModels } from './editorModel.ts';
import type { History } from './history.ts';
import type { AnswerCode } from './namedFile.ts';
import type { TextFile } from './parameterFile.ts';
import type { ParameterField } from './parameterForm.ts';
import type { ModelRequest } from './playground.ts';
import type { Endpoint } from './protocol.ts';

/** The service of the current profile. */
export interface ChatBackend {
  readonly profile: { id: string; name: string; isProduction: boolean; isLocal: boolean };
  readonly onDidChangeProfile: Event<void>;
  /** Returns the current service's URL and kind of sign-in, never the secret. Starts the service if necessary. */
  address(): Promise<{ baseUrl: string; signIn: SignIn }>;
  /** Endpoints named in the profile itself, known without a request. */
  readonly knownEndpoints: readonly Endpoint[];
  /**
   * Returns the endpoints of every task; rejects if they cannot be listed. Without `start`, a stopped service is not started, and the list
   * contains only what is known without it.
   */
  listEndpoints(options: { signal: AbortSignal; start: boolean }): Promise<EndpointList>;
  /**
   * Returns the chunks of a streamed answer, or its only chunk if the request has `stream: false`. Completions and vectors are converted to
   * chat chunks, each as a choice. `onRetry` is called for every wait for an unhealthy service; the answer shows the wait.
   */
  chat(
    endpoint: string,
    request: ModelRequest,
    options: { signal: AbortSignal; onRetry: (wait: RetryWait) => void; onEvent?: (data: () => string) => void },
  ): Promise<AsyncIterable<ChatChunk>>;
}

/** Endpoint and task of a request. */
export type ChosenEndpoint = Pick<Endpoint, 'name' | 'task'>;

export interface EndpointList {
  readonly items: readonly Endpoint[];
  /** Whether the list is complete; false if the service was not queried. */
  readonly isWhole: boolean;
}

/** Editor functions that the chat needs. */
export interface ChatEditor {
  /** Opens an http or https URL after the editor's own confirmation. */
  openExternal(url: string): Promise<void>;
  copy(text: string): Promise<void>;
  insertAtCursor(text: string): Promise<void>;
  /** Opens code as an unsaved file, under the name given in the answer if no such file exists. */
  newFile(code: AnswerCode): Promise<void>;
  applyCode(code: AnswerCode): Promise<void>;
  /** Returns the selection of the active editor, or its whole text if nothing is selected. */
  selection(): Promise<Attachment | undefined>;
  /** Label of the selection as an attachment; `undefined` if nothing is selected. */
  readonly selected: string | undefined;
  /** Lets the user pick an endpoint or enter the name of another; with `canAdd`, also add a model. */
  pickEndpoint(
    items: Promise<readonly Endpoint[]>,
    current: ChosenEndpoint | undefined,
    canAdd: boolean,
  ): Promise<ChosenEndpoint | 'addModel' | undefined>;
  /** Lets the user add a model to the local service. @returns the name of its endpoint, or `undefined` if the user canceled */
  addModel(): Promise<string | undefined>;
  /** Lets the user replace the API key of the endpoint's model server. @returns whether it was replaced */
  setModelKey(endpoint: string): Promise<boolean>;
  /** Lets the user pick what to attach to the next message: a selection, a file, problems. */
  pickContext(dropped?: readonly string[]): Promise<readonly Attachment[]>;
  /**
   * Returns what can be attached by `#` and a name that begins like this, then files of the workspace whose path contains it.
   * @param runs the runs and jobs that come before the files
   */
  completeContext(begun: string, runs: readonly CommandCompletion[]): Promise<CommandCompletion[]>;
  /** Returns what has this name after a `#`. */
  namedContext(name: string): Promise<readonly Attachment[]>;
  /** Lets the user choose one of several actions. */
  pick<T extends { label: string; detail: string }>(title: string, items: readonly T[]): Promise<T | undefined>;
  /** Works like `pick`, but allows several choices; all are selected initially, except those with `picked: false`. */
  pickSeveral<T extends { label: string; detail: string; picked?: boolean }>(
    title: string,
    items: readonly T[],
  ): Promise<T[] | undefined>;
  /** Lets the user pick a file of this kind from the workspace or elsewhere. */
  pickTextFile(title: string, kind: 'json' | 'md'): Promise<TextFile | undefined>;
  /** Lets the user choose saved parameters, or save the current ones. */
  pickPreset(current: Parameters): Promise<Parameters | undefined>;
  inform(text: string): void;
  /** Opens the request and the response of an answer as a read-only document. */
  showExchange(conversationId: string, answer: { id: string; endpoint: string }): Promise<void>;
  signIn(): Promise<void>;
  showHistory(): Promise<void>;
  chooseProfile(): Promise<void>;
  /** Returns the conversation that this window showed last. */
  recallConversation(): string | undefined;
  rememberConversation(id: string | undefined): Promise<void>;
}

export interface ChatPorts {
  readonly backend: ChatBackend;
  readonly editorModels: EditorModels;
  readonly editor: ChatEditor;
  readonly history: History;
  readonly drafts: Drafts;
  /** Returns what to do with a message sent while an answer is being written: queue it, or stop the answer. */
  whileAnswering(): 'queue' | 'stop';
  readonly clock: Clock;
  readonly log: Logger;
  newId(): string;
  /** Returns the form of a request; without a task, the form of a chat request. */
  parameterFields(task?: PlaygroundTask): readonly ParameterField[];
  /** Checks the parameters by the request's schema. Returns the failure, or `undefined` if they are valid. */
  checkParameters(parameters: Parameters, task?: PlaygroundTask): Failure | undefined;
  readonly suggestions: readonly Suggestion[];
  /** The offer of more room than half of a side bar, made until the user has chosen. */
  readonly room: { readonly isOffered: boolean; take(way: 'tab' | 'sideBar' | 'none'): Promise<void> };
  /** Functions that models may call. */
  readonly tools: ChatTools;
  readonly lookUps: ChatLookUps;
}
