/**
 * The only place where API JSON is parsed and written. INT64 values keep every digit: an integer beyond
 * ±(2^53 - 1) is read as a bigint, and a bigint is written as its digits.
 */

interface ReviverContext {
  readonly source?: string;
}

/** ES2025's JSON source text access, which the type library does not have yet. */
interface ExactJson {
  parse(text: string, reviver: (this: unknown, key: string, value: unknown, context: ReviverContext) => unknown): unknown;
  rawJSON(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;

/** An integer needs at least 16 digits to be unsafe, so most texts are told apart by one scan. */
const maybeUnsafe = /[0-9]{16}/;
const integer = /^-?[0-9]+$/;

function keepExact(this: unknown, _key: string, value: unknown, context: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const { source } = context;
  return source !== undefined && integer.test(source) ? BigInt(source) : value;
}

/**
 * Parses JSON. Integers that a double cannot hold come back as bigint, everything else as JSON.parse gives it.
 * @throws SyntaxError where the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!maybeUnsafe.test(text)) return JSON.parse(text) as unknown;
  return exactJson.parse(text, keepExact);
}

/** Writes JSON; bigint values as plain digits. @throws TypeError on a cycle */
export function stringifyJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? exactJson.rawJSON(item.toString()) : item),
    indent,
  ) as string | undefined;
  return text ?? 'null';
}
