import assert from 'node:assert/strict';
import net from 'node:net';
import { createClient } from '../../../../src/api/client/index.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { CollectedChat } from '../../../support/collected.ts';
import { cpuOf } from '../../../support/cpuTime.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { replayClient } from '../../../support/replayFetch.ts';
import { transports, hi, firstEvent } from './faultSetup.ts';

describe('faults', () => {
  it('P7: a stall at any byte is an error that keeps the text', async function () {
    const bytes = new TextEncoder().encode(
      `${firstEvent}data: {"choices":[{"index":0,"delta":{"content":"lo 東"},"finish_reason":null}]}\n\n` +
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    );
    for (let at = 0; at < bytes.length; at++) {
      const clock = new FakeClock();
      const collected = new CollectedChat();
      const client = replayClient([bytes.subarray(0, at)], { clock }, 'hang');
      const read = (async () => {
        for await (const chunk of client.inference.streamChat('e', hi)) collected.add(chunk);
      })().then(
        () => undefined,
        (error: unknown) => error,
      );
      await settle();
      await clock.advance(121_000);
      const error = await read;
      if (collected.complete) assert.equal(error, undefined);
      else
        assert.ok(
          error instanceof AppError && error.kind === 'timeout' && (error.partial ?? '') === collected.text,
          `at ${at}: ${String(error)}`,
        );
      assert.equal(clock.pending, 0);
    }
  });

  it('a slow reader is not taken for a stalled server', async () => {
    const clock = new FakeClock();
    const client = replayClient(
      [
        new TextEncoder().encode(firstEvent),
        new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'),
      ],
      { clock },
    );
    let chunks = 0;
    for await (const chunk of client.inference.streamChat('e', hi)) {
      assert.ok(chunk);
      chunks++;
      await clock.advance(600_000);
    }
    assert.equal(chunks, 2);
  });

  it('P13: names of prototypes in an answer pollute nothing', async () => {
    const evil = '{"polluted":"yes"}';
    const bodies = [
      `{"__proto__":${evil},"run_id":1}`,
      `{"run_id":1,"state":{"__proto__":${evil},"life_cycle_state":"RUNNING"}}`,
      `{"run_id":1,"constructor":{"prototype":${evil}}}`,
      `{"run_id":1,"task":{"notebook_task":{"__proto__":${evil},"base_parameters":{"__proto__":"x","constructor":"y"}}}}`,
      `{"run_id":9007199254740993,"prototype":${evil},"overriding_parameters":{"\\u005f_proto__":${evil}}}`,
    ];
    for (const body of bodies) {
      const client = createClient({
        baseUrl: 'https://service.example',
        auth: { kind: 'none' },
        fetch: () => Promise.resolve(new Response(body)),
      });
      const run = await client.jobs.getRun('1');
      assert.equal((run as Record<string, unknown>)['polluted'], undefined);
      assert.equal(Object.getPrototypeOf(run), Object.prototype);
      // Asked for a list, the same text is none.
      await assert.rejects(client.jobs.list(), /has no list "jobs"/);
    }
    for (const place of [
      `{"__proto__":${evil},"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
      `{"choices":[{"__proto__":${evil},"delta":{"__proto__":${evil},"content":"a","tool_calls":[{"__proto__":${evil},` +
        '"index":0,"id":"__proto__","function":{"name":"constructor","arguments":"{}"}}]},"finish_reason":"stop"}],' +
        `"usage":{"__proto__":${evil}}}`,
      `{"choices":[{"index":"__proto__","delta":{"content":"a"},"finish_reason":"stop"}]}`,
    ]) {
      const collected = new CollectedChat();
      for await (const chunk of replayClient([new TextEncoder().encode(`data: ${place}\n\n`)]).inference.streamChat(
        'e',
        hi,
      ))
        collected.add(chunk);
      assert.equal(collected.text, 'a');
      assert.equal((collected.answer as unknown as Record<string, unknown>)['polluted'], undefined);
    }
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });

  it('says what is wrong with a connection, and what to do', async () => {
    const free = net.createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as net.AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    for (const fetch of Object.values(transports)) {
      const refused = createClient({
        baseUrl: `http://127.0.0.1:${port}`,
        auth: { kind: 'none' },
        fetch,
        retry: 'fail',
      });
      await assert.rejects(
        refused.jobs.create({ existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } }),
        (error) => {
          assert.ok(error instanceof AppError);
          assert.equal(error.kind, 'network');
          assert.equal(error.message, `jobs/create: nothing answers at 127.0.0.1:${port}. The job was not created.`);
          assert.equal(error.remedy, 'Check that the server runs and that host and port of the base URL are right.');
          return true;
        },
      );
      const unknown = createClient({ baseUrl: 'http://name.invalid', auth: { kind: 'none' }, fetch, retry: 'fail' });
      await assert.rejects(
        unknown.jobs.list(),
        (error) =>
          error instanceof AppError &&
          error.kind === 'network' &&
          /name\.invalid/.test(error.message) &&
          /The jobs were not read\./.test(error.message),
      );
    }
  });
});

describe('large answers of a model, as the client reads them', () => {
  const mebibyte = 1024 * 1024;
  const text = (content: string): string =>
    `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"${content}"}}]}`;
  const answers: Record<string, { body: () => string; error?: RegExp }> = {
    'text of 15 MB': { body: () => text('a'.repeat(15 * mebibyte)) },
    'escapes of 15 MB': { body: () => text('\\n'.repeat(7.5 * mebibyte)) },
    'text of 17 MB': { body: () => text('a'.repeat(17 * mebibyte)), error: /the answer is larger than 16 MB/ },
    'numbers in place of choices': {
      body: () => `{"choices":[${'0,'.repeat(7 * mebibyte)}0]}`,
      error: /the answer has more than 100000 values, which is too much to be read/,
    },
    'empty choices': { body: () => `{"choices":[${'{},'.repeat(5 * mebibyte)}{}]}`, error: /more than 100000 values/ },
    'a million levels': { body: () => `{"choices":${'['.repeat(1_000_000)}`, error: /more than 200 levels/ },
    'a number of 9,000,000 digits': {
      body: () => `{"choices":[{"index":${'9'.repeat(9_000_000)}}]}`,
      error: /a number of more than 400 digits/,
    },
  };

  for (const [name, { body, error }] of Object.entries(answers)) {
    for (const how of ['whole', 'in place of a stream'] as const) {
      it(`${name}, ${how}: read or refused in words, in little time`, async () => {
        const bytes = new TextEncoder().encode(body());
        const client = createClient({
          baseUrl: 'http://service.test',
          auth: { kind: 'none' },
          retry: 'fail',
          fetch: () =>
            Promise.resolve({
              status: 200,
              headers: new Headers({ 'content-type': 'application/json' }),
              body: (async function* () {
                yield bytes;
              })(),
            }),
        });
        let failure: unknown;
        const cpuInMs = await cpuOf(async () => {
          try {
            if (how === 'whole') await client.inference.chat('e', { ...hi, stream: false });
            else for await (const chunk of client.inference.streamChat('e', hi)) assert.ok(chunk);
          } catch (caught) {
            failure = caught;
          }
        });
        if (error === undefined) assert.equal(failure, undefined);
        else {
          assert.ok(failure instanceof AppError);
          assert.equal(failure.kind, 'tooLarge');
          assert.match(failure.message, error);
        }
        // Read without bounds, they take up to 16 s.
        assert.ok(cpuInMs < 1000, `${cpuInMs} ms of CPU time`);
      });
    }
  }
});
