import assert from 'node:assert/strict';
import * as z from 'zod';
import { int64 } from '../../../../src/api/schema/field.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { routeHandler } from '../../../../src/service/http/handler.ts';

describe('a request at its route', () => {
  const routes = {
    ...jobsRoutes,
    /** Takes fields that it does not know. */
    loose: { ...jobsRoutes.cancelRun, request: z.looseObject({ run_id: int64() }) },
  };
  const ask = async (route: 'cancelRun' | 'listRuns' | 'loose', query: string, text = ''): Promise<unknown> => {
    const { handle } = routeHandler(routes[route], (request, call) => ({ request, text: call.text }));
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

  it('has its fields from the body, then from the address, without what is null or empty', async () => {
    assert.deepEqual(await ask('loose', 'more=TRUE&empty=', '{"run_id":"7","other":null,"list":[null]}'), {
      request: { run_id: '7', more: true, list: [null] },
      text: '{"more":true,"run_id":"7","other":null,"list":[null]}',
    });
    assert.deepEqual(await ask('listRuns', 'limit=5&job_id=12', ' {"limit":6,"offset":1} '), {
      request: { limit: 6, job_id: '12', offset: 1 },
      text: ' {"limit":6,"offset":1} ',
    });
    assert.deepEqual(await ask('listRuns', ''), { request: {}, text: '' });
  });

  it('is handed on as text in which the last of several members of one name counts, as in its values', async () => {
    assert.deepEqual(await ask('loose', '', ' {"run_id":1,"a":1.0,"run_id":2} '), {
      request: { run_id: '2', a: 1 },
      text: '{"run_id":2,"a":1.0}',
    });
    assert.deepEqual(await ask('cancelRun', '', ' {"run_id": 1} '), {
      request: { run_id: '1' },
      text: ' {"run_id": 1} ',
    });
    assert.match(await refusal('cancelRun', '', '  '), /^run_id: is required.* Nothing was done\.$/);
  });

  it('has maps for what clients write as lists of pairs', async () => {
    const { handle } = routeHandler(jobsRoutes.runNow, (request) => request.notebook_params as never);
    const text = '{"job_id":1,"notebook_params":[{"key":"a","value":"b"}]}';
    assert.deepEqual(await handle({ path: {}, query: new URLSearchParams(), text } as never), { a: 'b' });
  });

  it('keeps its path, its answer and who asks', async () => {
    const call = { path: { a: 'b' }, query: new URLSearchParams('run_id=5'), text: '', response: {}, signal: {} };
    const { method, path, handle } = routeHandler(jobsRoutes.getRun, (_request, given) => given as never);
    assert.deepEqual([method, path], [jobsRoutes.getRun.method, jobsRoutes.getRun.path]);
    assert.deepEqual(await handle(call as never), call);
  });

  it('of a list has no misspelt filter, which would let everything through', async () => {
    assert.match(
      await refusal('listRuns', 'job_ids=5'),
      /^job_ids is not a field of this request\. Did you mean job_id\? Nothing was done\.$/,
    );
    assert.ok(await ask('listRuns', 'job_id=5&job_ids=5'), 'the filter that may be meant is there');
    for (const query of [
      'expand_tasks=true',
      'job_id=5',
      '',
      `${'x'.repeat(101)}=1`,
      `${'job_id'.padEnd(101, 's')}=1`,
      'job_id=5&offset=1&limit=2',
    ])
      assert.ok(await ask('listRuns', query), query);
  });
});
