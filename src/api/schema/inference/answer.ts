import { type ChatChunk, contentText } from './chat.ts';
import { maxCompletions } from './requestLimits.ts';

type ChunkChoice = NonNullable<ChatChunk['choices']>[number];
type Message = NonNullable<ChunkChoice['delta']>;
type Fragment = NonNullable<Message['tool_calls']>[number];

/** Additions to a tool call; `index` counts the calls of a choice, whatever number the server sent. */
export interface ToolCallDelta {
  readonly index: number;
  id?: string;
  name?: string;
  /** A piece of the serialized JSON. */
  arguments?: string;
}

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly alternatives: { token: string; logprob: number }[];
}

/** Additions to one choice of a response. */
export interface ChoiceDelta {
  readonly choice: number;
  text?: string;
  /** Reasoning that some servers send separately from the response. */
  reasoning?: string;
  toolCalls?: ToolCallDelta[];
  logprobs?: TokenLogprob[];
  /** Finish reason as received; empty if the choice is complete and the server sent none. */
  finishReason?: string;
}

/** Usage (Inference API, Usage). Each count is absent if the server did not report it. */
interface UsageCounts {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
}

/** Additions to a response from one or more chunks. */
export interface AnswerDelta {
  readonly choices: ChoiceDelta[];
  model?: string;
  usage?: UsageCounts;
}

/** Last chunk of a stream that was complete without a finish_reason. It is compared by identity, so that no server can send it. */
export const unexplainedEnd: ChatChunk = { choices: [] };

/** Limit on tool calls in one choice, higher than any model produces. */
const maxIndex = 1000;

/**
 * Reads the chunks of one chat stream (Inference API, Events): chunk in, delta out. Only this class knows how servers cut a response into
 * chunks; `join` combines the deltas.
 */
export class AnswerReader {
  readonly #choices = new Map<number, { calls: CallReader; isFinished: boolean }>();
  #hasContent = false;

  /** Whether any text, reasoning or tool call has arrived. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** Whether at least one choice has begun and all that began have ended. */
  get isComplete(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ isFinished }) => isFinished);
  }

  read(chunk: ChatChunk): AnswerDelta {
    const delta: AnswerDelta = {
      choices: (chunk.choices ?? []).map((choice, position) => this.#readChoice(choice, position)),
    };
    if (chunk.model) delta.model = chunk.model;
    const usage = countsOf(chunk.usage);
    if (usage) delta.usage = usage;
    if (chunk === unexplainedEnd) {
      for (const [choice, state] of this.#choices) {
        if (!state.isFinished) delta.choices.push({ choice, finishReason: '' });
        state.isFinished = true;
      }
    }
    return delta;
  }

  #readChoice(part: ChunkChoice, position: number): ChoiceDelta {
    const { index } = part;
    const choice =
      index !== undefined && Number.isInteger(index) && index >= 0 && index <= maxCompletions
        ? index
        : Math.min(position, maxCompletions);
    const state = this.#choices.get(choice) ?? { calls: new CallReader(), isFinished: false };
    this.#choices.set(choice, state);
    const delta: ChoiceDelta = { choice };
    const message: Message = part.delta ?? {};
    const text = contentText(message.content);
    if (text !== '') delta.text = text;
    const reasoning = reasoningOf(message);
    if (reasoning !== '') delta.reasoning = reasoning;
    const calls = joinCalls(
      [],
      (message.tool_calls ?? []).flatMap((fragment) => state.calls.read(fragment) ?? []),
    );
    if (calls.length > 0) delta.toolCalls = calls;
    const logprobs = logprobsOf(part.logprobs?.content);
    if (logprobs.length > 0) delta.logprobs = logprobs;
    if (part.finish_reason) {
      delta.finishReason = part.finish_reason;
      state.isFinished = true;
    }
    this.#hasContent ||= text !== '' || reasoning !== '' || calls.length > 0;
    return delta;
  }
}

/** Combines two deltas, `after` following `before`. */
export function join(before: AnswerDelta, after: AnswerDelta): AnswerDelta {
  const joined: AnswerDelta = { choices: [...before.choices] };
  for (const delta of after.choices) {
    const at = joined.choices.findIndex(({ choice }) => choice === delta.choice);
    const known = joined.choices[at];
    if (known) joined.choices[at] = joinChoices(known, delta);
    else joined.choices.push(delta);
  }
  const model = after.model ?? before.model;
  if (model !== undefined) joined.model = model;
  // If a server reports usage repeatedly, later chunks carry the larger counts.
  const usage = after.usage ?? before.usage;
  if (usage) joined.usage = usage;
  return joined;
}

