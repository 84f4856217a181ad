import { readFieldDocs, jobFileArea, type FieldDoc } from './fieldDocs.ts';
import { addTerms, SearchIndex, type SearchDocument } from './searchIndex.ts';
import { termsOf } from './terms.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

export type Entry = FieldDoc | Topic;

/** All that the built-in model knows, ready to be searched. */
export interface Knowledge {
  readonly fields: readonly FieldDoc[];
  readonly index: SearchIndex<Entry>;
  /** A field by its path, the job file's first. */
  fieldAt(path: string): FieldDoc | undefined;
  /** Fields whose very name stands in the text, in the order of the text. */
  fieldsNamedIn(text: string): FieldDoc[];
}

function fieldDocument(field: FieldDoc): SearchDocument<Entry> {
  const weights = new Map<string, number>();
  addTerms(weights, termsOf(field.name.replaceAll('_', ' ')), 3);
  addTerms(weights, [field.name], 6);
  addTerms(weights, termsOf(field.path.replace(/[._[\]]+/g, ' ')), 1);
  addTerms(weights, termsOf(field.area), 0.5);
  addTerms(weights, termsOf(field.values.join(' ')), 1);
  addTerms(weights, termsOf(field.description), 1);
  return { value: field, weights };
}

function topicDocument(topic: Topic): SearchDocument<Entry> {
  const weights = new Map<string, number>();
  addTerms(weights, termsOf(topic.title), 3);
  addTerms(weights, [...new Set(termsOf(topic.asks))], 2.5);
  addTerms(weights, termsOf(topic.text), 0.6);
  return { value: topic, weights };
}

function build(): Knowledge {
  const fields = readFieldDocs();
  const index = new SearchIndex<Entry>([...topics.map(topicDocument), ...fields.map(fieldDocument)]);
  const byPath = new Map<string, FieldDoc>();
  for (const field of [...fields].reverse()) byPath.set(field.path, field);
  for (const field of [...fields].reverse()) if (field.area === jobFileArea) byPath.set(field.path, field);
  return {
    fields,
    index,
    fieldAt: (path) => byPath.get(path),
    fieldsNamedIn(text) {
      const found: FieldDoc[] = [];
      for (const [word] of text.matchAll(/[A-Za-z][\w.[\]]*/g)) {
        if (!/[_.]/.test(word) && !isQuoted(text, word)) continue;
        const field = byPath.get(word.replace(/(?<!\.)\.+$/, '')) ?? shortest(fields, word.replace(/(?<!\.)\.+$/, ''));
        if (field && !found.includes(field)) found.push(field);
      }
      return found;
    },
  };
}

/** An ordinary word such as `name` counts as a field's name only where it is marked as code. */
function isQuoted(text: string, word: string): boolean {
  return text.includes(`\`${word}\``);
}

function shortest(fields: readonly FieldDoc[], name: string): FieldDoc | undefined {
  const matches = fields.filter((field) => field.name === name);
  return matches.sort((left, right) => rank(left) - rank(right))[0];
}

function rank(field: FieldDoc): number {
  return field.path.split('.').length + (field.area === jobFileArea ? 0 : 3);
}

let knowledge: Knowledge | undefined;

/** Built at the first question. */
export function getKnowledge(): Knowledge {
  return (knowledge ??= build());
}
