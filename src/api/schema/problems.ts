import * as z from 'zod';
import { l10n } from '../../shared/l10n.ts';
import { listedOr, sentence, shortened } from '../../shared/text.ts';
import { isDefaultMessage, ruleOf } from './field.ts';

/**
 * A problem with a value, in words. Used by the client before it sends, by the local service for INVALID_PARAMETER_VALUE responses, and by
 * the job-file language for squiggles.
 */
export interface FieldProblem {
  /** Location in the value: field names and list positions. */
  readonly path: readonly (string | number)[];
  /** The violated rule: a stable word, such as `oneTask` or `invalid_type`. */
  readonly code: string;
  /** Rule, value and remedy, as a sentence or as the end of one that starts with the field's name. */
  readonly message: string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Returns our value encoded for the wire, or every rule that it violates. */
export function encodeChecked<S extends z.ZodType>(schema: S, value: z.output<S>): Checked<z.input<S>> {
  const result = z.safeEncode(schema, value);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, problems: problemsOf(result.error.issues, value) };
}

/** Returns a received value in our form, or every rule that it violates. */
export function decodeChecked<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = z.safeDecode(schema, value as z.input<S>);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, problems: problemsOf(result.error.issues, value) };
}

/**
 * Converts zod's issues to readable problems.
 * @param root the value that was checked: messages name the value found
 */
function problemsOf(issues: readonly z.core.$ZodIssue[], root: unknown): FieldProblem[] {
  return issues.slice(0, maxProblems).flatMap((issue) => problemsOfIssue(issue, [], root));
}

/** Maximum problems reported for one value; more would add nothing new. */
const maxProblems = 1000;

/** Formats a path such as `new_cluster.autoscale.max_workers` or `messages[2].content`; empty for the value itself. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number'
        ? `[${part}]`
        : part.length <= 60 && /^[A-Za-z_][\w-]*$/.test(part)
          ? `${index > 0 ? '.' : ''}${part}`
          : `["${shortened(part)}"]`,
    )
    .join('');
}

/** Formats one problem as a complete sentence: `name: must be text, not a number (5).` */
export function formatProblem(problem: FieldProblem): string {
  const place = formatPath(problem.path);
  const message = sentence(problem.message);
  return place === '' ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : `${place}: ${message}`;
}

/** Formats several problems as one text: the first few in full, the rest as a count. */
export function formatProblems(problems: readonly FieldProblem[], max = 5): string {
  const shown = problems.slice(0, max).map(formatProblem);
  if (problems.length > max) shown.push(l10n.t('And {0} more.', problems.length - max));
  return shown.join(' ');
}

function problemsOfIssue(issue: z.core.$ZodIssue, base: readonly (string | number)[], root: unknown): FieldProblem[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  const found = valueAt(root, path);
  // A schema's own message is more helpful than any text derived from the issue.
  const own = isDefaultMessage(issue.message) ? undefined : issue.message;
  if (issue.code === 'invalid_union' && own === undefined) return unionProblems(issue, path, root);
  if (issue.code === 'invalid_element')
    return issue.issues.flatMap((inner) => problemsOfIssue({ ...inner, path: [] }, path, root));
  if (issue.code === 'invalid_key') {
    // The name is wrong, not the value under it.
    const name = path.at(-1);
    return issue.issues
      .flatMap((inner) => problemsOfIssue({ ...inner, path: [] }, [], name))
      .map((inner) => ({ ...inner, path, message: l10n.t('the name {0}', inner.message) }));
  }
  return [{ path, code: ruleOf(issue) ?? issue.code, message: own ?? describe(issue, found) }];
}

/** Reports the problems of the best-fitting branch only: reporting every branch hides the mistake. */
function unionProblems(
  issue: z.core.$ZodIssueInvalidUnion,
  path: readonly (string | number)[],
  root: unknown,
): FieldProblem[] {
  const found = valueAt(root, path);
  const inside = issue.errors.filter(
    (branch) => !branch.some((inner) => inner.path.length === 0 && inner.code === 'invalid_type'),
  );
  const [best] = inside.toSorted((left, right) => left.length - right.length);
  if (best && inside.length < issue.errors.length) return best.flatMap((inner) => problemsOfIssue(inner, path, root));
  const wanted = issue.errors.flatMap((branch) => branch.map(wantedByBranch));
  return [
    {
      path,
      code: issue.code,
      message:
        found === undefined
          ? l10n.t('is required')
          : l10n.t('must be {0}, not {1}', listedOr([...new Set(wanted)]), kindOf(found)),
    },
  ];
}

