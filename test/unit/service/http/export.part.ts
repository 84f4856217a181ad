import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startTestService, type TestService } from '../support/testService.ts';

const notebookTask = { existing_cluster_id: 'local', notebook_task: { notebook_path: '/book' } };

describe('runs/export', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
  });
  afterEach(() => test.close());

  async function runWith(events: object[]): Promise<number> {
    const runId = (await test.post('/api/2.0/jobs/runs/submit', notebookTask)).json.run_id as number;
    const folder = join(test.folder, 'runs', String(runId));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'request.json'), JSON.stringify({ name: 'book', notebookPath: '/book' }));
    await writeFile(join(folder, 'events.jsonl'), events.map((event) => JSON.stringify(event)).join('\n'));
    return runId;
  }
  const cell = (kind: string, source: string): object => ({ kind, source, title: '', language: 'python' });

  it('lets other requests through, whatever the notebook holds', async () => {
    const runId = await runWith([
      {
        event: 'notebook',
        at: 1,
        engine: 'builtin',
        cells: [cell('code', 'f()'), cell('markdown', '![*a _b'.repeat(6000))],
      },
      { event: 'start', cell: 0, at: 2 },
      ...Array.from({ length: 8 }, () => ({
        event: 'output',
        cell: 0,
        output: { type: 'stream', name: 'stdout', text: `x\r y${'z'.repeat(1000)}`.repeat(1000) },
      })),
    ]);
    const empty = await runWith([{ event: 'notebook', at: 1, engine: 'builtin', cells: [] }]);
    const [usual, code, dashboards] = await Promise.all(
      ['', '&views_to_export=CODE', '&views_to_export=DASHBOARDS'].map(
        async (views) => (await test.get(`/api/2.0/jobs/runs/export?run_id=${empty}${views}`)).text,
      ),
    );
    assert.equal(usual, code, 'the code is what is exported by default');
    assert.notEqual(usual, dashboards);
    // On a busy machine the loop also waits for its turn: that is no fault of every try.
    let longestInMs = Infinity;
    for (let tries = 0; tries < 3 && longestInMs >= 200; tries++) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const reply = await test.get(`/api/2.0/jobs/runs/export?run_id=${runId}&views_to_export=CODE`);
      delay.disable();
      assert.equal(reply.status, 200);
      longestInMs = Math.min(longestInMs, delay.max / 1e6);
    }
    assert.ok(longestInMs < 200, `${longestInMs} ms of the loop`);
  });

  it('says so where there is nothing to export', async () => {
    const runId = await runWith([]);
    await rm(join(test.folder, 'runs', String(runId)), { recursive: true });
    const reply = await test.get(`/api/2.0/jobs/runs/export?run_id=${runId}`);
    assert.deepEqual([reply.status, reply.json.error_code], [400, 'INVALID_PARAMETER_VALUE']);
    assert.match(reply.json.message, /no notebook that was started.*Only notebook runs can be exported/);
  });
});
