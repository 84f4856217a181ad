import assert from 'node:assert/strict';
import {
  createClient,
  type ClientOptions,
  type HttpRequest,
  type WorkspaceClient,
} from '../../../../src/api/client/index.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { scriptedFetch, type Reply } from '../../../support/scriptedFetch.ts';

export const base = 'https://service.example';

export function clientOf(
  reply: (request: HttpRequest & { url: string }, count: number) => Reply,
  options: Partial<ClientOptions> = {},
): { client: WorkspaceClient; requests: (HttpRequest & { url: string })[]; clock: FakeClock } {
  const { fetch, requests } = scriptedFetch(reply);
  const clock = new FakeClock();
  return {
    client: createClient({
      baseUrl: base,
      auth: { kind: 'bearer', token: 'token-of-the-test' },
      fetch,
      clock,
      retry: 'fail',
      ...options,
    }),
    requests,
    clock,
  };
}

export async function rejectionOf(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => assert.fail('it must fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}
