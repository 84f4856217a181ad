import assert from 'node:assert/strict';
import type { JobsClient } from '../../../src/api/client/client.ts';
import { type DeployableFile, readDeployable } from '../../../src/commands/deployableFile.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { findJobOfFile, type FoundJob } from '../../../src/commands/jobOfFile.ts';
import { SingleFlight } from '../../../src/commands/singleFlight.ts';
import type { AppError } from '../../../src/shared/errors.ts';
import { Bench, goodFile } from './commandSetup.ts';
import { alerted, deployedThen } from './deployedThen.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

describe('deploying a job file', () => {
  it('creates the job after confirmation and remembers it', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'mutation: Create job "nightly"',
      'create 9007199254740993',
      'refresh',
      'info: Deployed "nightly" to Local as job 9007199254740993.',
    ]);
    bench.trail = [];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail.slice(0, 2), [
      'mutation: Replace the settings of job "nightly" (9007199254740993)',
      'reset 9007199254740993',
    ]);
  });

  it('sends nothing of a file with problems and shows the first one', async () => {
    const bench = new Bench();
    bench.texts.set(
      uri.uri,
      'name: x\nmax_concurrent_runs: 5000\nspark_python_task: {python_file: /a.py}\nexisting_cluster_id: local\n',
    );
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
    assert.match(bench.trail[0] ?? '', /^warn: nightly\.job\.yml has a problem and was not sent: .*1000/);
    assert.equal(bench.trail[1], 'problem at 29');
  });

  it('creates the job again if the remembered one was deleted, and reports it', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '404');
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.ok(bench.trail.includes('create 9007199254740993'));
    assert.equal(
      bench.trail.at(-1),
      'info: Deployed "nightly" to Local as job 9007199254740993. Job 404, to which the file was deployed before, no longer exists there.',
    );
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('asks before it replaces a job whose id it remembers under another name', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '1');
    bench.remote.set('1', { name: 'of somebody else' });
    bench.decisions = ['Create Another Job'];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.trail[0], 'decide: Job 1 on Local is named "of somebody else", but the file says "nightly".');
    assert.deepEqual(bench.remote.get('1'), { name: 'of somebody else' });
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('fails if the file names a job that does not exist', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 9007199254740997\n${goodFile}`);
    await assert.rejects(handlers['millrace.jobFile.deploy'](bench.services, uri), (error: AppError) => {
      assert.equal(
        error.message,
        'nightly.job.yml was not deployed: its line job_id names job 9007199254740997, which does not exist on Local.',
      );
      assert.match(error.remedy ?? '', /^Remove the line job_id and deploy the file to create a new job/);
      return true;
    });
    assert.equal(bench.remote.size, 0);
  });

  it('does nothing when the user declines', async () => {
    const bench = new Bench();
    bench.mutationDeclined = true;
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
  });
});

describe('comparing a job file with its job', () => {
  it('shows both texts and names the differences', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'other',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.match(bench.trail[0] ?? '', /^compare: name: other\n/);
    assert.equal(
      bench.trail[1],
      'info: A deploy of nightly.job.yml would change these settings of job "other" (5) on Local: name.',
    );
  });
});

describe('settings that the service stores differently', () => {
  it('are reported with the deploy, until the service is known to always do so', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\n`);
    const { remote } = bench;
    remote.set = (id, settings) => Map.prototype.set.call(remote, id, { ...settings, max_retries: 1 }) as typeof remote;
    const said = async (): Promise<boolean> => {
      bench.trail = [];
      await handlers['millrace.jobFile.deploy'](bench.services, uri);
      return bench.trail.some((line) => /^info: .*The service stored different values: • max_retries/.test(line));
    };
    assert.equal(await said(), true);
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\ntimeout_seconds: 60\n`);
    assert.equal(await said(), false);
  });
});

describe('a job file to deploy', () => {
  const uri = 'file:///w/nightly.job.yml';

  const file = { uri, name: 'nightly.job.yml', isJobFile: true };

  const settings = {
    name: 'nightly',
    spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
    existing_cluster_id: 'local',
  };

  /** Returns the warning with its buttons, and the effects of the chosen button. */
  const refused = async (text: string, answer?: string): Promise<unknown[]> => {
    const bench = new Bench();
    bench.texts.set(uri, text);
    const told: unknown[] = [];
    Object.assign(bench.services.ui, { warn: async (...given: string[]) => (told.push(...given), answer) });
    assert.equal(await readDeployable(bench.services, { uri }), undefined);
    return [...told, ...bench.trail];
  };

  it('has its settings and the job that it names', async () => {
    const bench = new Bench();
    assert.deepEqual(await readDeployable(bench.services, { uri }), {
      file: { ...file, text: goodFile },
      settings,
      jobId: undefined,
    });
    const text = `${goodFile}job_id: 9007199254740993\n`;
    bench.texts.set(uri, text);
    assert.deepEqual(await readDeployable(bench.services, { uri }), {
      file: { ...file, text },
      settings,
      jobId: '9007199254740993',
    });
    assert.deepEqual(bench.trail, []);
  });

  it('is not deployed with a problem, which can be shown or fixed', async () => {
    const text = `${goodFile}max_concurrent_runs: 5000\n`;
    const [words = '', ...offered] = await refused(text);
    assert.match(String(words), /^nightly\.job\.yml has a problem and was not sent: \S.*1000/);
    assert.deepEqual(offered, ['Show Problem', 'Fix…']);
    assert.deepEqual((await refused(text, 'Show Problem')).slice(3), [`problem at ${text.indexOf('5000')}`]);
    assert.deepEqual((await refused(text, 'Fix…')).slice(3), [`fix ${uri}`]);
  });

  it('is deployed with a warning', async () => {
    const bench = new Bench();
    bench.texts.set(uri, `${goodFile}max_retries: 3\nmin_retry_interval_millis: 1\n`);
    assert.ok(await readDeployable(bench.services, { uri }));
  });

  it('is undefined when the user cancels the choice', async () => {
    const bench = new Bench();
    bench.activeIsJobFile = false;
    Object.assign(bench.services.ui, { pick: async () => undefined });
    assert.equal(await readDeployable(bench.services, {}), undefined);
  });
});

describe('the job of a file', () => {
  type Purpose = 'deploy' | 'compare' | 'pull';

  const uri = 'file:///w/nightly.job.yml';

  const ofName = 'Local already has a job named "nightly" (5), to which nightly.job.yml was never deployed from here.';

  interface World {
    jobId?: string;
    name?: string | null;
    remembered?: string;
    remote?: Record<string, string | undefined>;
    /** The label to choose; undefined cancels. */
    choose?: string;
  }

  /** Returns the job of a file, the questions and the number of requests. */
  async function found(purpose: Purpose, { jobId, name = 'nightly', remembered, remote = {}, choose }: World) {
    const bench = new Bench();
    for (const [id, of] of Object.entries(remote)) bench.remote.set(id, { name: of });
    if (remembered !== undefined) bench.remembered.set(`local ${uri}`, remembered);
    const asked: string[][] = [];
    const looks: string[] = [];
    let given: AbortSignal | undefined;
    Object.assign(bench.services.ui, {
      pick: async (
        title: string,
        question: string,
        items: readonly { label: string; description: string; value: unknown }[],
      ) => {
        asked.push([title, question, ...items.map(({ label, description }) => `${label}|${description}`)]);
        return items.find(({ label }) => label === choose)?.value;
      },
      progress: (title: string, task: (signal: AbortSignal) => Promise<unknown>) => {
        looks.push(title);
        given = new AbortController().signal;
        return task(given);
      },
    });
    const deployable: DeployableFile = {
      file: { uri, name: 'nightly.job.yml', text: '', isJobFile: true },
      settings: name === null ? {} : { name },
      jobId,
    };
    const connection = await bench.services.connections.connect();
    const { jobs } = connection.client;
    const stoppable = (options?: { signal?: AbortSignal }): void => assert.ok(given && options?.signal === given);
    Object.assign(jobs, {
      get: ((get) => async (id: string, options?: { signal?: AbortSignal }) => (stoppable(options), get(id)))(jobs.get),
      list: ((list) => async (options?: { signal?: AbortSignal }) => (stoppable(options), list()))(jobs.list),
    });
    const result = await findJobOfFile(bench.services, connection, deployable, purpose);
    // Only a deploy reports doubts.
    const short = result === 'stop' ? result : shortOf(purpose === 'deploy' ? result : { ...result, doubt: undefined });
    assert.ok(looks.every((look) => look === 'Looking for the job of nightly.job.yml on Local'));
    return { short, asked, looks: looks.length };
  }

  function shortOf({ job, goneJobId, doubt }: Partial<FoundJob>): string {
    return [
      job?.job_id ?? 'none',
      ...(goneJobId === undefined ? [] : [`gone ${goneJobId}`]),
      ...(doubt === undefined ? [] : [doubt]),
    ].join(', ');
  }

  const others: readonly [title: string, purpose: Purpose, world: World, result: string, looks: number][] = [
    ['the job that the file names', 'pull', { jobId: '5', remote: { 5: 'x' } }, '5', 1],
    ['the named job if it has the name of the file', 'deploy', { jobId: '5', remote: { 5: ' nightly ' } }, '5', 1],
    [
      'the named job if it was deployed from the file',
      'deploy',
      { jobId: '5', remembered: '5', remote: { 5: 'x' } },
      '5',
      1,
    ],
    [
      'the named job if their names differ only in blanks',
      'deploy',
      { jobId: '5', name: ' x ', remote: { 5: 'x' } },
      '5',
      1,
    ],
    ['the remembered job', 'deploy', { remembered: '5', remote: { 5: 'nightly', 6: 'nightly' } }, '5', 1],
    ['the remembered job, even with another name', 'compare', { remembered: '5', remote: { 5: 'x' } }, '5', 1],
    [
      'the remembered job of a file without a name',
      'compare',
      { remembered: '5', name: null, remote: { 5: 'x' } },
      '5',
      1,
    ],
    [
      'the only job with its name',
      'deploy',
      { name: ' nightly\n', remote: { 5: 'nightly', 6: 'x' } },
      `5, ${ofName}`,
      1,
    ],
    [
      'the only job with its name if the remembered job is gone',
      'deploy',
      { remembered: '4', remote: { 5: 'nightly' } },
      `5, gone 4, ${ofName}`,
      2,
    ],
    ['missing if no job has its name', 'deploy', { remote: { 5: 'Nightly', 6: undefined } }, 'none', 1],
    ['missing if the remembered job is gone', 'pull', { remembered: '4', remote: { 6: 'x' } }, 'none, gone 4', 2],
    [
      'missing for a file without a name, without a request',
      'deploy',
      { name: null, remote: { 6: undefined } },
      'none',
      0,
    ],
    [
      'missing for a file without a name if the remembered job is gone',
      'deploy',
      { name: null, remembered: '4' },
      'none, gone 4',
      1,
    ],
  ];
  for (const [title, purpose, world, result, looks] of others)
    it(`is ${title}`, async () => {
      assert.deepEqual(await found(purpose, world), { short: result, asked: [], looks });
    });

  it('is uncertain when the deployed job has another name, unless the file names it', async () => {
    const remote = { 5: 'x', 6: 'nightly' };
    assert.deepEqual(await found('deploy', { remembered: '5', remote }), {
      short: '5, Job 5 on Local is named "x", but the file says "nightly".',
      asked: [],
      looks: 1,
    });
    assert.match((await found('deploy', { remembered: '5', name: null, remote })).short, /the file says "Untitled"\.$/);
    assert.equal((await found('deploy', { jobId: '5', remembered: '6', remote })).short, '5');
  });

  it('is chosen by the user when several jobs have its name', async () => {
    const remote = { 5: 'nightly', 6: 'nightly', 7: 'x' };
    for (const [purpose, question, labels, choose] of [
      [
        'deploy',
        'Which job gets the settings of the file?',
        ['Replace the settings of job 5', 'Replace the settings of job 6', 'Create another job'],
        'Replace the settings of job 6',
      ],
      [
        'compare',
        'Compare the file with which job?',
        ['Compare with job 5', 'Compare with job 6'],
        'Compare with job 6',
      ],
      ['pull', 'Which settings should the file get?', ['Pull job 5', 'Pull job 6'], 'Pull job 6'],
    ] as const) {
      const { short, asked } = await found(purpose, { remote, choose, remembered: '4' });
      assert.deepEqual(
        [short, asked[0]?.slice(0, 2), asked[0]?.slice(2).map((label) => label.split('|')[0])],
        ['6, gone 4', ['Local has 2 jobs named "nightly"', question], labels],
      );
      assert.equal((await found(purpose, { remote })).short, 'stop');
    }
  });

  it('is refused if the file names a job that does not exist', async () => {
    for (const [purpose, text] of [
      ['deploy', 'nightly.job.yml was not deployed'],
      ['compare', 'nightly.job.yml was not compared'],
      ['pull', 'Nothing was pulled into nightly.job.yml'],
    ] as const)
      await assert.rejects(found(purpose, { jobId: '9', remembered: '5', remote: { 5: 'nightly' } }), {
        kind: 'notFound',
        message: `${text}: its line job_id names job 9, which does not exist on Local.`,
        remedy: 'Remove the line job_id and deploy the file to create a new job, or choose the profile with this job.',
      });
  });
});

const jobId = '9007199254740993';

const deploy = (bench: Bench): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);

/** Changes the client of each later connection; `reset` is the original method. */
function changeJobs(bench: Bench, change: (jobs: JobsClient, reset: JobsClient['reset']) => void): void {
  const { connections } = bench.services;
  const connect = connections.connect.bind(connections);
  connections.connect = async () => {
    const connection = await connect();
    const { jobs } = connection.client;
    change(jobs, jobs.reset.bind(jobs));
    return connection;
  };
}

describe('a deploy to a job that somebody else changed', () => {
  it('asks first and names what it would undo', async () => {
    const bench = await deployedThen(alerted);
    await deploy(bench);
    assert.deepEqual(bench.trail, [
      `decide: Job "nightly" (${jobId}) on Local has changed since the last deploy of nightly.job.yml from here.`,
    ]);
    assert.deepEqual(bench.asked, [
      'A deploy replaces all settings of the job. It would undo these changes:\n• timeout_seconds: 99 returns to the default (no time-out)\n• ' +
        'email_notifications: {"on_failure":["ops@example.com"]} is removed',
    ]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('overwrites only when told to, once', async () => {
    const bench = await deployedThen(alerted);
    bench.decisions = ['Deploy Anyway'];
    await deploy(bench);
    await deploy(bench);
    assert.deepEqual(
      [
        bench.asked.length,
        bench.trail.filter((line) => line.startsWith('reset')).length,
        bench.remote.get(jobId)?.timeout_seconds,
      ],
      [1, 2, undefined],
    );
  });

  it('takes the other changes into the file and deploys nothing', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri.uri, `# ours\n${goodFile}max_retries: 4\n`);
    bench.deployed.clear();
    bench.decisions = ['Take Theirs into File'];
    await deploy(bench);
    assert.equal(
      bench.texts.get(uri.uri),
      `# ours\n${goodFile}timeout_seconds: 99\nemail_notifications:\n  on_failure:\n    - ops@example.com\n`,
    );
    assert.deepEqual(bench.trail.slice(1), [
      'replaced text',
      'info: nightly.job.yml matches the job. Nothing was deployed.',
    ]);
    await deploy(bench);
    assert.equal(bench.asked.length, 1);
  });

  it('merges the changes of both sides and shows the result', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri.uri, `${goodFile}max_retries: 4 # ours\n`);
    bench.decisions = ['Merge into the File'];
    await deploy(bench);
    assert.match(bench.texts.get(uri.uri) ?? '', /max_retries: 4 # ours\n(?:.*\n)*timeout_seconds: 99/);
    assert.deepEqual(
      bench.trail.slice(1).map((line) => line.split(':')[0]),
      ['replaced text', 'compare', 'info'],
    );
    // The comparison shows the service's settings in the order of the file.
    assert.match(bench.trail[2] ?? '', /\nexisting_cluster_id: local\n(?:max_retries: \d+\n)?timeout_seconds: 99\n/);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.remote.get(jobId)?.timeout_seconds], [1, 99]);
    assert.equal(bench.remote.get(jobId)?.max_retries, 4);
  });

  it('offers no merge when the last deploy is unknown', async () => {
    const bench = await deployedThen(alerted);
    bench.deployed.clear();
    bench.decisions = ['Merge into the File'];
    await deploy(bench);
    assert.equal(bench.texts.get(uri.uri), goodFile);
  });

  it('stops Run Now as well', async () => {
    const bench = await deployedThen(alerted);
    await handlers['millrace.job.runNow'](bench.services, uri);
    assert.deepEqual([bench.started, bench.asked.length, bench.remote.get(jobId)?.timeout_seconds], [[], 1, 99]);
  });

  it('asks nothing if both sides differ only in order, spelling and defaults', async () => {
    const bench = await deployedThen((settings) => ({
      format: 'SINGLE_TASK',
      max_concurrent_runs: 1,
      timeout_seconds: 0,
      email_notifications: {},
      max_retries: 3,
      ...Object.fromEntries(Object.entries(settings).reverse()),
    }));
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\n`);
    await deploy(bench);
    assert.deepEqual(bench.asked, []);
  });

  it('names what both sides changed and what was removed', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 1\n`);
    await deploy(bench);
    bench.remote.set(jobId, {
      name: 'nightly',
      existing_cluster_id: 'local',
      spark_python_task: { python_file: '/main.py', parameters: ['--day', 'yesterday'] },
    });
    bench.texts.set(uri.uri, `${goodFile.replace('today', 'tomorrow')}max_retries: 1\n`);
    await deploy(bench);
    assert.match(
      bench.asked[0] ?? '',
      /undo these changes:\n• spark_python_task\.parameters\[1\]: "yesterday" becomes "tomorrow"\n• max_retries: 1 is added$/,
    );
  });

  it('asks again about a change during the question', async () => {
    const bench = await deployedThen(alerted);
    bench.decisions = ['Deploy Anyway'];
    bench.meanwhile = () => {
      bench.meanwhile = undefined;
      bench.remote.set(jobId, { ...bench.remote.get(jobId), max_retries: 7 });
    };
    await deploy(bench);
    assert.deepEqual(
      [
        bench.asked.length,
        bench.trail.filter((line) => line.startsWith('reset')),
        bench.remote.get(jobId)?.max_retries,
      ],
      [2, [], 7],
    );
    assert.match(bench.asked[1] ?? '', /max_retries: 7 returns to the default/);
  });

  it('succeeds when the job cannot be read afterwards', async () => {
    const bench = new Bench();
    await deploy(bench);
    changeJobs(bench, (jobs, reset) => {
      jobs.reset = async (...args) => {
        await reset(...args);
        jobs.get = async () => Promise.reject(new Error('gone'));
      };
    });
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    await deploy(bench);
    assert.match(bench.trail.at(-1) ?? '', /has the new settings/);
    bench.remote.set(jobId, { ...bench.remote.get(jobId), timeout_seconds: 99 });
    await deploy(bench);
    assert.equal(bench.asked.length, 1);
  });

  it('ignores settings that the service adds', async () => {
    const bench = new Bench();
    await deploy(bench);
    changeJobs(bench, (jobs, reset) => {
      jobs.reset = async (id, settings, options) => reset(id, { ...settings, run_as_owner: true }, options);
    });
    await deploy(bench);
    await deploy(bench);
    assert.deepEqual(bench.asked, []);
  });
});

