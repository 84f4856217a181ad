import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import { capabilitiesOf } from '../../../../../src/service/models/upstream/capabilities.ts';
import type { UpstreamTarget } from '../../../../../src/service/models/upstream/upstreamChat.ts';
import { createUpstreamCompletion } from '../../../../../src/service/models/upstream/upstreamCompletion.ts';
import type { WireCompletion } from '../../../../../src/service/models/wire.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { bodyOf, chunksOf, refusal } from '../support.ts';

type Sent = { path: string; prompt: string; max_tokens?: number };
const used = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const piece = (text: string, finish: string | null = null): object => ({ choices: [{ text, finish_reason: finish }] });
/** A model server that answers so. */
const server = (postStream: unknown, clock = { now: () => 0 }): UpstreamTarget =>
  ({ connection: { label: 'Up', postStream }, model: 'm', capabilities: capabilitiesOf.generic, clock }) as never;
/** Ends as soon as an error comes. */
function* played(events: readonly (object | AppError)[]): Generator<object> {
  for (const event of events) {
    if (event instanceof AppError) throw event;
    yield event;
  }
}
const failure = (kind: 'tooLarge' | 'timeout' | 'network'): AppError => new AppError(kind, `It is ${kind}.`, {});

describe('the completions of a model server', () => {
  let sent: Sent[];
  let signals: unknown[];
  /** What each request is answered with; an error ends it. */
  let script: (asked: Sent, count: number) => readonly (object | AppError)[];
  beforeEach(() => {
    [sent, signals] = [[], []];
    script = ({ prompt }) => [piece(`<${prompt}`), piece('>', 'stop'), { choices: [], usage: used }];
  });
  const signal = new AbortController().signal;

  function ask(request: object, templated = false) {
    const postStream = async function* (path: string, body: object, options: { signal?: AbortSignal }) {
      const { prompt, messages, max_tokens } = body as { prompt: string; messages?: object[]; max_tokens?: number };
      const asked = { path, prompt: messages ? JSON.stringify(messages) : prompt, ...(max_tokens && { max_tokens }) };
      sent.push(asked);
      signals.push(options.signal);
      yield* played(script(asked, sent.length));
    };
    const target = server(postStream, { now: () => 1_999_999 });
    return createUpstreamCompletion(target, templated).answer(request as CompletionRequest, { signal });
  }
  const whole = async (request: object): Promise<WireCompletion> => bodyOf<WireCompletion>(await ask(request));
  const first = async (request: object): Promise<unknown[]> => {
    const { choices, usage } = await whole({ prompt: 'P', ...request });
    return [choices[0]?.text, choices[0]?.finish_reason, usage?.completion_tokens];
  };

  it('are those of each prompt and each of its times, whose tokens are counted once', async () => {
    const { id, ...answer } = await whole({ prompt: ['P', 'Q'], n: 2, echo: true, suffix: '!' });
    assert.match(id, /^cmpl-/);
    const choice = (index: number, text: string): object => ({ index, text, finish_reason: 'stop' });
    assert.deepEqual(answer, {
      object: 'text_completion',
      created: 1999,
      model: 'm',
      choices: [choice(0, 'P<P>!'), choice(0, 'P<P>!'), choice(1, 'Q<Q>!'), choice(1, 'Q<Q>!')],
      usage: { prompt_tokens: 6, completion_tokens: 16, total_tokens: 22 },
    });
    assert.deepEqual(
      sent.map(({ prompt }) => prompt),
      ['P', 'P', 'Q', 'Q'],
    );
    assert.ok(signals.every((each) => each === signal));
    assert.deepEqual(await first({}), ['<P>', 'stop', 4]);
  });

  it('are told in pieces, the prompts one after the other, with the sum of all at the end', async () => {
    const request = { prompt: ['P', ''], n: 1, echo: true, suffix: '!', stream: true };
    script = ({ prompt }) => [piece(`<${prompt}`), piece(''), piece('>', 'length'), { choices: [], usage: used }];
    const chunks = await chunksOf<WireCompletion>(await ask(request));
    const id = chunks[0]?.id ?? '';
    assert.match(id, /^cmpl-/);
    const chunk = (index: number, text: string, finish: string | null = null): object => ({
      id,
      object: 'text_completion',
      created: 1999,
      model: 'm',
      choices: [{ index, text, finish_reason: finish }],
    });
    assert.deepEqual(chunks, [
      chunk(0, 'P'),
      chunk(0, '<P'),
      chunk(0, '>'),
      chunk(0, '!', 'length'),
      chunk(1, '<'),
      chunk(1, '>'),
      { ...chunk(1, '!', 'length'), usage: { prompt_tokens: 6, completion_tokens: 8, total_tokens: 14 } },
    ]);
    const plain = await chunksOf<WireCompletion>(await ask({ prompt: 'P', stream: true }));
    assert.deepEqual(
      plain.map(({ choices, usage }) => [choices[0]?.text, usage]),
      [
        ['<P', undefined],
        ['>', undefined],
        ['', used],
      ],
    );
    const twice = await chunksOf<WireCompletion>(await ask({ prompt: 'P', n: 2, stream: true }));
    assert.deepEqual(twice.at(-1)?.usage, { prompt_tokens: 3, completion_tokens: 8, total_tokens: 11 });
  });

  it('are counted here where the server counts nothing', async () => {
    script = () => [piece('one two', 'stop')];
    assert.deepEqual((await whole({ prompt: 'a b c', n: 2 })).usage, {
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
    });
    const chunks = await chunksOf<WireCompletion>(await ask({ prompt: 'a b c', stream: true }));
    assert.deepEqual(chunks.at(-1)?.usage, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  });

  it('keep the reason and the counts that came before the last piece', async () => {
    script = () => [{ ...piece('a', 'length'), usage: used }, piece('b')];
    assert.deepEqual(await first({}), ['ab', 'length', 4]);
    const chunks = await chunksOf<WireCompletion>(await ask({ prompt: 'P', stream: true }));
    assert.deepEqual([chunks.at(-1)?.choices[0]?.finish_reason, chunks.at(-1)?.usage], ['length', used]);
  });

  it('are broken off where no piece says why they end, an empty reason included, but for what is counted and marked', async () => {
    const event = (text: string, finish_reason: string | null): object => ({
      choices: [{ text, delta: { content: text }, finish_reason }],
    });
    for (const templated of [false, true])
      for (const finish of [null, '']) {
        script = () => [event('a', null), event('b', finish)];
        const { kind, message } = await refusal(ask({ prompt: 'P' }, templated));
        assert.deepEqual(
          [kind, message],
          ['cutOff', 'Up broke off its answer: it ended without a finish_reason.'],
          `${templated} ${finish}`,
        );
      }
  });

  it('have ended by themselves where counts and the end mark say alone that they are whole', async () => {
    const postStream = async function* (_path: string, _body: object, { onMark }: { onMark: () => void }) {
      yield { ...piece('a'), usage: used };
      onMark();
    };
    const answer = (request: object) =>
      createUpstreamCompletion(server(postStream), false).answer({ prompt: 'P', ...request } as CompletionRequest, {});
    const [whole] = bodyOf<WireCompletion>(await answer({})).choices;
    const last = (await chunksOf<WireCompletion>(await answer({ stream: true }))).at(-1);
    assert.deepEqual([whole?.finish_reason, last?.choices[0]?.finish_reason], ['stop', 'stop']);
  });

  it("come from Ollama's own route as they are, with the values that it has a name of its own for", async () => {
    const bodies: unknown[] = [];
    const end = { done: true, done_reason: 'length', prompt_eval_count: 3, eval_count: 2 };
    let last: object = end;
    const postStream = async function* (...[path, body, { format }]: [string, object, { format: string }]) {
      bodies.push([path, format, body]);
      yield* [{ response: 'a' }, { response: 5, done: false }, { response: 'b', ...last }];
    };
    const target = { ...server(postStream), capabilities: capabilitiesOf.ollama };
    const answer = async (request: object): Promise<unknown[]> => {
      const { choices, usage } = bodyOf<WireCompletion>(
        await createUpstreamCompletion(target, false).answer({ prompt: 'P', ...request } as CompletionRequest, {}),
      );
      return [choices[0]?.text, choices[0]?.finish_reason, usage?.prompt_tokens, usage?.completion_tokens];
    };
    assert.deepEqual(await answer({}), ['ab', 'length', 3, 2]);
    for (const reason of ['', undefined, 5]) {
      last = { ...end, done_reason: reason };
      assert.equal((await answer({}))[1], 'stop', String(reason));
    }
    last = { done: true };
    assert.deepEqual(await answer({ temperature: 0, top_p: 0.5, top_k: 4, max_tokens: 7, stop: 'x' }), [
      'ab',
      'stop',
      0,
      0,
    ]);
    await answer({ stop: ['x', 'y'] });
    const body = (options: object): unknown => [
      '//api/generate',
      'lines',
      { model: 'm', prompt: 'P', raw: true, stream: true, options },
    ];
    const usual = { temperature: 1, top_p: 1, top_k: 0, num_predict: -1 };
    assert.deepEqual(
      [bodies[0], ...bodies.slice(-2)],
      [
        body(usual),
        body({ temperature: 0, top_p: 0.5, top_k: 4, num_predict: 7, stop: ['x'] }),
        body({ ...usual, stop: ['x', 'y'] }),
      ],
    );
    last = { done: false, done_reason: 'stop' };
    assert.equal((await refusal(answer({}))).kind, 'cutOff');
  });

  it('go through the template of the model where it has one, unless the prompt is to be taken as it is', async () => {
    const paths: [path: string, prompt: string][] = [];
    for (const [templated, use_raw_prompt] of [
      [true, undefined],
      [true, false],
      [true, true],
      [false, undefined],
      [false, true],
    ] as const) {
      await ask({ prompt: 'P', use_raw_prompt }, templated);
      paths.push([sent.at(-1)?.path ?? '', sent.at(-1)?.prompt ?? '']);
    }
    const turn = ['/chat/completions', '[{"role":"user","content":"P"}]'];
    const raw = ['/completions', 'P'];
    assert.deepEqual(paths, [turn, turn, raw, raw, raw]);
  });

  it('are asked for four at a time, and answered in their order', async () => {
    let [atOnce, most] = [0, 0];
    const postStream = async function* (_path: string, { prompt }: { prompt: string }) {
      most = Math.max(most, (atOnce += 1));
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      atOnce -= 1;
      yield piece(prompt, 'stop');
    };
    const prompt = Array.from({ length: 9 }, (_unused, index) => `p${index}`);
    const { choices } = bodyOf<WireCompletion>(
      await createUpstreamCompletion(server(postStream), false).answer({ prompt }, {}),
    );
    assert.deepEqual(
      choices.map(({ index, text }) => [index, text]),
      prompt.map((text, index) => [index, text]),
    );
    assert.equal(most, 4);
  });

  it('are refused before the first piece, and not in the middle of a stream', async () => {
    script = () => [failure('network')];
    assert.equal((await refusal(ask({ prompt: 'P', stream: true }))).kind, 'network');
  });
});

describe('a limit that a completion meets', () => {
  let limits: (number | undefined)[];
  const ask = async (request: object, ...scripts: (readonly (object | AppError)[])[]): Promise<unknown> => {
    limits = [];
    const postStream = async function* (_path: string, { max_tokens: limit }: { max_tokens?: number }) {
      const events = scripts[limits.length] ?? [];
      limits.push(limit);
      yield* played(events);
    };
    try {
      const answer = await createUpstreamCompletion(server(postStream), false).answer(
        { prompt: 'P', error_behavior: 'truncate', ...request } as CompletionRequest,
        {},
      );
      const { choices } = bodyOf<WireCompletion>(answer);
      return [choices[0]?.text, choices[0]?.finish_reason];
    } catch (error) {
      return (error as AppError).kind;
    }
  };
  const begun = piece('a');
  const enough = { max_tokens: 5 };

  for (const [what, request, scripts, expected, asked] of [
    ['ends what was begun', {}, [[begun, failure('timeout')]], ['a', 'length'], [undefined]],
    ['ends what was begun, also of a full context', enough, [[begun, failure('tooLarge')]], ['a', 'length'], [5]],
    ['leaves nothing of a time-out before it', enough, [[failure('timeout')]], ['', 'length'], [5]],
    ['leaves nothing of a full context', {}, [[failure('tooLarge')]], ['', 'length'], [undefined]],
    [
      'is tried without that of the request',
      enough,
      [[failure('tooLarge')], [piece('b', 'stop')]],
      ['b', 'stop'],
      [5, undefined],
    ],
    [
      'leaves nothing where it is met again',
      enough,
      [[failure('tooLarge')], [failure('tooLarge')]],
      ['', 'length'],
      [5, undefined],
    ],
    [
      'leaves what there is where it is met later',
      enough,
      [[failure('tooLarge')], [begun, failure('timeout')]],
      ['a', 'length'],
      [5, undefined],
    ],
    ['is no other failure', enough, [[failure('network')]], 'network', [5]],
    [
      'is no other failure when tried again',
      enough,
      [[failure('tooLarge')], [failure('network')]],
      'network',
      [5, undefined],
    ],
    [
      'is an error where that is asked for',
      { ...enough, error_behavior: 'error' },
      [[failure('tooLarge')]],
      'tooLarge',
      [5],
    ],
    [
      'is an error where nothing is asked for',
      { error_behavior: undefined },
      [[begun, failure('timeout')]],
      'timeout',
      [undefined],
    ],
  ] as const)
    it(what, async () => {
      assert.deepEqual(await ask(request, ...scripts), expected);
      assert.deepEqual(limits, asked);
    });
});
