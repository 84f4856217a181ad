import assert from 'node:assert/strict';
import type { ChatMessage } from '../../src/api/schema/inference/schemas.ts';
import { chatToolList } from '../../src/commands/chatTools/createChatTools.ts';
import { draftChat } from '../../src/service/models/guide/chatDraft.ts';

/** What a function of the chat gives for arguments; the text is JSON. */
export type AnswerTool = (name: string, given: Record<string, unknown>) => unknown;

/** A conversation with the guide as the chat holds it: what it calls is answered, until it says something. */
export class GuideChat {
  readonly messages: ChatMessage[] = [];
  /** The calls of the last question. */
  calls: string[] = [];
  readonly #answer: AnswerTool | undefined;

  constructor(answer?: AnswerTool) {
    this.#answer = answer;
  }

  ask(text: string): string {
    this.messages.push({ role: 'user', content: text });
    this.calls = [];
    for (let round = 0; round < 6; round += 1) {
      const draft = draftChat({
        request: {
          messages: this.messages,
          stream: true,
          ...(this.#answer && { tools: chatToolList.map(({ definition }) => definition) }),
        } as never,
        nowInMs: Date.parse('2026-11-22T12:00:00Z'),
        head: { id: 'x', created: 0, model: 'guide' },
      });
      assert.ok(!(draft instanceof Uint8Array));
      const { toolCall } = draft;
      if (!toolCall) {
        this.messages.push({ role: 'assistant', content: draft.text });
        return draft.text;
      }
      const { name, arguments: given } = toolCall.function;
      this.calls.push(`${name} ${given}`);
      const content = JSON.stringify(this.#answer?.(name, JSON.parse(given) as Record<string, unknown>));
      this.messages.push(
        { role: 'assistant', content: null, tool_calls: [toolCall] } as never,
        { role: 'tool', tool_call_id: toolCall.id, content } as never,
      );
    }
    throw new Error(`The guide goes on calling: ${this.calls.join(', ')}`);
  }
}
