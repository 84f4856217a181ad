import assert from 'node:assert/strict';
import { escapeHtml } from '../../../src/shared/escapeHtml.ts';

describe('escapeHtml', () => {
  it('escapes text for elements and attributes', () => {
    assert.equal(escapeHtml('<a href="x">\'&\0'), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;\ufffd');
  });
});
