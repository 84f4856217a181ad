import assert from 'node:assert/strict';
import type { HttpRequest } from '../../../../src/api/client/index.ts';
import { connectionError, type Reply } from '../../../support/scriptedFetch.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';

const missing: Reply = { status: 404, body: '{"error_code":"ENDPOINT_NOT_FOUND","message":"No API found."}' };
const json = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) });
const tasks = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ task_key: `t${from + index}`, run_id: from + index + 1 }));

/** A service that has these versions of the API; `reply` answers everything but the question for the version. */
function service(
  versions: readonly string[],
  reply: (path: string, query: URLSearchParams, request: HttpRequest) => Reply = () => json({}),
) {
  const made = clientOf((request) => {
    const url = new URL(request.url);
    const version = /\/api\/(.{3})\//.exec(url.pathname)?.[1] ?? '';
    if (!versions.includes(version)) return missing;
    const isQuestion = version !== '2.0' && url.pathname.endsWith('/jobs/list');
    return isQuestion ? json({}) : reply(url.pathname.slice('/api/'.length), url.searchParams, request);
  });
  return { ...made, paths: () => made.requests.map(({ url }) => url.slice(`${base}/api/`.length)) };
}

describe('The version of the Jobs API', () => {
  for (const [versions, newest, asked] of [
    [['2.0', '2.1', '2.2'], '2.2', 1],
    [['2.0', '2.1'], '2.1', 2],
    [['2.0'], '2.0', 2],
  ] as const)
    it(`is found to be ${newest} with ${asked} small request(s), once`, async () => {
      const { client, requests } = service(versions);
      assert.deepEqual(await Promise.all([client.jobs.version(), client.jobs.version()]), [newest, newest]);
      assert.equal(await client.jobs.version(), newest);
      assert.equal(requests.length, asked);
    });

  it('is 2.0 while the service is busy, and is asked again later', async () => {
    let isBusy = true;
    const { client, clock, requests } = clientOf(() => (isBusy ? { status: 429 } : json({})));
    assert.equal(await client.jobs.version(), '2.0');
    isBusy = false;
    assert.equal(await client.jobs.version(), '2.0');
    assert.equal(requests.length, 1);
    await clock.advance(600_000);
    assert.equal(await client.jobs.version(), '2.2');
  });

  it('is unknown if the service does not answer', async () => {
    const { client, clock } = clientOf(() => connectionError('ECONNREFUSED'));
    const failed = rejectionOf(client.jobs.version());
    await clock.advance(2000);
    assert.equal((await failed).kind, 'network');
  });

  it('is not asked for requests that version 2.0 has', async () => {
    const { client, paths } = service(['2.0', '2.2'], () => json({ job_id: 1, run_id: 1, settings: {} }));
    await client.jobs.get('1');
    await client.jobs.getRun('1');
    await client.jobs.runNow({ job_id: '1' });
    assert.ok(paths().every((path) => path.startsWith('2.0/')));
  });
});

describe('Requests of newer versions', () => {
  const settings = { name: 'n', tasks: [{ task_key: 'a', notebook_task: { notebook_path: '/n' } }] };

  it('carry tasks and job parameters to the newest version', async () => {
    const { client, paths } = service(['2.0', '2.1'], () => json({ job_id: 1, run_id: 1 }));
    await client.jobs.create(settings);
    await client.jobs.reset('1', settings);
    await client.jobs.runNow({ job_id: '1', job_parameters: { day: '1' } });
    assert.deepEqual(paths().slice(2), ['2.1/jobs/create', '2.1/jobs/reset', '2.1/jobs/run-now']);
  });

  it('go to version 2.0 if there is no other', async () => {
    const { client, paths } = service(['2.0'], () => json({ job_id: 1 }));
    await client.jobs.create(settings);
    assert.equal(paths().at(-1), '2.0/jobs/create');
  });

  it('send nothing if they are invalid', async () => {
    const { client, requests } = service(['2.0']);
    const error = await rejectionOf(client.jobs.create({ tasks: [{ task_key: '' }] }));
    assert.equal(error.kind, 'invalid');
    assert.equal(requests.length, 0);
  });

  it('repair a run', async () => {
    const { client, requests } = service(['2.0', '2.2'], () => json({ repair_id: 9 }));
    assert.equal(await client.jobs.repairRun({ run_id: '5', rerun_all_failed_tasks: true }), '9');
    assert.equal(requests.at(-1)?.body, '{"run_id":5,"rerun_all_failed_tasks":true}');
  });
});

