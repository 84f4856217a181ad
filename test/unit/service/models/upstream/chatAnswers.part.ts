import assert from 'node:assert/strict';
import { createUpstreamChat } from '../../../../../src/service/models/upstream/upstreamChat.ts';
import type { WireChat } from '../../../../../src/service/models/wire.ts';
import { bodyOf, refusal } from '../support.ts';
import { answered, called, ChatBench, counts, refused, tool, type ChatScript } from './chatBench.ts';

const whole = async (script: ChatScript, request: object = {}): Promise<[WireChat, ChatBench]> => {
  const bench = new ChatBench(createUpstreamChat, script);
  return [bodyOf<WireChat>(await bench.ask(request)), bench];
};
const format = { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object', required: ['a'] } } };

describe('the chat of a model server', () => {
  it('is of its model', () => {
    const { task, model } = createUpstreamChat({ model: 'm' } as never);
    assert.deepEqual([task, model], ['chat', 'm']);
  });

  it('has what the server said, and is asked with the signal of who wants it', async () => {
    const [answer, { sent, signal }] = await whole({ whole: [answered({ content: 'Hi' }, { index: 4 })] });
    assert.deepEqual(answer, {
      id: 'up-1',
      object: 'chat.completions',
      created: 5,
      model: 'real',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: counts(10, 5),
    });
    assert.deepEqual(
      sent.map(({ what, body, options }) => [what, body?.['stream'], body?.['model'], options.signal === signal]),
      [['chat', false, 'm', true]],
    );
  });

  it('has what the server did not say filled', async () => {
    const choices = [{ message: { content: 'one two' } }, { message: null }, {}];
    const [{ id, ...answer }] = await whole({ whole: [{ id: '', model: '', choices }] });
    assert.match(id, /^chatcmpl-/);
    const choice = (index: number, content: string): object => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    });
    assert.deepEqual(answer, {
      object: 'chat.completions',
      created: 1999,
      model: 'm',
      choices: [choice(0, 'one two'), choice(1, ''), choice(2, '')],
      // "user Hello", and two words.
      usage: counts(2, 2),
    });
  });

  it('has the calls in place of a text, each with a name, an id and arguments', async () => {
    const tools = [tool('f'), { type: 'function', function: { name: 'g', description: 'd' } }];
    const message = {
      content: 'aside',
      tool_calls: [called('f'), { function: { name: 'g' } }, called('f', '{"a":2}', '')],
    };
    const [{ choices, usage }] = await whole({ whole: [{ choices: [{ message, finish_reason: 'stop' }] }] }, { tools });
    const [choice] = choices;
    const ids = choice?.message.tool_calls?.map(({ id }) => id) ?? [];
    assert.equal(ids[0], 'c1');
    for (const id of ids.slice(1)) assert.match(id, /^call-/);
    assert.deepEqual(choice, {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [called('f'), called('g', '{}', ids[1]), called('f', '{"a":2}', ids[2])],
      },
      finish_reason: 'tool_calls',
    });
    assert.ok(usage.completion_tokens !== undefined && usage.completion_tokens > 20, JSON.stringify(usage));
  });

  it('ends for the reason that the server gives, which is a call where it calls', async () => {
    for (const [given, expected] of [
      ['stop', 'tool_calls'],
      [null, 'tool_calls'],
      ['tool_calls', 'tool_calls'],
      ['length', 'length'],
    ] as const) {
      const message = { content: null, tool_calls: [called('f')] };
      const [{ choices }] = await whole(
        { whole: [answered(message, { finish_reason: given })] },
        { tools: [tool('f')] },
      );
      assert.equal(choices[0]?.finish_reason, expected, String(given));
    }
    const [{ choices }] = await whole({ whole: [answered({ content: 'a' }, { finish_reason: 'length' })] });
    assert.equal(choices[0]?.finish_reason, 'length');
  });

  it('tells what the model thought, by either name, and nothing where that is nothing', async () => {
    for (const [message, reasoning] of [
      [{ reasoning_content: 'a', reasoning: 'b' }, 'a'],
      [{ reasoning: 'b' }, 'b'],
      [{ reasoning_content: null, reasoning: 'b' }, 'b'],
      [{ reasoning_content: '' }, undefined],
      [{ reasoning: 5 }, undefined],
    ] as const) {
      const [{ choices }] = await whole({ whole: [answered({ content: 'x', ...message })] });
      assert.deepEqual(choices[0]?.message, {
        role: 'assistant',
        content: 'x',
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
      });
    }
  });

  it('has log probabilities where they are asked for, which a call need not have', async () => {
    const entry = { token: 'x', logprob: -1, bytes: null, top_logprobs: [] };
    const withThem = answered({ content: 'x' }, { logprobs: { content: [entry] } });
    const [told] = await whole({ whole: [withThem] }, { logprobs: true });
    assert.deepEqual(told.choices[0]?.logprobs, { content: [entry] });
    const [untold] = await whole({ whole: [withThem] });
    assert.ok(!('logprobs' in (untold.choices[0] ?? {})));
    const call = answered({ tool_calls: [called('f')] });
    const [ofCall] = await whole({ whole: [call] }, { logprobs: true, tools: [tool('f')] });
    assert.equal(ofCall.choices[0]?.logprobs, null);
    assert.match(
      (await refusal(whole({ whole: [answered({ content: 'x' })] }, { logprobs: true }))).message,
      /Up gave none/,
    );
  });

  it('is asked as often as there are choices where the server gives one, and the prompt is counted once', async () => {
    const answers = [
      answered({ content: 'a' }),
      { ...answered({ content: 'b' }), usage: counts(12, 2) },
      answered({ content: 'c' }),
    ];
    const [{ choices, usage }, { sent }] = await whole({ kind: 'ollama', whole: answers }, { n: 3 });
    assert.deepEqual(
      choices.map(({ index, message }) => [index, message.content]),
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ],
    );
    assert.deepEqual(usage, counts(12, 12));
    assert.deepEqual(
      sent.map(({ body }) => body?.['n']),
      [undefined, undefined, undefined],
    );
    const [, { sent: alone }] = await whole({ kind: 'ollama', whole: answers }, { n: 1 });
    assert.equal(alone.length, 1);
  });

  it('is asked for four choices at a time', async () => {
    const answers = Array.from({ length: 9 }, (_, index) => answered({ content: `${index}` }));
    const [{ choices }, { most }] = await whole({ kind: 'ollama', whole: answers }, { n: 9 });
    assert.deepEqual([choices.map(({ message }) => message.content).join(''), most], ['012345678', 4]);
  });

  it('is checked for nobody who has left', async () => {
    const stop = new AbortController();
    stop.abort();
    const good = answered({ content: '{"a":1}' });
    const bench = new ChatBench(createUpstreamChat, { whole: [good] }, stop.signal);
    await assert.rejects(bench.ask({ response_format: format }), { name: 'AbortError' });
  });

  it('is refused where it has no choice, or fewer than were asked for', async () => {
    assert.match((await refusal(whole({ whole: [{ choices: [] }] }))).message, /^Up answered without a choice\./);
    assert.match((await refusal(whole({ whole: [{}] }))).message, /^Up answered without a choice\./);
    assert.match(
      (await refusal(whole({ whole: [answered({ content: 'a' })] }, { n: 2 }))).message,
      /^Up gave 1 choices of the 2 that were asked for\./,
    );
  });

  it('is asked once more where it breaks its schema, and then given up', async () => {
    const [bad, good] = [answered({ content: '{}' }), answered({ content: '{"a":1}' })];
    const [{ choices }, { kinds }] = await whole({ whole: [bad, good] }, { response_format: format });
    assert.deepEqual([choices[0]?.message.content, kinds], ['{"a":1}', 'chat chat']);
    const bench = new ChatBench(createUpstreamChat, { whole: [bad, bad, good] });
    const error = await refusal(bench.ask({ response_format: format }));
    assert.match(
      error.message,
      /^The model of Up broke what the request asks for, 2 times: .*Try again, or use a more capable model\./,
    );
    assert.deepEqual([error.kind, bench.kinds], ['protocol', 'chat chat']);
    const two = {
      choices: [
        { index: 0, message: { content: '{"a":1}' } },
        { index: 1, message: { content: '{}' } },
      ],
    };
    const both = await refusal(
      new ChatBench(createUpstreamChat, { whole: [two, two] }).ask({ response_format: format, n: 2 }),
    );
    assert.match(both.message, /2 times/);
  });
});

