import assert from 'node:assert/strict';
import { shownChoice, visibleTurns, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import { parseEvents } from '../../../src/chat/history.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { ask, closeChats, current, open } from './openedChat.ts';

const texts = (conversation: Conversation): string[] =>
  visibleTurns(conversation).map((turn) => (turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? '')));
const lastAnswer = (conversation: Conversation): Answer => visibleTurns(conversation).at(-1) as Answer;

describe('what is asked', () => {
  afterEach(closeChats);

  it('stops: the request is aborted, the text kept and marked', async () => {
    const chat = await open();
    let signal: AbortSignal | undefined;
    chat.ports.backend.answer = async function* (_endpoint, _request, given) {
      signal = given;
      yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
      await new Promise(() => undefined);
    };
    const finished = chat.finished();
    await chat.service.asking.send('Go');
    await settle();
    await chat.service.asking.stop();
    await finished;
    const answer = lastAnswer(current(chat));
    assert.deepEqual([answer.status, shownChoice(answer)?.text, signal?.aborted], ['stopped', 'Half', true]);
  });

  describe('an answer that somebody else stops', () => {
    it('says that it was not the user', async () => {
      const chat = await open();
      chat.ports.backend.answer = async function* () {
        yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
        throw new AppError('aborted', 'chat was stopped.');
      };
      const answer = lastAnswer(await ask(chat, 'Go'));
      assert.deepEqual(
        [answer.status, shownChoice(answer)?.text, answer.failure?.message],
        ['cutOff', 'Half', 'The answer was stopped by the connection, not by you.'],
      );
    });
  });

  it('asks one question at a time, also while the first is being saved', async () => {
    const chat = await open();
    const finished = chat.finished();
    await Promise.all([chat.service.asking.send('One'), chat.service.asking.send('Two')]);
    await finished;
    await chat.finished();
    assert.deepEqual(texts(current(chat)), ['One', 'Hello.', 'Two', 'Hello.']);
  });

  it('writes checkpoints while an answer is streamed', async () => {
    const clock = new FakeClock();
    const chat = await open(fakePorts({ clock }));
    let release = (): void => undefined;
    chat.ports.backend.answer = async function* () {
      yield { choices: [{ index: 0, delta: { content: 'First' } }] };
      await new Promise<void>((resolve) => (release = resolve));
      yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    };
    await chat.service.asking.send('Go');
    await clock.advance(1100);
    const [file] = [...chat.ports.storage.files.values()];
    const saved = parseEvents(file?.text ?? '').events.at(-1);
    assert.ok(saved?.type === 'answerDelta');
    assert.equal(saved.choices[0]?.text, 'First');
    release();
    await settle();
    await clock.advance(1000);
    assert.equal(lastAnswer(current(chat)).status, 'done');
    assert.equal(clock.pending, 0, 'no timer is left');
  });
});
