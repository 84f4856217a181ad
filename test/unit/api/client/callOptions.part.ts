import assert from 'node:assert/strict';
import { createClient, type RetryWait } from '../../../../src/api/client/index.ts';
import { requestBytes } from '../../../../src/api/schema/limits.ts';
import { settle } from '../../../support/fakeClock.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';
import { runOut } from './runOut.ts';

const secret = 'token-of-the-test';
const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };

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

describe('what a call sends', () => {
  it('a request may have 10 MB and no more', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    const room = requestBytes - '{"input":""}'.length;
    await client.inference.embed('e', { input: 'a'.repeat(room) });
    assert.equal((await rejectionOf(client.inference.embed('e', { input: 'a'.repeat(room + 1) }))).kind, 'tooLarge');
    assert.equal(
      (await rejectionOf(client.inference.embed('e', { input: '€'.repeat(Math.ceil(room / 3) + 1) }))).kind,
      'tooLarge',
    );
    assert.equal(requests.length, 1);
  });

  it('says what it sends, and nothing that is not there', async () => {
    const { client, requests } = clientOf(() => ({
      status: 200,
      body: '{"job_id":1,"jobs":[],"versions":[],"node_types":[],"zones":[]}',
    }));
    await client.jobs.create(settings);
    await client.jobs.list();
    assert.deepEqual(
      requests.map(({ headers }) => headers),
      [
        { accept: 'application/json', 'content-type': 'application/json', authorization: 'Bearer token-of-the-test' },
        { accept: 'application/json', authorization: 'Bearer token-of-the-test' },
      ],
    );
    assert.equal('body' in (requests[1] ?? {}), false);
  });

  it('the name of an endpoint cannot change the path', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    await client.inference.embed('a/../b?c#d', { input: 'x' });
    assert.equal(requests[0]?.url, `${base}/serving-endpoints/a%2F..%2Fb%3Fc%23d/invocations`);
    for (const name of ['', '.', '..'])
      assert.equal((await rejectionOf(client.inference.embed(name, { input: 'x' }))).kind, 'invalid');
  });

  it('a call says itself whether it waits for a sick service', async () => {
    const { client, clock, requests } = clientOf(() => ({ status: 500 }), { retry: 'wait' });
    assert.equal((await rejectionOf(client.jobs.list({ retry: 'fail' }))).kind, 'server');
    const controller = new AbortController();
    const waiting = rejectionOf(client.jobs.get('1', { signal: controller.signal }));
    await clock.advance(45_000);
    assert.equal(requests.length, 3);
    controller.abort();
    assert.equal((await waiting).kind, 'aborted');
  });

  it('one endpoint is sick for all of its requests', async () => {
    const { client, requests } = clientOf(() => ({ status: 500 }));
    await rejectionOf(client.jobs.get('1'));
    assert.match((await rejectionOf(client.jobs.get('2'))).message, /was not sent: the service failed a moment ago/);
    await rejectionOf(client.jobs.list());
    assert.equal(requests.length, 2);
  });

  it('an abort settles a call that waits for its token', async () => {
    const controller = new AbortController();
    const client = createClient({
      baseUrl: base,
      auth: { kind: 'bearer', token: () => new Promise(() => undefined) },
      fetch: () => Promise.reject(new Error('nothing is sent')),
    });
    const ended = rejectionOf(client.jobs.list({ signal: controller.signal }));
    controller.abort();
    assert.equal((await ended).kind, 'aborted');
  });
});
