import assert from 'node:assert/strict';
import type { Failure } from '../../../../src/chat/conversationEvent.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn, view } from './viewParts.ts';

usePage();
const { Notices } = await import('../../../../src/chat/webview/notices.ts');
leavePage();

const failure = (message: string, remedy?: string): Failure => ({
  kind: 'server',
  message,
  ...(remedy !== undefined && { remedy }),
});
const card = (severity: string, message: string, remedy: string, ...buttons: string[]): string =>
  `div.card.${severity}{(${severity}) | div.card-body{${[
    `div.card-message{${message}}`,
    ...(remedy === '' ? [] : [`div.card-remedy{${remedy}}`]),
    `div.buttons{${buttons.map((label) => `button.button.secondary{${label}}`).join(' | ')}}`,
  ].join(' | ')}}}`;
const listFailed: ViewState['endpoints'] = { status: 'failed', items: [], failure: failure('No answer.', 'Start it.') };

describe('what is told above the prompt', () => {
  let calls: unknown[][] = [];
  let notices: InstanceType<typeof Notices>;
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls = [];
    notices = new Notices({
      refreshEndpoints: noted('refresh'),
      chooseProfile: noted('choose'),
      adoptProfile: noted('adopt'),
      dismissNotice: noted('dismiss'),
      dismissOwn: noted('dismissOwn'),
    });
  });
  const drawn = (): string[] => of(notices.element).children.map(elementLine);

  it('is all that there is to tell, with what can be done, in this order', () => {
    notices.set(failure('Not sent.'));
    notices.update(view({ endpoints: listFailed, otherProfile: 'Q', notice: failure('Not saved.', 'Free space.') }));
    assert.deepEqual(drawn(), [
      card('warning', 'The endpoints of P could not be listed. No answer.', 'Start it.', 'Retry'),
      card(
        'warning',
        'This conversation belongs to Q.',
        'Nothing of it is sent to P unasked.',
        'Choose Profile',
        'Continue with P',
      ),
      card('error', 'Not saved.', 'Free space.', 'Dismiss'),
      card('error', 'Not sent.', '', 'Dismiss'),
    ]);
    for (const button of of(notices.element).querySelectorAll('button')) button.does('click');
    assert.deepEqual(calls, [['refresh'], ['choose'], ['adopt'], ['dismiss'], ['dismissOwn']]);
  });
});
