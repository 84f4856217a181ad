import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { WebLinks } from '../../../../../src/chat/webview/markdown/parser.ts';
import { cpuOf } from '../../../../support/cpuTime.ts';

/** What the package that markdown-it comes with takes for an address, if a scheme is asked for. */
const reference = new MarkdownIt({ linkify: true }).linkify;
reference.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
reference.add('ftp:', null).add('mailto:', null).add('//', null);

describe('bare addresses in a text', () => {
  for (const text of [
    'see https://example.com/a, and then http://x.example:8080/b?c=d&e=f#g.',
    '(https://example.com/a_(b)) and [https://example.com/c]',
    'Is it https://example.com? No: https://example.com/!',
    'https://пример.example/путь and https://example.com/%7Ea/~b',
    '"https://example.com/q" and <https://example.com/r>',
    'https://127.0.0.1:5000/api and https://localhost/x',
    'no www.example.com, no job.py, no a@b.example, no ftp://example.com, no mailto:a@b.example',
    'HTTPS://EXAMPLE.COM/A',
    'https://example.com/a\nhttps://example.com/b',
    '“https://example.com/a”',
    'https:// and https:///x',
    'nothing at all',
  ])
    it(`are those of the package in ${JSON.stringify(text)}`, () => {
      const expected = (reference.match(text) ?? []).map(({ index, lastIndex, url }) => [index, lastIndex, url]);
      assert.deepEqual(
        new WebLinks().match(text).map(({ index, lastIndex, url }) => [index, lastIndex, url]),
        expected,
      );
    });

  it('are none where they are longer than anybody follows, and never another address', () => {
    const long = `https://example.com/${'a'.repeat(1_980)}`;
    assert.deepEqual([long.length, new WebLinks().match(`${long} b`)[0]?.url], [2_000, long]);
    for (const text of [`${long}a`, `${long}a https`]) {
      assert.deepEqual(new WebLinks().match(text), []);
      assert.equal(new WebLinks().matchAtStart(text), null);
    }
  });

  it('lose brackets that nothing opened in a time that grows with the text alone', async () => {
    const text = `https://a${')'.repeat(1_900)} `;
    assert.equal(new WebLinks().match(text)[0]?.url, 'https://a');
    assert.ok((await cpuOf(() => new WebLinks().match(text.repeat(100)))) < 500);
  });

  it('are found at the start of a text alone where that is asked', () => {
    const links = new WebLinks();
    assert.equal(links.matchAtStart('https://example.com/a b')?.url, 'https://example.com/a');
    assert.equal(links.matchAtStart('see https://example.com/a'), null);
    assert.equal(links.test('a https://b'), true);
    assert.equal(links.test('a b'), false);
  });

  it('are told with their scheme, their place and no mark that ends a sentence', () => {
    const links = new WebLinks();
    assert.deepEqual(links.match('a HTTP://b.example/c?!…’”»*_~;: (https://d.example/(e)])'), [
      { schema: 'HTTP:', index: 2, lastIndex: 20, text: 'HTTP://b.example/c', url: 'HTTP://b.example/c' },
      { schema: 'https:', index: 33, lastIndex: 54, text: 'https://d.example/(e)', url: 'https://d.example/(e)' },
    ]);
    for (const before of ['a', '1', 'ж', '+', '.', '-'])
      assert.deepEqual(links.match(`${before}https://b.example`), []);
    for (const end of ['<', '>', '"', '`', '\\', '|', '^', '{', '}', ' ', '\n']) {
      const [text, url] = [`https://b.example/${end}c`, 'https://b.example/'];
      assert.deepEqual([links.match(text)[0]?.url, links.matchAtStart(text)?.url], [url, url], end);
    }
    assert.deepEqual([links.test('HTTPS://'), links.test('http:/b'), links.test('ftp://b')], [true, false, false]);
    assert.deepEqual([links.matchAtStart('HTTP://b')?.url, links.matchAtStart('https:///b')], ['HTTP://b', null]);
  });
});
