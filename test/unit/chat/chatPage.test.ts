import assert from 'node:assert/strict';
import { pagePolicy } from '../../../src/chat/chatPage.ts';

describe('page of the chat view', () => {
  it('may load its script and its style sheet, start its own worker, and nothing else (P18)', () => {
    assert.equal(
      pagePolicy('N'),
      "default-src 'none'; script-src 'nonce-N'; style-src 'nonce-N'; worker-src blob:; img-src 'none'; font-src 'none'; " +
        "connect-src 'none'; base-uri 'none'; form-action 'none'",
    );
  });
});
