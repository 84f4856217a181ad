import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { holdTrail } from '../../../support/trail.ts';
import { ChatToolBench, hourMs, nowMs, run } from './chatToolBench.ts';

describe('functions of models on runs', () => {
  holdTrail(import.meta.url);
  let bench: ChatToolBench;
  const call: ChatToolBench['call'] = (...given) => bench.call(...given);
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('are given a name as it is shown among others, from right to left', async () => {
    bench.remote.set('4', { name: 'שלום' });
    bench.runs = [run('9', 'SUCCESS', nowMs - hourMs, { job_id: '4' })];
    const { runs } = (await call('list_runs')) as { runs: { name: string }[] };
    assert.equal(runs[0]?.name, '\u2068שלום\u2069 #9');
    assert.equal((await call('get_job', { job: '\u2068שלום\u2069' }))['job_id'], '4');
  });

  it('link their runs, and mark those that did not go well in any way', async () => {
    bench.runs.push(run('4', undefined, nowMs, { state: { life_cycle_state: 'INTERNAL_ERROR' } }));
    bench.runs.push(run('3', 'CANCELED', nowMs));
    const { runs = [] } = await tools().run('list_runs', '{}', new AbortController().signal);
    assert.deepEqual(
      runs.map(({ profileId, runId, label, isBad }) => [profileId, runId, label, isBad]),
      [
        ['local', '9', 'hello #9 · Running', undefined],
        ['local', '8', 'hello #8 · Failed', true],
        ['local', '7', 'hello #7 · Succeeded', undefined],
        ['local', '6', 'hello #6 · Timed out', true],
        ['local', '5', 'etl #5 · Failed', true],
        ['local', '4', 'hello #4 · Internal error', true],
        ['local', '3', 'hello #3 · Cancelled', undefined],
      ],
    );
  });

  it('list the runs of a state and of days of the reader', async () => {
    const ids = async (given: object): Promise<string[]> =>
      ((await call('list_runs', given))['runs'] as { run_id: string }[]).map(({ run_id: id }) => id);
    assert.deepEqual(await ids({}), ['9', '8', '7', '6', '5']);
    assert.deepEqual(await ids({ state: 'failed', since: 'today' }), ['8']);
    assert.deepEqual(await ids({ state: 'failed', since: 'yesterday' }), ['6']);
    assert.deepEqual(await ids({ state: 'failed', since: 'week' }), ['8', '6']);
    assert.deepEqual(await ids({ state: 'active' }), ['9']);
    assert.deepEqual(await ids({ state: 'succeeded', limit: '1' }), ['7']);
    const { count, is_whole: isWhole, runs } = await call('list_runs', { state: 'failed', limit: 1 });
    assert.deepEqual([count, isWhole], [3, true]);
    assert.deepEqual(runs, [
      {
        run_id: '8',
        name: 'hello #8',
        job_id: '1',
        state: 'Failed',
        is_failed: true,
        is_active: false,
        started: new Date(nowMs - 2 * hourMs).toISOString(),
      },
    ]);
  });

  it('say of the newest failures what was raised, which the service itself does not', async () => {
    const exited = { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Code 1.' } };
    bench.runs = Array.from({ length: 7 }, (_each, place) =>
      run(String(20 - place), place === 1 ? 'SUCCESS' : 'FAILED', nowMs - place, place === 1 ? {} : exited),
    );
    bench.output = { error: 'KeyError: x' };
    const messages = async (): Promise<unknown[]> =>
      ((await call('list_runs'))['runs'] as { message?: string }[]).map(({ message }) => message);
    const raised = 'KeyError: x';
    assert.deepEqual(await messages(), [raised, undefined, raised, raised, raised, raised, 'Code 1.']);
    bench.output = {};
    assert.deepEqual((await messages())[0], 'Code 1.');
  });

  it('count the attempts of one run once, as it was in the last of them', async () => {
    const attempt = (id: string, number: number, result: string): Run =>
      run(id, result, nowMs + number, { original_attempt_run_id: '11', attempt_number: number });
    bench.runs = [
      attempt('13', 2, 'FAILED'),
      run('12', 'FAILED', nowMs),
      attempt('14', 1, 'FAILED'),
      run('11', 'FAILED', nowMs),
    ];
    const listed = async (state: string): Promise<unknown[]> => {
      const { count, runs } = (await call('list_runs', { state })) as {
        count: number;
        runs: Record<string, unknown>[];
      };
      return [count, runs.map((one) => [one['run_id'], one['attempt']])];
    };
    const whole = [
      2,
      [
        ['13', 3],
        ['12', undefined],
      ],
    ];
    assert.deepEqual([await listed('failed'), await listed('any')], [whole, whole]);
    bench.runs[0] = attempt('13', 2, 'SUCCESS');
    assert.deepEqual(await listed('failed'), [1, [['12', undefined]]]);
    assert.deepEqual(await listed('succeeded'), [1, [['13', 3]]]);
  });

  it('read nothing of a service that cannot be cancelled', async () => {
    const connect = bench.services.connections.connect;
    const { signal } = new AbortController();
    const asked: string[] = [];
    bench.services.connections.connect = async () => {
      const { profile, client } = await connect();
      const jobs = new Proxy(client.jobs, {
        get:
          (target, name) =>
          (...given: unknown[]) => {
            assert.equal((given.at(-1) as { signal?: unknown } | undefined)?.signal, signal, String(name));
            asked.push(String(name));
            return (Reflect.get(target, name) as (...args: unknown[]) => unknown)(...given);
          },
      });
      return { profile, client: { ...client, jobs } };
    };
    for (const [name, given] of [
      ['list_jobs', {}],
      ['get_job', { job: 'hello' }],
      ['get_job', { job: '1' }],
      ['list_runs', {}],
      ['get_run', { run_id: '8' }],
    ] as const)
      await tools().run(name, JSON.stringify(given), signal);
    assert.ok(['list', 'get', 'listRuns', 'getRun', 'getRunOutput'].every((name) => asked.includes(name)));
  });

  it('begin and end each day of the reader at midnight', async () => {
    const midnight = (daysBefore: number): number => {
      const now = new Date(nowMs);
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore).getTime();
    };
    bench.runs = [0, 1, 6].flatMap((day) => [
      run(`${day}1`, 'SUCCESS', midnight(day)),
      run(`${day}0`, 'SUCCESS', midnight(day) - 1),
    ]);
    const ids = async (since: string): Promise<string[]> =>
      ((await call('list_runs', { since }))['runs'] as { run_id: string }[]).map(({ run_id: id }) => id);
    assert.deepEqual(await ids('today'), ['01']);
    assert.deepEqual(await ids('yesterday'), ['00', '11']);
    assert.deepEqual(await ids('week'), ['01', '00', '11', '10', '61']);
    assert.equal((await ids('any')).length, 6);
  });

  it('say where older runs were not looked at', async () => {
    bench.services.connections.connect = async () => ({
      profile: bench.profile,
      client: {
        jobs: {
          list: async () => [],
          listRuns: async () => ({ runs: [run('1', 'SUCCESS', nowMs)], has_more: true }),
        },
      } as never,
    });
    assert.equal((await call('list_runs', { since: 'today' }))['is_whole'], false);
  });

  it('look through five pages at most, each from where the last ended, and none older than the days asked for', async () => {
    const pages: object[] = [];
    let startOf = (place: number): number | undefined => nowMs - place * hourMs;
    bench.services.connections.connect = async () => ({
      profile: bench.profile,
      client: {
        jobs: {
          list: async () => [{ job_id: '1', settings: { name: 'hello' } }],
          listRuns: async (asked: { offset?: number }) => {
            pages.push(asked);
            const from = asked.offset ?? 0;
            const runs = [0, 1, 2].map((place) => run(String(from + place), 'FAILED', startOf(from + place) as number));
            return { runs, has_more: true };
          },
          getRunOutput: async () => ({}),
        },
      } as never,
    });
    const look = async (given: object): Promise<unknown[]> => {
      pages.length = 0;
      const { count, is_whole: isWhole } = await call('list_runs', given);
      return [count, isWhole, pages.map((page) => (page as { offset?: number }).offset)];
    };
    assert.deepEqual(await look({ job: 'hello' }), [15, false, [undefined, 3, 6, 9, 12]]);
    assert.deepEqual(pages[1], { limit: 100, offset: 3, job_id: '1' });
    assert.deepEqual(await look({ since: 'today' }), [13, true, [undefined, 3, 6, 9, 12]], 'midnight is 12 runs back');
    assert.deepEqual(pages[0], { limit: 100 });
    startOf = (place) => nowMs - place * 6 * hourMs;
    assert.deepEqual(await look({ since: 'today' }), [3, true, [undefined, 3]]);
    assert.deepEqual(await look({ since: 'yesterday' }), [4, true, [undefined, 3, 6]]);
    // A run that waits for its start is newer than every other, wherever it stands.
    startOf = (place) => (place % 3 === 2 ? 0 : nowMs - place * hourMs);
    assert.deepEqual((await look({ since: 'today' }))[1], false);
  });

  it('show twenty runs, with ten links, where nothing else is asked for', async () => {
    bench.runs = Array.from({ length: 30 }, (_, place) => run(String(100 + place), 'SUCCESS', nowMs - place));
    const outcome = await tools().run('list_runs', '', new AbortController().signal);
    const { count, runs, now } = JSON.parse(outcome.content) as { count: number; runs: unknown[]; now: string };
    assert.deepEqual([count, runs.length, outcome.runs?.length, now], [30, 20, 10, new Date(nowMs).toISOString()]);
    assert.equal('isBad' in (outcome.runs?.[0] ?? {}), false);
  });

  it('name runs that are links', async () => {
    const { runs } = await tools().run('list_runs', '{"state":"failed"}', new AbortController().signal);
    assert.deepEqual(runs?.[0], { profileId: 'local', runId: '8', label: 'hello #8 · Failed', isBad: true });
    await tools().openRun({ profileId: 'local', runId: '8' });
    assert.deepEqual(bench.trail, ['page local 8: #8']);
  });

  it('give what a run was started with: its task and parameters of its own', async () => {
    const task = { spark_python_task: { python_file: '/p.py', parameters: ['--day', '7'] } };
    bench.runs = [run('8', 'SUCCESS', nowMs, { task, overriding_parameters: { python_params: ['--day', '8'] } })];
    const { task: told, overriding_parameters: parameters } = await call('get_run', { run_id: '8' });
    assert.deepEqual([told, parameters], [task, { python_params: ['--day', '8'] }]);
    bench.runs = [run('8', 'SUCCESS', nowMs)];
    assert.deepEqual((await call('get_run', { run_id: '8' }))['overriding_parameters'], {});
  });

  it('give the output of a run, or why there is none', async () => {
    bench.output = { error: 'KeyError: x' };
    assert.match(String((await call('get_run', { run_id: 8 }))['output']), /hello #8 — Failed[\s\S]*KeyError: x/);
    bench.output = undefined;
    assert.match(String((await call('get_run', { run_id: '8' }))['output']), /No output is kept/);
  });
});
