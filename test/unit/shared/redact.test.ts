import assert from 'node:assert/strict';
import { redact, withoutCredentials } from '../../../src/shared/redact.ts';
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
    it(`takes the credentials out of ${text}`, () => assert.equal(redact(text), expected));
  }

  for (const text of [
    'https://host/~me@there',
    'http://127.0.0.1:3000/pkg@1.2.3 and me@example.com',
    'http://[::1]:80/x@y',
    'https://registry.example/@scope/name@1.0.0',
    'https://host:8443/path, mail a@b.example',
    '{"url":"https://host/x","mail":"a@b.example"}',
    'https://host: not found; ask ann@example.com',
  ]) {
    it(`leaves ${text} as it is`, () => assert.equal(redact(text), text));
  }

  it('keeps what stands between two addresses', () => {
    assert.equal(
      redact('{"a":"https://u:p@one.example","b":"x@y","c":"https://v:q@two.example"}'),
      '{"a":"https://•••@one.example","b":"x@y","c":"https://•••@two.example"}',
    );
  });

  for (const name of ['Authorization', 'Proxy-Authorization', 'X-Api-Key', 'Cookie', 'Set-Cookie']) {
    it(`takes out the value of the header ${name}`, () => {
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
    'token',
  ]) {
    it(`takes out what is named ${name}`, () => {
      assert.equal(redact(`${name}=abcdefgh&x=1`), `${name}=•••&x=1`);
      assert.equal(redact(`'${name}': 'abcd', 'x': 1`), `'${name}': '•••', 'x': 1`);
      assert.equal(redact(`${name}=abc`), `${name}=abc`, 'too short for a secret');
    });
  }

  it('takes out what stands behind the words Bearer and Basic', () => {
    assert.equal(redact('sent Bearer abc.def-1 and basic QWxhZGRpbg== to h'), 'sent Bearer ••• and basic ••• to h');
    assert.equal(redact('a basic one'), 'a basic one');
  });

  it('takes a secret out in each of its forms, and none that is too short to be one', () => {
    const secret = 'pä ss/wört?';
    const base64 = Buffer.from(secret).toString('base64');
    assert.ok(base64.endsWith('='));
    assert.equal(
      redact(`a ${secret} b ${encodeURIComponent(secret)} c ${base64.replace(/=+$/, '')} d`, [secret]),
      'a ••• b ••• c ••• d',
    );
    assert.equal(redact('abcd abcd abc', ['abcd', 'abc']), '••• ••• abc');
  });

  it('takes nothing out twice', () => assert.equal(redact('token=s3cr3t-value;x', ['s3cr3t-value']), 'token=•••;x'));

  it('takes out headers, named fields and given secrets', () => {
    assert.equal(redact('Authorization: Basic abcdefgh'), 'Authorization: •••');
    assert.equal(redact('{"access_token":"abcdefgh"}'), '{"access_token":"•••"}');
    assert.equal(redact('x s3cr3t! y', ['s3cr3t!']), 'x ••• y');
  });

  for (const piece of ['a://b:c', 'a://:', 'a.', 'a://b@', 'Bearer ', 'token=']) {
    it(`takes no longer than the text is long: ${piece}…`, async () => {
      const [short, long] = [piece.repeat(2000), piece.repeat(20_000)];
      const { once, tenfold } = await compareCpu({ once: () => redact(short), tenfold: () => redact(long) }, 5);
      assert.ok(tenfold < Math.max(30 * once, 100), `${once} ms, and ${tenfold} ms for ten times the text`);
    });
  }
});

describe('address of a proxy without credentials', () => {
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
    it(`of ${address}`, () => assert.equal(withoutCredentials(address), expected));
  }
});
