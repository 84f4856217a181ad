import assert from 'node:assert/strict';
import type { Fetch } from '../../../../src/api/client/index.ts';
import { type Exchange, type OpenResponse, send } from '../../../../src/api/client/transport.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { responseOf } from '../../../support/scriptedFetch.ts';
import { rejectionOf } from './exchangeSetup.ts';
import './exchange.part.ts';
import './redirects.part.ts';

const exchange: Exchange = {
  operation: 'jobs/list',
  method: 'GET',
  url: 'https://service.example/x',
  headers: { accept: 'application/json' },
  headersInMs: 1000,
  idleInMs: 2000,
  maxBytes: 10,
  mutates: false,
  secrets: [],
};
const pieces = (...texts: readonly (string | Error)[]) => {
  const left = [...texts];
  let closed = 0;
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const text = left.shift();
        if (text === 'hang') return new Promise<never>(() => undefined);
        if (text instanceof Error) return Promise.reject(text);
        return Promise.resolve(
          text === undefined
            ? { value: undefined, done: true as const }
            : { value: new TextEncoder().encode(text), done: false as const },
        );
      },
      return: () => Promise.resolve({ value: void (closed += 1), done: true as const }),
    }),
  };
  return { body, closed: () => closed };
};
const opened = async (
  body: AsyncIterable<Uint8Array> | undefined,
  more: Partial<Exchange> = {},
  headers: Record<string, string> = {},
): Promise<{ open: OpenResponse; clock: FakeClock; signal: AbortSignal | undefined }> => {
  const clock = new FakeClock();
  let signal: AbortSignal | undefined;
  const fetch: Fetch = (_url, request) => {
    signal = request.signal;
    return Promise.resolve({ ...responseOf(200, '', headers), body: body as never });
  };
  return { open: await send(fetch, clock, { ...exchange, ...more }), clock, signal };
};

describe('a response that is open', () => {
  it('has its head, and goes without a body that is not there', async () => {
    const { open } = await opened(undefined, {}, { 'content-type': 'text/plain', 'retry-after': '5' });
    assert.deepEqual(
      [open.status, open.contentType, open.header('Retry-After'), open.header('none'), await open.text()],
      [200, 'text/plain', '5', undefined, ''],
    );
    const bare: Fetch = () => Promise.resolve({ status: 204, headers: new Headers(), body: undefined as never });
    assert.equal((await send(bare, new FakeClock(), exchange)).contentType, '');
  });

  it('is read up to the limit of all its pieces together, and not one byte beyond', async () => {
    const { open } = await opened(pieces('12345', '67890').body);
    assert.equal(await open.text(), '1234567890');
    const large = await opened(pieces('12345', '67890', '1').body, { maxBytes: 10 });
    const error = await rejectionOf(large.open.text());
    assert.deepEqual([error.kind, error.status, error.operation], ['tooLarge', 200, 'jobs/list']);
    assert.match(
      error.message,
      /^jobs\/list: the answer is larger than 0 MB, which is more than is kept\. The jobs were/,
    );
    assert.match(error.remedy ?? '', /^Ask for less at once/);
    const whole = await opened(pieces('123456').body, { maxBytes: 100 });
    assert.equal((await rejectionOf(whole.open.text(5))).kind, 'tooLarge');
    const fits = await opened(pieces('12345').body, { maxBytes: 100 }, { 'content-length': '5' });
    assert.equal(await fits.open.text(5), '12345');
  });

  it('is not begun to be read where it announces more than is kept, in megabytes of 1,024 kilobytes', async () => {
    const { open } = await opened(pieces('hang').body, { maxBytes: 3 * 1_048_576 }, { 'content-length': '3145729' });
    assert.match((await rejectionOf(open.text())).message, /larger than 3 MB/);
  });

  it('says of one that broke off whether what was asked for was done', async () => {
    const cause = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    for (const [mutates, outcome] of [
      [true, 'It is not known whether the job was created.'],
      [false, 'The job was not created.'],
    ] as const) {
      const { open } = await opened(pieces('1', cause).body, { operation: 'jobs/create', mutates });
      const error = await rejectionOf(open.text());
      assert.deepEqual(
        [error.kind, error.retryable, error.status, error.cause, error.message],
        [
          'cutOff',
          true,
          200,
          cause,
          `jobs/create: the connection to service.example broke in the middle of the answer. ${outcome}`,
        ],
      );
      assert.ok(error.remedy);
      const large = await opened(pieces('12345678901').body, { operation: 'jobs/create', mutates });
      assert.ok((await rejectionOf(large.open.text())).message.endsWith(outcome));
    }
  });

  it('gives the beginning of a text for a message, whatever happens to the rest', async () => {
    assert.equal(await (await opened(pieces('1234', new Error('broken')).body)).open.textUpTo(10), '1234');
    assert.equal(await (await opened(pieces('1234', '5678', 'hang').body)).open.textUpTo(6), '123456');
    assert.equal(await (await opened(pieces('12').body)).open.textUpTo(6), '12');
    const stop = new AbortController();
    const { open } = await opened(pieces('1', 'hang').body, { signal: stop.signal });
    const reading = rejectionOf(open.textUpTo(6));
    stop.abort('enough');
    const error = await reading;
    assert.deepEqual([error.kind, error.cause, error.message], ['aborted', 'enough', 'jobs/list was stopped.']);
  });

  it('waits for each piece as long as for a body, and says what it waited for and whether the rest was done', async () => {
    const { open, clock, signal } = await opened(pieces('1', 'hang').body);
    const reading = rejectionOf(open.text());
    await clock.advance(1999);
    assert.equal(signal?.aborted, false);
    await clock.advance(1);
    const error = await reading;
    assert.deepEqual([error.kind, error.retryable, signal?.aborted, clock.pending], ['timeout', true, true, 0]);
    assert.match(
      error.message,
      /^jobs\/list: the answer of service\.example stopped coming for 2 s\. The jobs were not/,
    );
    assert.match(error.remedy ?? '', /^Try again; if it happens again/);
    // What failed once has failed.
    assert.equal(await rejectionOf(open.read()), error);
  });

  it('closes its body and its connection once, and stops waiting', async () => {
    const body = pieces('1', 'hang');
    const { open, clock, signal } = await opened(body.body);
    await open.read();
    void open.read().catch(() => undefined);
    open.close();
    open.close();
    assert.deepEqual([body.closed(), clock.pending, signal?.aborted], [1, 0, true]);
  });
});

