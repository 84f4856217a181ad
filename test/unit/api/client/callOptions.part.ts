import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { RetryWait } from '../../../../src/api/client/index.ts';
import { send } from '../../../../src/api/client/transport.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { responseOf } from '../../../support/scriptedFetch.ts';
import { clientOf, rejectionOf } from './exchangeSetup.ts';
import { runOut } from './runOut.ts';

const secret = 'token-of-the-test';

describe('what a call is told and tells', () => {
  it('asks for no sign-in and sends nothing once it was stopped', async () => {
    let signIns = 0;
    const { client, requests } = clientOf(() => ({ status: 200 }), {
      auth: { kind: 'bearer', token: async () => ((signIns += 1), secret) },
    });
    const error = await rejectionOf(client.jobs.list({ signal: AbortSignal.abort('enough') }));
    assert.deepEqual(
      [error.kind, error.message, error.operation, error.cause],
      ['aborted', 'jobs/list was stopped.', 'jobs/list', 'enough'],
    );
    assert.deepEqual([signIns, requests.length], [0, 0]);
  });

  it('repeats nothing of the sign-in that a server or the connection gives back', async () => {
    const refused = clientOf(() => ({
      status: 400,
      body: JSON.stringify({ error_code: 'X', message: `unknown ${secret} given` }),
    }));
    const broken = clientOf(() => new TypeError(`fetch failed with ${secret}`));
    const odd = clientOf(() => ({ status: 200, body: `no JSON but ${secret}` }));
    for (const { client, clock } of [refused, broken, odd]) {
      const { error } = await runOut(clock, client.jobs.getRun('6'));
      assert.ok(error);
      assert.doesNotMatch(`${error.message} ${error.remedy}`, new RegExp(secret));
    }
  });

  it('tells of entries that cannot be read wherever somebody listens', async () => {
    const told: string[][] = [[], [], []];
    const log = (level: string) => (text: string) => void (level === 'warn' && told[0]?.push(text));
    const { client } = clientOf(() => ({ status: 200, body: '{"jobs":[{"job_id":1},{"job_id":"no id"}]}' }), {
      logger: { trace: log(''), debug: log(''), info: log(''), warn: log('warn'), error: log('') },
      onSkipped: (text) => void told[1]?.push(text),
    });
    const jobs = await client.jobs.list({ onSkipped: (text) => void told[2]?.push(text) });
    assert.deepEqual(
      jobs.map(({ job_id: id }) => id),
      ['1'],
    );
    assert.equal(told[0]?.length, 1);
    assert.deepEqual(told[1], told[0]);
    assert.deepEqual(told[2], told[0]);
  });

  it('takes an answer as large as its operation or the limit of all allows, whichever is more', async () => {
    const mebibyte = 1024 * 1024;
    const ends = async (size: number, responseBytes?: number): Promise<string> => {
      const headers = { 'content-length': String(size * mebibyte) };
      const { client } = clientOf(
        () => ({ status: 200, body: '{"jobs":[]}', headers }),
        responseBytes === undefined ? {} : { limits: { responseBytes: responseBytes * mebibyte } },
      );
      return client.jobs.list().then(
        () => 'taken',
        (error: { kind: string }) => error.kind,
      );
    };
    assert.deepEqual(await Promise.all([ends(128), ends(129), ends(128, 1), ends(129, 129), ends(130, 129)]), [
      'taken',
      'tooLarge',
      'taken',
      'taken',
      'tooLarge',
    ]);
  });

  it('shows a wait itself where it says so, and leaves it to all calls where it does not', async () => {
    for (const showsRetries of [true, false]) {
      const shown: string[] = [];
      const noted = (of: string) => (wait: RetryWait) => void shown.push(`${of} ${wait.operation}`);
      const { client } = clientOf(() => ({ status: 503 }), { retry: 'wait', onRetry: noted('client') });
      const stop = new AbortController();
      const call = client.jobs.list({ signal: stop.signal, onRetry: noted('call'), showsRetries });
      const ended = rejectionOf(call);
      await settle();
      stop.abort();
      await ended;
      assert.deepEqual(shown, showsRetries ? ['call jobs/list'] : ['client jobs/list', 'call jobs/list']);
    }
  });
});

describe('one exchange', () => {
  const exchange = {
    operation: 'jobs/list',
    method: 'GET',
    url: 'https://service.example/x',
    headers: {},
    headersInMs: 1000,
    idleInMs: 2000,
    maxBytes: 100,
    mutates: false,
    secrets: [],
  } as const;

  it('leaves no listener and no timer, however it ends', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const left = (): number[] => [getEventListeners(signal, 'abort').length, clock.pending];
    const open = await send(async () => responseOf(200, 'text'), clock, { ...exchange, signal });
    assert.equal(await open.text(), 'text');
    open.close();
    assert.deepEqual(left(), [0, 0]);
    await assert.rejects(send(async () => Promise.reject(new Error('no')), clock, { ...exchange, signal }));
    assert.deepEqual(left(), [0, 0]);
  });

  it('keeps to its first failure, whatever follows', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const head = Promise.withResolvers<ReturnType<typeof responseOf>>();
    const sent = rejectionOf(send(() => head.promise, clock, { ...exchange, signal: stop.signal }));
    await clock.advance(1000);
    stop.abort('too late');
    const error = await sent;
    assert.deepEqual([error.kind, error.retryable], ['timeout', true]);
    assert.match(error.message, /^jobs\/list: service\.example did not answer for 1 s\. /);
  });
});
