import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { createChatTools } from '../../../src/commands/createChatTools.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { GuideChat } from '../../support/guideChat.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const nowMs = new Date(2026, 10, 22, 12).getTime();
const hourMs = 3_600_000;
const run = (id: string, resultState: string | undefined, startMs: number, more: object = {}): Run =>
  ({
    run_id: id,
    job_id: '1',
    number_in_job: id,
    run_type: 'JOB_RUN',
    state: resultState
      ? { life_cycle_state: 'TERMINATED', result_state: resultState, state_message: '' }
      : { life_cycle_state: 'RUNNING', state_message: 'In run' },
    start_time: startMs,
    ...more,
  }) as Run;

describe('what models of the chat may call', () => {
  let bench: Bench;
  const call = async (name: string, given: object = {}): Promise<Record<string, unknown>> => {
    const { content } = await tools().run(name, JSON.stringify(given), new AbortController().signal);
    return JSON.parse(content) as Record<string, unknown>;
  };
  const tools = (): ReturnType<typeof createChatTools> => createChatTools(bench.services, () => nowMs);
  beforeEach(() => {
    bench = new Bench();
    bench.remote.set('1', {
      name: 'hello',
      schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' },
    });
    bench.remote.set('2', { name: 'etl', schedule: { quartz_cron_expression: 'wrong', timezone_id: 'UTC' } });
    bench.runs = [
      run('9', undefined, nowMs - hourMs),
      run('8', 'FAILED', nowMs - 2 * hourMs),
      run('7', 'SUCCESS', nowMs - 3 * hourMs),
      run('6', 'TIMEDOUT', nowMs - 24 * hourMs),
      run('5', 'FAILED', nowMs - 30 * 24 * hourMs, { job_id: '2' }),
    ];
  });

  it('are told with schemas within the limits of a request', () => {
    const required = tools().tools.map(({ definition }) => [
      definition.function.name,
      definition.function.parameters['required'],
    ]);
    assert.deepEqual(Object.fromEntries(required), {
      list_jobs: undefined,
      get_job: ['job'],
      list_runs: undefined,
      get_run: ['run_id'],
      list_files: undefined,
      read_file: ['path'],
      run_job: ['job'],
    });
    for (const { definition } of tools().tools) {
      assert.match(definition.function.name, /^[a-z_]+$/);
      assert.ok(Object.keys(definition.function.parameters['properties'] as object).length <= 15);
    }
    assert.deepEqual(
      tools()
        .tools.filter(({ isChange }) => isChange)
        .map(({ definition }) => definition.function.name),
      ['run_job'],
    );
  });

  it('list jobs with what their schedules say', async () => {
    assert.deepEqual(await call('list_jobs'), {
      profile: 'Local',
      count: 2,
      jobs: [
        { job_id: '2', name: 'etl', schedule: 'wrong' },
        {
          job_id: '1',
          name: 'hello',
          schedule: 'At 06:00 every day, UTC',
          next_start: '2026-11-23T06:00:00.000Z',
        },
      ],
    });
  });

  it('are given a name as it is shown among others, from right to left', async () => {
    bench.remote.set('4', { name: 'שלום' });
    bench.runs = [run('9', 'SUCCESS', nowMs - hourMs, { job_id: '4' })];
    const { runs } = (await call('list_runs')) as { runs: { name: string }[] };
    assert.equal(runs[0]?.name, '\u2068שלום\u2069 #9');
    assert.equal((await call('get_job', { job: '\u2068שלום\u2069' }))['job_id'], '4');
  });

  it('give a job by its name or id, in any case', async () => {
    assert.match(String((await call('get_job', { job: 'HELLO' }))['job_file']), /name: hello/);
    assert.equal((await call('get_job', { job: 2 }))['name'], 'etl');
    await assert.rejects(call('get_job', { job: 'none' }), /There is no job "none" on Local/);
    bench.remote.set('3', { name: 'hello' });
    await assert.rejects(call('get_job', { job: 'hello' }), /several jobs "hello" on Local: 1, 3/);
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

  it('give the output of a run, or why there is none', async () => {
    bench.output = { error: 'KeyError: x' };
    assert.match(String((await call('get_run', { run_id: 8 }))['output']), /hello #8 — Failed[\s\S]*KeyError: x/);
    bench.output = undefined;
    assert.match(String((await call('get_run', { run_id: '8' }))['output']), /No output is kept/);
  });

  it('start a job only as its command does: a profile that asks is asked', async () => {
    assert.equal(await tools().describe('run_job', '{"job":"hello"}'), 'Run job "hello" (1) on Local');
    const { content, runs } = await tools().run('run_job', '{"job":"hello"}', new AbortController().signal);
    assert.match(content, /"run_id":"77"/);
    assert.deepEqual(runs, [{ profileId: 'local', runId: '77', label: 'hello #1' }]);
    assert.deepEqual(bench.trail.slice(0, 2), ['mutation: Run job "hello" (1)', 'run-now 1']);
    bench.trail = [];
    bench.mutationDeclined = true;
    assert.equal((await call('run_job', { job: 'hello' }))['started'], false);
    assert.deepEqual(bench.trail, ['mutation: Run job "hello" (1)', 'refresh']);
  });

  it('read files of the workspace', async () => {
    bench.texts = new Map([['jobs/etl.py', 'import x']]);
    assert.deepEqual(await call('list_files'), { files: ['jobs/etl.py'] });
    assert.deepEqual(await call('read_file', { path: 'jobs/etl.py' }), { path: 'jobs/etl.py', text: 'import x' });
    await assert.rejects(call('read_file', { path: 'none' }), /There is no file none/);
  });

  it('refuse what they do not know, and arguments that are wrong', async () => {
    const signal = new AbortController().signal;
    await assert.rejects(tools().run('toString', '{}', signal), /There is no function toString/);
    await assert.rejects(tools().run('get_run', '{"run', signal), /are no JSON/);
    await assert.rejects(tools().run('get_run', '{}', signal), /The arguments of get_run are wrong/);
    await assert.rejects(tools().run('list_runs', '{"state":"green"}', signal), /The arguments of list_runs are wrong/);
  });

  it('suggest to ask about what failed today, and start no service for that', async () => {
    bench.runs.shift();
    const suggested = async (): Promise<string[]> =>
      (await tools().suggest()).map(({ title, prompt, icon, deed }) => [icon, title, deed, prompt].join(' | '));
    assert.deepEqual(await suggested(), [
      'error | 1 run failed today | Explain | Why did run 8 fail?',
      'error | #8 failed | Fix | Look for a change that mends it',
    ]);
    await (await tools().suggest())[1]?.take?.();
    assert.equal(bench.trail.at(-1), 'fix local 8');
    bench.runs.push(run('4', 'FAILED', nowMs - hourMs));
    assert.equal((await suggested())[0], 'error | 2 runs failed today | Show | Which runs failed today?');
    assert.equal((await tools().suggest())[1]?.title, '#8 failed');
    const attempt = { original_attempt_run_id: '8', attempt_number: 1 };
    bench.runs.unshift(run('9', 'FAILED', nowMs, attempt));
    assert.equal((await tools().suggest())[0]?.title, '2 runs failed today', 'two attempts are one run');
    bench.runs[0] = run('9', 'SUCCESS', nowMs, attempt);
    assert.equal((await tools().suggest())[0]?.title, '1 run failed today', 'the later attempt got done');
    bench.runs = [run('7', 'SUCCESS', nowMs)];
    assert.deepEqual(await tools().suggest(), []);
    bench.services.connections.connectIfUsed = async () => undefined;
    bench.services.connections.connect = () => Promise.reject(new AppError('internal', 'It was started.'));
    assert.deepEqual(await tools().suggest(), []);
  });

  it('suggest to watch a run that is going', async () => {
    bench.runs = [run('9', undefined, nowMs - hourMs), run('7', 'SUCCESS', nowMs)];
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], 1);
    bench.texts.clear();
    const [watch, ...others] = await tools().suggest();
    assert.deepEqual([watch?.icon, watch?.title, watch?.deed], ['loading', 'hello #9 is going on', 'Watch']);
    assert.deepEqual([watch?.prompt, others], ['Local', []]);
    await watch?.take?.();
    assert.match(String(bench.trail.at(-1)), /9/);
  });

  it('suggest to deploy a job file whose job is nowhere, once the jobs are known', async () => {
    bench.runs = [];
    const titles = async (): Promise<string[]> => (await tools().suggest()).map(({ title }) => title);
    assert.deepEqual(await titles(), [], 'nobody knows yet');
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], 1);
    bench.texts = new Map([
      ['file:///w/a.job.yml', goodFile.replace('nightly', "'hello' # the first")],
      ['file:///w/b.job.yml', `job_id: 7\n${goodFile}`],
      ['file:///w/c.job.yml', 'name: not to be deployed\n'],
    ]);
    assert.deepEqual(await titles(), []);
    bench.texts.set('file:///w/nightly.job.yml', goodFile);
    const [deploy] = await tools().suggest();
    assert.deepEqual([deploy?.icon, deploy?.title, deploy?.deed], ['cloud', 'file:///w/nightly.job.yml', 'Deploy']);
    assert.equal(deploy?.prompt, 'It is not deployed to Local');
    await deploy?.take?.();
    assert.deepEqual(await titles(), [], 'it is deployed now');
  });

  it('suggest something else once a job is new or a run begins or ends, and not while it goes on', () => {
    let changes = 0;
    const listening = tools().onDidChangeSuggestions(() => (changes += 1));
    const going = run('9', undefined, nowMs);
    bench.store.mergeRuns([going], 1);
    bench.store.mergeRuns(
      [{ ...going, state: { life_cycle_state: 'TERMINATING', state_message: 'soon' } } as never],
      2,
    );
    assert.equal(changes, 1);
    bench.store.mergeRuns([run('9', 'SUCCESS', nowMs)], 3);
    assert.ok(changes > 1);
    const before = changes;
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], 4);
    assert.equal(changes, before + 1);
    bench.store.mergeRuns([run('10', undefined, nowMs)], 5);
    listening.dispose();
    bench.store.mergeRuns([run('10', 'SUCCESS', nowMs)], 6);
    assert.equal(changes, before + 2);
  });

  it('are what the guide answers from', async () => {
    bench.output = { error: "ModuleNotFoundError: No module named 'pandas'" };
    bench.profile = staging;
    const answers = new Map<string, unknown>();
    for (let round = 0; round < 3; round += 1) {
      const missing: [string, object][] = [];
      const chat = new GuideChat((name, given) => {
        const key = name + JSON.stringify(given);
        if (!answers.has(key)) missing.push([name, given]);
        return answers.get(key) ?? { error: 'not yet' };
      });
      const text = chat.ask('Why did hello fail?');
      if (missing.length === 0) {
        assert.match(text, /\*\*hello #8\*\* on Staging[\s\S]*no module `pandas`/);
        return;
      }
      for (const [name, given] of missing) answers.set(name + JSON.stringify(given), await call(name, given));
    }
    assert.deepEqual(
      [...answers.keys()],
      ['list_jobs{}', 'list_runs{"job":"1","state":"failed","limit":1}', 'get_run{"run_id":"8"}'],
    );
    const chat = new GuideChat((name, given) => answers.get(name + JSON.stringify(given)));
    assert.match(chat.ask('Why did hello fail?'), /\*\*hello #8\*\* on Staging[\s\S]*no module `pandas`/);
  });
});
