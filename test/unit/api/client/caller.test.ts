import assert from 'node:assert/strict';
import { Caller, type CallerOptions } from '../../../../src/api/client/caller.ts';
import { inferenceRoutes } from '../../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { defaultLimits, requestBytes } from '../../../../src/api/schema/limits.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { responseOf, scriptedFetch, type Reply, type ScriptedRequest } from '../../../support/scriptedFetch.ts';
import { rejectionOf } from './exchangeSetup.ts';
import './callOptions.part.ts';
import './requestRules.part.ts';

const baseUrl = 'https://service.example';
const setUp = (
  reply: (request: ScriptedRequest, count: number) => Reply = () => ({ status: 200 }),
  more: Partial<CallerOptions> = {},
) => {
  const { fetch, requests } = scriptedFetch(reply);
  const clock = new FakeClock();
  return { caller: new Caller({ baseUrl, auth: { kind: 'none' }, fetch, clock, ...more }), requests, clock };
};
const messages = [{ role: 'user' as const, content: 'Hi' }];

describe('the address of a service', () => {
  const address = (text: string): string => new Caller({ baseUrl: text, auth: { kind: 'none' } }).baseUrl;

  it('is taken without what says nothing', () => {
    assert.equal(address('  https://service.example//\n'), 'https://service.example');
    assert.equal(address('HTTP://Service.example:80/a/b///'), 'http://service.example/a/b');
    assert.equal(address('https://service.example:8443/a//b'), 'https://service.example:8443/a//b');
  });

  for (const [text, reason] of [
    ['', 'is not an http or https address'],
    ['service.example', 'is not an http or https address'],
    ['ftp://service.example', 'is not an http or https address'],
    ['httpsx://service.example', 'is not an http or https address'],
    ['https://u@service.example', 'holds a user name or password'],
    ['https://:p@service.example', 'holds a user name or password'],
    ['https://service.example?a=1', 'holds a query or fragment'],
    ['https://service.example#a', 'holds a query or fragment'],
  ] as const)
    it(`"${text}" ${reason}`, () =>
      assert.throws(() => address(text), {
        kind: 'invalid',
        message: `The base URL of the profile ${reason}. Nothing was sent.`,
        remedy: 'Enter it as https://host, with the port and path that the service has.',
      }));
});

