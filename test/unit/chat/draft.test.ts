import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/chat/conversation.ts';
import { applyEvent, emptyConversation } from '../../../src/chat/conversation.ts';
import { draftSchema, emptyDraft, nextOf, type Draft } from '../../../src/chat/draft.ts';

const attachment = { label: 'a.py', language: 'python', text: 'x' };
const waiting = (id: string, afterId?: string): Draft['queue'][number] => ({ id, text: id, attachments: [], afterId });

describe('a draft', () => {
  it('is read with everything that may be in it, and not in another form', () => {
    const whole: Draft = {
      atMs: 1,
      text: 'why',
      attachments: [attachment, { label: 'b', text: 'y' }],
      edit: { turnId: 't', text: 'how' },
      toolResults: { answerId: 'a', contents: ['4'] },
      queue: [{ id: 'q', text: 'then', attachments: [attachment], afterId: 'u' }],
      endpoint: 'guide',
      task: 'embedding',
      parameters: { temperature: 0.5, stop: ['x'], response_format: { type: 'text' } },
    };
    assert.deepEqual(draftSchema.parse({ ...whole, unknown: 1 }), whole);
    assert.deepEqual(draftSchema.parse(emptyDraft), { text: '', attachments: [], queue: [] });
    for (const wrong of [
      { text: undefined },
      { attachments: undefined },
      { queue: undefined },
      { atMs: 'today' },
      { attachments: [{ label: 'a' }] },
      { edit: { turnId: 't' } },
      { toolResults: { answerId: 'a' } },
      { queue: [{ id: 'q', text: 'then' }] },
      { task: 'chat' },
    ])
      assert.equal(draftSchema.safeParse({ ...whole, ...wrong }).success, false, JSON.stringify(wrong));
  });

  it('has the first message that waits for the branch on screen as the next', () => {
    let conversation: Conversation = emptyConversation('c', 0);
    for (const [id, parentId] of [
      ['old', null],
      ['new', null],
      ['deeper', 'new'],
    ] as const)
      conversation = applyEvent(conversation, { type: 'userAdded', id, parentId, text: id, atMs: 1 });
    const next = (...queue: Draft['queue']): string | undefined => nextOf({ ...emptyDraft, queue }, conversation)?.id;
    assert.equal(next(), undefined);
    assert.equal(next(waiting('a', 'old')), undefined);
    assert.equal(next(waiting('a', 'old'), waiting('b', 'new'), waiting('c')), 'b');
    assert.equal(next(waiting('a', 'old'), waiting('b'), waiting('c', 'new')), 'b');
    assert.equal(next(waiting('a', 'deeper')), 'a');
  });
});
