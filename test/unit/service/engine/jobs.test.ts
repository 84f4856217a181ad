import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { parseSettings } from '../../../../src/service/engine/engineSettings.ts';
import { createJobCatalog, type JobCatalogOptions } from '../../../../src/service/engine/jobCatalog.ts';
import { mergeSettings } from '../../../../src/service/engine/mergeSettings.ts';
import type { RunStart } from '../../../../src/service/engine/runStart.ts';
import { limits } from '../../../../src/service/engine/workspaceLimits.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('the jobs of a store', () => {
  let folder: string;
  let store: Store;
  let clock: FakeClock;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-catalog-'));
    store = openStore(folder);
  });
  beforeEach(() => (clock = new FakeClock()));
  after(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const checked = (settings: object) => ({
    text: JSON.stringify(settings),
    settings: parseSettings(JSON.stringify(settings)),
  });
  const file = { name: 'j', spark_python_task: { python_file: '/a.py' } };

  /** A catalog; `asked` has what it asked of others. */
  function setUp(
    more: {
      jobs?: number;
      within?: number;
      oldestAgoInMs?: number;
      tokens?: Record<string, string>;
      runs?: string[];
    } = {},
  ) {
    const asked: unknown[] = [];
    const record = (runId: string) => ({ runId }) as RunRecord;
    const catalog = createJobCatalog({
      store: {
        ...store,
        jobs: Object.assign(
          Object.create(store.jobs) as object,
          store.jobs,
          more.jobs !== undefined && { count: () => more.jobs },
        ),
        creations: {
          countSince: (moment: number) => (asked.push(`count since ${clock.now() - moment}`), more.within ?? 0),
          oldestSince(moment: number) {
            assert.equal(clock.now() - moment, 3_600_000);
            return more.oldestAgoInMs === undefined ? undefined : clock.now() - more.oldestAgoInMs;
          },
          insert: (at: number) => void asked.push(`created ${at - clock.now()}`),
        },
        tokens: { runOf: (token: string) => more.tokens?.[token] },
        transaction: (body: () => unknown) => store.transaction(body),
      },
      engine: {
        start(start: RunStart, within?: () => void) {
          within?.();
          asked.push({ ...start, parsed: undefined });
          return record('9');
        },
        get: (runId: string) => (more.runs?.includes(runId) ? record(runId) : undefined),
        timeoutChanged: (jobId: string, seconds: number) => void asked.push(`time-out of ${jobId} ${seconds}`),
        jobDeleted: (jobId: string, runIds: string[]) => void asked.push(`deleted ${jobId} ${runIds.length}`),
      },
      scheduler: {
        nextFire: ({ schedule }: { schedule?: unknown }) => (schedule ? 1234 : undefined),
        check: () => void asked.push('check'),
      },
      notifier: {
        jobDeleted: (jobId: string, { name }: { name?: string }) =>
          void asked.push(`tell that ${jobId} ${name} is deleted`),
        wake: () => void asked.push('wake'),
      },
      clock,
      creator: 'me',
    } as unknown as JobCatalogOptions);
    return { asked, catalog };
  }
  const refusal = async (work: () => unknown): Promise<ApiError> => {
    try {
      await work();
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      return error;
    }
    return assert.fail('it was done');
  };

  it('are at most so many, and so many created within an hour', async () => {
    assert.ok(setUp({ jobs: limits.savedJobs - 1, within: limits.creationsPerHour - 1 }).catalog.create(checked(file)));
    const full = setUp({ jobs: limits.savedJobs });
    const quota = await refusal(() => full.catalog.create(checked(file)));
    assert.deepEqual([quota.status, quota.errorCode, full.asked], [400, 'QUOTA_EXCEEDED', []]);
    assert.match(quota.message, /^The workspace holds 12,000 jobs, .*; the job was not created\. Delete jobs/);
    for (const [oldestAgoInMs, seconds] of [
      [undefined, 3600],
      [3_599_999, 1],
      [3_600_000, 1],
      [1, 3600],
      [3_598_500, 2],
    ] as const) {
      const busy = setUp({ within: limits.creationsPerHour, oldestAgoInMs });
      const often = await refusal(() => busy.catalog.create(checked(file)));
      assert.deepEqual(
        [often.status, often.errorCode, often.retryAfterInSeconds],
        [429, 'REQUEST_LIMIT_EXCEEDED', seconds],
      );
      assert.match(often.message, /^10,000 jobs were created within an hour, .*; the job was not created\. Repeat/);
      assert.match(
        (await refusal(() => busy.catalog.submit(JSON.stringify(file)))).message,
        /; no run was started\. Repeat/,
      );
      assert.deepEqual(
        busy.asked.filter((each) => !String(each).startsWith('count')),
        [],
      );
    }
  });

  it('are changed one change after the other, and tell a new time-out alone', async () => {
    const { asked, catalog } = setUp();
    const jobId = catalog.create(checked(file));
    asked.length = 0;
    const opened = Promise.withResolvers<undefined>();
    const first = catalog.change(jobId, async (current) => {
      await opened.promise;
      return checked({ ...(JSON.parse(current) as object), timeout_seconds: 5 });
    });
    const failing = catalog.change(jobId, () => {
      throw new Error('not this one');
    });
    const second = catalog.change(jobId, (current) => checked({ ...(JSON.parse(current) as object), max_retries: 1 }));
    opened.resolve(undefined);
    await assert.rejects(failing, /not this one/);
    await Promise.all([first, second]);
    assert.deepEqual(JSON.parse(catalog.get(jobId).settings), { ...file, timeout_seconds: 5, max_retries: 1 });
    assert.deepEqual(asked, [`time-out of ${jobId} 5`, 'check', 'check']);
    await catalog.change(jobId, () => checked({ max_retries: 2 }));
    assert.deepEqual(
      [catalog.get(jobId).settings, asked.slice(3)],
      ['{"name":"Untitled","max_retries":2}', [`time-out of ${jobId} 0`, 'check']],
    );
  });

  it('are not started where they are deleted at that moment', async () => {
    const { asked, catalog } = setUp();
    const jobId = catalog.create(checked(file));
    const starting = refusal(() => catalog.runNow(jobId, new Map()));
    catalog.delete(jobId);
    assert.match((await starting).message, new RegExp(`Job ${jobId} does not exist`));
    assert.equal(asked.at(-1), 'wake', 'nothing was started');
  });

  it('are started once by two requests with one token, also while large settings are read', async () => {
    const tokens: Record<string, string> = {};
    const { asked, catalog } = setUp({ tokens, runs: ['9'] });
    const settings = JSON.stringify({ ...file, name: 'x'.repeat(1_000_001) });
    const first = catalog.submit(settings, 't').then(({ runId }) => (tokens['t'] = runId));
    const second = catalog.submit(settings, 't');
    assert.deepEqual([await first, (await second).runId], ['9', '9']);
    assert.equal(asked.filter((each) => typeof each === 'object').length, 1);
  });

  it('are started with parameters of their kind, by the token at most once', async () => {
    const { asked, catalog } = setUp({ tokens: { known: '3', deleted: '4', '': '4' }, runs: ['3'] });
    const jobId = catalog.create(checked(file));
    asked.length = 0;
    const none = new Map<never, string>();
    assert.equal(
      (await catalog.runNow(jobId, new Map([['python_params', '["a"]']] as const), 'new', { debug: true })).runId,
      '9',
    );
    assert.deepEqual(asked, [
      {
        jobId,
        settings: JSON.stringify(file),
        parsed: undefined,
        parameters: '{"python_params":["a"]}',
        trigger: 'ONE_TIME',
        idempotencyToken: 'new',
        debug: true,
      },
    ]);
    assert.equal((await catalog.runNow(jobId, none, 'known')).runId, '3');
    assert.equal((await catalog.submit('{}', 'known')).runId, '3');
    assert.equal(asked.length, 1);
    await catalog.runNow(jobId, none, '');
    assert.equal((asked[1] as RunStart).idempotencyToken, undefined);
    await catalog.submit(JSON.stringify(file), '');
    assert.equal((asked.pop() as RunStart).idempotencyToken, undefined);
    asked.splice(2);
    for (const start of [() => catalog.runNow(jobId, none, 'deleted'), () => catalog.submit('{}', 'deleted')])
      assert.match(
        (await refusal(start)).message,
        /^The run 4 of this idempotency_token was deleted; no run was started\. Use a new/,
      );
    assert.equal((await refusal(() => catalog.runNow('999999', none))).status, 400);
    assert.equal(asked.length, 2);
  });

  for (const [task, kind, said] of [
    [
      { spark_python_task: { python_file: '/a.py' } },
      'jar_params',
      "jar_params does not go with the job's spark_python_task; no run was started. A spark_python_task takes python_params.",
    ],
    [
      { run_job_task: { job_id: 1 } },
      'python_params',
      "python_params does not go with the job's run_job_task; no run was started. A run_job_task takes no parameters.",
    ],
    [{ notebook_task: { notebook_path: '/n' } }, 'notebook_params', undefined],
    [{}, 'python_params', undefined],
  ] as const)
    it(`takes ${kind} for ${Object.keys(task)[0] ?? 'no task'}: ${said === undefined}`, async () => {
      const { catalog } = setUp();
      const jobId = catalog.create(checked(task));
      const start = () => catalog.runNow(jobId, new Map([[kind, '[]']]));
      if (said === undefined) assert.equal((await start()).runId, '9');
      else assert.equal((await refusal(start)).message, said);
    });

  for (const [task, refused] of [
    [{ spark_python_task: { python_file: '/a.py' } }, undefined],
    [{ notebook_task: { notebook_path: '/n' } }, undefined],
    [
      { spark_jar_task: { main_class_name: 'A' } },
      /^A spark_jar_task cannot be debugged here; no run was started\. Debug a job of a Python file/,
    ],
    [{}, /^A job without a task cannot be debugged here/],
  ] as const)
    it(`is debugged with ${Object.keys(task)[0] ?? 'no task'}: ${refused === undefined}`, async () => {
      const { catalog, asked } = setUp();
      const jobId = catalog.create(checked(task));
      for (const start of [
        () => catalog.runNow(jobId, new Map(), undefined, { debug: true }),
        () => catalog.submit(JSON.stringify(task), undefined, { debug: true }),
      ])
        if (refused) assert.match((await refusal(start)).message, refused);
        else assert.ok(await start());
      assert.equal(asked.filter((each) => typeof each === 'object').length, refused ? 0 : 2);
      if (refused) assert.ok(await catalog.runNow(jobId, new Map()));
    });
});

