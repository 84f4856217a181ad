import { isFields } from '../fields.ts';
import { JsonChecker } from './checkJson.ts';
import { nodeOf } from './schemaNode.ts';

export interface CheckTask {
  readonly text: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * Returns the problem with a text that must be JSON valid for a schema, or `undefined` if it is valid. Runs on a thread, because the
 * schema, its patterns and the text can take arbitrarily long.
 */
export function checkJsonText({ text, schema }: CheckTask): string | undefined {
  let value: unknown;
  try {
    // Models often call a function without parameters with an empty text. Integers beyond 2^53 are compared as the nearest number.
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    return `it is not JSON (${text.slice(0, 60)})`;
  }
  if (schema['type'] === 'object' && !isFields(value)) return 'it is not an object';
  try {
    return new JsonChecker(nodeOf(schema)).problemOf(value);
  } catch (error) {
    return `the schema cannot be read (${error instanceof Error ? error.message.slice(0, 200) : 'unknown'})`;
  }
}
