import assert from 'node:assert/strict';
import { webviewPage, webviewPolicy } from '../../../src/shared/webviewPage.ts';

describe('a page of the editor', () => {
  const page = {
    nonce: 'n0nce',
    title: 'Runs',
    scripts: ['https://x/one.js?a=1&b=2', 'two.js'],
    style: 'page.css"',
    language: 'de',
    data: { subject: { kind: '"<run>"' }, texts: undefined },
  };

  it('loads its own files alone, marked with the nonce', () => {
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

  it('is told of itself in attributes, without what is not known', () => {
    const [, attributes] = /<body([^>]*)>/.exec(webviewPage(page)) ?? [];
    assert.equal(attributes, ' data-subject="{&quot;kind&quot;:&quot;\\&quot;&lt;run&gt;\\&quot;&quot;}"');
  });
});
