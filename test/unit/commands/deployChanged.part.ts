import assert from 'node:assert/strict';
import type { JobsClient } from '../../../src/api/client/client.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, goodFile } from './commandSetup.ts';
import { alerted, deployedThen } from './deployedThen.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };
const jobId = '9007199254740993';
const deploy = (bench: Bench): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);

/** Changes what the jobs of each connection do from now on; `reset` is as it was. */
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
  holdTrail(import.meta.url);
  it('asks first, and says in words what it would undo', async () => {
    const bench = await deployedThen(alerted);
    await deploy(bench);
    assert.deepEqual(bench.trail, [
      `decide: Job "nightly" (${jobId}) on Local was changed since nightly.job.yml was last deployed from here.`,
    ]);
    assert.deepEqual(bench.asked, [
      'A deploy replaces all settings of the job. It would undo this:\n• timeout_seconds: 99 goes back to the default (no time-out)\n• ' +
        'email_notifications: {"on_failure":["ops@example.com"]} is removed',
    ]);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('overwrites when it is told to, once', async () => {
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

  it('shows both beside each other instead, in the order of the file', async () => {
    const bench = await deployedThen(({ name, ...settings }) => ({ ...settings, max_retries: 2, name }));
    bench.texts.set(
      uri.uri,
      'existing_cluster_id: local\nname: nightly\nspark_python_task:\n  parameters: [--day, today]\n  python_file: /main.py\n',
    );
    bench.decisions = ['Compare'];
    await deploy(bench);
    assert.equal(
      bench.trail[1],
      'compare: existing_cluster_id: local\nname: nightly\nspark_python_task:\n  parameters:\n    - --day\n' +
        '    - today\n  python_file: /main.py\nmax_retries: 2\n',
    );
    assert.equal(bench.trail.length, 2);
  });

  it('takes what others changed into the file, which then says the same, and deploys nothing', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri.uri, `# ours\n${goodFile}max_retries: 4\n`);
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

  it('merges what others changed with what the file changed, and shows both', async () => {
    const bench = await deployedThen(alerted);
    bench.texts.set(uri.uri, `${goodFile}max_retries: 4 # ours\n`);
    bench.decisions = ['Merge into the File'];
    await deploy(bench);
    assert.match(bench.texts.get(uri.uri) ?? '', /max_retries: 4 # ours\n(?:.*\n)*timeout_seconds: 99/);
    assert.deepEqual(
      bench.trail.slice(1).map((line) => line.split(':')[0]),
      ['replaced text', 'compare', 'info'],
    );
    // What the service has stands in the order of the file, as that is now.
    assert.match(bench.trail[2] ?? '', /\nexisting_cluster_id: local\n(?:max_retries: \d+\n)?timeout_seconds: 99\n/);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.remote.get(jobId)?.timeout_seconds], [1, 99]);
    assert.equal(bench.remote.get(jobId)?.max_retries, 4);
  });

  it('does not wait for a message to be closed before the next deploy of the file', async () => {
    const bench = await deployedThen(alerted);
    bench.services.ui.info = () => new Promise(() => undefined);
    bench.decisions = ['Take Theirs into File'];
    await deploy(bench);
    await deploy(bench);
    assert.equal(bench.remote.get(jobId)?.timeout_seconds, 99);
  });

  it('offers no merge where the last deploy is not known', async () => {
    const bench = await deployedThen(alerted);
    bench.deployed.clear();
    bench.decisions = ['Merge into the File'];
    await deploy(bench);
    assert.equal(bench.texts.get(uri.uri), goodFile);
  });

  it('holds for Run Now as well, which then runs nothing', async () => {
    const bench = await deployedThen(alerted);
    await handlers['millrace.job.runNow'](bench.services, uri);
    assert.deepEqual([bench.started, bench.asked.length, bench.remote.get(jobId)?.timeout_seconds], [[], 1, 99]);
  });

  it('asks nothing where order, spelling and defaults differ, or where the file says the same by now', async () => {
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

  it('asks nothing about what the file alone changed', async () => {
    const bench = await deployedThen((settings) => settings);
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    await deploy(bench);
    assert.deepEqual(
      [bench.asked, bench.remote.get(jobId)?.spark_python_task?.parameters],
      [[], ['--day', 'tomorrow']],
    );
  });

  it('names what both changed, and what was taken away there', async () => {
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
      /undo this:\n• spark_python_task\.parameters\[1\]: "yesterday" becomes "tomorrow"\n• max_retries: 1 is added$/,
    );
  });

  it('looks again when the question is answered: what changed meanwhile is asked about', async () => {
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
    assert.match(bench.asked[1] ?? '', /max_retries: 7 goes back to the default/);
  });

  it('says that nothing was deployed where the job is deleted while the question waits', async () => {
    const bench = await deployedThen(alerted);
    bench.decisions = ['Deploy Anyway'];
    bench.meanwhile = () => void bench.remote.delete(jobId);
    await assert.rejects(deploy(bench), {
      kind: 'notFound',
      message: `nightly.job.yml was not deployed: job ${jobId} was deleted from Local meanwhile.`,
    });
    assert.equal(bench.remote.size, 0);
  });

  it('notices a change in the moment after the write at the next deploy', async () => {
    const bench = new Bench();
    await deploy(bench);
    changeJobs(bench, (jobs, reset) => {
      jobs.reset = async (...args) => {
        await reset(...args);
        bench.remote.set(jobId, { ...bench.remote.get(jobId), timeout_seconds: 99 });
      };
    });
    await deploy(bench);
    await deploy(bench);
    assert.deepEqual(
      bench.asked.map((text) => text.split('\n')[1]),
      ['• timeout_seconds: 99 goes back to the default (no time-out)'],
    );
  });

  it('is done, though the job cannot be read after it', async () => {
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

  it('takes what a service adds by itself for no change', async () => {
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
  holdTrail(import.meta.url, '-2');
  it('asks where the file names the job and says something else', async () => {
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
      'decide: Job "nightly" (5) on Local has other settings than nightly.job.yml, and no deploy of this file from here made them.',
    ]);
    assert.match(
      bench.asked[0] ?? '',
      /\n• spark_python_task\.parameters: \["--day","today"\] is added\n• max_retries: 2 goes back to the default \(never\)$/,
    );
  });

  it('asks nothing where both say the same', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 5\n${goodFile}`);
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'nightly',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.trail[1]], [[], 'reset 5']);
  });

  it('keeps long lists and values short', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 5\n${goodFile}tags: {field0: z}\n`);
    const odd = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`field${index}`, `x\n${'y'.repeat(500)}`]),
    );
    bench.remote.set('5', {
      name: 'nightly',
      existing_cluster_id: 'local',
      spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
      tags: odd,
    });
    await deploy(bench);
    const lines = bench.asked[0]?.split('\n') ?? [];
    assert.deepEqual(
      [lines.length, lines.at(-1), Math.max(...lines.map((line) => line.length)) < 200],
      [12, '• and 20 more', true],
    );
  });
});

