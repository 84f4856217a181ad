import assert from 'node:assert/strict';
import type { EmulatedCall } from '../../../../../src/service/models/upstream/chatRequestBody.ts';
import { readEmulated } from '../../../../../src/service/models/upstream/upstreamChat.ts';

describe('an answer in JSON that stands for a call', () => {
  const tools = (...names: string[]): EmulatedCall['tools'] =>
    names.map((name) => ({
      type: 'function',
      function: { name, description: '' },
    })) as unknown as EmulatedCall['tools'];
  const read = (answer: string, names: string[], allowsText: boolean): unknown => {
    const { call, text } = readEmulated(answer, { tools: tools(...names), allowsText } as EmulatedCall);
    if (call) assert.match(call.id, /^call/);
    return call ? [call.type, call.function.name, call.function.arguments] : text;
  };

  for (const [answer, names, allowsText, expected] of [
    ['{"day":"1"}', ['f'], false, ['function', 'f', '{"day":"1"}']],
    ['{"id":12345678901234567890}', ['f'], false, ['function', 'f', '{"id":12345678901234567890}']],
    ['{"name":"g","arguments":{"a":1}}', ['f', 'g'], false, ['function', 'g', '{"a":1}']],
    ['{"name":"g"}', ['f', 'g'], false, ['function', 'g', '{}']],
    ['{"name":"f","arguments":{"a":1}}', ['f'], true, ['function', 'f', '{"a":1}']],
    ['{"answer":"It is late."}', ['f'], true, 'It is late.'],
    ['{"answer":"It is late."}', ['f', 'g'], false, undefined],
    ['{"answer":7}', ['f'], true, undefined],
    ['{"name":7}', ['f', 'g'], true, undefined],
    ['[1]', ['f'], false, undefined],
    ['null', ['f'], false, undefined],
    ['{"a":', ['f'], false, undefined],
  ] as const)
    it(`${answer} of ${names.join(', ')}${allowsText ? ' or a text' : ''}`, () =>
      assert.deepEqual(read(answer, [...names], allowsText), expected));
});
