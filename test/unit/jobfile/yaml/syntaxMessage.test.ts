import assert from 'node:assert/strict';
import { syntaxMessage } from '../../../../src/jobfile/yaml/syntaxMessage.ts';

describe('what is told of a mistake of the YAML', () => {
  /** By the code of the mistake and what the library says of it: how the message begins. */
  const told: Record<string, Record<string, string>> = {
    TAB_AS_INDENT: { '': 'YAML does not allow tabs' },
    BAD_INDENT: {
      'All mapping items must start at the same column': 'The indentation does not match the lines above.',
      'Flow map in block collection must be … and end with a }': 'The { that opens here is not closed by a }',
      'Flow sequence … and end with a ]': 'The [ that opens here is not closed by a ]',
      anything: 'The indentation is not right here',
    },
    BLOCK_AS_IMPLICIT_KEY: { '': 'A key and its value cannot hold another' },
    MULTILINE_IMPLICIT_KEY: { '': 'A key must be on one line' },
    BAD_DQ_ESCAPE: { '': 'This escape sequence does not exist.' },
    BAD_SCALAR_START: {
      'Plain value cannot start with reserved character @':
        'A text without quotes cannot start with reserved character @.',
    },
    BAD_ALIAS: { '': 'The name of this anchor or alias is not right.' },
    MULTIPLE_DOCS: { '': 'A job file holds one document.' },
    UNEXPECTED_TOKEN: { 'Unexpected flow-map-end token': 'This was not expected here: flow map end token.' },
    TAG_RESOLVE_FAILED: { '': 'A job file knows no tags' },
    MISSING_CHAR: {
      'Missing closing "quote': 'The closing quote of the text',
      "Missing closing 'quote": 'The closing quote of the text',
      'Implicit keys need to be followed by map values': 'A key must be followed by a colon.',
      'Sequence item without - indicator': 'An item of a list starts with "- ".',
      'Missing , between flow collection items': 'A comma is missing between two items.',
      'Missing space after the ":"': 'A colon must be followed by a space.',
      'Comments must be separated from other tokens': 'A comment must be separated from the text',
      'Flow map must end with a }': 'The closing } is missing.',
      'Block collections … expected ]': 'The closing ] is missing.',
      'Something else': 'This is not valid YAML: Something else.',
    },
    IMPOSSIBLE: { Odd: 'This is not valid YAML: Odd.' },
  };
  for (const [code, texts] of Object.entries(told))
    for (const [message, beginsWith] of Object.entries(texts))
      it(`is "${beginsWith}" for ${code} ${message}`, () => {
        const text = syntaxMessage({ code: code as never, message });
        assert.ok(text.startsWith(beginsWith), text);
        assert.match(text, /\.$/);
      });

});
