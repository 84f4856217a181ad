import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import { shownChoice, visibleTurns } from '../../../src/chat/conversation.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History } from '../../../src/chat/history.ts';
import { FileStorage } from '../../../src/chat/host/fileStorage.ts';
import type { HostMessage } from '../../../src/chat/protocol.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';

/** Returns a generator whose numbers depend only on the seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pause = (inMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, inMs));

/** Copies the chat's folder at the moment of the kill; the next host starts with that copy. */
describe('the chat, killed at any moment', function () {
  this.timeout(120_000);
  let folder: string;
  before(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-killed-'))));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  interface Seen {
    /** The text of the streaming answer that the view has shown. */
    answer: string;
    /** Everything that the host has confirmed. */
    draft: string;
    queue: string[];
    attachments: string[];
    sent: string[];
  }

  function start(storage: FileStorage, remembered: string | undefined) {
    let count = 0;
    const ports = fakePorts({
      history: new History(storage, silentLogger),
      drafts: new Drafts(storage, systemClock, silentLogger),
      newId: () => `id-${remembered ?? 'new'}-${++count}`,
    });
    ports.editor.remembered = remembered;
    const service = new ChatService(ports);
    return { ports, service, handler: new RequestHandler(service, silentLogger) };
  }

  for (let seed = 1; seed <= 12; seed += 1)
    it(`restores draft, attachments, queue and answer up to the last chunk (seed ${seed})`, async () => {
      const random = randomOf(seed);
      const place = path.join(folder, String(seed));
      const { ports, service, handler } = start(new FileStorage(place), undefined);
      const seen: Seen = { answer: '', draft: '', queue: [], attachments: [], sent: [] };
      let isKilled = false;
      service.onDidPost((message: HostMessage) => {
        if (message.type !== 'event' || message.event.type !== 'answerDelta' || isKilled) return;
        for (const { text = '' } of message.event.choices) seen.answer += text;
      });
      ports.backend.answer = async function* (): AsyncGenerator<ChatChunk> {
        for (let at = 0; ; at += 1) {
          yield { choices: [{ index: 0, delta: { content: `${at} wörd ` } }] };
          await pause(random() * 8);
        }
      };
      await service.snapshot();
      let id = 0;
      const request = async (method: string, params: object): Promise<boolean> =>
        (await handler.handle({ type: 'request', id: ++id, method, params })).failure === undefined && !isKilled;
      assert.ok(await request('send', { text: 'first question' }));
      seen.sent.push('first question');
      const conversationId = service.currentConversation?.id ?? '';
      /** Types, attaches and queues at random, and records what was confirmed. */
      const use = async (): Promise<void> => {
        for (let step = 1; !isKilled; step += 1) {
          await pause(random() * 120);
          const what = random();
          if (what < 0.6) {
            const text = `draft ${step}`;
            if (await request('changeDraft', { id: conversationId, text })) seen.draft = text;
          } else if (what < 0.8) {
            const label = `file ${step}`;
            service.prompt.attach({ label, text: label });
            await ports.drafts.flush();
            if (!isKilled) seen.attachments.push(label);
          } else {
            const text = `queued ${step}`;
            if (!(await request('send', { text }))) continue;
            seen.queue.push(text, ...seen.attachments.splice(0));
            seen.draft = '';
          }
        }
      };
      const using = use();
      await pause(150 + random() * 1200);
      // The copy holds only what is on disk at this moment.
      const before = structuredClone(seen);
      isKilled = true;
      fs.cpSync(place, `${place}-after`, { recursive: true });
      await service.asking.stop();
      await using;
      service.dispose();

      const again = start(new FileStorage(`${place}-after`), conversationId);
      const { conversation, draft, view } = await again.service.snapshot();
      assert.ok(conversation);
      const [question, answer] = visibleTurns(conversation);
      assert.deepEqual(question?.role === 'user' && question.text, before.sent[0]);
      assert.ok(answer?.role === 'assistant');
      assert.equal(answer.status, 'cutOff');
      const text = shownChoice(answer)?.text ?? '';
      assert.equal(text, before.answer);
      const begun = again.ports.drafts.get(conversationId);
      const kept = begun.queue.flatMap((each) => [each.text, ...each.attachments.map(({ label }) => label)]);
      assert.deepEqual(kept.slice(0, before.queue.length), before.queue, 'the queue');
      const waiting = [...kept.slice(before.queue.length), ...view.attachments.map(({ label }) => label)];
      for (const label of before.attachments) assert.ok(waiting.includes(label), label);
      const later = [draft.text, ...kept];
      const number = (each: string): number => Number(/\d+/.exec(each)?.[0] ?? -1);
      assert.ok(
        later.some((each) => number(each) >= number(before.draft)),
        `${before.draft} is not in ${later.join(', ')}`,
      );
      // The next record moves the restored tail into the file.
      await again.service.renameConversation(conversationId, 'renamed');
      const third = start(new FileStorage(`${place}-after`), conversationId);
      const [, same] = visibleTurns((await third.service.snapshot()).conversation ?? conversation);
      assert.equal(same?.role === 'assistant' && shownChoice(same)?.text, text);
      again.service.dispose();
      third.service.dispose();
    });
});
