import assert from 'node:assert/strict';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { endpoint } from '../../../../src/service/http/handler.ts';

describe('a request at its endpoint', () => {
  const ask = async (route: 'cancelRun' | 'listRuns', query: string, text = ''): Promise<unknown> => {
    const { handle } = endpoint(jobsRoutes[route], (request, call) => ({ request, text: call.text }));
    return handle({ path: {}, query: new URLSearchParams(query), text, signal: new AbortController().signal } as never);
  };
  const refusal = async (...asked: Parameters<typeof ask>): Promise<string> => {
    try {
      await ask(...asked);
    } catch (error) {
      assert.ok(error instanceof ApiError && error.status === 400, String(error));
      return error.message;
    }
    return assert.fail('it was taken');
  };

  it('may say the same in its address and in its body, and nothing else', async () => {
    assert.deepEqual(await ask('cancelRun', 'run_id=5', '{"run_id":5}'), {
      request: { run_id: '5' },
      text: '{"run_id":5}',
    });
    assert.deepEqual(await ask('cancelRun', 'run_id=5'), { request: { run_id: '5' }, text: '{"run_id":"5"}' });
    assert.match(
      await refusal('cancelRun', 'run_id=6', '{"run_id":5}'),
      /^run_id is given in the address and, with another value, in the body\. Nothing was done\./,
    );
  });

  it('of a list has no misspelt filter, which would let everything through', async () => {
    assert.match(
      await refusal('listRuns', 'job_ids=5'),
      /^job_ids is not a field of this request\. Did you mean job_id\? Nothing was done\.$/,
    );
    for (const query of ['expand_tasks=true', 'job_id=5', '', `${'x'.repeat(101)}=1`])
      assert.ok(await ask('listRuns', query), query);
  });
});
