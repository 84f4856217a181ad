import type { RetryWait } from '../../../src/api/client/index.ts';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { checkParameters, parameterFields } from '../../../src/chat/chatParameters.ts';
import type { ChatBackend, ChatEditor, ChatPorts, ChosenEndpoint, EndpointList } from '../../../src/chat/chatPorts.ts';
import type {
  Attachment,
  CommandCompletion,
  Parameters as ChatParameters,
} from '../../../src/chat/conversationEvent.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History } from '../../../src/chat/history.ts';
import type { AnswerCode } from '../../../src/chat/namedFile.ts';
import type { ModelRequest } from '../../../src/chat/playground.ts';
import type { Endpoint } from '../../../src/chat/protocol.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from './memoryStorage.ts';

type Chunks = (
  endpoint: string,
  request: Record<string, unknown>,
  signal: AbortSignal,
  onRetry: (wait: RetryWait) => void,
) => AsyncIterable<ChatChunk>;

/** A service that answers with what a test says. */
class FakeBackend implements ChatBackend {
  profile = { id: 'local', name: 'Local', isProduction: false, isLocal: true };
  readonly changed = new Emitter<void>();
  readonly onDidChangeProfile = this.changed.event;
  knownEndpoints: Endpoint[] = [];
  endpoints: Endpoint[] = [
    { name: 'guide', server: 'Built in', detail: 'Answers from the documentation of job files' },
  ];
  listFailure: Error | undefined;
  /** Until it is started or has answered, a service that does not run knows `guide` only. */
  isRunning = true;
  lists = 0;
  readonly requests: { endpoint: string; request: Record<string, unknown> }[] = [];
  answer: Chunks = textAnswer('Hello.');

  address(): ReturnType<ChatBackend['address']> {
    return Promise.resolve({ baseUrl: 'https://models.example', signIn: { authKind: 'bearer' } });
  }

  listEndpoints({ start }: { signal: AbortSignal; start: boolean }): Promise<EndpointList> {
    this.lists += 1;
    if (this.listFailure) return Promise.reject(this.listFailure);
    this.isRunning ||= start;
    return Promise.resolve(
      this.isRunning
        ? { items: this.endpoints, isWhole: true }
        : { items: [{ name: 'guide', server: 'Local' }], isWhole: false },
    );
  }

  async chat(
    endpoint: string,
    { body }: ModelRequest,
    { signal, onRetry }: Parameters<ChatBackend['chat']>[2],
  ): Promise<AsyncIterable<ChatChunk>> {
    const request: Record<string, unknown> = { ...body };
    this.requests.push({ endpoint, request });
    this.isRunning = true;
    return this.answer(endpoint, request, signal, onRetry);
  }
}

/** Records what was asked of the editor. */
class FakeEditor implements ChatEditor {
  readonly calls: [name: string, ...rest: unknown[]][] = [];
  remembered: string | undefined;
  endpointName: string | undefined;
  /** What the user says of an endpoint that is not in the list. */
  endpointTask: ChosenEndpoint['task'];
  /** The labels of those that are chosen of several. */
  chosen: string[] = [];
  file: { name: string; text: string } | undefined;
  /** The saved parameters that are chosen. */
  preset: ChatParameters | undefined;
  /** The label of what is chosen. */
  picked: string | undefined;
  attachment: Attachment | undefined;
  selected: string | undefined;

