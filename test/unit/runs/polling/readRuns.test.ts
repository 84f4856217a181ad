import assert from 'node:assert/strict';
import type { CallOptions, JobsClient } from '../../../../src/api/client/client.ts';
import type { ListRunsRequest, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { passedOver, readActive, readRuns } from '../../../../src/runs/polling/readRuns.ts';

const options: CallOptions = { signal: new AbortController().signal };
const run = (id: number, more: object = {}): Run => ({ run_id: String(id), ...more }) as Run;
const runs = (first: number, count: number): Run[] => Array.from({ length: count }, (_, at) => run(first + at));

/** A service that gives so many active runs by pages, and as many more pages as `hasMore` says. */
function service(
  active: readonly Run[],
  newest: readonly Run[] = [],
  hasMore = (to: number): boolean => to < active.length,
) {
  const asked: ListRunsRequest[] = [];
  const client = {
    listRuns: (request: ListRunsRequest, given: CallOptions) => {
      assert.equal(given, options);
      asked.push(request);
      if (!request.active_only) return Promise.resolve({ runs: newest, has_more: true });
      const from = request.offset ?? 0;
      const to = from + (request.limit ?? 0);
      return Promise.resolve({ runs: active.slice(from, to), has_more: hasMore(to) });
    },
  };
  return { jobs: client as unknown as JobsClient, asked };
}
const ids = (all: readonly Run[]): string[] => all.map(({ run_id: id }) => id);

describe('reading active runs', () => {
  it('asks for page after page, each after what came, until the service says that there are no more', async () => {
    const { jobs, asked } = service(runs(1, 150));
    assert.deepEqual(ids(await readActive(jobs, options)), ids(runs(1, 150)));
    assert.deepEqual(asked, [
      { active_only: true, limit: 100 },
      { active_only: true, limit: 100, offset: 100 },
    ]);
  });

  it('ends where a service that says that there are more gives none', async () => {
    const { jobs, asked } = service(runs(1, 3), [], () => true);
    assert.deepEqual(ids(await readActive(jobs, options)), ['1', '2', '3']);
    assert.deepEqual(
      asked.map(({ offset }) => offset),
      [undefined, 3],
    );
  });

  it('reads no more than ten pages', async () => {
    const { jobs, asked } = service(runs(1, 1200));
    assert.equal((await readActive(jobs, options)).length, 1000);
    assert.equal(asked.length, 10);
  });
});

describe('reading runs', () => {
  it('asks for the newest page and for the active ones, and has each run once, as the latter answer has it', async () => {
    const newest = [run(9), run(8, { run_name: 'newest' }), run(7)];
    const { jobs, asked } = service([run(8, { run_name: 'active' }), run(2)], newest);
    const read = await readRuns(jobs, 25, options);
    assert.deepEqual(asked, [{ limit: 25 }, { active_only: true, limit: 100 }]);
    assert.deepEqual(read, {
      newest: { runs: newest, has_more: true },
      all: [run(9), run(8, { run_name: 'active' }), run(7), run(2)],
    });
  });
});

describe('runs that a page passed over', () => {
  it('are those that stood above one that is still there', () => {
    const rows: [before: string, now: string, passed: string][] = [
      ['', '', ''],
      ['3 2 1', '3 2 1', ''],
      ['3 2 1', '4 3 2', ''],
      ['3 2 1', '3 1', '2'],
      ['3 2 1', '1', '3 2'],
      ['3 2 1', '2 1', '3'],
      ['3 2 1', '', ''],
      ['3 2 1', '6 5 4', ''],
      ['4 3 2 1', '5 3 1', '4 2'],
    ];
    const list = (text: string): string[] => (text === '' ? [] : text.split(' '));
    for (const [before, now, passed] of rows)
      assert.deepEqual(passedOver(list(before), list(now)), list(passed), `${before} → ${now}`);
  });
});
