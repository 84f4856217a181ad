import assert from 'node:assert/strict';
import { pageHtml, pagePolicy } from '../../../src/chat/chatPage.ts';

describe('page of the chat view', () => {
  it('may load its script and its style sheet, start its own worker, and nothing else (P18)', () => {
    assert.equal(
      pagePolicy('N'),
      "default-src 'none'; script-src 'nonce-N'; style-src 'nonce-N'; worker-src blob:; img-src 'none'; font-src 'none'; " +
        "connect-src 'none'; base-uri 'none'; form-action 'none'",
    );
  });

  it('carries that policy and texts of any language without a way out of their attribute', () => {
    const html = pageHtml({
      nonce: 'N',
      scripts: ['https://x/markdown.js', 'https://x/chat.js'],
      style: 'https://x/chat.css',
      language: 'de',
      texts: { Message: '"><script>alert(1)</script>' },
    });
    assert.ok(html.includes(`<meta http-equiv="Content-Security-Policy" content="${pagePolicy('N')}">`));
    assert.deepEqual(
      [...html.matchAll(/<(script|link|style|img|iframe)\b[^>]*>/g)].map(([tag]) => tag),
      [
        '<link nonce="N" rel="stylesheet" href="https://x/chat.css">',
        '<script nonce="N" src="https://x/markdown.js">',
        '<script nonce="N" src="https://x/chat.js">',
      ],
    );
    assert.ok(html.includes('<html lang="de">') && html.includes('data-texts="{&quot;Message&quot;:'));
  });
});
