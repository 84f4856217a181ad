import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { QueueView } = await import('../../../../src/chat/webview/queueView.ts');
leavePage();

describe('the messages that wait above the prompt', () => {
  let calls: unknown[][] = [];
  let queue: InstanceType<typeof QueueView>;
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls = [];
    queue = new QueueView({ sendQueued: noted('send'), takeBack: noted('takeBack') });
  });

  const first = { id: '1', text: 'One', labels: ['a.py', 'b.py'], isNext: true };
  const second = { id: '2', text: '', labels: ['c.py'], isNext: false };
  it('are sent, taken back or dropped, each by itself', () => {
    queue.update([first, second], true);
    for (const button of of(queue.element).querySelectorAll('button')) button.does('click');
    assert.deepEqual(calls, [
      ['send'],
      ['takeBack', '1', true],
      ['takeBack', '1', false],
      ['takeBack', '2', true],
      ['takeBack', '2', false],
    ]);
  });
});