describe('a request as it is prepared', () => {
  const { caller } = setUp();

  it('is of the limits that are given, and else of the usual ones', () => {
    const own = setUp(undefined, { limits: { idleInMs: 5 } }).caller;
    assert.deepEqual(own.limits, { ...defaultLimits, idleInMs: 5 });
  });

  it('has what a read asks for in its address, and goes without what is null', () => {
    const loose = caller.prepare(jobsRoutes.listRuns, { limit: 5, active_only: true, job_id: '9007199254740993' });
    assert.deepEqual(
      [loose.url, loose.body],
      [`${baseUrl}/api/2.0/jobs/runs/list?active_only=true&job_id=9007199254740993&limit=5`, undefined],
    );
    const none = { limit: null, offset: undefined, job_id: null } as never;
    assert.equal(caller.prepare(jobsRoutes.listRuns, none).url, `${baseUrl}/api/2.0/jobs/runs/list`);
    assert.equal(
      caller.prepare(jobsRoutes.listRuns, { more: { a: 1n, b: ['x'] } } as never).url,
      `${baseUrl}/api/2.0/jobs/runs/list?more=${encodeURIComponent('{"a":1,"b":["x"]}').replaceAll('%20', '+')}`,
    );
  });

  it('is known to be repeatable by a token that says something', () => {
    const tokened = (idempotency_token?: string): boolean | undefined =>
      caller.prepare(jobsRoutes.runNow, { job_id: '1', idempotency_token }).tokened;
    assert.deepEqual([tokened('t'), tokened(''), tokened()], [true, false, false]);
  });

  it('has the name of its endpoint as one part of the address, whatever is in it', () => {
    const at = (name: string): string => caller.prepare(inferenceRoutes.chat, { messages }, { path: { name } }).url;
    assert.equal(at('a/b ?#c%'), `${baseUrl}/serving-endpoints/a%2Fb%20%3F%23c%25/invocations`);
    for (const [name, shown] of [
      ['', 'empty'],
      ['.', '"."'],
      ['..', '".."'],
    ] as const)
      assert.throws(() => at(name), {
        kind: 'invalid',
        message: `${inferenceRoutes.chat.operation} was not sent. The name of the endpoint is ${shown}.`,
        remedy: 'Choose an endpoint.',
      });
    assert.throws(() => caller.prepare(inferenceRoutes.chat, { messages }), /is empty\./);
    assert.ok(at('...').includes('/.../'));
  });

  it('has at most 10 MB, counted in bytes', () => {
    const sized = (bytes: number, text: string) => {
      const rest = caller.prepare(jobsRoutes.runNow, { job_id: '1', python_params: [] }).body?.length ?? 0;
      assert.ok(rest > 0);
      const fits = 'x'.repeat(bytes - Buffer.byteLength(text));
      return { messages: [{ role: 'user' as const, content: fits + text }] };
    };
    const around = caller.prepare(inferenceRoutes.chat, sized(0, ''), { path: { name: 'e' } }).body?.length ?? 0;
    const send = (bytes: number, text = '') =>
      caller.prepare(inferenceRoutes.chat, sized(bytes - around, text), { path: { name: 'e' } });
    assert.equal(Buffer.byteLength(send(requestBytes).body ?? ''), requestBytes);
    assert.equal(Buffer.byteLength(send(requestBytes, 'ü'.repeat(10)).body ?? ''), requestBytes);
    assert.throws(() => send(requestBytes + 1), { kind: 'tooLarge', remedy: /pass large data through files/ });
    assert.throws(() => send(requestBytes + 1, 'ü'), /The request has 10,485,761 bytes; at most 10 MB/);
  });

  it('that breaks a rule says which, and that nothing was done', () => {
    assert.throws(() => caller.prepare(jobsRoutes.create, {} as never), {
      kind: 'invalid',
      operation: 'jobs/create',
      errorCode: 'noTask',
      remedy: 'The job was not created.',
    });
  });

  it('takes null for what is left out, where the document gives it no meaning of its own', () => {
    const settings = { notebook_task: { notebook_path: '/n' }, existing_cluster_id: 'c', name: null, schedule: null };
    const { body } = caller.prepare(jobsRoutes.create, settings as never);
    assert.deepEqual(JSON.parse(body ?? ''), {
      notebook_task: { notebook_path: '/n' },
      existing_cluster_id: 'c',
    });
  });
});

