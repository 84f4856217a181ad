import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../../src/api/client/index.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { scriptedFetch } from '../../../../support/scriptedFetch.ts';

const task = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
type Options = { signal: AbortSignal };

const calls: Record<string, (jobs: WorkspaceClient['jobs'], options: Options) => Promise<unknown>> = {
  'POST create': (jobs, options) => jobs.create(task, options),
  'GET list': (jobs, options) => jobs.list(options),
  'GET get?job_id=7': (jobs, options) => jobs.get('7', options),
  'POST delete': (jobs, options) => jobs.delete('7', options),
  'POST reset': (jobs, options) => jobs.reset('7', task, options),
  'POST update': (jobs, options) => jobs.update({ job_id: '7', new_settings: { name: 'n' } }, options),
  'POST run-now': (jobs, options) => jobs.runNow({ job_id: '7' }, options),
  'POST runs/submit': (jobs, options) => jobs.submit({ run_name: 'n', ...task }, options),
  'GET runs/list?job_id=7': (jobs, options) => jobs.listRuns({ job_id: '7' }, options),
  'GET runs/get?run_id=9': (jobs, options) => jobs.getRun('9', options),
  'GET runs/export?run_id=9': (jobs, options) => jobs.exportRun({ run_id: '9' }, options),
  'POST runs/cancel': (jobs, options) => jobs.cancelRun('9', options),
  'POST runs/cancel-all': (jobs, options) => jobs.cancelAllRuns('7', options),
  'GET runs/get-output?run_id=9': (jobs, options) => jobs.getRunOutput('9', options),
  'POST runs/delete': (jobs, options) => jobs.deleteRun('9', options),
};

describe('an operation on jobs', () => {
  for (const [name, call] of Object.entries(calls)) {
    it(`${name} is sent with what it was given, and ends with its signal`, async () => {
      const { fetch, requests } = scriptedFetch(() => 'hang');
      const { jobs } = createClient({
        baseUrl: 'https://service.example',
        auth: { kind: 'none' },
        fetch,
        retry: 'fail',
      });
      const controller = new AbortController();
      const settled = call(jobs, { signal: controller.signal }).catch((error: unknown) => error);
      while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      const error = await settled;
      assert.ok(error instanceof AppError && error.kind === 'aborted', String(error));
      const [request] = requests;
      assert.equal(`${request?.method} ${request?.url.slice('https://service.example/api/2.0/jobs/'.length)}`, name);
    });
  }

  it('lists nothing where the answer holds nothing', async () => {
    const { fetch } = scriptedFetch(() => ({ status: 200, body: '{}' }));
    const { jobs } = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch });
    assert.deepEqual(await jobs.list(), []);
    assert.deepEqual(await jobs.listRuns(), { runs: [], has_more: false });
  });
});
