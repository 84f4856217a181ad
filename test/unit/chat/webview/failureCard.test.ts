import assert from 'node:assert/strict';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { failureCard } = await import('../../../../src/chat/webview/failureCard.ts');
leavePage();

describe('the card of a failure', () => {
  before(usePage);
  after(leavePage);

  it('says what happened, what to do, by buttons too, and what the servers said', () => {
    const calls: unknown[][] = [];
    const noted = notedIn(() => calls);
    const card = failureCard(
      { kind: 'server', message: 'It failed.', remedy: 'Wait.', details: 'HTTP 500' },
      'error',
      { label: 'Mend', isMain: true, run: noted('mend') },
      { label: 'Retry', run: noted('retry') },
    );
    assert.equal(
      elementLine(card),
      `div.card.error{(error) | div.card-body{${[
        'div.card-message{It failed.}',
        'div.card-remedy{Wait.}',
        'div.buttons{button.button{Mend} | button.button.secondary{Retry}}',
        'details.details{summary{Details} | pre [aria-label=Details] [role=group] [tabindex=0]{HTTP 500}}',
      ].join(' | ')}}}`,
    );
    for (const button of of(card).querySelectorAll('button')) button.does('click');
    assert.deepEqual(calls, [['mend'], ['retry']]);
  });
});
