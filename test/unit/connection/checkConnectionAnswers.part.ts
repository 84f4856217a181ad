import assert from 'node:assert/strict';
import type { Client } from '../../../src/api/client/index.ts';
import { checkAddress, checkConnection } from '../../../src/connection/checkConnection.ts';
import { connectionProblem } from '../../../src/connection/connectionProblem.ts';
import { AppError, type ErrorKind } from '../../../src/shared/errors.ts';

const baseUrl = 'https://host.example.com';
const options = { signal: new AbortController().signal, retry: 'fail' as const };
const run = { run_id: '5' };
const failure = (kind: ErrorKind, more: object = {}): AppError => new AppError(kind, `Failed: ${kind}.`, more);

/** A service that answers each question so, an error with a failure, and what it was asked. */
function service(answers: { runs?: unknown; run?: unknown; endpoints?: unknown }) {
  const asked: unknown[] = [];
  const answer =
    (name: string, value: unknown) =>
    async (...args: unknown[]): Promise<unknown> => {
      asked.push([name, ...args]);
      if (value instanceof Error) throw value;
      return value;
    };
  const client = {
    baseUrl,
    jobs: {
      listRuns: answer('runs', answers.runs ?? { runs: [run], has_more: false }),
      getRun: answer('run', answers.run ?? run),
    },
    inference: { listEndpoints: answer('endpoints', answers.endpoints ?? []) },
  } as unknown as Client;
  return { client, asked };
}
const none = { runs: [], has_more: false };
const good = { ok: true, hasJobs: true, listsEndpoints: true, notes: [] };

describe('what a check makes of the answers', () => {
  it('asks for one run and for the endpoints, and for a run that cannot be where there is none', async () => {
    const some = service({});
    assert.deepEqual(await checkConnection(some.client, options), good);
    const [runs, endpoints] = [
      ['runs', { limit: 1 }, options],
      ['endpoints', options],
    ];
    assert.deepEqual(some.asked, [runs, endpoints]);
    const empty = service({ runs: none, run: failure('notFound') });
    assert.deepEqual(await checkConnection(empty.client, options), good);
    assert.deepEqual(empty.asked, [runs, ['run', '1', options], endpoints]);
  });

  it('is refused by the first answer that is no such service, with nothing asked after it', async () => {
    for (const kind of [
      'network',
      'tls',
      'unauthenticated',
      'protocol',
      'server',
      'rateLimited',
      'rejected',
    ] as const) {
      const error = failure(kind);
      const { client, asked } = service({ runs: error });
      assert.deepEqual(
        await checkConnection(client, options),
        { ok: false, error, ...connectionProblem(error, baseUrl) },
        kind,
      );
      assert.equal(asked.length, 1);
    }
    const stranger = failure('protocol');
    const { client, asked } = service({ runs: none, run: stranger });
    assert.deepEqual(await checkConnection(client), {
      ok: false,
      error: stranger,
      ...connectionProblem(stranger, baseUrl),
    });
    assert.equal(asked.length, 2);
    for (const kind of ['notFound', 'rejected', 'forbidden', 'server'] as const)
      assert.deepEqual(await checkConnection(service({ runs: none, run: failure(kind) }).client), good, kind);
  });

  it('takes half of a service for one, and says which half', async () => {
    const noList = 'This service does not list its endpoints. Name the ones that you use in the profile.';
    const rows: [runs: AppError | undefined, endpoints: AppError | undefined, notes: string[]][] = [
      [failure('forbidden'), undefined, ['The user of this sign-in is not allowed to read jobs.']],
      [failure('notFound'), undefined, ['This service has no Jobs API.']],
      [undefined, failure('server'), [noList]],
      [undefined, failure('notFound'), [noList]],
    ];
    for (const [runs, endpoints, notes] of rows)
      assert.deepEqual(await checkConnection(service({ runs, endpoints }).client), {
        ok: true,
        hasJobs: !runs,
        listsEndpoints: !endpoints,
        notes,
      });
    const [first, second] = [failure('notFound'), failure('forbidden', { errorCode: 'PERMISSION_DENIED' })];
    assert.deepEqual(await checkConnection(service({ runs: first, endpoints: second }).client), {
      ok: false,
      error: first,
      ...connectionProblem(first, baseUrl),
    });
  });

  it('ends at each question where nobody waits for it any more', async () => {
    for (const answers of [
      { runs: failure('aborted') },
      { runs: none, run: failure('aborted') },
      { endpoints: Object.assign(new Error('left'), { name: 'AbortError' }) },
    ])
      await assert.rejects(checkConnection(service(answers).client), { kind: 'aborted' });
    await assert.rejects(checkAddress(service({ runs: failure('aborted') }).client), { kind: 'aborted' });
  });

  it('takes an address for good where anything like this service answers, and asks it for one thing', async () => {
    const rows: [kind: ErrorKind, isGood: boolean][] = [
      ['unauthenticated', true],
      ['forbidden', true],
      ['rateLimited', true],
      ['notFound', true],
      ['network', false],
      ['timeout', false],
      ['tls', false],
      ['server', false],
      ['rejected', false],
      ['protocol', false],
    ];
    for (const [kind, isGood] of rows) {
      const error = failure(kind);
      const { client, asked } = service({ runs: error });
      const expected = isGood ? undefined : { ok: false, error, ...connectionProblem(error, baseUrl) };
      assert.deepEqual(await checkAddress(client, options), expected, kind);
      assert.deepEqual(asked, [['runs', { limit: 1 }, options]]);
    }
    assert.equal(await checkAddress(service({ runs: none }).client), undefined);
  });
});
