/** A rule or a piece of advice that no single field documents. */
export interface Topic {
  readonly kind: 'topic';
  readonly id: string;
  readonly title: string;
  /** Additional words that people use for this topic. */
  readonly asks: string;
  /** Patterns that lead to this topic, regardless of the rest of the question. */
  readonly match?: readonly RegExp[];
  /** Markdown. */
  readonly text: string;
  /** Paths of the related fields, listed below the text. */
  readonly fields: readonly string[];
  /** Path of the field to show in an example job file. */
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

/** Creates a topic that some words lead to directly. */
export const sureTopic = (match: readonly RegExp[], ...rest: Parameters<typeof topic>): Topic => ({
  ...topic(...rest),
  match,
});
