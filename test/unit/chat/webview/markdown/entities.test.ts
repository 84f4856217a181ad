import assert from 'node:assert/strict';
import { decodeHTMLStrict } from '../../../../../src/chat/webview/markdown/entities.ts';

/** What a browser makes of entities; of one that it knows only the beginning of, it leaves the rest. */
const browsers: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&copy;': '©',
  '&semi;': ';',
  '&ltfoo;': '<foo;',
  '&nothing;': '&nothing;',
  '&CounterClockwiseContourIntegral;': '∳',
  '&#65;': 'A',
  '&#1114111;': '\u{10ffff}',
  '&#x41;': 'A',
  '&#X1F600;': '😀',
};

describe('entities of HTML in an answer', () => {
  const { document } = globalThis;
  let made: string[];
  before(() => {
    const createElement = (tag: string): object => {
      made.push(tag);
      return {
        value: '',
        set innerHTML(text: string) {
          assert.match(text, /^&[^&<>\s]+;$/, 'nothing but an entity is read as markup');
          (this as { value: string }).value = browsers[text] ?? assert.fail(text);
        },
      };
    };
    made = [];
    Object.assign(globalThis, { document: { createElement } });
  });
  after(() => Object.assign(globalThis, { document }));

  it('are the characters that the browser knows, or stay as they are', () => {
    for (const [text, decoded] of [
      ['&amp;', '&'],
      ['a &lt; b &copy; c', 'a < b © c'],
      ['&semi;', ';'],
      ['&ltfoo;', '&ltfoo;'],
      ['&nothing;', '&nothing;'],
      ['&CounterClockwiseContourIntegral;', '∳'],
      ['&#65;&#x41;&#X1F600;&#1114111;', 'AA😀\u{10ffff}'],
    ] as const)
      assert.equal(decodeHTMLStrict(text), decoded);
    assert.deepEqual(made, ['textarea'], 'one place for all');
  });

  it('are none where they are not written as such, and nothing else is ever markup', () => {
    for (const text of [
      '&amp',
      '& amp;',
      '&;',
      '&#;',
      '&#x;',
      '&#12345678;',
      '&#x1234567;',
      '&a;',
      '&1a;',
      '<b>&lt',
      '&a-b;',
      `&${'a'.repeat(40)};`,
    ])
      assert.equal(decodeHTMLStrict(text), text);
  });
});