describe('Lists in pages', () => {
  const pageOf = (from: number) => tasks(from, from < 200 ? 100 : 50);

  it('give a run with all of its tasks', async () => {
    const { client } = service(['2.0', '2.2'], (path, query) => {
      const from = Number(query.get('page_token') ?? 0);
      const next = path.startsWith('2.2') && from < 200 ? { next_page_token: String(from + 100) } : {};
      return json({ run_id: 5, tasks: pageOf(from), ...next });
    });
    const run = await client.jobs.getRun('5');
    assert.equal(run.tasks?.length, 250);
    assert.equal(run.next_page_token, undefined);
  });

  it('end where a service repeats the same jobs with ever new tokens', async () => {
    let token = 0;
    const { client } = service(['2.0'], () => {
      token += 1;
      return json({ jobs: [{ job_id: 1 }], has_more: true, next_page_token: String(token) });
    });
    assert.deepEqual(
      (await client.jobs.list()).map((job) => job.job_id),
      ['1'],
    );
  });

  it('give a job with all of its tasks', async () => {
    const { client } = service(['2.0', '2.2'], (path, query) => {
      const from = Number(query.get('page_token') ?? 0);
      const next = path.startsWith('2.2') && from < 200 ? { next_page_token: String(from + 100) } : {};
      return json({ job_id: 5, settings: { name: 'n', tasks: pageOf(from) }, ...next });
    });
    const { settings } = await client.jobs.get('5');
    assert.equal(settings?.name, 'n');
    assert.equal(settings.tasks?.length, 250);
  });

  for (const [how, next] of [
    ['tokens', (from: number) => ({ next_page_token: String(from + 2) })],
    ['offsets', () => ({ has_more: true })],
  ] as const)
    it(`give all jobs by ${how}`, async () => {
      const { client } = service(['2.0'], (_path, query) => {
        const from = Number(query.get('page_token') ?? query.get('offset') ?? 0);
        return json({ jobs: [{ job_id: from + 1 }, { job_id: from + 2 }], ...(from < 4 ? next(from) : {}) });
      });
      assert.equal((await client.jobs.list()).length, 6);
    });

  it('pass over empty pages of runs', async () => {
    const { client } = service(['2.0'], (_path, query) =>
      json(query.get('page_token') ? { runs: [{ run_id: 5 }] } : { runs: [], has_more: true, next_page_token: 'a' }),
    );
    assert.equal((await client.jobs.listRuns()).runs[0]?.run_id, '5');
  });

  it('end at an empty page without a token, even if the service promises more', async () => {
    const { client, requests } = service(['2.0'], () => json({ has_more: true }));
    await client.jobs.listRuns({ active_only: true });
    assert.equal(requests.length, 1);
    await client.jobs.listRuns();
    assert.equal(requests.length, 3);
  });
});

describe('A run with a status and no state', () => {
  for (const [status, lifeCycle, result] of [
    [{ state: 'RUNNING' }, 'RUNNING', undefined],
    [{ state: 'TERMINATED', termination_details: { code: 'SUCCESS' } }, 'TERMINATED', 'SUCCESS'],
    [{ state: 'TERMINATED', termination_details: { code: 'USER_CANCELED' } }, 'TERMINATED', 'CANCELED'],
    [{ state: 'TERMINATED', termination_details: { code: 'RUN_EXECUTION_ERROR' } }, 'TERMINATED', 'FAILED'],
    [{ state: 'TERMINATED', termination_details: { code: 'SKIPPED' } }, 'SKIPPED', undefined],
  ] as const)
    it(`is ${lifeCycle} ${result ?? ''} for ${JSON.stringify(status)}`, async () => {
      const run = { run_id: 5, status, tasks: [{ task_key: 'a', run_id: 6, status }] };
      const { client } = service(['2.0'], () => json(run));
      const { state, tasks: [task] = [] } = await client.jobs.getRun('5');
      for (const each of [state, task?.state])
        assert.deepEqual([each?.life_cycle_state, each?.result_state], [lifeCycle, result]);
    });
});

describe('An empty response to a start', () => {
  it('is not repeated, since the run may have been started', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '' }));
    const error = await rejectionOf(client.jobs.runNow({ job_id: '1' }));
    assert.match(error.message, /may or may not/);
    assert.equal(requests.length, 1);
  });
});
