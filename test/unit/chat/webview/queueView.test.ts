import assert from 'node:assert/strict';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
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
  const shown = (place: string, text: string, ...buttons: string[]): string =>
    `div.queued{${[`span.queued-place{${place}}`, text, ...buttons].join(' | ')}}`;
  const send = (title: string): string => `button.icon-button "${title}"{(send)}`;
  const edit = 'button.icon-button "Take back into the prompt"{(edit)}';
  const drop = 'button.icon-button "Remove from the queue"{(close)}';
  const words = 'span.queued-text "One"{a.py, b.py, One}';
  const head = '[aria-label=Messages that wait] [role=group]';

  it('say which is the next while an answer is written, and only the first can be sent', () => {
    queue.update([first, second], true);
    assert.equal(
      elementLine(queue.element),
      `div.queue ${head}{${[
        shown('Next', words, send('Stop the answer and send this now'), edit, drop),
        shown('Waits', 'span.queued-text{c.py}', edit, drop),
      ].join(' | ')}}`,
    );
    queue.update([first], false);
    assert.equal(
      elementLine(queue.element),
      `div.queue ${head}{${shown('Waits', words, send('Send now'), edit, drop)}}`,
    );
    queue.update([], false);
    assert.equal(elementLine(queue.element), `div.queue hidden ${head}`);
    queue.update([second], false);
    assert.equal(of(queue.element).hidden, false);
  });

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
