import * as z from 'zod';
import { isAbsent } from '../../shared/fields.ts';

/** Metadata of a field beside its type, from which hovers, forms, JSON Schema and the tables are made. */
export interface FieldMeta {
  description: string;
  /** The document's default, as text or value. Never applied by us: leaving the field out has the same effect. */
  default?: unknown;
  /** Unit of a number. */
  unit?: string;
  readonly deprecated?: boolean;
  readonly examples?: unknown[];
  /** Values that the document names, for a field that may also have others. */
  readonly knownValues?: readonly string[];
  /** The document's name of the type, if the JSON type is not specific enough. */
  documentType?: string;
  /** What the field refers to, so that an editor can suggest live values. */
  refersTo?:
    | 'job'
    | 'cluster'
    | 'notebook'
    | 'pythonFile'
    | 'timezone'
    | 'cron'
    | 'sparkVersion'
    | 'nodeType'
    | 'function'
    | 'endpoint';
}

/** Attaches a description and further metadata to a schema. */
export function field<T extends z.ZodType>(
  schema: T,
  description: string,
  more: Omit<FieldMeta, 'description'> = {},
): T {
  return schema.meta({ description, ...more });
}

/** Maximum characters of a text for which the document sets no limit. This limit is ours, so that no text costs more than others. */
export const maxTextLength = 4096;

/**
 * Returns a schema for text on one line: a name, a path, an identifier. Values passed to the user's own program, such as parameters, have
 * no such limit.
 */
export function text() {
  return z
    .string()
    .max(maxTextLength, { error: `has more than ${maxTextLength.toLocaleString('en')} characters; shorten it` })
    .refine((value) => !controlCharacter.test(value), {
      error: ({ input }) => `holds the control character ${codePoint(controlCharacter.exec(String(input))?.[0] ?? '')}`,
      params: { rule: 'controlCharacter' },
    });
}

/** Returns a schema for a path or an identifier: with a line break or nothing but blanks it would name something that does not exist. */
export function identifier() {
  return text()
    .min(1)
    .refine((value) => value === '' || value.trim() !== '', { error: 'is blank' })
    .refine((value) => value.trim() === '' || !/[\r\n]/.test(value), {
      error: 'holds a line break',
    });
}

/** A character that a terminal or a log would obey instead of showing it; tabs and line ends are not among them. */
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** Returns a character's code point, such as U+001B. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the number of characters; for a very long text, the number of 16-bit units. */
export function countCharacters(value: string): number {
  return value.length > 10_000 ? value.length : [...value].length;
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const decimal = /^-?[0-9]{1,19}$/;

function isInt64(value: bigint | number | string): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value === 'string' && !decimal.test(value)) return false;
  const exact = BigInt(value);
  return exact >= minInt64 && exact <= maxInt64;
}

const int64Message = 'must be a whole number between -9223372036854775808 and 9223372036854775807';

/**
 * Returns a schema for an INT64: a decimal string in our code, its exact digits on the wire. Real servers and clients also send it as a
 * JSON string, which is read the same way.
 */
export function int64() {
  const wire = z
    .union([z.bigint(), z.number(), z.string()], {
      error: (issue) => (issue.input === undefined ? 'is required: a whole number' : int64Message),
    })
    .refine(isInt64, { error: int64Message });
  return z.codec(wire, z.string().refine(isInt64, { error: int64Message }), {
    decode: (value) => BigInt(value).toString(),
    encode: (text) => BigInt(text),
  });
}

/**
 * Returns a schema for a time or duration in milliseconds. It is INT64 in the document, but a number here, since it stays below 2^53 for
 * 285,000 years.
 */
export function millis() {
  return z.codec(z.union([z.number(), z.bigint(), z.string()]).refine(isInt64, { error: int64Message }), z.number(), {
    decode: (value) => Number(value),
    encode: (value) => value,
  });
}

/** Returns a schema for an INT32 of the document. */
export function int32() {
  // Only for numbers that are not whole: the bounds have their own messages.
  return z
    .int({ error: (issue) => (issue.code === 'invalid_type' ? 'must be a whole number' : undefined) })
    .min(-2_147_483_648)
    .max(2_147_483_647);
}

/** Returns a schema for a closed list of values that we send. */
export function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values);
}

/** Returns a schema for a list of values that may grow: accepts any string unchanged and lists the known values in the metadata. */
export function openEnum(values: readonly string[], description: string) {
  return z.string().meta({ description, knownValues: values });
}

type Maybe<T extends z.ZodType> = z.ZodCodec<
  z.ZodOptional<z.ZodNullable<T>>,
  z.ZodOptional<z.ZodCustom<z.output<T>, z.output<T>>>
>;

/**
 * Returns a schema for a response field. Reading is lenient, since one odd field must not hide the rest: null counts as absent, a number in
 * place of a text is converted to text and vice versa, and a value that cannot be read counts as absent. Lists are an exception, since an
 * unreadable list must not look like an empty one.
 */
export function maybe<T extends z.ZodType>(schema: T): Maybe<T> {
  const result = z.pipe(
    z.transform((value) => fit(schema, value)),
    z.optional(schema),
  );
  const meta = schema.meta();
  return (meta ? result.meta(meta) : result) as unknown as Maybe<T>;
}

/** A text of a response whose presence decides something: what servers send in place of leaving it out counts as absent. */
export function decidingText(schema: z.ZodString = z.string()): Maybe<z.ZodString> {
  const result = z.pipe(
    z.transform((value) => (isAbsent(value) ? undefined : asText(value))),
    z.optional(schema),
  );
  const meta = schema.meta();
  return (meta ? result.meta(meta) : result) as unknown as Maybe<z.ZodString>;
}

function fit(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  switch (schema.def.type) {
    case 'string':
      return asText(value);
    case 'number':
      return asNumber(value);
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : typeof value === 'boolean' ? value : undefined;
    case 'array':
      return value;
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) ? value : undefined;
    default:
      return z.safeDecode(schema, value as never).success ? value : undefined;
  }
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function asNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'bigint' || (typeof value === 'string' && value.trim() !== '')
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const encoder = new TextEncoder();

/** Returns the length in UTF-8 bytes, which the document's byte limits count. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

const ascii = /^[\x00-\x7f]*$/;

export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Returns a schema for a string of ASCII characters only (Jobs API 2.0, Errors). */
export function asciiString() {
  return z.string().refine(isAscii, {
    error: (issue) => `must hold ASCII characters only; ${firstNonAscii(String(issue.input))} is not one`,
    params: { rule: 'asciiOnly' },
  });
}

/** Returns the stable code of our rule that is violated, or `undefined` if it is one of zod's own rules. */
export function ruleOf(issue: z.core.$ZodIssue): string | undefined {
  const rule: unknown = issue.code === 'custom' ? issue.params?.['rule'] : undefined;
  return typeof rule === 'string' ? rule : undefined;
}

/** Returns whether the message is one of zod's: its English defaults all start this way, and no message of our schemas does. */
export function isDefaultMessage(message: string): boolean {
  return /^(Invalid |Too (big|small): |Unrecognized key|Invalid$)/.test(message);
}

export function firstNonAscii(text: string): string {
  const found = /[^\x00-\x7f]/u.exec(text)?.[0] ?? '';
  return `"${found}" (${codePoint(found)})`;
}
