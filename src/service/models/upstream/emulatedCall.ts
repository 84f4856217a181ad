import { isFields } from '../../../shared/fields.ts';
import { parseJson, stringifyJson } from '../../../shared/json.ts';
import { newId, type WireToolCall } from '../wire.ts';
import type { EmulatedCall } from './chatRequestBody.ts';

/** The tool call or the text that an answer in JSON stands for; neither if it is not what was asked for. */
export function readEmulated(answer: string, emulated: EmulatedCall): { call?: WireToolCall; text?: string } {
  const [only] = emulated.tools;
  let value: unknown;
  try {
    value = parseJson(answer);
  } catch {
    // The check of the answer says that there is no call.
    return {};
  }
  if (!isFields(value)) return {};
  const call = (name: string, args: unknown): WireToolCall => ({
    id: newId('call'),
    type: 'function',
    function: { name, arguments: stringifyJson(args) },
  });
  if (emulated.tools.length === 1 && only && !emulated.allowsText) return { call: call(only.function.name, value) };
  if (typeof value['name'] === 'string') return { call: call(value['name'], value['arguments'] ?? {}) };
  return emulated.allowsText && typeof value['answer'] === 'string' ? { text: value['answer'] } : {};
}
