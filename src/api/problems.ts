import * as z from 'zod';
import { listedOr } from '../shared/listed.ts';

/**
 * What is wrong with a value, in words: the client uses it before it sends, the local service for its
 * INVALID_PARAMETER_VALUE answers and the job-file language for its squiggles.
 */
export interface Problem {
  /** Where in the value: field names and list positions. */
  readonly path: readonly (string | number)[];
  /** The rule that is broken: a stable word, such as `oneTask` or `invalid_type`. */
  readonly code: string;
  /** Rule, value and remedy, as a sentence or the end of one that starts with the field's name. */
  readonly message: string;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** Our value in the document's form, ready for the wire, or every rule that it breaks. */
export function encodeChecked<S extends z.ZodType>(schema: S, value: z.output<S>): Checked<z.input<S>> {
  const result = z.safeEncode(schema, value);
  return result.success ? { ok: true, value: result.data } : { ok: false, problems: problemsOf(result.error.issues, value) };
}

/** A received value in our form, or every rule that it breaks. */
export function decodeChecked<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = z.safeDecode(schema, value as z.input<S>);
  return result.success ? { ok: true, value: result.data } : { ok: false, problems: problemsOf(result.error.issues, value) };
}

/**
 * Zod's issues in words a person reads.
 * @param root the value that was checked: the words name what was found there
 */
export function problemsOf(issues: readonly z.core.$ZodIssue[], root: unknown): Problem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, [], root));
}

/** `new_cluster.autoscale.max_workers`, `messages[2].content`; empty for the value itself. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : /^[A-Za-z_][\w-]*$/.test(part) ? `${index > 0 ? '.' : ''}${part}` : `["${part}"]`)).join('');
}

/** One problem as a text that stands alone: `name: must be text, not a number (5).` */
export function formatProblem(problem: Problem): string {
  const place = formatPath(problem.path);
  const message = /[.!?]$/.test(problem.message) ? problem.message : `${problem.message}.`;
  return place === '' ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : `${place}: ${message}`;
}

/** Several problems as one text: the first few in full, the rest counted. */
export function formatProblems(problems: readonly Problem[], most = 5): string {
  const shown = problems.slice(0, most).map(formatProblem);
  if (problems.length > most) shown.push(`And ${problems.length - most} more.`);
  return shown.join(' ');
}

function problemsOfIssue(issue: z.core.$ZodIssue, base: readonly (string | number)[], root: unknown): Problem[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  const found = valueAt(root, path);
  // A schema's own words say more than anything that can be made from the issue.
  const own = isDefaultMessage(issue.message) ? undefined : issue.message;
  if (issue.code === 'invalid_union' && own === undefined) return unionProblems(issue, path, root);
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.flatMap((inner) => problemsOfIssue({ ...inner, path: [] }, path, root)).map((inner) => ({ ...inner, message: issue.code === 'invalid_key' ? `the name ${inner.message}` : inner.message }));
  }
  return [{ path, code: codeOf(issue), message: own ?? describe(issue, found) }];
}

function codeOf(issue: z.core.$ZodIssue): string {
  const rule: unknown = issue.code === 'custom' ? issue.params?.['rule'] : undefined;
  return typeof rule === 'string' ? rule : issue.code;
}

/** The branch that fits best is the one meant: reporting every branch hides the mistake. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion, path: readonly (string | number)[], root: unknown): Problem[] {
  const found = valueAt(root, path);
  const inside = issue.errors.filter((branch) => !branch.some((inner) => inner.path.length === 0 && inner.code === 'invalid_type'));
  const [best] = inside.toSorted((left, right) => left.length - right.length);
  if (best && inside.length < issue.errors.length) return best.flatMap((inner) => problemsOfIssue(inner, path, root));
  const wanted = issue.errors.flatMap((branch) => branch.map(wantedByBranch));
  return [{ path, code: issue.code, message: found === undefined ? 'is required' : `must be ${listedOr([...new Set(wanted)])}, not ${nameOf(found)}` }];
}

function wantedByBranch(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${listedOr(issue.values.map(String))}`;
  return 'another value';
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with fields',
  record: 'an object with fields',
  null: 'null',
  undefined: 'left out',
};

function describe(issue: z.core.$ZodIssue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined ? `is required: ${typeNames[issue.expected] ?? issue.expected}` : `must be ${typeNames[issue.expected] ?? issue.expected}, not ${kindOf(found)}`;
    case 'invalid_value':
      return found === undefined
        ? `is required: ${issue.values.length > 1 ? 'one of ' : ''}${listedOr(issue.values.map(String))}`
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${listedOr(issue.values.map(String))}, not ${nameOf(found)}`;
    case 'too_small':
      return tooSmall(issue, found);
    case 'too_big':
      return tooBig(issue, found);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}, not ${nameOf(found)}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}. Remove them`;
    default:
      return found === undefined ? 'is required' : `is not valid: ${nameOf(found)}`;
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, found: unknown): string {
  if (issue.origin === 'string') return Number(issue.minimum) === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
  if (issue.origin === 'array') return Number(issue.minimum) === 1 ? 'must not be an empty list' : `must hold at least ${issue.minimum} entries`;
  return `must be ${issue.inclusive === false ? 'greater than' : 'at least'} ${issue.minimum}, not ${nameOf(found)}`;
}

function tooBig(issue: z.core.$ZodIssueTooBig, found: unknown): string {
  if (issue.origin === 'string') return `has ${String(found).length} characters; at most ${issue.maximum} are allowed. Shorten it`;
  if (issue.origin === 'array') return `holds ${Array.isArray(found) ? found.length : 'too many'} entries; at most ${issue.maximum} are allowed. Remove some`;
  return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}, not ${nameOf(found)}`;
}

/** The same where the kind of value is what is wrong. */
function kindOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? `the number ${value}` : nameOf(value);
}

/** The value in words, short enough for a message. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'left out';
  if (value === null) return 'null (empty)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object with fields';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text "${value.length > 60 ? `${value.slice(0, 60)}…` : value}"`;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : 'another kind of value';
}

/** Zod's English defaults all start so; every text of our schemas starts in another way. */
function isDefaultMessage(message: string): boolean {
  return /^(Invalid |Too (big|small): |Unrecognized key|Invalid$)/.test(message);
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