describe('a deploy to a job that was not deployed from here', () => {
  it('asks when the file names the job and differs from it', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 5\n${goodFile}`);
    bench.remote.set('5', {
      name: 'nightly',
      existing_cluster_id: 'local',
      spark_python_task: { python_file: '/main.py' },
      max_retries: 2,
    });
    await deploy(bench);
    assert.deepEqual(bench.trail, [
      'decide: Job "nightly" (5) on Local has other settings than nightly.job.yml, and they do not come from a deploy of this file from here.',
    ]);
    assert.match(
      bench.asked[0] ?? '',
      /\n• spark_python_task\.parameters: \["--day","today"\] is added\n• max_retries: 2 returns to the default \(never\)$/,
    );
  });
});

describe('the question before a deploy', () => {
  it('shows what the deploy changes', async () => {
    const bench = await deployedThen((settings) => settings);
    bench.texts.set(uri.uri, `${goodFile.replace('today', 'tomorrow')}max_retries: 2\n`);
    await deploy(bench);
    await deploy(bench);
    assert.deepEqual(bench.details.slice(1), [
      'Changes:\n• spark_python_task.parameters[1]: "today" becomes "tomorrow"\n• max_retries: 2 is added',
      'The job already has these settings.',
    ]);
  });
});

describe('the preview of a deploy', () => {
  const changed = async (): Promise<Bench> => {
    const bench = await deployedThen((settings) => settings);
    bench.preview = 'always';
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    return bench;
  };

  it('shows the changes and deploys with one click', async () => {
    const bench = await changed();
    bench.decisions = ['Deploy'];
    await deploy(bench);
    assert.equal(bench.trail[0], `decide: Deploy nightly.job.yml to job "nightly" (${jobId}) on Local?`);
    assert.deepEqual(bench.asked, [
      'Nobody else has changed the job since the last deploy from here. Changes:\n' +
        '• spark_python_task.parameters[1]: "today" becomes "tomorrow"',
    ]);
    assert.deepEqual(bench.remote.get(jobId)?.spark_python_task?.parameters, ['--day', 'tomorrow']);
    assert.ok(!bench.trail.some((line) => line.startsWith('compare')));
  });

  it('deploys nothing when it is dismissed or compared', async () => {
    const bench = await changed();
    bench.decisions = ['Compare'];
    await deploy(bench);
    assert.match(bench.trail[1] ?? '', /^compare: /);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.trail.some((line) => line.startsWith('reset'))], [2, false]);
  });
});

const run = (bench: Bench): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, uri);

function onProduction(bench: Bench): Bench {
  bench.profile = { ...bench.profile, production: true };
  bench.preview = 'always';
  return bench;
}

/** Returns the questions in their order. */
const questions = ({ trail }: Bench): string[] =>
  trail.filter((line) => /^(?:decide|mutation|confirm|pick)/.test(line));

describe('a deploy to production', () => {
  it('asks once, with the reason, the losses and the other changes', async () => {
    const bench = onProduction(await deployedThen(alerted));
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    bench.declined = true;
    await deploy(bench);
    assert.deepEqual(questions(bench), [`mutation: Replace the settings of job "nightly" (${jobId})`]);
    assert.equal(
      bench.details.at(-1),
      `Job "nightly" (${jobId}) on Local has changed since the last deploy of nightly.job.yml from here.\n` +
        'A deploy replaces all settings of the job. It would undo these changes:\n' +
        '• timeout_seconds: 99 returns to the default (no time-out)\n' +
        '• email_notifications: {"on_failure":["ops@example.com"]} is removed\n' +
        'It also makes these changes:\n• spark_python_task.parameters[1]: "today" becomes "tomorrow"',
    );
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
    bench.declined = false;
    await deploy(bench);
    assert.deepEqual([questions(bench).length, bench.remote.get(jobId)?.timeout_seconds], [2, undefined]);
  });

  it('asks once if the job is found only by its name', async () => {
    for (const [choice, jobs] of [
      ['Create Another Job', 2],
      ['', 1],
    ] as const) {
      const bench = onProduction(new Bench());
      bench.remote.set('5', { name: 'nightly', max_retries: 7 });
      bench.decisions = [choice];
      await deploy(bench);
      assert.deepEqual(questions(bench), ['mutation: Replace the settings of job "nightly" (5)']);
      assert.match(
        bench.details[0] ?? '',
        /^Local already has a job named "nightly" \(5\), to which .*\nA deploy replaces/,
      );
      assert.equal(bench.remote.size, jobs);
    }
  });

  it('asks once for the deploy and the following run', async () => {
    const bench = onProduction(new Bench());
    await run(bench);
    assert.deepEqual(questions(bench), ['mutation: Create job "nightly" and run it']);
    bench.remote.set(jobId, { ...bench.remote.get(jobId), timeout_seconds: 99 });
    bench.trail = [];
    await run(bench);
    await run(bench);
    const question = `mutation: Replace the settings of job "nightly" (${jobId}) and run it`;
    assert.deepEqual([questions(bench), bench.started.length], [[question, question], 3]);
  });
});

function count(bench: Bench, pattern: RegExp): number {
  return bench.trail.filter((line) => pattern.test(line)).length;
}

describe('a second click', () => {
  it('on Deploy creates no second job and no second message', async () => {
    const bench = new Bench();
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    await Promise.all([deploy(), deploy(), deploy()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^mutation/), count(bench, /^info: Deployed/)], [1, 1, 1]);
    await deploy();
    assert.equal(count(bench, /^reset/), 1, 'the first is over, so that the next deploy is one of its own');
  });

  it('on Run Now of a file starts no second run', async () => {
    const bench = new Bench();
    const run = (): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, uri);
    await Promise.all([run(), run()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^run-now/)], [1, 1]);
    await run();
    assert.equal(count(bench, /^run-now/), 2);
  });

  it('on Run Now during a deploy runs the job of that deploy', async () => {
    const bench = new Bench();
    await Promise.all([
      handlers['millrace.jobFile.deploy'](bench.services, uri),
      handlers['millrace.job.runNow'](bench.services, uri),
    ]);
    assert.deepEqual(
      [count(bench, /^create/), count(bench, /^reset/), count(bench, /^run-now/), count(bench, /^info: Deployed/)],
      [1, 0, 1, 1],
    );
  });

  it('after an edit deploys the edited text next, to the same job', async () => {
    const bench = new Bench();
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    let answer: (() => void) | undefined;
    const { confirmMutation } = bench.services.connections;
    bench.services.connections.confirmMutation = async (what, connection, question) => {
      if (!answer) await new Promise<void>((resolve) => (answer = resolve));
      return confirmMutation(what, connection, question);
    };
    const first = handlers['millrace.jobFile.deploy'](bench.services, uri);
    await turn();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 7\n`);
    const second = handlers['millrace.jobFile.deploy'](bench.services, uri);
    await turn();
    assert.equal(count(bench, /^create/), 0);
    answer?.();
    await Promise.all([first, second]);
    assert.equal(count(bench, /^create/), 1);
    assert.equal(bench.remote.get('9007199254740993')?.max_retries, 7);
  });

  it('tries again after a failure, which is reported once', async () => {
    const bench = new Bench();
    const { refresh } = bench.services;
    bench.services.refresh = async () => {
      throw new Error('broken');
    };
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    const ends = await Promise.allSettled([deploy(), deploy()]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    bench.services.refresh = refresh;
    await deploy();
    assert.equal(count(bench, /^info: Deployed/), 1);
  });
});

describe('SingleFlight', () => {
  it('runs tasks of the same name one after another, even after a failure', async () => {
    const flight = new SingleFlight();
    const begun: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const take = (of: string, name: string): Promise<string> =>
      flight.inTurn(of, () => {
        begun.push(name);
        return new Promise((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve(`end of ${name}`))),
        );
      });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const first = take('a', '1');
    const second = take('a', '2');
    const other = take('b', 'other');
    assert.deepEqual(begun, ['1', 'other']);
    ends.get('1')?.();
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2']);
    // The end of the first task must not release the turn of the second.
    const third = take('a', '3');
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2']);
    ends.get('2')?.(new Error('broken'));
    await assert.rejects(second, /broken/);
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2', '3']);
    for (const end of ends.values()) end();
    assert.deepEqual(await Promise.all([first, third, other]), ['end of 1', 'end of 3', 'end of other']);
    await turn();
    void take('a', '4');
    assert.equal(begun.at(-1), '4', 'nothing is left to wait for');
  });
});
