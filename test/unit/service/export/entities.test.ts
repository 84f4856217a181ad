import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { decodeEntities } from '../../../../src/service/export/entities.ts';

describe('HTML entities', () => {
  it('are the characters that the full table has for them, at both ends of each run of names', () => {
    const names =
      'nbsp yuml Alpha Rho Sigma Omega alpha sigmaf sigma omega ensp emsp thinsp zwnj rlm quot apos amp lt gt AMP QUOT hellip ' +
      'frac12 there4 eacute szlig thetasym piv phone euro larr hArr infin';
    const markdown = new MarkdownIt();
    for (const name of names.split(' ')) {
      // An entity within words keeps its white space.
      const whole = markdown
        .parseInline(`a&${name};b`, {})[0]
        ?.children?.map(({ content }) => content)
        .join('');
      assert.equal(`a${decodeEntities(`&${name};`)}b`, whole, name);
    }
  });

  it('are characters by their numbers, and a sign for those that none has', () => {
    assert.equal(decodeEntities('&#65;&#x1F600;&#X41;&#0;&#xd800;&#x110000;'), 'A😀A\ufffd\ufffd\ufffd');
  });

  it('stay as they are written where nobody knows them, by their case, too', () => {
    const unknown = '&unknown; &NBSP; &hellip &; &#; &#x; &constructor;';
    assert.equal(decodeEntities(unknown), unknown);
  });
});
