import type { ChatService } from '../../../src/chat/chatService.ts';
import { shownChoice, visibleTurns } from '../../../src/chat/conversation.ts';
import { textAnswer, type FakePorts } from './fakePorts.ts';

/** An answer that ends when it is told to. */
export function heldAnswer(ports: FakePorts): { release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  ports.backend.answer = async function* (...call) {
    ports.backend.answer = textAnswer('Then this.');
    yield { choices: [{ index: 0, delta: { content: 'First' } }] };
    await promise;
    yield* textAnswer('.')(...call);
  };
  return { release: resolve };
}

/** What the branch on screen says. */
export const texts = ({ currentConversation }: ChatService): string[] =>
  currentConversation
    ? visibleTurns(currentConversation).map((turn) =>
        turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? ''),
      )
    : [];
/** Resolves once so many answers have ended. */
export const ended = (service: ChatService, count = 1): Promise<void> =>
  new Promise((resolve) => {
    let left = count;
    service.asking.onDidFinishAnswer(() => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
