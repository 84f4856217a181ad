import assert from 'node:assert/strict';
import { ChatService } from '../../../src/chat/chatService.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import type { HostMessage } from '../../../src/chat/protocol.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { failingAnswer, fakePorts, textAnswer, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { ended, heldAnswer, texts } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';
import { holdTrail } from '../../support/trail.ts';

const opened: ChatService[] = [];

function open(ports: FakePorts): ChatService {
  const service = new ChatService(ports);
  opened.push(service);
  return service;
}

/** The next window of the same user. */
function reopen({ storage, editor, backend, history }: FakePorts): ChatService {
  const drafts = new Drafts(storage, systemClock, silentLogger);
  return open({ ...fakePorts(), storage, editor, backend, history, drafts });
}

const queueOf = async (service: ChatService): Promise<string[]> =>
  (await service.snapshot()).view.queue.map(({ text }) => text);

describe('prompt of the chat', () => {
  holdTrail(import.meta.url);
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

  const hasBegun = async (): Promise<void> => {
    while (texts(service)[1] !== 'First') await settle();
  };
  const ask = async (text: string, asked = service): Promise<void> => {
    const end = ended(asked);
    await asked.asking.send(text);
    await end;
  };

  it('leaves the words that are begun in another conversation while new words are sent', async () => {
    await ask('One');
    const id = service.currentConversation?.id ?? '';
    const turnId = service.currentConversation?.turns[0]?.id ?? '';
    const begun = { turnId, text: 'Other' };
    await service.prompt.keep(id, { edit: begun });
    const end = ended(service);
    const sent = service.asking.editAndResend(turnId, 'Other');
    await service.newConversation();
    const { draft } = await service.snapshot();
    void service.prompt.keep(draft.id, { edit: begun });
    await Promise.all([sent, end]);
    assert.deepEqual([ports.drafts.get(id).edit, ports.drafts.get(draft.id).edit], [undefined, begun]);
  });

  it('keeps in sight the words that are typed while a new conversation is on its way to where none has begun', async () => {
    await ask('One');
    await service.newConversation();
    const { draft } = await service.snapshot();
    assert.notEqual(draft.id, service.currentConversation?.id);
    await service.newConversation();
    // The page has not heard of it yet.
    void service.prompt.keep(draft.id, { text: 'What is a schedule?' });
    const shown = (await service.snapshot()).draft;
    assert.deepEqual([shown.id, shown.text], [draft.id, 'What is a schedule?']);
    await service.newConversation();
    const next = (await service.snapshot()).draft;
    assert.deepEqual([next.id === draft.id, next.text], [false, ''], 'what was typed before is kept where it was');
    assert.ok((await ports.history.list()).some(({ id }) => id === draft.id));
  });

  it('takes into a new conversation what the one before was to start with, and nothing that is left out', async () => {
    await service.setParameters({ temperature: 0.5 });
    await service.newConversation();
    assert.deepEqual(service.prompt.draft.parameters, { temperature: 0.5 });
    await service.setParameters({});
    await service.newConversation();
    assert.deepEqual(service.prompt.draft.parameters ?? {}, {});
  });

  describe('a message sent while an answer is written', () => {
    it('waits for its end, with what is attached, and is asked then', async () => {
      const { release } = heldAnswer(ports);
      await service.asking.send('One');
      await hasBegun();
      service.prompt.attach({ label: 'a.py', text: 'x = 1' });
      await service.asking.send('Two');
      assert.deepEqual([texts(service), await queueOf(service)], [['One', 'First'], ['Two']]);
      const shown = (await service.snapshot()).view.queue.map(({ id }) => id);
      assert.deepEqual(
        shown,
        service.prompt.draft.queue.map(({ id }) => id),
        'by which it is changed and removed',
      );
      assert.deepEqual((await service.snapshot()).view.attachments, []);
      void service.prompt.keep(service.prompt.draft.queue[0] ? (await service.snapshot()).draft.id : '', {
        text: 'typed',
      });
      const end = ended(service, 2);
      release();
      await end;
      assert.deepEqual([texts(service), await queueOf(service)], [['One', 'First.', 'Two', 'Then this.'], []]);
      assert.match(JSON.stringify(ports.backend.requests[1]?.request['messages']), /a\.py.*x = 1.*Two/);
      assert.equal((await service.snapshot()).draft.text, 'typed');
    });

    it('goes on waiting where the answer did not end well, and is sent by hand', async () => {
      const { release } = heldAnswer(ports);
      await service.asking.send('One');
      await hasBegun();
      await service.asking.send('Two');
      await service.asking.stop();
      release();
      await settle();
      assert.deepEqual([texts(service), await queueOf(service)], [['One', 'First'], ['Two']]);
      const end = ended(service);
      await service.asking.sendQueued();
      await end;
      assert.deepEqual(texts(service), ['One', 'First', 'Two', 'Then this.']);
    });

    it('stops the answer where the setting says so', async () => {
      ports.whileAnswering = () => 'stop';
      heldAnswer(ports);
      await service.asking.send('One');
      await hasBegun();
      const end = ended(service, 2);
      await service.asking.send('Two');
      await end;
      assert.deepEqual([texts(service), await queueOf(service)], [['One', 'First', 'Two', 'Then this.'], []]);
    });

    it('can be taken back into the prompt or away', async () => {
      heldAnswer(ports);
      const posted: HostMessage[] = [];
      service.onDidPost((message) => posted.push(message));
      await service.asking.send('One');
      await hasBegun();
      service.prompt.attach({ label: 'a', text: 'x' });
      await service.asking.send('Two');
      await service.asking.send('Three');
      const [two, three] = service.prompt.draft.queue;
      service.prompt.takeBack(three?.id ?? '', false);
      void service.prompt.keep((await service.snapshot()).draft.id, { text: 'typed' });
      service.prompt.takeBack(two?.id ?? '', true);
      service.prompt.takeBack('unknown', true);
      assert.deepEqual(
        posted.filter(({ type }) => type === 'draft'),
        [{ type: 'draft', text: 'Two\n\ntyped' }],
      );
      assert.deepEqual([await queueOf(service), service.prompt.draft.attachments.length], [[], 1]);
    });
  });

  describe('what was begun', () => {
    it('belongs to its conversation, and survives the window', async () => {
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

    it('is there in the next window before anything was sent, with its parameters', async () => {
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'begun' });
      await service.setParameters({ temperature: 0.5 });
      await service.newConversation(); // The window remembers the conversation on screen.
      await service.openConversation(id);
      await service.close();
      const { draft, view } = await reopen(ports).snapshot();
      assert.deepEqual([draft.text, view.parameters], ['begun', { temperature: 0.5 }]);
    });

    it('is there in the next window where the conversation never began', async () => {
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

    it('makes a conversation of its own where another is opened', async () => {
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'a long thought' });
      await service.newConversation();
      const { view, draft } = await service.snapshot();
      assert.deepEqual([view.recent.map(({ title }) => title), draft.text], [['a long thought'], '']);
    });

    it('comes back with what was attached when it could not be sent', async () => {
      ports.backend.endpoints = [];
      await service.refreshEndpoints();
      service.prompt.attach({ label: 'a', text: 'x' });
      await assert.rejects(service.asking.send('Hi'), /No endpoint/);
      assert.equal(service.prompt.draft.attachments.length, 1);
    });

    it('is not taken for a conversation that nobody opened', async () => {
      void service.prompt.keep('elsewhere', { text: 'x' });
      await service.close();
      assert.equal(ports.storage.files.has('elsewhere.draft.json'), false);
    });

    it('goes with a deleted conversation and comes back with it', async () => {
      await ask('One');
      const { id } = (await service.snapshot()).draft;
      void service.prompt.keep(id, { text: 'begun' });
      await service.deleteConversation(id);
      assert.deepEqual([(await service.snapshot()).draft.text, (await service.listConversations()).length], ['', 0]);
      await service.restoreConversation(id);
      assert.equal((await service.snapshot()).draft.text, 'begun');
    });
  });

  describe('a conversation of another profile', () => {
    const changeProfile = async (): Promise<void> => {
      ports.backend.profile = { id: 'team', name: 'Team', isProduction: true, isLocal: false };
      ports.backend.endpoints = [{ name: 'big', server: 'Team' }];
      ports.backend.changed.fire();
      await settle();
    };

    it('says so, and is sent nowhere unasked', async () => {
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

    it('leaves its endpoint to it, and a message that waits is not sent', async () => {
      const { release } = heldAnswer(ports);
      await service.asking.send('One');
      await hasBegun();
      await service.asking.send('Two');
      const end = ended(service);
      await changeProfile();
      release();
      await end;
      await settle();
      assert.deepEqual([ports.backend.requests.length, await queueOf(service)], [1, ['Two']]);
      await service.newConversation();
      assert.equal((await service.snapshot()).view.endpoint, 'big');
    });
  });

  it('has the last answer at hand, without thoughts and past one that brought nothing', async () => {
    assert.equal(service.lastAnswer, undefined);
    ports.backend.answer = textAnswer('<think>hm</think>Yes.');
    await ask('One');
    ports.backend.answer = failingAnswer(new AppError('network', 'Gone.'));
    await ask('Two');
    assert.equal(service.lastAnswer, 'Yes.');
  });

  it('asks again in place of an answer that does not come any more', async () => {
    heldAnswer(ports);
    await service.asking.send('One');
    await hasBegun();
    const [, stalled] = service.currentConversation?.turns ?? [];
    const end = ended(service, 2);
    await service.asking.regenerate(stalled?.id ?? '');
    await end;
    assert.deepEqual(texts(service), ['One', 'Then this.']);
  });

  it('knows when the first word of an answer came, in the next window too', async () => {
    await ask('One');
    const first = (asked: ChatService): number | undefined => {
      const turn = asked.currentConversation?.turns[1];
      return turn?.role === 'assistant' ? turn.firstAtMs : undefined;
    };
    const known = first(service);
    assert.equal(typeof known, 'number');
    await service.close();
    const next = reopen(ports);
    await next.snapshot();
    assert.equal(first(next), known);
  });

  it('holds what waits when the answer before it fails', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ports.backend.answer = async function* (...call) {
      await promise;
      yield* failingAnswer(new AppError('network', 'Gone.'))(...call);
    };
    const end = ended(service);
    await service.asking.send('One');
    await service.asking.send('Two');
    resolve();
    await end;
    await settle();
    assert.deepEqual(await queueOf(service), ['Two']);
  });
});
