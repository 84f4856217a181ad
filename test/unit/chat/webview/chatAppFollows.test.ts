import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chatBench, held, user } from './chatBench.ts';

describe("the chat's page, as it follows what is written", () => {
  const { say, snapshot, answerAll, open, asked } = chatBench();

  it('tells why it cannot be brought up to date, and is so once it can', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'))));
    const skip = (sequence: number): void =>
      say({ type: 'event', conversationId: 'c', sequence, event: user('u2', 'u1', 'More') });
    skip(9);
    await answerAll({ failure: { kind: 'internal', message: 'It could not be read.' } });
    await nextTurn();
    assert.match(chat.find('notices').textContent, /It could not be read\./);
    assert.equal(chat.children.at(-1)?.textContent, 'It could not be read.');
    skip(10);
    assert.deepEqual(asked(), [['ready']]);
    await answerAll({ snapshot: snapshot(held(user('u3', null, 'Anew')), { revision: 2 }, { sequence: 10 }) });
    assert.equal(chat.find('notices').textContent, '');
    assert.match(chat.textContent, /Anew/);
  });
});
