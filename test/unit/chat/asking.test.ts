import assert from 'node:assert/strict';
import type { Asking } from '../../../src/chat/asking.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import { visibleTurns, type Answer, shownChoice, type Conversation } from '../../../src/chat/conversation.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import type { Prompt } from '../../../src/chat/prompt.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { isAppError, AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { textAnswer, failingAnswer, fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { texts, heldAnswer, ended } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

const busy = ['An answer is still in progress, so nothing was sent.', 'Stop it or wait until it ends.'];
const gone = ['This message is no longer part of the conversation.', 'Open the conversation again.'];
/** Returns the error of an action, or undefined if it succeeds. */
async function said(what: Promise<void>): Promise<unknown> {
  try {
    await what;
    return undefined;
  } catch (error) {
    assert.ok(isAppError(error));
    return [error.message, error.remedy];
  }
}

describe('a new message', () => {
  afterEach(closeChats);

  it('continues from the shown variant', async () => {
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

describe('Asking', () => {
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

  it('refuses turns of another conversation and tool calls without an answer', async () => {
    await ask(chat, 'One?');
    for (const what of [
      asking().editAndResend('none', 'Two?'),
      asking().regenerate('none'),
      asking().runTools('none', true),
    ])
      assert.deepEqual(await said(what), gone);
    assert.deepEqual(await said(asking().runTools(turn(0), true)), ['Only an answer can call functions.', undefined]);
    assert.equal(requests(), 1);
  });

  it('refuses edited messages and tool results while an answer is streaming', async () => {
    await ask(chat, 'One?');
    await writing();
    assert.deepEqual(await said(asking().editAndResend(turn(0), 'Other?')), busy);
    assert.deepEqual(await said(asking().send('', [{ id: 'call', content: '{}' } as never])), busy);
    assert.deepEqual(await said(asking().regenerate(turn(1))), busy, 'of an earlier answer');
    assert.deepEqual([requests(), current(chat).turns.at(-1)?.role], [2, 'assistant']);
    // Regenerating the answer that is streaming replaces it.
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

describe('a message sent with the endpoint that the user saw', () => {
  let chat: Chat;
  beforeEach(async () => (chat = await open()));
  afterEach(closeChats);
  const asked = (): unknown => chat.ports.backend.requests.at(-1)?.endpoint;
  const send = async (id: string | undefined, profile = 'Local'): Promise<void> => {
    const finished = chat.finished();
    await chat.service.asking.send('Two?', [], id, { profile, endpoint: 'seen' });
    await finished;
  };

  it('asks that endpoint although another was chosen since', async () => {
    const { id } = await ask(chat, 'One?');
    await chat.service.selectEndpoint({ name: 'other' });
    await send(id);
    assert.equal(asked(), 'seen');
  });

  it('asks that endpoint although its new conversation was left before it began', async () => {
    const { id } = (await chat.service.snapshot()).draft;
    await chat.service.selectEndpoint({ name: 'seen' });
    await chat.service.newConversation();
    await send(id);
    assert.equal(asked(), 'seen');
  });

  it('is not sent to the same name in another profile', async () => {
    await assert.rejects(send(undefined, 'Team'), /nothing was sent/);
    assert.equal(asked(), undefined);
  });
});

describe('a message to a conversation in the background', () => {
  let chat: Chat;
  let asking: Asking;
  let prompt: Prompt;
  beforeEach(async () => {
    chat = await open();
    ({ asking, prompt } = chat.service);
  });
  afterEach(closeChats);

  const send = async (text: string, to: string): Promise<void> => {
    const finished = chat.finished();
    await asking.send(text, [], to);
    await finished;
    await settle();
  };
  /** Returns the title and the texts of every conversation. */
  const all = async (): Promise<unknown> => {
    const said: Record<string, string[]> = {};
    for (const { id, title } of await chat.service.listConversations()) {
      await chat.service.openConversation(id);
      said[title] = texts(chat.service);
    }
    return said;
  };
  it('is sent with the attachments of its conversation', async () => {
    const { id } = await ask(chat, 'One?');
    prompt.attach({ label: 'a.py', text: 'x = 1' });
    await chat.service.newConversation();
    prompt.attach({ label: 'b.py', text: 'y = 1' });
    await send('Two?', id);
    assert.equal(chat.service.currentConversation, undefined);
    assert.deepEqual(
      prompt.draft.attachments.map(({ label }) => label),
      ['b.py'],
    );
    assert.ok(chat.service.isUnread(id));
    await chat.service.openConversation(id);
    const asked = current(chat).turns.filter((turn) => turn.role === 'user');
    assert.deepEqual(
      asked.map(({ text, attachments }) => [text, attachments.map(({ label }) => label)]),
      [
        ['One?', []],
        ['Two?', ['a.py']],
      ],
    );
    assert.equal(texts(chat.service).length, 4);
    assert.deepEqual([prompt.draft.text, prompt.draft.attachments], ['', []]);
  });

  it('starts a new conversation if its own was deleted', async () => {
    const { id } = await ask(chat, 'One?');
    prompt.change({ text: 'begun' });
    await chat.service.deleteConversation(id);
    await send('Two?', id);
    await send('Three?', 'unknown');
    assert.equal(chat.service.currentConversation, undefined);
    const said = await all();
    assert.deepEqual(Object.keys(said as object).toSorted(), ['Three?', 'Two?']);
    await chat.service.restoreConversation(id);
    assert.deepEqual(Object.keys((await all()) as object).toSorted(), ['One?', 'Three?', 'Two?']);
  });
});

describe('a queued message', () => {
  const attachment = { label: 'a.py', language: 'python', text: 'x = 1' };

  let chat: Chat;
  let asking: Asking;
  beforeEach(async () => {
    chat = await open();
    ({ asking } = chat.service);
  });
  afterEach(closeChats);

  const turn = (place: number): string => visibleTurns(current(chat))[place]?.id ?? '';
  const lastAnswer = (): Answer => visibleTurns(current(chat)).at(-1) as Answer;
  const queue = (): string[] => chat.service.prompt.draft.queue.map(({ text }) => text);
  const requests = (): unknown[] => chat.ports.backend.requests.map(({ request }) => request['messages']);
  const hasBegun = async (): Promise<void> => {
    while (texts(chat.service).at(-1) !== 'First') await settle();
  };
  const finish = async (release: () => void): Promise<void> => {
    const finished = chat.finished();
    release();
    await finished;
    await settle();
  };

  it('is saved with its attachments', async () => {
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    chat.service.prompt.attach(attachment);
    chat.service.prompt.change({ text: 'Two' });
    await asking.send('Two');
    const { draft } = chat.service.prompt;
    const [waiting] = draft.queue;
    assert.deepEqual(
      [draft.text, draft.attachments, draft.queue],
      [
        '',
        [],
        [
          {
            id: waiting?.id,
            text: 'Two',
            attachments: [attachment],
            afterId: turn(0),
            endpoint: chat.ports.backend.requests[0]?.endpoint,
          },
        ],
      ],
    );
    assert.ok(waiting?.id);
    const saved = JSON.parse(chat.ports.storage.files.get(`${current(chat).id}.draft.json`)?.text ?? '{}') as object;
    assert.deepEqual(saved, JSON.parse(JSON.stringify({ ...saved, queue: draft.queue })));
  });

  it('is sent in order after the answer is done', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    for (const text of ['Two', 'Three']) await asking.send(text);
    await finish(release);
    while (texts(chat.service).length < 6) await settle();
    assert.deepEqual(texts(chat.service), ['One', 'First.', 'Two', 'Then this.', 'Three', 'Then this.']);
    assert.deepEqual(queue(), []);
  });

  it('is sent to the endpoint that was chosen when it was queued', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    await asking.send('Two');
    await chat.service.selectEndpoint({ name: 'other' });
    await finish(release);
    while (texts(chat.service).length < 4) await settle();
    const [first, second] = chat.ports.backend.requests.map(({ endpoint }) => endpoint);
    assert.deepEqual([first === 'other', second], [false, first]);
  });

  it('is never the action of an earlier answer', async () => {
    const action = { title: 'Apply', command: '/fix 5 apply', isAction: true };
    chat.ports.lookUps.answer = async () => ({ markdown: 'A change.', links: [action] });
    await ask(chat, '/fix 5');
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    assert.deepEqual(await said(asking.send('/fix 5 apply')), busy);
    assert.deepEqual(queue(), []);
  });

  it('leaves the draft alone if it is the command of a button', async () => {
    const { prompt } = chat.service;
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    prompt.attach({ label: 'a.py', text: 'a = 1' });
    await prompt.keep(current(chat).id, { text: 'And then?' });
    await asking.send('/why');
    assert.deepEqual([queue(), prompt.draft.text, prompt.draft.attachments.length], [['/why'], 'And then?', 1]);
  });

  it('stays queued when an answer is stopped or fails', async () => {
    heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    await asking.send('Two');
    await asking.stop();
    await settle();
    assert.deepEqual([queue(), lastAnswer().status], [['Two'], 'stopped']);
    chat.ports.backend.answer = failingAnswer(new AppError('server', 'No.'));
    await ask(chat, 'Three');
    await settle();
    assert.deepEqual([queue(), lastAnswer().status, requests().length], [['Two'], 'failed', 2]);
  });

  it('stays queued while another profile is chosen', async () => {
    const { release } = heldAnswer(chat.ports);
    await asking.send('One');
    await hasBegun();
    await asking.send('Two');
    const { profile } = chat.ports.backend;
    chat.ports.backend.profile = { ...profile, id: 'other', name: 'Other' };
    await finish(release);
    assert.deepEqual([queue(), requests().length], [['Two'], 1]);
    await assert.rejects(asking.sendQueued(), /belongs to Local/);
    assert.deepEqual([queue(), requests().length], [['Two'], 1]);
  });

  it('stays a draft until it is saved as a message', async () => {
    const { storage, drafts } = chat.ports;
    const begun = Promise.withResolvers<void>();
    const append = storage.append.bind(storage);
    const kept = (): string => [...storage.files].map(([name, { text }]) => (/draft/.test(name) ? text : '')).join('');
    await ask(chat, 'Zero');
    chat.service.prompt.change({ text: 'One?' });
    await drafts.flush();
    storage.append = async (...given) => {
      await begun.promise;
      return append(...given);
    };
    const sending = asking.send('One?');
    void drafts.flush();
    for (let turns = 0; turns < 5; turns += 1) await settle();
    assert.match(kept(), /One\?/);
    begun.resolve();
    await sending;
    await drafts.flush();
    assert.doesNotMatch(kept(), /One\?/);
    await settle();
  });
});

describe('an answer', () => {
  const texts = (conversation: Conversation): string[] =>
    visibleTurns(conversation).map((turn) => (turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? '')));
  const lastAnswer = (conversation: Conversation): Answer => visibleTurns(conversation).at(-1) as Answer;

  afterEach(closeChats);

  it('keeps its text when the user stops it', async () => {
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

  describe('that the server stops', () => {
    it('blames the connection, not the user', async () => {
      const chat = await open();
      chat.ports.backend.answer = async function* () {
        yield { choices: [{ index: 0, delta: { content: 'Half' } }] };
        throw new AppError('aborted', 'chat was stopped.');
      };
      const answer = lastAnswer(await ask(chat, 'Go'));
      assert.deepEqual(
        [answer.status, shownChoice(answer)?.text, answer.failure?.message],
        ['cutOff', 'Half', 'The connection ended the answer, not you.'],
      );
    });
  });

  it('is requested for one question at a time, even while the first is being saved', async () => {
    const chat = await open();
    const finished = chat.finished();
    await Promise.all([chat.service.asking.send('One'), chat.service.asking.send('Two')]);
    await finished;
    await chat.finished();
    assert.deepEqual(texts(current(chat)), ['One', 'Hello.', 'Two', 'Hello.']);
  });
});

describe('a queue', () => {
  let ports: FakePorts;
  let service: ChatService;

  beforeEach(async () => {
    ports = fakePorts();
    service = new ChatService(ports);
    await service.snapshot();
    await settle();
  });
  afterEach(() => service.dispose());

  const asking = (): Asking => service.asking;
  const hasBegun = async (): Promise<void> => {
    while (texts(service)[1] !== 'First') await settle();
  };
  const queueOf = async (): Promise<string[]> => (await service.snapshot()).view.queue.map(({ text }) => text);

  it('sends a message only into the branch that it was written in', async () => {
    heldAnswer(ports);
    await asking().send('One');
    await hasBegun();
    await asking().send('Two');
    await asking().stop();
    const [one] = service.currentConversation?.turns ?? [];
    const { release } = heldAnswer(ports);
    const end = ended(service, 2);
    await asking().editAndResend(one?.id ?? '', 'Other');
    await hasBegun();
    await asking().send('Three');
    const { queue } = (await service.snapshot()).view;
    assert.deepEqual(
      queue.map(({ text, isNext }) => [text, isNext]),
      [
        ['Two', false],
        ['Three', true],
      ],
    );
    release();
    await end;
    await settle();
    assert.deepEqual(texts(service), ['Other', 'First.', 'Three', 'Then this.']);
    assert.deepEqual(await queueOf(), ['Two']);
    // A message that is already sent cannot be sent again.
    await asking().sendQueued('gone');
    assert.deepEqual(await queueOf(), ['Two']);
    const last = ended(service);
    await asking().sendQueued();
    await last;
    assert.deepEqual([texts(service).slice(4), await queueOf()], [['Two', 'Then this.'], []]);
  });
});

describe('a prompt', () => {
  const opened: ChatService[] = [];
  function open(ports: FakePorts): ChatService {
    const service = new ChatService(ports);
    opened.push(service);
    return service;
  }
  /** Opens the next window of the same user. */
  function reopen({ storage, editor, backend, history }: FakePorts): ChatService {
    const drafts = new Drafts(storage, systemClock, silentLogger);
    return open({ ...fakePorts(), storage, editor, backend, history, drafts });
  }

  let ports: FakePorts;
  let service: ChatService;

  beforeEach(async () => {
    ports = fakePorts();
    service = open(ports);
    await service.snapshot();
    await settle();
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.dispose();
  });

  const ask = async (text: string, asked = service): Promise<void> => {
    const end = ended(asked);
    await asked.asking.send(text);
    await end;
  };

  describe('that was not sent', () => {
    it('belongs to its conversation and is restored in the next window', async () => {
      await ask('One');
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'begun', edit: { turnId: 'id-2', text: 'other' } });
      service.prompt.attach({ label: 'a', text: 'x' });
      service.prompt.attach({ label: 'a', text: 'x' });
      await service.newConversation();
      const fresh = await service.snapshot();
      assert.deepEqual([fresh.draft.text, fresh.draft.edit, fresh.view.attachments], ['', undefined, []]);
      await service.openConversation(id);
      await service.close();
      const again = await reopen(ports).snapshot();
      const { atMs: _atMs, ...begun } = again.draft;
      assert.deepEqual(
        [begun, again.view.attachments],
        [
          { id, text: 'begun', edit: { turnId: 'id-2', text: 'other' }, toolResults: undefined },
          [{ label: 'a', size: 1 }],
        ],
      );
    });

    it('is restored in the next window even if the conversation has no messages', async () => {
      await service.newConversation();
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'begun' });
      await service.close();
      const { atMs: _atMs, ...begun } = (await reopen(ports).snapshot()).draft;
      assert.deepEqual(begun, {
        id,
        text: 'begun',
        edit: undefined,
        toolResults: undefined,
      });
    });

    it('is deleted and restored with its conversation', async () => {
      await ask('One');
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'begun' });
      await service.deleteConversation(id);
      assert.deepEqual([(await service.snapshot()).draft.text, (await service.listConversations()).length], ['', 0]);
      await service.restoreConversation(id);
      assert.equal((await service.snapshot()).draft.text, 'begun');
    });
  });

  describe('in a conversation of another profile', () => {
    const changeProfile = async (): Promise<void> => {
      ports.backend.profile = { id: 'team', name: 'Team', isProduction: true, isLocal: false };
      ports.backend.endpoints = [{ name: 'big', server: 'Team' }];
      ports.backend.changed.fire();
      await settle();
    };

    it('is refused until the user adopts the profile', async () => {
      await ask('One');
      await changeProfile();
      const { view, conversation } = await service.snapshot();
      assert.deepEqual([view.otherProfile, conversation?.profile], ['Local', { id: 'local', name: 'Local' }]);
      await assert.rejects(service.asking.send('Two'), /belongs to Local/);
      await assert.rejects(service.asking.regenerate(conversation?.turns[1]?.id ?? ''), /belongs to Local/);
      await assert.rejects(service.asking.editAndResend(conversation?.turns[0]?.id ?? '', 'x'), /belongs to Local/);
      assert.equal(ports.backend.requests.length, 1);
      await service.adoptProfile();
      assert.equal((await service.snapshot()).view.otherProfile, undefined);
      await ask('Two');
      assert.equal(ports.backend.requests[1]?.endpoint, 'big');
    });
  });
});