  openExternal(url: string): Promise<void> {
    return this.#record('openExternal', url);
  }
  copy(text: string): Promise<void> {
    return this.#record('copy', text);
  }
  insertAtCursor(text: string): Promise<void> {
    return this.#record('insertAtCursor', text);
  }
  newFile(code: AnswerCode): Promise<void> {
    return this.#record('newFile', code);
  }
  applyCode(code: AnswerCode): Promise<void> {
    return this.#record('applyCode', code);
  }
  showHistory(): Promise<void> {
    return this.#record('showHistory');
  }
  chooseProfile(): Promise<void> {
    return this.#record('chooseProfile');
  }
  selection(): Promise<Attachment | undefined> {
    return Promise.resolve(this.attachment);
  }
  async pickEndpoint(
    items: Promise<readonly Endpoint[]>,
    current: ChosenEndpoint | undefined,
  ): Promise<ChosenEndpoint | 'addModel' | undefined> {
    await this.#record(
      'pickEndpoint',
      (await items).map(({ name }) => name),
    );
    const { endpointName: name } = this;
    if (name === 'addModel') return name;
    const known = (await items).find((item) => item.name === name) ?? (name === current?.name ? current : undefined);
    return name === undefined ? undefined : { name, task: this.endpointTask ?? known?.task };
  }
  pickContext(dropped?: readonly string[]): Promise<Attachment[]> {
    if (dropped) this.calls.push(['dropped', ...dropped]);
    return Promise.resolve(this.attachment ? [this.attachment] : []);
  }
  completeContext(begun: string): Promise<CommandCompletion[]> {
    return Promise.resolve([{ text: `#${begun}.py`, detail: '', uri: `file:///${begun}.py` }]);
  }
  namedContext(name: string): Promise<Attachment[]> {
    this.calls.push(['named', name]);
    return Promise.resolve(this.attachment ? [this.attachment] : []);
  }
  pick<T extends { label: string; detail: string }>(title: string, items: readonly T[]): Promise<T | undefined> {
    this.calls.push(['pick', title, items.map(({ label }) => label)]);
    return Promise.resolve(items.find(({ label }) => label === this.picked));
  }
  pickSeveral<T extends { label: string; detail: string; picked?: boolean }>(
    title: string,
    items: readonly T[],
  ): Promise<T[] | undefined> {
    this.calls.push(['pickSeveral', title, items.map(({ label }) => label)]);
    return Promise.resolve(items.filter(({ label }) => this.chosen.includes(label)));
  }
  pickTextFile(title: string): Promise<{ name: string; text: string } | undefined> {
    this.calls.push(['pickTextFile', title]);
    return Promise.resolve(this.file);
  }
  pickPreset(): Promise<ChatParameters | undefined> {
    return Promise.resolve(this.preset);
  }
  inform(text: string): void {
    this.calls.push(['inform', text]);
  }
  showExchange(conversationId: string, { id }: { id: string }): Promise<void> {
    return this.#record('showExchange', conversationId, id);
  }
  addModel(): Promise<string | undefined> {
    return Promise.resolve(this.picked);
  }
  async setModelKey(endpoint: string): Promise<boolean> {
    await this.#record('setModelKey', endpoint);
    return true;
  }
  signIn(): Promise<void> {
    return this.#record('signIn');
  }
  recallConversation(): string | undefined {
    return this.remembered;
  }
  rememberConversation(id: string | undefined): Promise<void> {
    this.remembered = id;
    return Promise.resolve();
  }

  #record(...call: [string, ...unknown[]]): Promise<void> {
    this.calls.push(call);
    return Promise.resolve();
  }
}

export interface FakePorts extends ChatPorts {
  backend: FakeBackend;
  editor: FakeEditor;
  storage: MemoryStorage;
}

export function fakePorts(changes: Partial<ChatPorts> = {}): FakePorts {
  const storage = new MemoryStorage();
  let count = 0;
  // No cast here, so that the compiler tells of a port that is missing.
  const ports: FakePorts = {
    storage,
    backend: new FakeBackend(),
    editorModels: { list: async () => [], chat: async function* () {} },
    editor: new FakeEditor(),
    history: new History(storage, silentLogger),
    drafts: new Drafts(storage, changes.clock ?? systemClock, silentLogger),
    whileAnswering: () => 'queue',
    clock: systemClock,
    log: silentLogger,
    newId: () => `id-${++count}`,
    parameterFields,
    checkParameters,
    room: { isOffered: false, take: () => Promise.resolve() },
    suggestions: [
      { title: 'Write a job file', prompt: 'Write a job file that runs a Python script every morning.' },
      { title: 'Explain cron expressions', prompt: 'How do I write a Quartz cron expression?' },
      { title: 'Retry a failed task', prompt: 'How do retries work?' },
    ],
    tools: {
      tools: [],
      describe: async (name, given) => `${name} ${given}`,
      run: async () => ({ content: '{}' }),
      suggest: async () => [],
      onDidChangeSuggestions: () => ({ dispose: () => undefined }),
      openRun: async () => undefined,
    },
    // No endpoint of a test is the built-in one, unless it says so.
    lookUps: {
      endpoint: 'look-ups',
      isCommand: (text) => text.startsWith('/'),
      answer: async ({ text }) => ({ markdown: `Answer to ${text}` }),
      complete: async () => [],
      completeNames: () => [],
      openSection: async () => undefined,
    },
  };
  return { ...ports, ...changes } as FakePorts;
}

/** Fails before the first word, or after some. */
export function failingAnswer(error: Error, text = ''): Chunks {
  return async function* () {
    if (text !== '') yield { choices: [{ index: 0, delta: { content: text } }] };
    throw error;
  };
}

/** A streamed answer of one choice that ends with a finish_reason. */
export function textAnswer(
  text: string,
  options: { pieceLength?: number; delayInMs?: number; finish?: string; usage?: ChatChunk['usage'] } = {},
): Chunks {
  const { pieceLength = 8, delayInMs = 0, finish = 'stop', usage } = options;
  return async function* (_endpoint, _request, signal) {
    yield { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
    for (let at = 0; at < text.length; at += pieceLength) {
      if (signal.aborted) return;
      if (delayInMs > 0) await new Promise((resolve) => setTimeout(resolve, delayInMs));
      yield { choices: [{ index: 0, delta: { content: text.slice(at, at + pieceLength) } }] };
    }
    yield { choices: [{ index: 0, delta: {}, finish_reason: finish }], ...(usage ? { usage } : {}) };
  };
}
