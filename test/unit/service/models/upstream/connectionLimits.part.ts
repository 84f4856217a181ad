import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { UpstreamConnection } from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import type { AppError } from '../../../../../src/shared/errors.ts';
import { bodyOf, ConnectionBench, events, failureOf, readStream } from './connectionBench.ts';

const megabyte = 1024 * 1024;
/** The same bytes again and again, and how often they were asked for. */
function repeated(piece: Uint8Array, times: number): { body: ReadableStream<Uint8Array>; taken: () => number } {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken === times) return controller.close();
        taken += 1;
        return controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the size of what a model server answers', () => {
  const bench = new ConnectionBench(UpstreamConnection);
  const answered = (body: BodyInit | null, more: ResponseInit = {}): UpstreamConnection =>
    bench.to(() => new Response(body, more));

  it('is at most 16 MB for what is read as one', async () => {
    const most = `{"a":"${'x'.repeat(16 * megabyte - 8)}"}`;
    const { a } = (await answered(most).getJson('/x')) as { a: string };
    assert.equal(a.length, 16 * megabyte - 8);
    const error = await failureOf(answered(`${most} `).getJson('/x'));
    assert.deepEqual(
      [error.kind, error.message],
      [
        'protocol',
        'Up sent an answer of more than 16 MB, which is more than is read. Ask for less at once, or for a stream.',
      ],
    );
    const nothing = await failureOf(answered(null).getJson('/x'));
    assert.match(nothing.message, /^Up sent something that is not JSON: $/);
  });

  it('is at most 128 MB for vectors, and nothing beyond is read', async () => {
    const block = new Uint8Array(megabyte);
    assert.equal((await answered(repeated(block, 17).body).postBytes('/x', {})).byteLength, 17 * megabyte);
    const { body, taken } = repeated(block, 200);
    const error = await failureOf(answered(body).postBytes('/x', {}));
    assert.match(error.message, /^Up sent an answer of more than 128 MB, /);
    assert.equal(taken(), 129);
    assert.deepEqual(await answered('ab').postBytes('/x', { a: 1 }), bytes('ab'));
    assert.deepEqual(await answered(null).postBytes('/x', {}), new Uint8Array());
  });

  it('is of no matter for an error, of which the beginning is read', async () => {
    for (const [size, times] of [
      [40_000, 2],
      [65_536, 1],
      [65_535, 2],
    ] as const) {
      const { body, taken } = repeated(bytes('x'.repeat(size)), 9);
      const error = await failureOf(answered(body, { status: 500 }).getJson('/x'));
      assert.equal(error.message, `Up answered 500: ${'x'.repeat(300)}.`);
      assert.equal(taken(), times, String(size));
    }
    const beyond = `{"error":"no","a":"${'x'.repeat(65_536)}"}`;
    assert.match(
      (await failureOf(answered(beyond, { status: 500 }).getJson('/x'))).message,
      /^Up answered 500: \{"error"/,
    );
    assert.equal(
      (await failureOf(answered(null, { status: 500, statusText: 'So' }).getJson('/x'))).message,
      'Up answered 500: So.',
    );
  });
});

