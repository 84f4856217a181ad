const maxAnswers = 20;
const maxCharacters = 200_000;

interface Kept {
  readonly events: string[];
  size: number;
  leftOut: number;
}

/** The raw events of the latest answers, for the view of a response; kept while the window is open. */
export class StreamEvents {
  readonly #answers = new Map<string, Kept>();

  /** @returns what is to be told of each event */
  record(answerId: string): (data: () => string) => void {
    const kept: Kept = { events: [], size: 0, leftOut: 0 };
    this.#answers.set(answerId, kept);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return (data) => {
      const text = kept.size < maxCharacters ? data() : '';
      kept.size += text.length;
      if (text === '' || kept.size > maxCharacters) kept.leftOut += 1;
      else kept.events.push(text);
    };
  }

  /** Undefined if none are kept. */
  of(answerId: string): { events: readonly string[]; left_out?: number } | undefined {
    const { events = [], leftOut = 0 } = this.#answers.get(answerId) ?? {};
    return events.length === 0 ? undefined : { events, ...(leftOut > 0 && { left_out: leftOut }) };
  }
}
