import { AppError, describeError, isAbort } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import type { ChatPorts } from './chatPorts.ts';
import type { BuiltInTool, ToolDefinition } from './chatTools.ts';
import { pathTo, shownChoice, toolCallId, type Answer, type Conversation, type ToolCall } from './conversation.ts';
import type { ToolResult, PlaygroundTask } from './conversationEvent.ts';
import { isLookUpEndpoint } from './lookUps.ts';
import type { ViewState } from './protocol.ts';

/** Maximum rounds of calls: models that call functions endlessly are stopped here, for the user to decide. */
const maxRounds = 12;

/** The calls of built-in functions in an answer: which are offered, which are running, and which wait for the user. */
export class ToolCalls {
  readonly #ports: ChatPorts;
  readonly #changed = new Emitter<void>();
  readonly #underWay = new Map<string, AbortController>();
  /** What each answer's calls would change, for those that change something. */
  readonly #offers = new Map<string, readonly string[] | undefined>();
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
  }

  /** Returns the functions to offer to models: none unless the user has turned them on. */
  offeredFor(task: PlaygroundTask | undefined): ToolDefinition[] {
    return !task && this.#ports.offersTools() ? this.definitions : [];
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

  /** Returns whether all of the answer's calls only read, so that they can run without confirmation. */
  mayRunUnasked(conversation: Conversation, answer: Answer): boolean {
    const calls = this.#builtIn(answer);
    return (
      calls.length > 0 &&
      this.#ports.offersTools() &&
      calls.every(({ tool }) => !tool.isChange) &&
      roundsBefore(conversation, answer) < maxRounds
    );
  }

  /** Returns whether the answer's calls need the user's confirmation. */
  needsWord(answer: Answer): boolean {
    return this.#builtIn(answer).some(({ tool }) => tool.isChange);
  }

  /**
   * Runs the calls of an answer.
   * @param isAllowed whether the user allows calls that change something
   * @returns the results in the order of the calls, or `undefined` if the user stopped it
   */
  async run(conversationId: string, answer: Answer, isAllowed: boolean): Promise<ToolResult[] | undefined> {
    const controller = new AbortController();
    this.#underWay.set(conversationId, controller);
    this.#changed.fire();
    try {
      const results: ToolResult[] = [];
      for (const { call, tool } of this.#builtIn(answer)) {
        results.push(await this.#result(answer, call, tool, isAllowed, controller.signal));
        if (controller.signal.aborted) return undefined;
      }
      return results;
    } finally {
      this.#underWay.delete(conversationId);
      this.#changed.fire();
    }
  }

  async #result(
    answer: Answer,
    call: ToolCall,
    tool: BuiltInTool,
    isAllowed: boolean,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const head = { toolCallId: toolCallId(answer, call), name: call.name };
    if (tool.isChange && !isAllowed)
      return { ...head, content: JSON.stringify({ declined: 'The user did not allow it; nothing was changed.' }) };
    try {
      const { content, runs } = await this.#ports.tools.run(call.name, call.arguments || '{}', signal);
      return { ...head, content, ...(runs && runs.length > 0 && { runs }) };
    } catch (error) {
      if (!isAbort(error)) this.#ports.log.debug(`The call of ${call.name} failed: ${describeError(error)}`);
      return { ...head, content: JSON.stringify({ error: describeError(error) }) };
    }
  }

  /** Returns the state of the functions and of the last answer's calls for the view. */
  state(
    task: PlaygroundTask | undefined,
    store: { conversation: Conversation } | undefined,
    last: Answer | undefined,
    endpoint: string,
  ): ViewState['tools'] {
    const state = {
      names:
        task || isLookUpEndpoint(this.#ports, endpoint)
          ? []
          : this.#ports.tools.tools.map(({ definition }) => definition.function.name),
      isOn: this.#ports.offersTools(),
      isUnderWay: store !== undefined && this.isUnderWay(store.conversation.id),
    };
    if (!last || !this.needsWord(last)) return state;
    const offer = this.#offers.get(last.id);
    if (!this.#offers.has(last.id)) this.#ask(last);
    return offer ? { ...state, offer: { answerId: last.id, changes: [...offer] } } : state;
  }

  /** Determines what the calls would change. */
  #ask(answer: Answer): void {
    this.#offers.set(answer.id, undefined);
    const changes = this.#builtIn(answer).filter(({ tool }) => tool.isChange);
    void Promise.all(
      changes.map(({ call }) => this.#ports.tools.describe(call.name, call.arguments || '{}').catch(describeError)),
    ).then((texts) => {
      this.#offers.set(answer.id, texts);
      this.#changed.fire();
    });
  }

  /** Returns the calls of a finished answer, or none if one of them is not to a built-in function. */
  #builtIn(answer: Answer): { call: ToolCall; tool: BuiltInTool }[] {
    if (answer.status !== 'done') return [];
    const calls = shownChoice(answer)?.toolCalls ?? [];
    const known = calls.flatMap((call) => {
      const tool = this.#ports.tools.tools.find(({ definition }) => definition.function.name === call.name);
      return tool ? [{ call, tool }] : [];
    });
    return known.length === calls.length ? known : [];
  }

  requireCalls(answer: Answer): void {
    if (this.#builtIn(answer).length === 0)
      throw new AppError('invalid', l10n.t('This answer calls no built-in function, so nothing was done.'));
  }

  dispose(): void {
    for (const controller of this.#underWay.values()) controller.abort();
    this.#changed.dispose();
  }
}

/** Returns how many turns before an answer consist only of call results, since the user's last message. */
function roundsBefore(conversation: Conversation, answer: Answer): number {
  const turns = pathTo(conversation, answer.parentId).filter((turn) => turn.role === 'user');
  const lastWord = turns.findLastIndex((turn) => turn.toolResults.length === 0);
  return turns.length - 1 - lastWord;
}
