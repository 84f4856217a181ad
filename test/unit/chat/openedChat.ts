import assert from 'node:assert/strict';
import { ChatService } from '../../../src/chat/chatService.ts';
import type { Conversation } from '../../../src/chat/conversation.ts';
import type { HostMessage } from '../../../src/chat/protocol.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';

export interface Chat {
  service: ChatService;
  ports: FakePorts;
  messages: HostMessage[];
  finished(): Promise<void>;
}

const opened: ChatService[] = [];

export async function open(ports = fakePorts()): Promise<Chat> {
  const service = new ChatService(ports);
  opened.push(service);
  const messages: HostMessage[] = [];
  service.onDidPost((message) => void messages.push(message));
  await service.snapshot();
  await settle();
  return {
    service,
    ports,
    messages,
    finished: () => new Promise((resolve) => void service.asking.onDidFinishAnswer(() => resolve())),
  };
}

export async function ask(chat: Chat, text: string): Promise<Conversation> {
  const finished = chat.finished();
  await chat.service.asking.send(text);
  await finished;
  return current(chat);
}

export function current({ service }: Chat): Conversation {
  assert.ok(service.currentConversation);
  return service.currentConversation;
}

export function closeChats(): void {
  for (const service of opened.splice(0)) service.dispose();
}
