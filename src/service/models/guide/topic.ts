/** A rule or a piece of advice that no single field tells. */
export interface Topic {
  readonly kind: 'topic';
  readonly id: string;
  readonly title: string;
  /** Further words with which people ask for it. */
  readonly asks: string;
  /** A question in these words is about it, whatever else stands there. */
  readonly match?: readonly RegExp[];
  /** Markdown. */
  readonly text: string;
  /** Paths of the fields it is about, told below it. */
  readonly fields: readonly string[];
  /** Path of the job file whose example shows it. */
  readonly example?: string;
}

export const topic = (
  id: string,
  title: string,
  asks: string,
  text: string,
  fields: readonly string[] = [],
  example?: string,
): Topic => ({ kind: 'topic', id, title, asks, text, fields, example });

/** A topic that some words lead to by themselves. */
export const sureTopic = (match: readonly RegExp[], ...rest: Parameters<typeof topic>): Topic => ({
  ...topic(...rest),
  match,
});