function joinChoices(before: ChoiceDelta, after: ChoiceDelta): ChoiceDelta {
  const { choice } = before;
  const text = joinTexts(before.text, after.text);
  const reasoning = joinTexts(before.reasoning, after.reasoning);
  const toolCalls = after.toolCalls ? joinCalls(before.toolCalls ?? [], after.toolCalls) : before.toolCalls;
  const logprobs = after.logprobs ? [...(before.logprobs ?? []), ...after.logprobs] : before.logprobs;
  const finishReason = after.finishReason ?? before.finishReason;
  return {
    choice,
    ...(text !== undefined && { text }),
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCalls && { toolCalls }),
    ...(logprobs && { logprobs }),
    ...(finishReason !== undefined && { finishReason }),
  };
}

/** Returns the call with that index. Calls are added in order, so it is nearly always at its own position. */
export function callOf(calls: readonly ToolCallDelta[], index: number): ToolCallDelta | undefined {
  return calls[placeOf(calls, index)];
}

function placeOf(calls: readonly ToolCallDelta[], index: number): number {
  return calls[index]?.index === index ? index : calls.findIndex((call) => call.index === index);
}

function joinCalls(before: readonly ToolCallDelta[], after: readonly ToolCallDelta[]): ToolCallDelta[] {
  const joined = [...before];
  // A chunk may hold thousands of calls; only for a single one is searching cheaper than building a map.
  const places = after.length > 1 ? new Map(joined.map(({ index }, place) => [index, place])) : undefined;
  for (const call of after) {
    const place = places ? (places.get(call.index) ?? -1) : placeOf(joined, call.index);
    const known = joined[place];
    if (known) joined[place] = joinCall(known, call);
    else {
      places?.set(call.index, joined.length);
      joined.push(call);
    }
  }
  return joined;
}

function joinCall(before: ToolCallDelta, after: ToolCallDelta): ToolCallDelta {
  const id = after.id ?? before.id;
  const name = joinTexts(before.name, after.name);
  const text = joinTexts(before.arguments, after.arguments);
  return {
    index: before.index,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(text !== undefined && { arguments: text }),
  };
}

function joinTexts(before: string | undefined, after: string | undefined): string | undefined {
  return before === undefined || after === undefined ? (before ?? after) : before + after;
}

/** A tool call with the fragments that have arrived so far. */
interface OpenCall {
  readonly index: number;
  /** Number that the server gave the call. */
  readonly number: number | undefined;
  id: string;
  name: string;
  readonly arguments: JsonEnd;
}

/**
 * Finds the call that a fragment belongs to: by its id, otherwise by its number, otherwise the latest. Servers number every call 0, number
 * every fragment, send no number, send no id or a new one with each fragment, and repeat the name; a complete call never grows.
 */
class CallReader {
  #count = 0;
  #latest: OpenCall | undefined;
  /** Latest call for each id, for each number, and for both: a response may hold thousands of fragments. */
  readonly #byId = new Map<string, OpenCall>();
  readonly #byNumber = new Map<number | undefined, OpenCall>();
  readonly #byBoth = new Map<string, OpenCall>();

