import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Job } from '../../../src/api/schema/jobs/schemas.ts';
import {
  deployPlanned,
  inTurn,
  isSent,
  planFile,
  planInWords,
  readJobFile,
  type JobFile,
  type PlannedDeploy,
} from '../../../src/cli/deployFile.ts';
import type { OpenedService } from '../../../src/cli/openService.ts';
import { output } from '../../../src/cli/print.ts';
import { AppError } from '../../../src/shared/errors.ts';

const task = { existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/a.py' } };
const { signal } = new AbortController();

describe('one file that is deployed', () => {
  let folder: string;
  let said: string[];
  let calls: unknown[][];
  let jobs: Record<string, unknown>[];
  let remembered: object | undefined;
  /** What the service makes of the settings that it is given. */
  let habit: object;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-deploy-'));
    [said, calls, jobs, remembered, habit] = [[], [], [], undefined, {}];
    mock.method(output, 'say', (text: string) => said.push(text));
  });
  afterEach(() => {
    mock.reset();
    rmSync(folder, { recursive: true });
  });

  const get = (jobId: string): Job => {
    const job = jobs.find(({ job_id: id }) => id === jobId);
    if (!job) throw new AppError('notFound', `no ${jobId}`);
    return structuredClone(job) as Job;
  };
  const noted = (name: string, given: unknown[], options: unknown): void => {
    calls.push([name, ...given]);
    assert.equal((options as { signal?: unknown }).signal, signal, `${name} can be stopped`);
  };
  const opened = {
    name: 'svc',
    client: {
      jobs: {
        get: async (jobId: string, options: unknown) => {
          noted('get', [jobId], options);
          return get(jobId);
        },
        list: async (options: unknown) => {
          noted('list', [], options);
          return jobs;
        },
        create: async (settings: object, options: unknown) => {
          noted('create', [settings], options);
          jobs.push({ job_id: '9', created_time: 90, settings: { ...settings, ...habit } });
          return { job_id: '9' };
        },
        reset: async (jobId: string, settings: object, options: unknown) => {
          noted('reset', [jobId, settings], options);
          jobs = jobs.map((job) => (job['job_id'] === jobId ? { ...job, settings: { ...settings, ...habit } } : job));
        },
      },
    },
    memory: {
      folder: '/memory',
      recall: () => remembered,
      remember: (path: string, deploy: object) => {
        calls.push(['remember', path]);
        remembered = deploy;
      },
    },
  } as unknown as OpenedService;
  const file = (more: object = {}, jobId?: string): JobFile =>
    ({ path: '/w/a.job.yml', settings: { name: 'n', ...task, ...more }, document: {}, jobId }) as unknown as JobFile;
  const write = (text: string): string => {
    const path = join(folder, 'a.job.yml');
    writeFileSync(path, text);
    return path;
  };
  const failure = async (promise: Promise<unknown>): Promise<AppError> => {
    const error: unknown = await promise.then(
      () => assert.fail('it must fail'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof AppError, String(error));
    return error;
  };
  const yaml = 'name: n\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';

  it('is read with the job that it names, or without', async () => {
    assert.deepEqual((await readJobFile(write(yaml))).settings, { name: 'n', ...task });
    assert.equal('jobId' in (await readJobFile(write(yaml))), false);
    assert.equal(
      (await readJobFile(write(`job_id: 9007199254740993\nsettings:\n${yaml.replace(/^/gm, '  ')}`))).jobId,
      '9007199254740993',
    );
    assert.deepEqual(said, []);
  });

  it('is refused with its errors, and without its warnings', async () => {
    const path = write(`${yaml}max_retrys: 1\nmax_retries: many\n`);
    const { kind, message, remedy } = await failure(readJobFile(path));
    assert.deepEqual(
      [kind, message, remedy],
      ['invalid', `${path} has an error; nothing was sent.`, 'Correct it, then try again.'],
    );
    assert.match(said.join('\n'), /:5:14: error: max_retries/);
    assert.doesNotMatch(said.join('\n'), /max_retrys|\n$/);
    const missing = await failure(readJobFile(join(folder, 'none.yml')));
    assert.match(missing.message, /none\.yml could not be read: ENOENT.*; nothing was done\.$/);
    assert.deepEqual([missing.kind, missing.remedy], ['invalid', 'Name a job file that can be read.']);
  });

  const job = (jobId: string, name?: string, createdTime?: number): Record<string, unknown> => ({
    job_id: jobId,
    created_time: createdTime,
    settings: { ...(name === undefined ? {} : { name }), ...task },
  });

  for (const [what, names, known, there, found, asked] of [
    ['the one that it names', '5', { jobId: '6' }, [job('5'), job('6')], '5', ['get 5']],
    [
      'the one of its last deploy',
      undefined,
      { jobId: '6', createdTime: 1 },
      [job('5', 'n'), job('6', 'x', 1)],
      '6',
      ['get 6'],
    ],
    [
      'the one of its last deploy, which has no time',
      undefined,
      { jobId: '6', createdTime: 1 },
      [job('6')],
      '6',
      ['get 6'],
    ],
    [
      'the one of its last deploy, of which no time is known',
      undefined,
      { jobId: '6' },
      [job('6', 'x', 1)],
      '6',
      ['get 6'],
    ],
    [
      'the one of its name, where that of its last deploy is another one now',
      undefined,
      { jobId: '6', createdTime: 1 },
      [job('6', 'x', 2), job('5', 'n')],
      '5',
      ['get 6', 'list'],
    ],
    [
      'the one of its name, where that of its last deploy is gone',
      undefined,
      { jobId: '6' },
      [job('5', ' n ')],
      '5',
      ['get 6', 'list'],
    ],
    ['the one of its name', undefined, undefined, [job('4', 'm'), job('5', 'n'), job('6')], '5', ['list']],
    ['none', undefined, undefined, [job('4', 'm')], undefined, ['list']],
  ] as const)
    it(`goes to ${what}`, async () => {
      jobs = [...there];
      remembered = known && { sent: {}, settings: {}, ...known };
      const planned = await planFile(opened, file({}, names), signal);
      assert.equal(planned.job?.job_id, found);
      assert.deepEqual(
        calls.map((call) => call.join(' ')),
        asked,
      );
      assert.equal(planned.last !== undefined, known !== undefined && known.jobId === found);
      assert.equal(planned.plan.isLastDeployKnown, planned.last !== undefined);
      assert.equal(planned.plan.action === 'create', found === undefined);
    });

  it('goes to the one of its name, whatever blanks are around it', async () => {
    jobs = [job('5', 'n')];
    assert.equal((await planFile(opened, file({ name: ' n ' }), signal)).job?.job_id, '5');
  });

  it('without a name is a new job, whatever others there are', async () => {
    jobs = [job('4'), { job_id: '5' }];
    assert.equal((await planFile(opened, file({ name: undefined }), signal)).job, undefined);
    assert.deepEqual(calls, []);
  });

  it('goes nowhere where the job that it names is not there, or two have its name', async () => {
    const gone = await failure(planFile(opened, file({}, '5'), signal));
    assert.equal(gone.message, '/w/a.job.yml names job 5, which does not exist on svc; nothing was done.');
    assert.deepEqual(
      [gone.kind, gone.remedy],
      ['notFound', 'Remove the line job_id to create a new job, or name the service that has this job.'],
    );
    jobs = [job('4', 'n'), job('5', 'n')];
    const two = await failure(planFile(opened, file(), signal));
    assert.equal(two.message, 'svc has 2 jobs named "n" (4, 5); nothing was done.');
    assert.deepEqual([two.kind, two.remedy], ['invalid', 'Write the one that is meant into a.job.yml as job_id.']);
  });

  const deploy = async (given: JobFile): Promise<[string, PlannedDeploy]> => {
    const planned = await planFile(opened, given, signal);
    calls = [];
    return [await deployPlanned(opened, planned, signal), planned];
  };
  const names = (): unknown[] => calls.map(([name]) => name);

  it('creates its job, and remembers what was sent and what the service made of it', async () => {
    habit = { timeout_seconds: 0, max_concurrent_runs: 1 };
    const [jobId, planned] = await deploy(file());
    assert.deepEqual([jobId, names()], ['9', ['create', 'get', 'remember']]);
    const { sent } = remembered as { sent: object };
    assert.deepEqual(remembered, { jobId: '9', sent, settings: { name: 'n', ...task, ...habit }, createdTime: 90 });
    assert.deepEqual([sent, said], [planned.file.settings, []]);
  });

  it('changes its job, and nothing where there is nothing to change', async () => {
    await deploy(file());
    const [jobId] = await deploy(file({ max_retries: 2 }));
    assert.deepEqual([jobId, names()], ['9', ['get', 'reset', 'get', 'remember']]);
    assert.equal((remembered as { settings: { max_retries?: number } }).settings.max_retries, 2);
    assert.equal((await deploy(file({ max_retries: 2 })))[0], '9');
    assert.deepEqual(names(), ['get', 'get'], 'what is remembered stays what it is');
    remembered = undefined;
    await deploy(file({ max_retries: 2 }));
    assert.deepEqual(names(), ['get', 'get', 'remember'], 'it is remembered from now on');
  });

  it('remembers what others have moved where the file has the same by now', async () => {
    await deploy(file());
    const [{ settings } = assert.fail()] = jobs as { settings: object }[];
    jobs = [{ ...job('9', 'n', 90), settings: { ...settings, max_retries: 5 } }];
    const [, planned] = await deploy(file({ max_retries: 5 }));
    assert.deepEqual(
      [planned.plan.action, planned.plan.moved.length, names()],
      ['none', 1, ['get', 'get', 'remember']],
    );
    assert.equal((await planFile(opened, file({ max_retries: 5 }), signal)).plan.moved.length, 0);
  });

  it('changes nothing where somebody else did at that moment', async () => {
    await deploy(file());
    const planned = await planFile(opened, file({ max_retries: 2 }), signal);
    jobs = [{ ...job('9', 'n', 90), settings: { name: 'n', ...task, max_retries: 5 } }];
    calls = [];
    const { kind, message, remedy } = await failure(deployPlanned(opened, planned, signal));
    assert.deepEqual(
      [kind, message, remedy],
      [
        'rejected',
        'Job 9 was changed at this moment by somebody else; nothing was deployed.',
        'Look at the plan again, then deploy.',
      ],
    );
    assert.deepEqual(names(), ['get']);
  });

  it('is done where it cannot be read afterwards, nor remembered, and says the latter', async () => {
    const broken = {
      ...opened,
      client: { jobs: { ...opened.client.jobs, get: () => Promise.reject(new AppError('network', 'gone')) } },
      memory: {
        ...opened.memory,
        remember: (_path: string, deploy: object) => {
          remembered = deploy;
          throw new Error('full');
        },
      },
    } as unknown as OpenedService;
    const planned = await planFile(opened, file(), signal);
    assert.equal(await deployPlanned(broken, planned, signal), '9');
    assert.deepEqual(remembered, { jobId: '9', sent: planned.file.settings, settings: planned.file.settings });
    assert.deepEqual(said, ['This deploy could not be remembered in /memory: full.']);
  });

  it('says what the service has made of it, where that is something else', async () => {
    habit = { max_retries: 3 };
    await deploy(file({ max_retries: 2 }));
    assert.match(said.join('\n'), /^The service stored different values:\n.*max_retries.*2.*3/s);
    said = [];
    await deploy(file({ max_retries: 2 }));
    assert.deepEqual(said, [], 'once');
  });

  it('is told in words before it is done', async () => {
    const words = async (more: object = {}): Promise<string> =>
      planInWords(opened, await planFile(opened, file(more), signal));
    assert.equal(await words(), 'Job "n" would be created on svc.');
    assert.equal(await words({ name: undefined }), 'Job "Untitled" would be created on svc.');
    await deploy(file());
    assert.equal(await words(), 'A deploy would change nothing of job "n" (9) on svc.');
    const changed = await words({ max_retries: 2 });
    assert.match(changed, /^A deploy would change job "n" \(9\) on svc:\n[^\n]*max_retries/);
    assert.doesNotMatch(changed, /somebody else/);
    jobs = [{ ...job('9', 'n', 90), settings: { name: 'n', ...task, timeout_seconds: 60 } }];
    assert.match(
      await words({ max_retries: 2 }),
      /\nSince the last deploy from here somebody else changed:\n[^]*timeout_seconds/,
    );
  });

  it('is sent where something is to change, or may be in what the service hides', () => {
    const sent = (action: string, mayDifferInSecrets: boolean): boolean =>
      isSent({ action, mayDifferInSecrets } as PlannedDeploy['plan']);
    assert.deepEqual(
      [sent('create', false), sent('update', false), sent('none', true), sent('none', false)],
      [true, true, true, false],
    );
    const hidden = {
      file: file(),
      job: job('9', 'n') as unknown as Job,
      plan: { action: 'none', changes: [], moved: [], mayDifferInSecrets: true },
    };
    assert.equal(
      planInWords(opened, hidden as unknown as PlannedDeploy),
      'A deploy would change nothing of job "n" (9) on svc that can be seen; what the service hides is sent again.',
    );
  });

  it('waits for another deploy of the same file, and says so', async () => {
    const memory = {
      inTurn: (path: string, onWait: () => void, given: AbortSignal, work: () => Promise<string>) => {
        assert.deepEqual([path, given], ['/w/a.job.yml', signal]);
        onWait();
        return work();
      },
    };
    const service = { ...opened, memory } as unknown as OpenedService;
    assert.equal(await inTurn(service, file(), signal, () => Promise.resolve('done')), 'done');
    assert.deepEqual(said, ['Another program deploys /w/a.job.yml; waiting for it.']);
  });
});
