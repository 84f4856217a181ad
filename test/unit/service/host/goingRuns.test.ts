import assert from 'node:assert/strict';
import { readGoingRuns } from '../../../../src/service/host/goingRuns.ts';
import { isolated } from '../../../../src/shared/fields.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';

describe('the runs that would end with a service', () => {
  let server: TestServer;
  let active: number | undefined;
  let runs: object[] | undefined;
  before(async () => {
    server = await startHttpServer(({ url }, response) =>
      answerJson(response, JSON.stringify(url.includes('health') ? { active_runs: active } : { runs })),
    );
  });
  beforeEach(() => void (server.requests.length = 0));
  after(() => server.close());
  const read = (): ReturnType<typeof readGoingRuns> => readGoingRuns({ url: server.url, token: 't' });

  it('are counted, and the five newest are named, each so that its name turns nothing around it', async () => {
    const odd = '\u05d0\u05d1';
    active = 9;
    runs = [
      { run_name: 'once', number_in_job: 1, run_type: 'SUBMIT_RUN' },
      { run_name: odd, number_in_job: 1, run_type: 'SUBMIT_RUN' },
      { run_name: 'nightly', number_in_job: 12, run_type: 'JOB_RUN' },
      { run_name: odd, number_in_job: 3, run_type: 'JOB_RUN' },
    ];
    const names = [isolated('once'), isolated(odd), `${isolated('nightly')} #12`, `${isolated(odd)} #3`];
    assert.deepEqual(await read(), { count: 9, names });
    assert.notEqual(isolated(odd), odd);
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/api/millrace/health', '/api/2.0/jobs/runs/list?active_only=true&limit=5'],
    );
  });

  it('are none, and nobody asks for their names, where the service has none', async () => {
    for (active of [0, undefined]) assert.deepEqual(await read(), { count: 0, names: [] });
    assert.equal(server.requests.length, 2);
    [active, runs] = [1, undefined];
    assert.deepEqual(await read(), { count: 1, names: [] }, 'it has just ended');
  });
});
