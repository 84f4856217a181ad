import assert from 'node:assert/strict';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';

const { tellOnce } = await import('../../../../src/connection/host/createConnector.ts');

describe('what a list lacks', () => {
  beforeEach(() => editor.reset());

  it('is told once, however often it is met, and as plain text', () => {
    const [tell, other] = [tellOnce(), tellOnce()];
    for (const text of ['1 of 2 is left out.', '[x](command:y)', '1 of 2 is left out.']) tell(text);
    other('1 of 2 is left out.');
    assert.equal(shownTexts().length, 3);
    assert.deepEqual(shownTexts().filter((text) => text.startsWith('warning: 1 of 2 is left out.')).length, 2);
    assert.ok(!shownTexts().some((text) => text.includes('[x](command:y)')));
  });
});