describe('a request that is redirected', () => {
  const redirecting = (status: number, location: string | undefined, times = 1) => {
    const asked: string[] = [];
    const first = pieces('hang');
    const fetch: Fetch = (url) => {
      asked.push(url);
      return Promise.resolve(
        asked.length > times
          ? responseOf(200, 'there')
          : { ...responseOf(status, '', location === undefined ? {} : { location }), body: first.body },
      );
    };
    return { asked, closed: first.closed, fetch };
  };

  it('is followed with each status that means it, to where the address leads, and the first body is closed', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { asked, closed, fetch } = redirecting(status, '../y?z=1');
      const open = await send(fetch, new FakeClock(), { ...exchange, url: 'https://service.example/a/x' });
      assert.deepEqual(
        [open.status, asked.at(-1), closed()],
        [200, 'https://service.example/y?z=1', 1],
        String(status),
      );
    }
    for (const [status, location] of [
      [300, '/y'],
      [304, '/y'],
      [302, undefined],
      [302, 'https://['],
    ] as const) {
      const open = await send(redirecting(status, location).fetch, new FakeClock(), exchange);
      assert.equal(open.status, status);
    }
  });

  it('is followed five times and not a sixth time', async () => {
    const five = redirecting(302, '/x', 5);
    assert.equal((await send(five.fetch, new FakeClock(), exchange)).status, 200);
    const error = await rejectionOf(send(redirecting(302, '/x', 6).fetch, new FakeClock(), exchange));
    assert.deepEqual([error.kind, error.status], ['protocol', 302]);
    assert.match(error.message, /redirects in a circle \(5 times\)\. The jobs were not read\./);
  });

  it('is refused where it leads to another protocol or port, or carries a user or a password', async () => {
    for (const location of ['http://service.example/x', 'https://service.example:8443/x', 'https://other.example/x']) {
      const error = await rejectionOf(send(redirecting(307, location).fetch, new FakeClock(), exchange));
      assert.match(error.message, /redirects to another place/, location);
      assert.match(error.remedy ?? '', /enter it as the base URL of the profile\.$/);
    }
    for (const user of ['u', 'u:p', ':p']) {
      const { fetch, asked } = redirecting(307, `https://${user}@service.example/x`);
      const error = await rejectionOf(send(fetch, new FakeClock(), exchange));
      assert.match(error.message, /an address with credentials in it/, user);
      assert.equal(asked.length, 1);
    }
  });

  it('keeps its method and content, or is refused', async () => {
    for (const method of ['POST', 'DELETE'] as const)
      for (const [status, isFollowed] of [
        [301, false],
        [302, false],
        [303, false],
        [307, true],
        [308, true],
      ] as const) {
        const { fetch, asked } = redirecting(status, '/y');
        const sent = send(fetch, new FakeClock(), { ...exchange, method });
        if (isFollowed) assert.equal((await sent).status, 200);
        else assert.match((await rejectionOf(sent)).message, /would drop the request's content/);
        assert.equal(asked.length, isFollowed ? 2 : 1);
      }
  });
});
