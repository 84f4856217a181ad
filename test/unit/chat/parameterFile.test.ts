import assert from 'node:assert/strict';
import { functionsOf, responseFormatOf } from '../../../src/chat/parameterFile.ts';
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

  it('are functions with or without what is around them', () => {
    const one = { name: 'days', description: 'Counts days.', parameters: { type: 'object' } };
    const expected = [{ label: 'days', detail: 'Counts days.', definition: { type: 'function', function: one } }];
    assert.deepEqual(functionsOf(file([one])), expected);
    assert.deepEqual(functionsOf(file([{ type: 'function', function: one }, 7])), expected);
    assert.deepEqual(functionsOf(file({ tools: [one] })), expected);
    assert.deepEqual(
      functionsOf(file([{ name: 'days' }]))[0]?.definition,
      { type: 'function', function: { name: 'days', description: 'days' } },
      'a request needs a description',
    );
    for (const none of [[], {}, [{ description: 'x' }], '[']) assert.throws(() => functionsOf(file(none, 'f.json')));
  });
});
