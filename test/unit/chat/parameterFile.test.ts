import assert from 'node:assert/strict';
import { responseFormatOf } from '../../../src/chat/parameterFile.ts';
import { closeChats } from './openedChat.ts';

const file = (value: unknown, name = 'invoice.schema.json'): { name: string; text: string } => ({
  name,
  text: typeof value === 'string' ? value : JSON.stringify(value),
});

describe('parameters that are read from a file', () => {
  afterEach(closeChats);

  it('are a schema under the name of its title or of its file', () => {
    const schema = { type: 'object' };
    const named = (name: string, inner: object = schema): unknown => ({
      type: 'json_schema',
      json_schema: { name, schema: inner },
    });
    assert.deepEqual(responseFormatOf(file(schema)), named('invoice'));
    assert.deepEqual(responseFormatOf(file(`\uFEFF{"type":"object"}`, 'a b.JSON')), named('a_b'));
    const titled = { ...schema, title: 'An "invoice"' };
    assert.deepEqual(responseFormatOf(file(titled)), named('An__invoice_', titled));
    assert.deepEqual(responseFormatOf(file({ name: 'x', schema, strict: true })), {
      type: 'json_schema',
      json_schema: { name: 'x', schema, strict: true },
    });
    assert.deepEqual(responseFormatOf(file(named('whole'))), named('whole'));
    for (const wrong of [[], 'null', '"text"', '{'])
      assert.throws(() => responseFormatOf(file(wrong)), /invoice\.schema\.json (?:holds no JSON Schema|is not JSON)/);
  });
});
