import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import { draftCompletions } from '../../../../../src/service/models/guide/completionDraft.ts';
import { contextTokens } from '../../../../../src/service/models/guide/guideReply.ts';
import type { WireCompletion } from '../../../../../src/service/models/wire.ts';

describe('completions of the guide', () => {
  const head = { id: 'x', object: 'text_completion' as const, created: 1, model: 'guide' };
  function complete(request: Partial<CompletionRequest>): WireCompletion {
    const whole = { prompt: 'What is max_retries?', ...request } as CompletionRequest;
    const drafted = draftCompletions({ request: whole, nowInMs: 0, head });
    if (drafted instanceof Uint8Array) return JSON.parse(new TextDecoder().decode(drafted)) as WireCompletion;
    return {
      ...head,
      choices: drafted.drafts.map(({ before, text, after, finishReason }, index) => ({
        index,
        text: before + text + after,
        finish_reason: finishReason,
      })),
      usage: drafted.usage,
    };
  }

  it('count each prompt once and each answer as often as it is given', () => {
    const one = complete({ max_tokens: 20 });
    const three = complete({ max_tokens: 20, n: 3 });
    const asked = one.usage?.prompt_tokens ?? 0;
    assert.deepEqual(three.usage, { prompt_tokens: asked, completion_tokens: 60, total_tokens: asked + 60 });
    const two = complete({ max_tokens: 20, prompt: ['What is max_retries?', 'What is max_retries?'], stream: true });
    assert.deepEqual(two.usage, { prompt_tokens: 2 * asked, completion_tokens: 40, total_tokens: 2 * asked + 40 });
  });

  it('may repeat the prompt, end in a suffix, and be cut', () => {
    const [choice] = complete({ max_tokens: 20, echo: true, suffix: ' END' }).choices;
    assert.ok(choice?.text.startsWith('What is max_retries?\n\n') && choice.text.endsWith(' END'), choice?.text);
    assert.equal(choice?.finish_reason, 'length');
    assert.equal(complete({}).choices[0]?.finish_reason, 'stop');
  });

  it('of a prompt beyond the context are refused, or of its end where that is asked for', () => {
    const prompt = 'word '.repeat(200_000);
    assert.throws(() => complete({ prompt }), /reads at most|context length/);
    const long = complete({ prompt: `${prompt}What is max_retries?`, error_behavior: 'truncate', echo: true });
    const text = long.choices[0]?.text ?? '';
    assert.match(text.slice(-3000), /word What is max_retries\?\n\n[^]*max_retries/);
    assert.equal(long.usage?.prompt_tokens, contextTokens);
  });
});
