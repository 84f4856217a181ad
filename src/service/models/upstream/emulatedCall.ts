import { parseJson, stringifyJson } from '../../../shared/json.ts';
import { isObject } from '../jsonSchema/schemaNode.ts';
import { newId, type WireToolCall } from '../wire.ts';
import type { EmulatedCall } from './chatRequestBody.ts';

/** The tool call that an answer in JSON stands for. Undefined where it is none. */
export function callFromText(text: string, emulated: EmulatedCall): WireToolCall | undefined {
  const [only] = emulated.tools;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The check of the answer says that there is no call.
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const call = (name: string, args: unknown): WireToolCall => ({ id: newId('call'), type: 'function', function: { name, arguments: stringifyJson(args) } });
  if (emulated.tools.length === 1 && only) return call(only.function.name, value);
  return typeof value['name'] === 'string' ? call(value['name'], value['arguments'] ?? {}) : undefined;
}
