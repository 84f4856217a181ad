import assert from 'node:assert/strict';
import { draftChat, type ChatDraft } from '../../../../../src/service/models/guide/chatDraft.ts';
import { countTokens } from '../../../../../src/service/models/guide/tokenizer.ts';

describe("a draft of the guide's answer", () => {
  const messages = [{ role: 'user', content: 'What is max_retries?' }];
  function draft(more: object = {}): ChatDraft {
    const answer = draftChat({
      request: { messages, stream: true, ...more } as never,
      nowInMs: 0,
      head: { id: 'x', created: 0, model: 'guide' },
    });
    assert.ok(!(answer instanceof Uint8Array));
    return answer;
  }

  it('counts the prompt with its roles and its tools, in which a number may have more digits than a double', () => {
    const plain = draft().usage.prompt_tokens;
    assert.equal(plain, countTokens('user What is max_retries? '));
    const tools = [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object', maximum: 9007199254740993n } },
      },
    ];
    const written =
      '[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","maximum":"9007199254740993"}}}]';
    assert.equal(draft({ tools, tool_choice: 'none' }).usage.prompt_tokens, plain + countTokens(written));
  });

  it('refuses a conversation above the context, and pictures', () => {
    const ask = (content: unknown) => () => draft({ messages: [{ role: 'user', content }] });
    assert.throws(ask('a '.repeat(300_000)), /Shorten it or start a new one\./);
    assert.throws(ask([{ type: 'image_url', image_url: { url: 'x' } }]), /not a part of the type "image_url"/);
  });
});
