import { AppError, describeError, isAbort } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import type { ChatPorts } from './chatPorts.ts';
import type { BuiltInTool, ToolDefinition } from './chatTools.ts';
import { pathTo, shownChoice, toolCallId, type Answer, type Conversation, type ToolCall } from './conversation.ts';
import type { PlaygroundTask, ToolChoices, ToolResult } from './conversationEvent.ts';
import { isLookUpEndpoint } from './lookUps.ts';
import type { ViewState } from './protocol.ts';

/** Maximum rounds of calls: models that call functions endlessly are stopped here, for the user to decide. */
const maxRounds = 12;

/** The calls of built-in functions in an answer: which are offered, which are running, and which wait for the user. */
export class ToolCalls {
  readonly #ports: ChatPorts;
  readonly #changed = new Emitter<void>();
  readonly #underWay = new Map<string, AbortController>();
  /** What each answer's calls would change or read on a profile, for those that ask. */
  readonly #offers = new Map<string, readonly string[] | undefined>();
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
  }

  /** Returns the functions to offer to an endpoint: those that the user has chosen for it in the conversation. */
  offeredFor(tools: ToolChoices | undefined, endpoint: string): ToolDefinition[] {
    const { names } = this.#choiceOf(tools, endpoint);
    return this.definitions.filter(({ function: { name } }) => names.includes(name));
  }

  #choiceOf(tools: ToolChoices | undefined, endpoint: string): ToolChoices[string] {
    return tools?.[this.#keyOf(endpoint)] ?? { names: [] };
  }

  /** Key of an endpoint or an answer on the current profile. Other profiles may have an endpoint of the same name. */
  #keyOf(name: string): string {
    return `${this.#ports.backend.profile.id}/${name}`;
  }

  /** Lets the user choose the functions that an endpoint may call. Returns `undefined` if the user canceled. */
  async choose(tools: ToolChoices | undefined, endpoint: string | undefined): Promise<ToolChoices | undefined> {
    if (endpoint === undefined) return undefined;
    const { names } = this.#choiceOf(tools, endpoint);
    const details = {
      never: l10n.t('Reads without asking'),
      first: l10n.t('Asks before the first file of this conversation'),
      always: l10n.t('Asks each time'),
    };
    const items = this.#ports.tools.tools.map(({ definition, title, asks }) => {
      const { name } = definition.function;
      return { name, label: title, detail: details[asks ?? 'never'], picked: names.includes(name) };
    });
    const title = l10n.t('Tools of {0} in This Conversation', endpoint);
    const chosen = await this.#ports.editor.pickSeveral(title, items);
    return chosen && { ...tools, [this.#keyOf(endpoint)]: { names: chosen.map(({ name }) => name) } };
  }

  /** Returns the choices of a conversation after the user allowed an answer's calls, or `undefined` if the next calls ask again. */
  allowed(conversation: Conversation, answer: Answer): ToolChoices | undefined {
    const { tools } = conversation;
    const names = this.#builtIn(conversation, answer).flatMap(({ call, asks }) => (asks === 'first' ? call.name : []));
    if (names.length === 0) return undefined;
    const choice = this.#choiceOf(tools, answer.endpoint);
    return { ...tools, [this.#keyOf(answer.endpoint)]: { ...choice, allowed: [...new Set(names)] } };
  }

  get definitions(): ToolDefinition[] {
    return this.#ports.tools.tools.map(({ definition }) => definition);
  }

  isUnderWay(conversationId: string): boolean {
    return this.#underWay.has(conversationId);
  }

  stop(conversationId: string): void {
    this.#underWay.get(conversationId)?.abort();
  }

  /** Returns whether none of the answer's calls asks, so that they can run without confirmation. */
  mayRunUnasked(conversation: Conversation, answer: Answer): boolean {
    const calls = this.#builtIn(conversation, answer);
    return calls.length > 0 && calls.every(({ asks }) => !asks) && roundsBefore(conversation, answer) < maxRounds;
  }

  /** Returns whether the answer's calls need the user's confirmation. */
  needsWord(conversation: Conversation, answer: Answer): boolean {
    return this.#builtIn(conversation, answer).some(({ asks }) => asks);
  }

  /**
   * Runs the calls of an answer.
   * @param isAllowed whether the user allows calls that ask
   * @returns the results in the order of the calls, or `undefined` if the user stopped it
   */
  async run(conversation: Conversation, answer: Answer, isAllowed: boolean): Promise<ToolResult[] | undefined> {
    const conversationId = conversation.id;
    const controller = new AbortController();
    this.#underWay.set(conversationId, controller);
    this.#changed.fire();
    const { backend } = this.#ports;
    const profileId = backend.profile.id;
    try {
      const results: ToolResult[] = [];
      for (const { call, asks } of this.#builtIn(conversation, answer)) {
        const isSame = backend.profile.id === profileId;
        results.push(
          isSame
            ? await this.#result(answer, call, isAllowed || !asks, controller.signal)
            : resultOf(answer, call, { error: 'Another profile was chosen meanwhile; nothing was done.' }),
        );
        if (controller.signal.aborted) return undefined;
      }
      return results;
    } finally {
      this.#underWay.delete(conversationId);
      this.#changed.fire();
    }
  }

  async #result(answer: Answer, call: ToolCall, isAllowed: boolean, signal: AbortSignal): Promise<ToolResult> {
    if (!isAllowed) return resultOf(answer, call, { declined: 'The user did not allow it; nothing was changed.' });
    try {
      const { content, runs } = await this.#ports.tools.run(call.name, call.arguments || '{}', signal);
      return { ...resultOf(answer, call, {}), content, ...(runs && runs.length > 0 && { runs }) };
    } catch (error) {
      if (!isAbort(error)) this.#ports.log.debug(`The call of ${call.name} failed: ${describeError(error)}`);
      return resultOf(answer, call, { error: describeError(error) });
    }
  }

  /** Returns the state of the functions and of the last answer's calls for the view. */
  state(
    task: PlaygroundTask | undefined,
    store: { conversation: Conversation } | undefined,
    tools: ToolChoices | undefined,
    last: Answer | undefined,
    endpoint: string,
  ): ViewState['tools'] {
    const isModel = !task && endpoint !== '' && !isLookUpEndpoint(this.#ports, endpoint);
    const state = {
      count: isModel ? this.#ports.tools.tools.length : 0,
      names: isModel ? this.#choiceOf(tools, endpoint).names : [],
      isUnderWay: store !== undefined && this.isUnderWay(store.conversation.id),
    };
    if (!store || !last || !this.needsWord(store.conversation, last)) return state;
    const key = this.#keyOf(last.id);
    const offer = this.#offers.get(key);
    if (!this.#offers.has(key)) this.#ask(store.conversation, last);
    return offer ? { ...state, offer: { answerId: last.id, changes: [...offer] } } : state;
  }

  /** Determines what the calls would change or read. */
  #ask(conversation: Conversation, answer: Answer): void {
    const key = this.#keyOf(answer.id);
    this.#offers.set(key, undefined);
    const asking = this.#builtIn(conversation, answer).filter(({ asks }) => asks);
    const { tools } = this.#ports;
    void Promise.all(
      asking.map(({ call }) => tools.describe(call.name, call.arguments || '{}', answer.endpoint).catch(describeError)),
    ).then((texts) => {
      this.#offers.set(key, texts);
      this.#changed.fire();
    });
  }

  /** Returns the calls of a finished answer, or none if one of them is not to a function that the user has chosen for its endpoint. */
  #builtIn({ tools }: Conversation, answer: Answer): { call: ToolCall; asks: BuiltInTool['asks'] }[] {
    if (answer.status !== 'done') return [];
    const { names, allowed = [] } = this.#choiceOf(tools, answer.endpoint);
    const calls = shownChoice(answer)?.toolCalls ?? [];
    const known = calls.flatMap((call) => {
      const tool = this.#ports.tools.tools.find(({ definition }) => definition.function.name === call.name);
      if (!tool || !names.includes(call.name)) return [];
      const isAsked = tool.asks === 'always' || !allowed.includes(call.name);
      return [{ call, asks: isAsked ? tool.asks : undefined }];
    });
    return known.length === calls.length ? known : [];
  }

  requireCalls(conversation: Conversation, answer: Answer): void {
    if (this.#builtIn(conversation, answer).length === 0)
      throw new AppError(
        'invalid',
        l10n.t('This answer calls no tool that is chosen for its endpoint, so nothing was done.'),
      );
  }

  dispose(): void {
    for (const controller of this.#underWay.values()) controller.abort();
    this.#changed.dispose();
  }
}

function resultOf(answer: Answer, call: ToolCall, content: Record<string, string>): ToolResult {
  return { toolCallId: toolCallId(answer, call), name: call.name, content: JSON.stringify(content) };
}

/** Returns how many turns before an answer consist only of call results, since the user's last message. */
function roundsBefore(conversation: Conversation, answer: Answer): number {
  const turns = pathTo(conversation, answer.parentId).filter((turn) => turn.role === 'user');
  const lastWord = turns.findLastIndex((turn) => turn.toolResults.length === 0);
  return turns.length - 1 - lastWord;
}