describe('jobs/update', () => {
  it('replaces top-level fields completely and keeps the rest as it was written', () => {
    const current =
      '{"name":"a","schedule":{"quartz_cron_expression":"0 0 0 * * ?","timezone_id":"UTC"},"big":9007199254740993,"x": 1.50}';
    const after = mergeSettings(current, '{"schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"new":[1]}', []);
    assert.equal(
      after,
      '{"name":"a","schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"big":9007199254740993,"x":1.50,"new":[1]}',
    );
  });

  it('merges keyed arrays and replaces the entries of the same key', () => {
    const current = '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","y":2}],"libraries":[{"jar":"dfs:/a.jar"}]}';
    const changes = '{"tasks":[{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}';
    assert.equal(
      mergeSettings(current, changes, []),
      '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}',
    );
  });

  it('removes top-level fields and entries of keyed arrays', () => {
    const current =
      '{"name":"a","libraries":[],"schedule":{},"tasks":[{"task_key":"a"},{"task_key":"b/c"}],"job_clusters":[{"job_cluster_key":"k"}]}';
    assert.equal(
      mergeSettings(current, '{}', ['libraries', 'schedule', 'tasks/a', 'job_clusters/k', 'health']),
      '{"name":"a","tasks":[{"task_key":"b/c"}]}',
    );
  });

  it('refuses to remove what is nested elsewhere', () => {
    assert.throws(
      () => mergeSettings('{"new_cluster":{"spark_conf":{}}}', '{}', ['new_cluster/spark_conf']),
      /Only top-level fields, and entries of tasks and job_clusters can/,
    );
    for (const field of ['environments/a', 'parameters/a', 'tasks/a/libraries', 'email_notifications/on_start'])
      assert.throws(() => mergeSettings('{}', '{}', [field]), /cannot be removed/, field);
  });

  it('refuses to remove what is not there, and names what may be meant', () => {
    const current = '{"name":"a","note":1,"tasks":[{"task_key":"a"},{"task_key":"b"}]}';
    const refused: [string, RegExp][] = [
      ['schedul', /Did you mean schedule\?/],
      ['Notes', /Did you mean note\?/],
      ['email_notifications.on_success', /top-level fields.*giving the whole field in new_settings/],
      ['tasks/nothere', /there is no tasks\/nothere in the job.*Its tasks are "a" and "b"\./],
      ['job_clusters/x', /The job has no job_clusters\./],
      ['x'.repeat(5000), /x{100}… cannot be removed/],
    ];
    for (const [field, words] of refused) assert.throws(() => mergeSettings(current, '{}', [field]), words);
    assert.equal(
      mergeSettings(current, '{}', ['schedule', 'note']),
      '{"name":"a","tasks":[{"task_key":"a"},{"task_key":"b"}]}',
    );
  });

  it('merges lists with lists alone', () => {
    for (const [before, after] of [
      ['[{"task_key":"a"}]', '{"task_key":"a"}'],
      ['{"task_key":"a"}', '[{"task_key":"a"}]'],
    ])
      assert.equal(mergeSettings(`{"tasks":${before}}`, `{"tasks":${after}}`, []), `{"tasks":${after}}`);
    assert.equal(
      mergeSettings(
        '{"job_clusters":[{"job_cluster_key":"a","x":1}],"parameters":[{"name":"p","default":"1"},"odd"]}',
        '{"job_clusters":[{"job_cluster_key":"a"}],"parameters":[{"name":"p"},{"name":"q"}]}',
        [],
      ),
      '{"job_clusters":[{"job_cluster_key":"a"}],"parameters":[{"name":"p"},"odd",{"name":"q"}]}',
    );
    assert.equal(
      mergeSettings('{"environments":[{"environment_key":"e"}]}', '{"environments":[{"environment_key":"f"}]}', []),
      '{"environments":[{"environment_key":"e"},{"environment_key":"f"}]}',
    );
  });

  it('removes a list whose last entry is removed, and keeps what null leaves alone', () => {
    assert.equal(
      mergeSettings('{"name":"a","tasks":[{"task_key":"a"}]}', '{"name":null}', ['tasks/a']),
      '{"name":"a"}',
    );
  });
});
