import assert from 'node:assert/strict';
import { ChatService } from '../../../src/chat/chatService.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { failingAnswer, fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { ended } from '../../support/chatHarness/heldAnswers.ts';
import { settle } from '../../support/fakeClock.ts';

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
