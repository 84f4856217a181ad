import { Drafts } from '../../../src/chat/drafts.ts';
import { History } from '../../../src/chat/history.ts';
import { OpenConversations } from '../../../src/chat/openConversations.ts';
import type { Logger } from '../../../src/shared/log.ts';
import { type FakePorts, fakePorts } from '../../support/chatHarness/fakePorts.ts';
import type { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import type { FakeClock } from '../../support/fakeClock.ts';

export interface Window {
  readonly ports: FakePorts;
  readonly conversations: OpenConversations;
  /** What it told, one after the other. */
  readonly told: string[];
}

/** A window's conversations, over a storage that it may share with others. */
export function openWindow(storage: MemoryStorage, clock: FakeClock, log: Logger, newId: () => string): Window {
  const ports = fakePorts({
    clock,
    log,
    history: new History(storage, log),
    drafts: new Drafts(storage, clock, log),
    newId,
  });
  const conversations = new OpenConversations(ports);
  const told: string[] = [];
  conversations.onDidApply(({ event }) => told.push(event.type));
  conversations.onDidChange(() => told.push('changed'));
  conversations.onDidReplace(() => told.push('replaced'));
  conversations.onDidFail((error) => told.push(`failed: ${String((error as Error).message)}`));
  return { ports, conversations, told };
}
