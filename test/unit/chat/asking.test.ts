import assert from 'node:assert/strict';
import { isAppError } from '../../../src/shared/errors.ts';
import { textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';
import './askingElsewhere.part.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

const busy = ['An answer is still being written; nothing was sent.', 'Stop it or wait for its end.'];
const gone = ['This message is not part of the conversation any more.', 'Open the conversation again.'];

/** What is said to the user, or nothing where it is done. */
async function said(what: Promise<void>): Promise<unknown> {
  try {
    await what;
    return undefined;
  } catch (error) {
    assert.ok(isAppError(error));
    return [error.message, error.remedy];
  }
}

describe('what is sent next', () => {
  afterEach(closeChats);

  it('follows the variant that is shown, whatever else was asked since', async () => {
    const chat = await open();
    const { service, ports } = chat;
    ports.backend.answer = textAnswer('Yes.');
    const first = (await ask(chat, 'One?')).turns[0]?.id ?? '';
    const finished = chat.finished();
    await service.asking.editAndResend(first, 'Other?');
    await finished;
    await service.selectVariant(first);
    await ask(chat, 'Two?');
    const sent = (at: number): unknown =>
      (ports.backend.requests.at(at)?.request['messages'] as { content: string }[] | undefined)?.map(
        ({ content }) => content,
      );
    assert.deepEqual([sent(-1), sent(-2)], [['One?', 'Yes.', 'Two?'], ['Other?']]);
  });
});

describe('what is not sent', () => {
  let chat: Chat;
  beforeEach(async () => (chat = await open()));
  afterEach(closeChats);
  const asking = (): Chat['service']['asking'] => chat.service.asking;
  const turn = (place: number): string => current(chat).turns[place]?.id ?? '';
  const requests = (): number => chat.ports.backend.requests.length;
  const writing = async (): Promise<void> => {
    chat.ports.backend.answer = async function* () {
      yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
      await new Promise(() => undefined);
    };
    await asking().send('Go');
    await settle();
  };

  it('is what belongs to another conversation, or asks an answer without a question', async () => {
    await ask(chat, 'One?');
    for (const what of [
      asking().editAndResend('none', 'Two?'),
      asking().regenerate('none'),
      asking().runTools('none', true),
    ])
      assert.deepEqual(await said(what), gone);
    assert.deepEqual(await said(asking().runTools(turn(0), true)), ['Only an answer calls functions.', undefined]);
    assert.equal(requests(), 1);
  });

  it('is an edited message or the results of calls while an answer is written, which goes on', async () => {
    await ask(chat, 'One?');
    await writing();
    assert.deepEqual(await said(asking().editAndResend(turn(0), 'Other?')), busy);
    assert.deepEqual(await said(asking().send('', [{ id: 'call', content: '{}' } as never])), busy);
    assert.deepEqual(await said(asking().regenerate(turn(1))), busy, 'of an earlier answer');
    assert.deepEqual([requests(), current(chat).turns.at(-1)?.role], [2, 'assistant']);
    // The answer that is written is replaced by another one.
    assert.equal(await said(asking().regenerate(current(chat).turns.at(-1)?.id ?? '')), undefined);
    await settle();
    assert.deepEqual(
      [
        requests(),
        current(chat)
          .turns.slice(-2)
          .map((each) => each.role === 'assistant' && each.status),
      ],
      [3, ['stopped', 'streaming']],
    );
  });
});
