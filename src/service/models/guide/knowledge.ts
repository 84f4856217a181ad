import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FieldDoc, jobFileArea, readFieldDocs } from './fieldDocs.ts';
import { addTerms, type SearchDocument, SearchIndex } from './searchIndex.ts';
import { knownWords, termsOf } from './terms.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

export type Entry = FieldDoc | Topic;

/** The built-in model's knowledge, indexed for search. */
export interface Knowledge {
  readonly fields: readonly FieldDoc[];
  readonly index: SearchIndex<Entry>;
  /** Finds a field by its path; the job file's fields take precedence. */
  fieldAt(path: string): FieldDoc | undefined;
  /** Finds a field by its name. */
  fieldCalled(name: string): FieldDoc | undefined;
  /** Returns the title of the command that a text asks for, if any. */
  commandFor(text: string): string | undefined;
  /** Returns the fields that a text names, in order. */
  fieldsNamedIn(text: string): FieldDoc[];
}

function fieldDocument(field: FieldDoc): SearchDocument<Entry> {
  const weights = new Map<string, number>();
  addTerms(weights, termsOf(field.name.replaceAll('_', ' ')), 3);
  addTerms(weights, [field.name], 6);
  addTerms(weights, termsOf(inWords(field.path)), 1);
  addTerms(weights, termsOf(field.area), 0.5);
  addTerms(weights, termsOf(field.values.join(' ')), 1);
  addTerms(weights, termsOf(withoutPaths(field.description)), 1);
  return { value: field, weights };
}

