import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertApproved } from '../../../support/approved.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { holdTrail } from '../../../support/trail.ts';
import { chatBench, ended, held, saidTwice, started, user } from './chatBench.ts';

describe("the chat's page, with variants", () => {
  holdTrail(import.meta.url);
  const { snapshot, open, press, asked, forget } = chatBench();

  it('steps between variants, choices and edits of a turn', async () => {
    const variants = held(
      user('u1', null, 'Why?'),
      user('u2', null, 'How?'),
      started('a1', 'u2'),
      saidTwice('a1', 'x', 'y'),
      ended('a1'),
    );
    const chat = await open(snapshot(variants));
    assertApproved('chat-variants', outline(chat.find('turns')));
    chat.find('user').find('Previous variant').does('click');
    of(chat.find('choices').children.at(-1)).does('click');
    assert.deepEqual(asked(), [
      ['selectVariant', { turnId: 'u1' }],
      ['selectChoice', { turnId: 'a1', choice: 1 }],
    ]);
    forget();
    chat.find('user').find('Edit and resend').does('click');
    const input = chat.find('edit-input');
    input.value = 'Whence?';
    input.does('input');
    press(input, { key: 'Enter' });
    await nextTurn();
    assert.deepEqual(asked(), [
      ['changeDraft', { id: 'c', edit: { turnId: 'u2', text: 'Whence?' } }],
      ['editAndResend', { turnId: 'u2', text: 'Whence?' }],
    ]);
  });
});
