import assert from 'node:assert/strict';
import '../../../support/editorStandIn/editorStandIn.ts';

const { ComparedTexts } = await import('../../../../src/commands/host/editorUi.ts');

describe('a text to compare with', () => {
  it('is kept while it may be open, and else says that it is not', () => {
    const texts = new ComparedTexts();
    const [first, second] = Array.from({ length: 21 }, (_, index) => texts.add(`text ${index}`, 'x'));
    assert.ok(first && second);
    assert.equal(texts.provideTextDocumentContent(second), 'text 1');
    assert.match(texts.provideTextDocumentContent(first), /no longer kept/);
  });
});
