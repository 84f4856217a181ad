import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History } from '../../../src/chat/history.ts';
import { OpenConversations } from '../../../src/chat/openConversations.ts';
import { type Logger, silentLogger } from '../../../src/shared/log.ts';
import { type FakePorts, fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

interface Window {
  readonly ports: FakePorts;
  readonly conversations: OpenConversations;
  /** What it told, one after the other. */
  readonly told: string[];
}

/** What each test of a suite finds: a storage, a clock, and windows that share both. */
interface ChatWindows {
  storage: MemoryStorage;
  clock: FakeClock;
  logged: string[];
  window(): Window;
  /** Lets time pass, and all that it begins come to its end. */
  pass(ms?: number): Promise<void>;
  /** The conversation on screen begins, with its first message. @returns its id */
  begun(window: Window, text: string): Promise<string>;
  userTurn(text: string): ConversationEvent;
}

export function chatWindows(): ChatWindows {
  let [windows, ids]: [Window[], number] = [[], 0];
  let log: Logger;
  const world = {
    window() {
      const { storage, clock } = world;
      const ports = fakePorts({
        clock,
        log,
        history: new History(storage, log),
        drafts: new Drafts(storage, clock, log),
        newId: () => `c${++ids}`,
      });
      const conversations = new OpenConversations(ports);
      const told: string[] = [];
      conversations.onDidApply(({ event }) => told.push(event.type));
      conversations.onDidChange(() => told.push('changed'));
      conversations.onDidReplace(() => told.push('replaced'));
      conversations.onDidFail((error) => told.push(`failed: ${String((error as Error).message)}`));
      windows.push({ ports, conversations, told });
      return { ports, conversations, told };
    },
    async pass(ms = 250) {
      await world.clock.advance(ms);
      for (let turn = 0; turn < 8; turn += 1) await settle();
    },
    async begun({ conversations, ports }: Window, text: string) {
      const store = await conversations.begin(text);
      await store.record(world.userTurn(text));
      await conversations.refreshRecent();
      await ports.drafts.flush();
      return store.conversation.id;
    },
    userTurn: (text: string) => ({ type: 'userAdded', id: `u-${text}`, parentId: null, text, atMs: world.clock.now() }),
  } as ChatWindows;
  beforeEach(() => {
    [windows, ids] = [[], 0];
    Object.assign(world, { storage: new MemoryStorage(), clock: new FakeClock(), logged: [] });
    const note = (level: string) => (text: string) => void world.logged.push(`${level} ${text}`);
    log = { ...silentLogger, debug: note('debug'), warn: note('warn'), error: note('error') };
  });
  afterEach(() => {
    for (const { conversations } of windows) conversations.dispose();
  });
  return world;
}