describe('a whole answer of a chat', () => {
  const chat = (body: string, options: object = {}): Promise<unknown> =>
    new ConnectionBench(UpstreamConnection).to(() => new Response(body)).postChat('/chat', { a: 1 }, options);
  /** With so many log probabilities. */
  const answerWith = (count: number, more: object = {}): object => ({
    choices: [
      {
        index: 0,
        message: { content: 'Hi' },
        logprobs: { content: Array.from({ length: count }, () => ({ token: 'x', logprob: -1 })) },
      },
    ],
    ...more,
  });

  it('is read by its schema, also in a thread where it is large', async () => {
    for (const count of [1, 4000]) {
      const answer = answerWith(count);
      assert.deepEqual(await chat(JSON.stringify(answer)), answer, String(count));
    }
    await assert.rejects(chat('{"choices":[7]}'), /Up sent an answer of another form: choices\.0 /);
    await assert.rejects(chat('7'), /Up sent something that is not an object: 7$/);
    const large = `{"choices":[7],"x":[${'0,'.repeat(10_001)}0]}`;
    await assert.rejects(chat(large), /Up sent an answer of another form: choices\.0 /);
    await assert.rejects(
      chat(`${JSON.stringify(answerWith(4000)).slice(0, -1)},`),
      /Up sent something that is not JSON: \{"choices"/,
    );
  });

  it('may be an error all the same', async () => {
    await assert.rejects(chat('{"error":{"message":"Full","code":429}}'), {
      kind: 'rateLimited',
      message: 'Up answered 429: Full.',
    });
  });

  it('is left in its thread by who does not want it any more', async () => {
    const stop = new AbortController();
    const asked = chat(JSON.stringify(answerWith(50_000)), { signal: stop.signal });
    setImmediate(() => stop.abort());
    await assert.rejects(asked, { kind: 'aborted' });
  });
});

describe('the life of a request to a model server', () => {
  let bench: ConnectionBench;
  beforeEach(() => {
    bench = new ConnectionBench(UpstreamConnection);
  });
  const reason = new Error('nobody wants it');

  for (const [name, ask] of Object.entries({
    getJson: (connection: UpstreamConnection, options: object) => connection.getJson('/x', options),
    postJson: (connection: UpstreamConnection, options: object) => connection.postJson('/x', {}, options),
    postBytes: (connection: UpstreamConnection, options: object) => connection.postBytes('/x', {}, options),
    postChat: (connection: UpstreamConnection, options: object) => connection.postChat('/x', {}, options),
    postStream: (connection: UpstreamConnection, options: object) => readStream(connection, options),
  })) {
    it(`ends with the signal of who asked, by ${name}, and leaves nothing behind`, async () => {
      const stop = new AbortController();
      const waiting = failureOf(ask(bench.silent(), { signal: stop.signal }));
      assert.equal(bench.signal?.aborted, false);
      stop.abort(reason);
      const { kind, message } = await waiting;
      assert.deepEqual([kind, message, bench.signal?.reason], ['aborted', 'Stopped.', reason]);
      assert.deepEqual([getEventListeners(stop.signal, 'abort').length, bench.clock.pending], [0, 0]);
      const seen: (boolean | undefined)[] = [];
      const late = bench.to(() => {
        seen.push(bench.signal?.aborted);
        throw new Error('aborted');
      });
      assert.equal((await failureOf(ask(late, { signal: stop.signal }))).kind, 'aborted');
      assert.deepEqual(seen, [true]);
    });

    it(`ends after the limit of ${name} without a word, its own before that of the server`, async () => {
      for (const [options, limitInMs] of [
        [{}, 30_000],
        [{ idleLimitInMs: 5_000 }, 5_000],
      ] as const) {
        const told: AppError[] = [];
        const waiting = failureOf(ask(bench.silent(), options)).then((failure) => told.push(failure));
        await bench.clock.advance(limitInMs - 1);
        assert.equal(told.length, 0);
        await bench.clock.advance(1);
        await waiting;
        const [error] = told;
        assert.equal(error?.kind, 'timeout');
        assert.match(
          error?.message ?? '',
          new RegExp(`^Up sent nothing for ${limitInMs / 1000} s; the request was given up\\.`),
        );
        assert.equal(bench.clock.pending, 0);
      }
    });

    it(`goes on while something comes, by ${name}`, async () => {
      const pieces =
        name === 'postStream' ? ['data: {"a":1}\n\n', 'data: {"a":2}\n\n', ''] : ['{"choices":', '[]', '}'];
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise<void>((resolve) => void bench.clock.schedule(20_000, resolve));
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(bytes(piece === '' ? ' ' : piece));
        },
      });
      const asked = ask(
        bench.to(() => new Response(body)),
        {},
      );
      await bench.clock.advance(100_000);
      const value = await asked;
      const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value);
      assert.equal(text, name === 'postStream' ? '[{"a":1},{"a":2}]' : '{"choices":[]}');
      assert.equal(bench.clock.pending, 0);
    });
  }

  it('ends where a stream says nothing any more', async () => {
    const stream = bench.to(() => events('data: {"a":1}\n\n', 'hang')).postStream('/chat', {});
    await stream.next();
    const next = stream.next();
    await bench.clock.advance(29_999);
    assert.equal(bench.signal?.aborted, false);
    await bench.clock.advance(1);
    assert.equal(bench.signal?.aborted, true);
    next.catch(() => undefined);
  });

  it('is answered as soon as there is a status: it is waited for anew, and what fails then is broken off', async () => {
    const broken = bench.to(() => new Response(bodyOf([], new Error('gone')), { status: 200 }));
    assert.equal((await failureOf(broken.getJson('/x'))).kind, 'cutOff');
    const later = <T>(value: T): Promise<T> =>
      new Promise((resolve) => void bench.clock.schedule(20_000, () => resolve(value)));
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          controller.enqueue(await later(bytes('{}')));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const asked = bench.to(() => later(new Response(body))).getJson('/x');
    await bench.clock.advance(40_000);
    assert.deepEqual(await asked, {});
  });

  it('ends with the innermost cause of a failure, by its code or its words, which stays its cause', async () => {
    const inner = new Error('inner words');
    const outer = new Error('outer', { cause: new Error('between', { cause: inner }) });
    const error = await failureOf(bench.to(() => Promise.reject(outer)).getJson('/x'));
    assert.match(error.message, /^Up cannot be reached \(inner words\)\./);
    assert.equal(error.cause, outer);
    const odd = Object.assign(new Error('odd'), { cause: { code: 7, message: 7 } });
    assert.match((await failureOf(bench.to(() => Promise.reject(odd)).getJson('/x'))).message, /\(odd\)/);
    const thrown = bench.to(() => Promise.reject('a text' as unknown as Error));
    assert.match((await failureOf(thrown.getJson('/x'))).message, /\(a text\)/);
  });
});

describe('the events of a model server', () => {
  const mark = 'data:  [DONE] \n\n';

  it('may end with a mark that nobody waits for', async () => {
    const bench = new ConnectionBench(UpstreamConnection);
    assert.deepEqual(await readStream(bench.to(() => events(`data: {"a":1}\n\n${mark}data: x\n\n`))), [{ a: 1 }]);
  });

  it('come without a pause while that takes no time, and leave others their turn when it does', async () => {
    const { now } = performance;
    const text = 'data: {"a":1}\n\n'.repeat(6);
    const turnsFor = async (stepInMs: number): Promise<number[]> => {
      let [time, turns] = [0, 0];
      let isOver = false;
      const count = (): void => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      const seen: number[] = [];
      performance.now = () => (time += stepInMs);
      try {
        const connection = new ConnectionBench(UpstreamConnection).to(() => new Response(bodyOf([text])));
        for await (const _value of connection.postStream('/chat', {})) seen.push(turns);
      } finally {
        performance.now = now;
        isOver = true;
      }
      return seen.map((turn) => turn - (seen[0] ?? 0));
    };
    assert.deepEqual(await turnsFor(0), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(await turnsFor(1), [0, 0, 0, 0, 0, 0]);
    assert.ok(
      (await turnsFor(21)).every((turn, index) => turn >= index),
      'each event in a turn of its own',
    );
  });
});