function wantedByBranch(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return typeName(issue.expected);
  if (issue.code === 'invalid_value') return l10n.t('one of {0}', listedOr(issue.values.map(String)));
  return l10n.t('another value');
}

/** Returns the name of a zod type in words. */
function typeName(type: string): string {
  switch (type) {
    case 'string':
      return l10n.t('text');
    case 'number':
      return l10n.t('a number');
    case 'int':
    case 'bigint':
      return l10n.t('a whole number');
    case 'boolean':
      return l10n.t('true or false');
    case 'array':
      return l10n.t('a list');
    case 'object':
    case 'record':
      return l10n.t('an object with fields');
    case 'undefined':
      return l10n.t('left out');
    default:
      return type;
  }
}

function describe(issue: z.core.$ZodIssue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined
        ? l10n.t('is required: {0}', typeName(issue.expected))
        : l10n.t('must be {0}, not {1}', typeName(issue.expected), kindOf(found));
    case 'invalid_value':
      return found === undefined
        ? l10n.t('is required: {0}', valueNames(issue.values))
        : l10n.t('must be {0}, not {1}', valueNames(issue.values), nameOf(found));
    case 'too_small':
      return tooSmall(issue, found);
    case 'too_big':
      return tooBig(issue, found);
    case 'not_multiple_of':
      return l10n.t('must be a multiple of {0}, not {1}', String(issue.divisor), nameOf(found));
    case 'unrecognized_keys':
      return l10n.t('has unknown fields: {0}. Remove them', issue.keys.join(', '));
    default:
      return found === undefined ? l10n.t('is required') : l10n.t('is invalid: {0}', nameOf(found));
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, found: unknown): string {
  if (issue.origin === 'string')
    return Number(issue.minimum) === 1
      ? l10n.t('must not be empty')
      : l10n.t('must have at least {0} characters', String(issue.minimum));
  if (issue.origin === 'array')
    return Number(issue.minimum) === 1
      ? l10n.t('must not be an empty list')
      : l10n.t('must have at least {0} entries', String(issue.minimum));
  return issue.inclusive === false
    ? l10n.t('must be greater than {0}, not {1}', String(issue.minimum), nameOf(found))
    : l10n.t('must be at least {0}, not {1}', String(issue.minimum), nameOf(found));
}

function tooBig(issue: z.core.$ZodIssueTooBig, found: unknown): string {
  if (issue.origin === 'string')
    return l10n.t(
      'has {0} characters, but at most {1} are allowed. Shorten it',
      String(found).length,
      String(issue.maximum),
    );
  if (issue.origin === 'array')
    return l10n.t(
      'has {0} entries, but at most {1} are allowed. Remove some',
      Array.isArray(found) ? found.length : '?',
      String(issue.maximum),
    );
  return issue.inclusive === false
    ? l10n.t('must be less than {0}, not {1}', String(issue.maximum), nameOf(found))
    : l10n.t('must be at most {0}, not {1}', String(issue.maximum), nameOf(found));
}

/** Describes a value of the wrong type; a number is called a number. */
function kindOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint'
    ? l10n.t('the number {0}', shortened(String(value)))
    : nameOf(value);
}

function valueNames(values: readonly unknown[]): string {
  const names = listedOr(values.map(String));
  return values.length > 1 ? l10n.t('one of {0}', names) : names;
}

/** Describes the value, short enough for a message. */
function nameOf(value: unknown): string {
  if (value === undefined) return l10n.t('left out');
  if (value === null) return l10n.t('null (empty)');
  if (Array.isArray(value)) return l10n.t('a list');
  if (typeof value === 'object') return l10n.t('an object with fields');
  if (typeof value === 'string')
    return value === '' ? l10n.t('an empty text') : l10n.t('the text "{0}"', shortened(value));
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' || typeof value === 'bigint'
    ? shortened(String(value))
    : l10n.t('another kind of value');
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
