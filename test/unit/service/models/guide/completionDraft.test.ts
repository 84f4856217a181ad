import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import { draftCompletions } from '../../../../../src/service/models/guide/completionDraft.ts';
import { contextCharacters, contextTokens } from '../../../../../src/service/models/guide/guideReply.ts';
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

  const whole = (request: Partial<CompletionRequest>): unknown => {
    const given = draftCompletions({ request: { prompt: 'Hello', ...request } as CompletionRequest, nowInMs: 0, head });
    assert.ok(given instanceof Uint8Array);
    return JSON.parse(new TextDecoder().decode(given));
  };
  const textOf = (request: Partial<CompletionRequest>): string => complete(request).choices[0]?.text ?? '';

  it('have each choice of each prompt, in their order', () => {
    const choice = (index: number, prompt: string): object => ({
      index,
      text: `${prompt}\n\nHello. END`,
      finish_reason: 'length',
    });
    assert.deepEqual(whole({ prompt: ['Hello', 'Hello!'], n: 2, max_tokens: 2, echo: true, suffix: ' END' }), {
      ...head,
      choices: [choice(0, 'Hello'), choice(0, 'Hello'), choice(1, 'Hello!'), choice(1, 'Hello!')],
      usage: { prompt_tokens: 3, completion_tokens: 8, total_tokens: 11 },
    });
    assert.deepEqual(whole({ max_tokens: 2 }), {
      ...head,
      choices: [{ index: 0, text: '\n\nHello.', finish_reason: 'length' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
  });

  it('are drafts for a stream', () =>
    assert.deepEqual(
      draftCompletions({
        request: { prompt: 'Hello ', max_tokens: 1, stream: true, echo: true, suffix: '.' },
        nowInMs: 0,
        head,
      }),
      {
        drafts: [{ text: 'Hello', count: 1, finishReason: 'length', before: 'Hello ', after: '.' }],
        usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
      },
    ));

  it('stand in a paragraph of their own, unless the prompt ends in a blank or is nothing', () => {
    for (const [prompt, text] of [
      ['Hello', '\n\nHello'],
      ['Hello ', 'Hello'],
      ['Hello\n', 'Hello'],
      [' Hello', '\n\nHello'],
    ] as const)
      assert.equal(textOf({ prompt, max_tokens: 1 }), text, JSON.stringify(prompt));
    assert.match(textOf({ prompt: '', max_tokens: 3 }), /^I am Millrace$/);
  });

  for (const prompt of [
    'Q: Hello',
    'question:Hello',
    '\n  USER :  Hello',
    'Human: Hello\n\nAssistant:',
    'Instruction: Hello\nResponse :\n',
    'Hello\n \tanswer: ',
    'Hello\nA:',
  ])
    it(`answer ${JSON.stringify(prompt)} as its question alone, unless it is to be taken as it is`, () => {
      assert.match(textOf({ prompt, max_tokens: 40 }).trim(), /^Hello\./);
      assert.doesNotMatch(textOf({ prompt, max_tokens: 40, use_raw_prompt: true }).trim(), /^Hello\./);
    });

  for (const prompt of [
    'Faq: Hello',
    'Hello Q: Hello',
    'Hello.\nExtra:',
    'Hello answer:',
    'Hello\nanswer: no',
    'Hello\nanswer:\nno',
  ])
    it(`leave ${JSON.stringify(prompt)} as it is`, () =>
      assert.doesNotMatch(textOf({ prompt, max_tokens: 40 }).trim(), /^Hello\./));

  it('to nothing but a label are about nothing', () =>
    assert.equal(textOf({ prompt: 'Answer:', max_tokens: 6 }).trim(), textOf({ prompt: '', max_tokens: 6 }).trim()));

  for (const prompt of [
    'Once upon a time there was a miller who',
    'def fibonacci(n):\n    ',
    'The capital of France is',
    'Which runs failed today?',
    '',
  ])
    it(`say in a sentence what the guide is where it knows nothing, and ask nothing back: ${prompt}`, () =>
      assert.match(
        textOf({ prompt }).trim(),
        /^I am Millrace's built-in guide: [^?\n]+ I cannot continue this prompt: [^?\n]+\.$/,
      ));

  it('begin without saying what the guide is', () => {
    assert.doesNotMatch(textOf({}), /language model/);
  });

  it('read as much of a prompt as the context holds, and refuse one character or token more', () => {
    const blanks = `${' '.repeat(contextCharacters - 5)}Hello`;
    assert.equal(textOf({ prompt: blanks, max_tokens: 1 }), '\n\nHello');
    assert.throws(() => complete({ prompt: ` ${blanks}` }), {
      status: 400,
      message:
        'A prompt has 500001 characters; guide reads at most 500000. Shorten it, or set error_behavior to truncate.',
    });
    const cut = complete({ prompt: `!${blanks}`, max_tokens: 1, echo: true, error_behavior: 'truncate' });
    assert.equal(cut.choices[0]?.text, `${blanks}\n\nHello`);
    const full = 'a '.repeat(contextTokens).trimEnd();
    assert.equal(complete({ prompt: full, max_tokens: 1 }).usage?.prompt_tokens, contextTokens);
    for (const more of [{}, { error_behavior: 'error' as const }])
      assert.throws(() => complete({ prompt: `${full} a`, ...more }), {
        status: 400,
        message:
          'A prompt has 32769 tokens; the context length of guide is 32768. Shorten it, or set error_behavior to truncate.',
      });
  });

  it('are refused where all of them together are too long, with their whole length', () => {
    const { text } = (
      draftCompletions({ request: { prompt: 'Hello', max_tokens: 2, stream: true }, nowInMs: 0, head }) as {
        drafts: { text: string }[];
      }
    ).drafts[0] ?? { text: '' };
    for (const stream of [true, false])
      assert.throws(
        () => whole({ max_tokens: 2, n: 2_000_000, prompt: ['Hello', 'Hello'], echo: true, suffix: '!', stream }),
        {
          message: new RegExp(`^The answer would have ${(5 + text.length + 1) * 2 * 2_000_000} characters`),
        },
      );
  });
});