/** Splits a name such as `local.maxParallelRuns` into words. */
function inWords(name: string): string {
  return name.replace(/[._[\]]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** Removes paths in code spans, because the words of an example path do not describe the topic. */
function withoutPaths(text: string): string {
  const parts = text.split('`');
  return parts.map((part, index) => (index % 2 === 1 && part.includes('/') ? ' ' : part)).join('`');
}

function topicDocument(topic: Topic): SearchDocument<Entry> {
  const weights = new Map<string, number>();
  addTerms(weights, termsOf(topic.title), 3);
  addTerms(weights, [...new Set(termsOf(topic.asks))], 2.5);
  addTerms(weights, termsOf(withoutPaths(topic.text)), 0.6);
  return { value: topic, weights };
}

function build(): Knowledge {
  const fields = [...readFieldDocs(), ...readSettingDocs()];
  const index = new SearchIndex<Entry>([...topics.map(topicDocument), ...fields.map(fieldDocument)]);
  const commands = readCommandTitles().map((title) => ({ title, terms: termsOf(title) }));
  const byPath = new Map<string, FieldDoc>();
  const fieldCalled = (name: string): FieldDoc | undefined => byPath.get(name) ?? shortest(fields, name);
  for (const field of [...fields].reverse()) byPath.set(field.path, field);
  for (const field of [...fields].reverse()) if (field.area === jobFileArea) byPath.set(field.path, field);
  return {
    fields,
    index,
    fieldAt: (path) => byPath.get(path),
    fieldCalled,
    commandFor(text) {
      const asked = new Set(termsOf(text));
      const metOf = (terms: readonly string[]): number => terms.filter((term) => asked.has(term)).length;
      return (
        commands
          .map(({ title, terms }) => ({ title, first: terms[0] ?? '', met: metOf(terms), count: terms.length }))
          .filter(({ first, met, count }) => asked.has(first) && met > 1 && met * 2 >= count && met >= asked.size - 1)
          // Half of all questions contain these words, so every other word must match as well.
          .filter(({ first, met }) => !/^(?:run|job|chat|file)$/.test(first) || met === asked.size)
          .sort((left, right) => right.met / right.count - left.met / left.count || right.met - left.met)[0]?.title
      );
    },
    fieldsNamedIn(text) {
      const found: FieldDoc[] = [];
      for (const { 0: word, index: from } of text.matchAll(/[A-Za-z][\w.[\]]*/g)) {
        if (!/[_.]/.test(word) && !isMarked(text, from, from + word.length)) continue;
        const field = fieldCalled(word.replace(/(?<!\.)\.+$/, ''));
        if (field && !found.includes(field)) found.push(field);
      }
      return found;
    },
  };
}

/**
 * Returns whether a word such as `name` is marked as a field's name: by backticks, a following `=`, or "field" or "parameter" beside it.
 */
function isMarked(text: string, from: number, to: number): boolean {
  const [before, after] = [text.slice(Math.max(0, from - 10), from), text.slice(to, to + 10)];
  return (
    (before.endsWith('`') && after.startsWith('`')) ||
    after.startsWith('=') ||
    /\b(?:parameter|field) $/.test(before) ||
    (/\bthe $/.test(before) && /^ (?:parameter|field)\b/.test(after))
  );
}

function shortest(fields: readonly FieldDoc[], name: string): FieldDoc | undefined {
  const matches = fields.filter((field) => field.name === name);
  return matches.sort((left, right) => rank(left) - rank(right))[0];
}

function rank(field: FieldDoc): number {
  return field.path.split('.').length + (field.area === jobFileArea ? 0 : 3);
}

let knowledge: Knowledge | undefined;

/** Returns the knowledge, built when the first question arrives. */
export function getKnowledge(): Knowledge {
  return (knowledge ??= build());
}

let vocabulary: ReadonlySet<string> | undefined;

/** Returns the vocabulary of topics and of questions about jobs. */
export function getVocabulary(): ReadonlySet<string> {
  return (vocabulary ??= new Set(
    `${topics.map(({ title, asks, text }) => `${title} ${asks} ${text}`).join(' ')} ${knownWords()} fail fails failing today yesterday windows`
      .toLowerCase()
      .match(/[a-z]{3,}/g),
  ));
}

interface Setting {
  readonly type?: string | string[];
  readonly enum?: string[];
  readonly enumDescriptions?: string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly markdownDescription?: string;
}

type Words = Readonly<Record<string, string>>;

interface Manifest {
  readonly contributes: { configuration: { properties: Record<string, Setting> }[]; commands: { title: string }[] };
}

/** Returns the editor's settings from the extension's manifest. */
function readSettingDocs(): FieldDoc[] {
  const settings = manifest()?.contributes.configuration.flatMap(({ properties }) => Object.entries(properties)) ?? [];
  return settings.map(([name, setting]) => ({
    kind: 'field',
    area: 'setting of the editor',
    path: name,
    name: name.split('.').at(-1) ?? name,
    type: [setting.type ?? 'text'].flat().join(' or '),
    description: [
      setting.markdownDescription ?? setting.description ?? '',
      ...(setting.enumDescriptions ?? []).map((text, index) => `\`${setting.enum?.[index]}\`: ${text}`),
    ].join(' '),
    ...(isTold(setting.default) && { default: String(setting.default) }),
    limits: [
      ...(setting.minimum === undefined ? [] : [`at least ${setting.minimum}`]),
      ...(setting.maximum === undefined ? [] : [`at most ${setting.maximum}`]),
    ],
    values: setting.enum ?? [],
    required: false,
    deprecated: false,
    children: [],
  }));
}

function isTold(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
}

/** Returns the titles of the extension's commands, as shown in the command palette. */
function readCommandTitles(): string[] {
  return (manifest()?.contributes.commands ?? []).map(({ title }) => title);
}

/** Reads the nearest manifest above this module, which is in a subfolder of the extension. */
function manifest(): Manifest | undefined {
  for (let folder = import.meta.dirname; path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    try {
      const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
      const words = JSON.parse(readFileSync(path.join(folder, 'media/l10n/package.nls.json'), 'utf8')) as Words;
      return JSON.parse(text, (_key, value: unknown) =>
        typeof value === 'string' ? (words[/^%(.+)%$/.exec(value)?.[1] ?? ''] ?? value) : value,
      ) as Manifest;
    } catch {
      // Continue in the parent folder.
    }
  }
  return undefined;
}