describe('a request as it is sent', () => {
  it('says what it takes, what it sends and who it is', async () => {
    const { caller, requests } = setUp(undefined, { auth: { kind: 'bearer', token: 't' } });
    await caller.call(jobsRoutes.list, {});
    await caller.call(jobsRoutes.cancelRun, { run_id: '1' });
    await caller.openStream(caller.prepare(inferenceRoutes.chat, { messages }, { path: { name: 'e' } }));
    const [read, write, stream] = requests.map(({ headers }) => headers);
    assert.deepEqual(Object.keys(read ?? {}).toSorted(), ['accept', 'authorization']);
    assert.deepEqual(Object.keys(write ?? {}).toSorted(), ['accept', 'authorization', 'content-type']);
    assert.deepEqual(
      [read?.['accept'], write?.['content-type'], stream?.['accept']],
      ['application/json', 'application/json', 'text/event-stream'],
    );
    const anonymous = setUp();
    await anonymous.caller.call(jobsRoutes.list, {});
    assert.deepEqual(anonymous.requests[0]?.headers, { accept: 'application/json' });
  });

  it('goes on waiting for a sign-in no longer than it is wanted', async () => {
    const { caller, requests } = setUp(undefined, {
      auth: { kind: 'bearer', token: () => new Promise(() => undefined) },
    });
    const stop = new AbortController();
    const call = rejectionOf(caller.call(jobsRoutes.list, {}, { signal: stop.signal }));
    stop.abort('enough');
    const error = await call;
    assert.deepEqual(
      [error.kind, error.message, error.cause, requests.length],
      ['aborted', 'jobs/list was stopped.', 'enough', 0],
    );
  });

  it('is a failure with every status beyond 200 to 299, of which no more is kept than is shown', async () => {
    for (const [status, isTaken] of [
      [200, true],
      [299, true],
      [300, false],
      [304, false],
      [404, false],
    ] as const) {
      const { caller } = setUp(() => ({ status, body: '{}' }), { retry: 'fail' });
      const call = caller.call(jobsRoutes.list, {});
      if (isTaken) await call;
      else assert.equal((await rejectionOf(call)).status, status);
    }
    let read = 0;
    let signal: AbortSignal | undefined;
    const { caller } = setUp(undefined, {
      retry: 'fail',
      limits: { errorBytes: 10 },
      fetch: (_url, request) => {
        signal = request.signal;
        return Promise.resolve({
          ...responseOf(400, ''),
          body: (async function* () {
            for (;;) {
              read += 1;
              yield new TextEncoder().encode('12345');
              await Promise.resolve();
            }
          })(),
        });
      },
    });
    await rejectionOf(caller.call(jobsRoutes.list, {}));
    assert.deepEqual([read, signal?.aborted], [2, true]);
  });

  it('is sent again by itself, and no earlier than the server asks for', async () => {
    const waits: number[] = [];
    const reply = (_request: unknown, count: number): Reply =>
      count === 1 ? { status: 503, headers: { 'retry-after': '100' } } : { status: 200, body: '{"jobs":[]}' };
    const { caller, requests, clock } = setUp(reply, { onRetry: ({ waitUntil }) => void waits.push(waitUntil) });
    const begunAt = clock.now();
    const call = caller.call(jobsRoutes.list, {});
    await clock.advance(99_999);
    assert.ok(waits.length === 1 && (waits[0] ?? 0) >= begunAt + 100_000);
    assert.equal(requests.length, 1);
    await clock.advance(60_000);
    await call;
    assert.equal(requests.length, 2);
  });

  it('has for its last attempt what is left of the time for all, read whole or as a stream', async () => {
    for (const isStream of [false, true]) {
      const reply = (_request: unknown, count: number): Reply =>
        count === 1 ? { status: 503, headers: { 'retry-after': '580' } } : 'hang';
      const { caller, requests, clock } = setUp(reply);
      const call = rejectionOf(
        isStream
          ? caller.openStream(caller.prepare(inferenceRoutes.chat, { messages }, { path: { name: 'e' } }))
          : caller.call(jobsRoutes.list, {}),
      );
      await clock.advance(599_999);
      assert.deepEqual([requests.length, requests[1]?.signal.aborted], [2, false]);
      await clock.advance(1);
      assert.equal(requests[1]?.signal.aborted, true);
      await call;
    }
  });

  it('that starts a run is sent again only with a token that tells the service so', async () => {
    for (const [idempotency_token, times] of [
      [undefined, 1],
      ['t', 2],
    ] as const) {
      const { caller, requests, clock } = setUp((_request, count) =>
        count === 1 ? { status: 503 } : { status: 200, body: '{"run_id":1}' },
      );
      const prepared = caller.prepare(jobsRoutes.runNow, { job_id: '1', idempotency_token });
      const ended = caller.deliver(jobsRoutes.runNow, prepared).catch(() => undefined);
      await clock.advance(120_000);
      await ended;
      assert.equal(requests.length, times);
    }
  });

  it('is held back from a sick service, until it is asked for at once', async () => {
    const { caller, requests } = setUp(() => ({ status: 500 }), { retry: 'fail' });
    for (let count = 0; count < 2; count += 1) await rejectionOf(caller.call(jobsRoutes.list, {}));
    assert.equal(requests.length, 1);
    caller.retryNow();
    await rejectionOf(caller.call(jobsRoutes.list, {}));
    assert.equal(requests.length, 2);
  });

  it('has limits of its own where a model answers, and those of its operation where these are more', async () => {
    const ends = async (ask: (caller: Caller) => Promise<unknown>, body: string, limits: object): Promise<string> => {
      const { caller } = setUp(() => ({ status: 200, body }), { retry: 'fail', limits });
      return ask(caller).then(
        () => 'taken',
        (error: { kind: string }) => error.kind,
      );
    };
    const path = { name: 'e' };
    const chat = (caller: Caller): Promise<unknown> => caller.call(inferenceRoutes.chat, { messages }, { path });
    const embed = (caller: Caller): Promise<unknown> => caller.call(inferenceRoutes.embed, { input: 'x' }, { path });
    const get = (caller: Caller): Promise<unknown> => caller.call(jobsRoutes.get, { job_id: '1' });
    const many = (field: string): string => `{"job_id":1,"${field}":[],"more":[1,2,3,4,5,6,7,8,9]}`;
    assert.deepEqual(
      await Promise.all([
        ends(chat, many('choices'), {}),
        ends(chat, many('choices'), { modelBytes: 20 }),
        ends(chat, many('choices'), { responseBytes: 20 }),
        ends(get, many('tags'), { responseBytes: 20 }),
        ends(get, many('tags'), { modelBytes: 20, modelValues: 5 }),
        ends(chat, many('choices'), { modelValues: 5 }),
        ends(embed, many('data'), { modelValues: 5, modelBytes: 20 }),
      ]),
      ['taken', 'tooLarge', 'taken', 'tooLarge', 'taken', 'tooLarge', 'taken'],
    );
  });

  it('waits for a piece of a stream as long as a model may think, and keeps as much of it as of all streams', async () => {
    const hanging =
      (first: string): CallerOptions['fetch'] =>
      () =>
        Promise.resolve({
          ...responseOf(200, ''),
          body: (async function* () {
            yield new TextEncoder().encode(first);
            await new Promise(() => undefined);
          })(),
        });
    const open = async (more: Partial<CallerOptions>) => {
      const { caller, clock } = setUp(undefined, more);
      const prepared = caller.prepare(inferenceRoutes.chat, { messages }, { path: { name: 'e' } });
      return { clock, response: (await caller.openStream(prepared)).response };
    };
    const { response, clock } = await open({ fetch: hanging('data'), limits: { modelBytes: 1, responseBytes: 1 } });
    assert.equal((await response.read())?.length, 4);
    let failure: string | undefined;
    const reading = response.read().catch((error: { kind: string }) => (failure = error.kind));
    await clock.advance(defaultLimits.streamIdleInMs - 1);
    assert.equal(failure, undefined);
    await clock.advance(1);
    await reading;
    assert.equal(failure, 'timeout');
    const small = await open({ fetch: hanging('data'), limits: { streamBytes: 3 } });
    assert.equal((await rejectionOf(small.response.read())).kind, 'tooLarge');
  });

  it('is closed however its answer is read, and read by the schema where the own reader cannot', async () => {
    let closed = 0;
    const fetch = () =>
      Promise.resolve({
        ...responseOf(200, ''),
        body: {
          [Symbol.asyncIterator]: () => {
            let isRead = false;
            return {
              next: () => {
                const done = isRead;
                isRead = true;
                return Promise.resolve(
                  done
                    ? { value: undefined, done: true as const }
                    : { value: new TextEncoder().encode('{"jobs":[]}'), done: false as const },
                );
              },
              return: () => Promise.resolve({ value: void (closed += 1), done: true as const }),
            };
          },
        },
      });
    const { caller } = setUp(undefined, { fetch: fetch as never });
    const prepared = caller.prepare(jobsRoutes.list, {});
    for (const read of [
      () => Promise.reject(new Error('cannot')),
      () => Promise.resolve(undefined),
      () => Promise.resolve({ value: { jobs: [], own: true } }),
    ]) {
      const value = await caller.deliver(jobsRoutes.list, prepared, {}, read as never);
      assert.deepEqual(value.jobs, []);
    }
    assert.equal(closed, 3);
  });
});
