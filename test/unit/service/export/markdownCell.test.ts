import assert from 'node:assert/strict';
import { markdownAsWritten, renderMarkdown } from '../../../../src/service/export/markdownCell.ts';

describe('a markdown cell', () => {
  it('is rendered, and made harmless', () => {
    for (const [text, html] of [
      ['# T\n\n**a** <b onclick="x">', '<h1>T</h1>\n<p><strong>a</strong> &lt;b onclick=&quot;x&quot;&gt;</p>\n'],
      ['https://x/y', '<p>https://x/y</p>\n'],
      ['[a](https://x/y)', '<p><a href="https://x/y" rel="noreferrer noopener">a</a></p>\n'],
      ['[a](javascript:x)', '<p>[a](javascript:x)</p>\n'],
      ['![a](https://x/y.png)', '<p></p>\n'],
      ['', ''],
    ] as const)
      assert.equal(renderMarkdown(text), html, text);
  });

  it('is shown as it was written where that is asked for', () =>
    assert.equal(markdownAsWritten('# <T> & "x"'), '<pre># &lt;T&gt; &amp; &quot;x&quot;</pre>'));

  it('is rendered up to two hundred thousand characters', () => {
    const most = 'x'.repeat(200_000);
    assert.equal(renderMarkdown(most), `<p>${most}</p>\n`);
    assert.equal(renderMarkdown(`${most}<`), `<pre>${most}&lt;</pre>`);
  });
});
