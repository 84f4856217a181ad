/** A rule or a piece of advice that no single field tells. */
export interface Topic {
  kind: 'topic';
  id: string;
  title: string;
  /** Further words with which people ask for it. */
  asks: string;
  /** Markdown. */
  text: string;
  /** Paths of the fields it is about, told below it. */
  fields: readonly string[];
  /** Path of the job file whose example shows it. */
  example?: string;
}

export const topic = (
  id: string,
  title: string,
  asks: string,
  text: string,
  fields: readonly string[] = [],
  example?: string,
): Topic => ({ kind: 'topic', id, title, asks, text, fields, example });