describe('the question before a mutation', () => {
  holdTrail(import.meta.url, '-3');
  it('says what a deploy changes', async () => {
    const bench = await deployedThen((settings) => settings);
    bench.texts.set(uri.uri, `${goodFile.replace('today', 'tomorrow')}max_retries: 2\n`);
    await deploy(bench);
    await deploy(bench);
    assert.deepEqual(bench.details.slice(1), [
      'Changes:\n• spark_python_task.parameters[1]: "today" becomes "tomorrow"\n• max_retries: 2 is added',
      'The job already has these settings.',
    ]);
  });

  it('comes first on a profile that refuses changes', async () => {
    const bench = await deployedThen(alerted);
    bench.profile = { ...bench.profile, readOnly: true };
    bench.mutationDeclined = true;
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.remote.get(jobId)?.timeout_seconds], [[], 99]);
  });
});

describe('the preview of a deploy', () => {
  holdTrail(import.meta.url, '-4');
  const changed = async (): Promise<Bench> => {
    const bench = await deployedThen((settings) => settings);
    bench.preview = 'always';
    bench.texts.set(uri.uri, goodFile.replace('today', 'tomorrow'));
    return bench;
  };

  it('says what changes, and deploys at one click', async () => {
    const bench = await changed();
    bench.decisions = ['Deploy'];
    await deploy(bench);
    assert.equal(bench.trail[0], `decide: Deploy nightly.job.yml to job "nightly" (${jobId}) on Local?`);
    assert.deepEqual(bench.asked, [
      'Nobody else changed the job since the last deploy from here. Changes:\n' +
        '• spark_python_task.parameters[1]: "today" becomes "tomorrow"',
    ]);
    assert.deepEqual(bench.remote.get(jobId)?.spark_python_task?.parameters, ['--day', 'tomorrow']);
    assert.ok(!bench.trail.some((line) => line.startsWith('compare')));
  });

  it('deploys nothing where it is given up, or compared', async () => {
    const bench = await changed();
    bench.decisions = ['Compare'];
    await deploy(bench);
    assert.match(bench.trail[1] ?? '', /^compare: /);
    await deploy(bench);
    assert.deepEqual([bench.asked.length, bench.trail.some((line) => line.startsWith('reset'))], [2, false]);
  });

  it('is not asked on the way to a run, where nothing changes, or where the profile asks by itself', async () => {
    const bench = await changed();
    await handlers['millrace.job.runNow'](bench.services, uri);
    await deploy(bench);
    bench.texts.set(uri.uri, goodFile);
    bench.profile = { ...bench.profile, production: true };
    await deploy(bench);
    assert.deepEqual([bench.asked, bench.started.length], [[], 1]);
  });
});
