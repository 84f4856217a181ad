import assert from 'node:assert/strict';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { answer, choice, of } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { ResultsView } = await import('../../../../src/chat/webview/resultsView.ts');
leavePage();

describe('the results of a playground', () => {
  before(usePage);
  after(leavePage);

  const vectors = (...inputs: string[]) => {
    const results = new ResultsView('embedding', () => undefined);
    const choices = inputs.map((_, index) => choice({ choice: index, text: `[${index},1]` }));
    results.update(answer({ status: 'done', choices }), inputs);
    return of(results.element);
  };
  const nearestOf = (element: ReturnType<typeof of>) =>
    element.all().filter(({ tag, textContent }) => tag === 'button' && textContent === 'Nearest');

  it('offer what is near to a text where there are others', () => {
    assert.equal(nearestOf(vectors('one')).length, 0);
    assert.equal(nearestOf(vectors('one', 'two')).length, 2);
  });

  it('name a long text by its beginning, to a screen reader, too', () => {
    const element = vectors('x'.repeat(100_000), 'two');
    const [first] = nearestOf(element);
    assert.equal(first?.getAttribute('aria-label'), `Nearest to: ${'x'.repeat(200)}…`);
    first?.does('click');
    assert.ok(element.textContent.length < 1000, String(element.textContent.length));
  });
});
