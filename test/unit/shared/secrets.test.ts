import assert from 'node:assert/strict';
import { AppError, describeError } from '../../../src/shared/errors.ts';
import { redact, withoutCredentials } from '../../../src/shared/redact.ts';
import { escapeHtml, plainText } from '../../../src/shared/text.ts';
import { webviewPage, webviewPolicy } from '../../../src/shared/webviewPage.ts';
import { compareCpu } from '../../support/cpuTime.ts';

describe('redact', () => {
  for (const [text, expected] of [
    ['http://user:pw@proxy:3128/x', 'http://•••@proxy:3128/x'],
    ['by http://token@host, then', 'by http://•••@host, then'],
    ['http://user:p@ss@proxy failed', 'http://•••@proxy failed'],
    ['http://user:p@@s@proxy', 'http://•••@proxy'],
    ['http://user:pa/ss@proxy:3128', 'http://•••@proxy:3128'],
    ['http://user:pa/s@s@proxy', 'http://•••@proxy'],
    ['socks5://:pa/ss@proxy', 'socks5://•••@proxy'],
  ] as const) {
    it(`removes the credentials of ${text}`, () => assert.equal(redact(text), expected));
  }

  for (const text of [
    ...['https://host/~me@there', 'http://127.0.0.1:3000/pkg@1.2.3 and me@example.com', 'http://[::1]:80/x@y'],
    ...['https://registry.example/@scope/name@1.0.0', 'https://host:8443/path, mail a@b.example'],
    ...['{"url":"https://host/x","mail":"a@b.example"}', 'https://host: not found; ask ann@example.com'],
  ]) {
    it(`leaves ${text} unchanged`, () => assert.equal(redact(text), text));
  }

  it('keeps the text between two addresses', () => {
    assert.equal(
      redact('{"a":"https://u:p@one.example","b":"x@y","c":"https://v:q@two.example"}'),
      '{"a":"https://•••@one.example","b":"x@y","c":"https://•••@two.example"}',
    );
  });

  for (const name of ['Authorization', 'Proxy-Authorization', 'X-Api-Key', 'Cookie', 'Set-Cookie']) {
    it(`removes the value of the header ${name}`, () => {
      assert.equal(redact(`${name}: a b; c\nHost: h`), `${name}: •••\nHost: h`);
      assert.equal(
        redact(`{"${name.toLowerCase()}": "a b; c", "host": "h"}`),
        `{"${name.toLowerCase()}": "•••", "host": "h"}`,
      );
    });
  }

  for (const name of [
    'access_token',
    'accessToken',
    'refresh_token',
    'api_key',
    'apikey',
    'client_secret',
    'password',
  ]) {
    it(`removes the value of ${name}`, () => {
      assert.equal(redact(`${name}=abcdefgh&x=1`), `${name}=•••&x=1`);
      assert.equal(redact(`'${name}': 'abcd', 'x': 1`), `'${name}': '•••', 'x': 1`);
      assert.equal(redact(`${name}=abc`), `${name}=abc`, 'too short for a secret');
    });
  }

  it('removes Bearer and Basic credentials', () => {
    assert.equal(redact('sent Bearer abc.def-1 and basic QWxhZGRpbg== to h'), 'sent Bearer ••• and basic ••• to h');
    assert.equal(redact('a basic one'), 'a basic one');
  });

  it('removes a given secret in each of its forms', () => {
    const secret = 'pä ss/wört?';
    const base64 = Buffer.from(secret).toString('base64');
    assert.ok(base64.endsWith('='));
    assert.equal(
      redact(`a ${secret} b ${encodeURIComponent(secret)} c ${base64.replace(/=+$/, '')} d`, [secret]),
      'a ••• b ••• c ••• d',
    );
    assert.equal(redact('abcd abcd abc', ['abcd', 'abc']), '••• ••• abc');
  });

  for (const piece of ['a://b:c', 'a://:', 'a.', 'a://b@', 'Bearer ', 'token=']) {
    it(`takes linear time: ${piece}…`, async () => {
      const [short, long] = [piece.repeat(2000), piece.repeat(20_000)];
      const { once, tenfold } = await compareCpu({ once: () => redact(short), tenfold: () => redact(long) }, 5);
      assert.ok(tenfold < Math.max(30 * once, 100), `${once} ms, and ${tenfold} ms for ten times the text`);
    });
  }
});

describe('withoutCredentials', () => {
  for (const [address, expected] of [
    ['http://user:pw@proxy:3128', 'http://•••@proxy:3128'],
    ['user:pw@proxy:3128', '•••@proxy:3128'],
    ['token@proxy', '•••@proxy'],
    ['http://user:pa/ss@proxy', 'http://•••@proxy'],
    ['http://user:p@ss@proxy', 'http://•••@proxy'],
    ['user:12/p@ss@proxy:8080', '•••@proxy:8080'],
    ['DOMAIN\\user:p w@proxy', '•••@proxy'],
    ['http://proxy:3128', 'http://proxy:3128'],
    ['proxy.example:3128', 'proxy.example:3128'],
    ['localhost,.example.com', 'localhost,.example.com'],
  ] as const) {
    it(`removes the credentials of ${address}`, () => assert.equal(withoutCredentials(address), expected));
  }
});

describe('escapeHtml', () => {
  it('escapes text for elements and attributes', () => {
    assert.equal(escapeHtml('<a href="x">\'&\0'), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;\ufffd');
  });
});

/** What the editor takes for a link in a message. */
const editorLink = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe('plainText', () => {
  const hostile = [
    '[click](command:workbench.action.quit)',
    'a [b](https://evil.example "t") c',
    '[x](file:///etc/passwd)',
    '[a](command:b)[c](command:d)',
  ];

  for (const text of hostile) {
    it(`removes links: ${text}`, () => {
      assert.match(text, editorLink);
      assert.doesNotMatch(plainText(text), editorLink);
      assert.doesNotMatch(describeError(new AppError('server', text, { remedy: text })), editorLink);
    });
  }

  it('leaves other text unchanged', () => {
    for (const text of ['', 'runs[0] (first)', 'a (b) [c]', 'x]\n(y']) assert.equal(plainText(text), text);
  });
});

describe('webviewPage', () => {
  const page = {
    nonce: 'n0nce',
    title: 'Runs',
    scripts: ['https://x/one.js?a=1&b=2', 'two.js'],
    style: 'page.css"',
    language: 'de',
    data: { subject: { kind: '"<run>"' }, texts: undefined },
  };

  it('loads only its own files, with the nonce', () => {
    const html = webviewPage({ ...page, policy: ['img-src data:'] });
    const policy =
      "default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce'; img-src data:; base-uri 'none'; form-action 'none'";
    for (const part of [
      /^<!DOCTYPE html>\n<html lang="de">\n/,
      /<title>Runs<\/title>/,
      /<link nonce="n0nce" rel="stylesheet" href="page\.css&quot;">/,
      /<script nonce="n0nce" src="https:\/\/x\/one\.js\?a=1&amp;b=2"><\/script><script nonce="n0nce" src="two\.js"><\/script><\/body>/,
    ])
      assert.match(html, part);
    assert.ok(html.includes(`content="${policy}"`));
    assert.equal(webviewPolicy('x').split('; ').length, 5);
  });
});