describe('a call that a model server is to make', () => {
  const tools = [tool('f')];
  const required = { tools, tool_choice: 'required' };
  /** How the functions were told: as such, or in words. */
  const told = ({ sent }: ChatBench): string =>
    sent.map(({ what, body }) => (body === undefined ? what : body['tools'] ? 'functions' : 'words')).join(' ');

  it('is asked for in words where it does not come by itself', async () => {
    const [{ choices }, bench] = await whole(
      { whole: [answered({ content: 'No.' }), answered({ content: '{"a":5}' })] },
      required,
    );
    assert.equal(told(bench), 'functions words');
    const [{ message, finish_reason: reason } = { message: undefined, finish_reason: undefined }] = choices;
    assert.deepEqual(
      message?.tool_calls?.map((call) => call.function),
      [{ name: 'f', arguments: '{"a":5}' }],
    );
    assert.deepEqual([message?.content, reason], [null, 'tool_calls']);
  });

  it('is given up where it does not come in words either', async () => {
    const no = answered({ content: 'No.' });
    const bench = new ChatBench(createUpstreamChat, { whole: [no, no, no, no] });
    assert.match(
      (await refusal(bench.ask(required))).message,
      /2 times: it called no function, although a call was required\./,
    );
    assert.equal(told(bench), 'functions words words');
  });

  for (const [kind, message, inWords] of [
    ['rejected', 'This model does not support tools.', true],
    ['server', 'No tool for it.', true],
    ['rejected', 'tool-choice is unknown', true],
    ['rejected', 'set tool_choice_auto', true],
    ['rejected', 'Start it with --jinja', true],
    ['rejected', 'The toolbox is closed.', false],
    ['rejected', 'Too hot.', false],
    ['notFound', 'No tools here.', false],
    ['network', 'tools are away', false],
  ] as const)
    it(`is ${inWords ? '' : 'not '}asked for in words after "${message}" (${kind})`, async () => {
      const bench = new ChatBench(createUpstreamChat, {
        whole: [refused(kind, message), answered({ content: '{"answer":"Hi"}' })],
      });
      const answer = bench.ask({ tools });
      if (inWords) assert.equal(bodyOf<WireChat>(await answer).choices[0]?.message.content, 'Hi');
      else assert.equal((await refusal(answer)).message, message);
      assert.equal(told(bench), inWords ? 'functions words' : 'functions');
    });

  it('is not asked for twice in words, and not without functions', async () => {
    const no = refused('rejected', 'no tools');
    const bench = new ChatBench(createUpstreamChat, { whole: [no, no, no] });
    assert.equal((await refusal(bench.ask({ tools }))).message, 'no tools');
    assert.equal(told(bench), 'functions words');
    for (const without of [{}, { tools: [] }]) {
      const alone = new ChatBench(createUpstreamChat, { whole: [no, no] });
      assert.equal((await refusal(alone.ask(without))).message, 'no tools');
      assert.equal(alone.sent.length, 1);
    }
  });

  for (const [what, props, expected] of [
    ['knows no functions', { chat_template_caps: { supports_tools: false } }, 'props words'],
    ['knows functions', { chat_template_caps: { supports_tools: true } }, 'props functions'],
    ['does not tell', { chat_template_caps: {} }, 'props functions'],
    ['tells nothing at all', {}, 'props functions'],
    ['tells something else', { chat_template_caps: 'none' }, 'props functions'],
    ['is asked in vain', refused('notFound', 'no props'), 'props functions'],
  ] as const)
    it(`is told to a template that ${what} as ${expected}`, async () => {
      const [, bench] = await whole(
        { kind: 'llamacpp', props, whole: [answered({ content: '{"answer":"Hi"}' })] },
        { tools },
      );
      assert.equal(told(bench), expected);
      assert.deepEqual(bench.sent[0]?.options, { signal: bench.signal, idleLimitInMs: 5000 });
    });

  it('is told without asking where there are no functions, or every template of the server knows them', async () => {
    for (const [kind, request] of [
      ['llamacpp', {}],
      ['llamacpp', { tools: [] }],
      ['vllm', { tools }],
    ] as const)
      assert.equal((await whole({ kind, whole: [answered({ content: 'Hi' })] }, request))[1].kinds, 'chat');
  });

  it('ends with who wanted it, and with a fault of ours', async () => {
    const aborted = new ChatBench(createUpstreamChat, { kind: 'llamacpp', props: refused('aborted', 'Stopped.') });
    assert.equal((await refusal(aborted.ask({ tools }))).kind, 'aborted');
    await assert.rejects(
      new ChatBench(createUpstreamChat, {
        kind: 'llamacpp',
        props: {
          get chat_template_caps() {
            throw new TypeError('ours');
          },
        },
      }).ask({ tools }),
      TypeError,
    );
  });
});