  /**
   * Reads a fragment.
   * @returns the addition, or `undefined` if there are more calls than any model produces
   */
  read(fragment: Fragment): ToolCallDelta | undefined {
    const { name = '', arguments: text = '' } = fragment.function ?? {};
    const known = this.#find(fragment);
    const call = known && !beginsAnother(known, fragment) ? known : this.#begin(fragment.index);
    if (!call) return undefined;
    const delta: ToolCallDelta = { index: call.index };
    if (fragment.id && call.id === '') {
      delta.id = call.id = fragment.id;
      keepLatest(this.#byId, call.id, call);
      keepLatest(this.#byBoth, bothOf(call.id, call.number), call);
    }
    if (name !== '' && name !== call.name) {
      delta.name = name;
      call.name += name;
    }
    if (text !== '') {
      delta.arguments = text;
      call.arguments.add(text);
    }
    return delta;
  }

  #find({ id, index, function: called }: Fragment): OpenCall | undefined {
    const sameId = !id ? undefined : index === undefined ? this.#byId.get(id) : this.#byBoth.get(bothOf(id, index));
    const known = sameId ?? (index === undefined ? this.#latest : this.#byNumber.get(index));
    // A fragment that names no call continues the open one, even under a new number.
    const isNameless = !id && !called?.name;
    return known ?? (isNameless && this.#latest?.arguments.isWhole === false ? this.#latest : undefined);
  }

  #begin(number: number | undefined): OpenCall | undefined {
    if (this.#count > maxIndex) return undefined;
    const call: OpenCall = { index: this.#count, number, id: '', name: '', arguments: new JsonEnd() };
    this.#count += 1;
    this.#latest = call;
    this.#byNumber.set(number, call);
    return call;
  }
}

function bothOf(id: string, number: number | undefined): string {
  return `${number} ${id}`;
}

/** Keeps the latest call for a key: a call may get its id after a later one got the same id. */
function keepLatest<K>(calls: Map<K, OpenCall>, key: K, call: OpenCall): void {
  const known = calls.get(key);
  if (!known || known.index < call.index) calls.set(key, call);
}

/** Returns whether a fragment that seems to continue a call begins another. */
function beginsAnother(call: OpenCall, { id, index, function: called }: Fragment): boolean {
  const { name = '', arguments: text = '' } = called ?? {};
  if (name === '' || (id && id === call.id)) return false;
  const isOtherName = name !== call.name;
  const canBegin = text === '' || text.trimStart().startsWith('{');
  // A server may send a new id with each fragment, so a fragment in the middle of the arguments continues the call.
  if (id && call.id !== '') return isOtherName || canBegin || call.arguments.isAtEnd;
  // Only for a call without a number is the name known to be complete.
  if (isOtherName && index === undefined && call.name !== '') return true;
  return call.arguments.isWhole && (isOtherName || (canBegin && text !== ''));
}

/** Detects whether the pieces of a JSON object added so far are complete. Each character is read once. */
class JsonEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isWhole = false;
  #isEmpty = true;

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether nothing or the complete object has arrived. */
  get isAtEnd(): boolean {
    return this.#isEmpty || this.#isWhole;
  }

  add(text: string): void {
    this.#isEmpty = false;
    for (let at = 0; at < text.length; at += 1) this.#addCharacter(text.charAt(at));
  }

  #addCharacter(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      if (character === '"') this.#isInString = false;
      else if (character === '\\') this.#isEscaped = true;
    } else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') {
      this.#depth -= 1;
      this.#isWhole = this.#depth === 0;
    }
  }
}

/** Returns the reasoning in the forms that known servers send: `reasoning_content`, `reasoning`, or parts of the content. */
function reasoningOf(message: Message): string {
  for (const key of ['reasoning_content', 'reasoning']) {
    const value = message[key];
    if (typeof value === 'string') return value;
  }
  if (typeof message.content !== 'object') return '';
  return message.content
    .map((part) => (part.type === 'reasoning' || part.type === 'thinking' ? partReasoning(part) : ''))
    .join('');
}

function partReasoning(part: Readonly<Record<string, unknown>>): string {
  for (const key of ['text', 'thinking', 'reasoning']) {
    const value = part[key];
    if (typeof value === 'string') return value;
  }
  const summary = part['summary'];
  if (!Array.isArray(summary)) return '';
  return summary
    .map((entry: unknown) =>
      typeof entry === 'object' && entry !== null && 'text' in entry && typeof entry.text === 'string'
        ? entry.text
        : '',
    )
    .join('');
}

/** What was counted; undefined if nothing was, as where servers send an empty object. */
export function countsOf(usage: ChatChunk['usage']): UsageCounts | undefined {
  const counts: UsageCounts = {};
  for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const) {
    const count = usage?.[name];
    if (count !== undefined && Number.isFinite(count)) counts[name] = count;
  }
  return Object.keys(counts).length > 0 ? counts : undefined;
}

type ReceivedLogprob = { token?: string; logprob?: number };

function logprobsOf(
  entries: readonly (ReceivedLogprob & { top_logprobs?: readonly ReceivedLogprob[] })[] = [],
): TokenLogprob[] {
  return entries.flatMap((entry) =>
    tokensOf([entry]).map((token) => ({ ...token, alternatives: tokensOf(entry.top_logprobs ?? []) })),
  );
}

function tokensOf(entries: readonly ReceivedLogprob[]): { token: string; logprob: number }[] {
  return entries.flatMap(({ token, logprob }) =>
    token !== undefined && logprob !== undefined && Number.isFinite(logprob) ? [{ token, logprob }] : [],
  );
}
