import assert from 'node:assert/strict';
import { readLargeChat } from '../../../../../src/service/models/upstream/readLargeChat.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';

describe('a large answer of a model server', () => {
  const refusal = (text: string): [string, string] => {
    try {
      readLargeChat({ text, label: 'Up' });
    } catch (error) {
      assert.ok(isAppError(error), String(error));
      return [error.kind, error.message];
    }
    return assert.fail('it was read');
  };

  it('is read as every other one', () => {
    const text = JSON.stringify({ id: 'i', choices: [{ message: { role: 'assistant', content: 'x'.repeat(1000) } }] });
    assert.equal(readLargeChat({ text, label: 'Up' }).choices?.[0]?.message?.content, 'x'.repeat(1000));
  });

  it('has at most a million values and two hundred levels', () => {
    const list = (length: number): string => `{"choices":[],"more":[${Array.from({ length }, () => '1').join(',')}]}`;
    const nested = (depth: number): string => `{"choices":[],"more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    readLargeChat({ text: list(999_000), label: 'Up' });
    readLargeChat({ text: nested(200), label: 'Up' });
    for (const text of [list(1_000_001), nested(201)]) {
      const [kind, message] = refusal(text);
      assert.equal(kind, 'protocol');
      assert.match(
        message,
        /^Up sent an answer with .*, which is too much to be read\. Ask for fewer choices, tokens or log probabilities\.$/,
      );
    }
  });

  it('that is no JSON is told with its beginning, and one of another form with its place', () => {
    const [kind, message] = refusal(`no JSON ${'x'.repeat(500)}`);
    assert.deepEqual([kind, message], ['protocol', `Up sent something that is not JSON: no JSON ${'x'.repeat(112)}`]);
    assert.match(refusal('{"choices":"many"}')[1], /^Up sent an answer of another form: choices /);
  });
});
