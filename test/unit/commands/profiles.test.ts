import assert from 'node:assert/strict';
import { connectFor, refreshAfter, storeOf } from '../../../src/commands/connectFor.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf } from '../../../src/commands/target.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import type { CommandId } from '../../../src/shared/commandIds.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns the lines of a trail that change something at a service. */
function changes(bench: Bench): string[] {
  return bench.trail.filter((line) => /^(staging: )?(create|reset|run-now|cancel|delete) /.test(line));
}

describe('an offer below a message', () => {
  for (const wasFile of [true, false]) {
    it(`runs nothing on a profile other than the deployed one${wasFile ? '' : ', even if that one no longer exists'}`, async () => {
      const bench = new Bench();
      let click: (() => void) | undefined;
      bench.answer = (action) => new Promise((resolve) => (click = () => resolve(action)));
      await handlers['millrace.jobFile.deploy'](bench.services, uri);
      bench.profile = staging;
      if (!wasFile)
        bench.services.connections = { ...bench.services.connections, current: staging, profiles: [staging] };
      bench.trail = [];
      click?.();
      await turn();
      assert.deepEqual(bench.trail, [
        wasFile
          ? 'warn: Job 9007199254740993 belongs to the profile "Local"; the current one is "Staging". Nothing ' +
            'was done. Choose the profile "Local" first (Millrace: Choose Profile…), then try again in its ' +
            'Jobs view.'
          : 'warn: Job 9007199254740993 belongs to a profile that no longer exists; the current one is ' +
            '"Staging". Nothing was done. Choose an item in the Jobs view of "Staging".',
      ]);
    });
  }

  it('runs the deployed job when the profile is the same', async () => {
    const bench = new Bench();
    bench.answer = async (action) => (action === 'Run Now' ? action : undefined);
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    await turn();
    assert.deepEqual(changes(bench), ['create 9007199254740993', 'run-now 9007199254740993']);
  });
});

describe('a profile chosen while a command asks', () => {
  function switching(): Bench {
    const bench = new Bench();
    bench.remote.set('5', { name: 'of both' });
    bench.runs = [
      {
        run_id: '9',
        run_name: 'r',
        run_type: 'SUBMIT_RUN',
        state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
      },
    ];
    bench.meanwhile = () => (bench.profile = staging);
    return bench;
  }

  it('does not run the chosen job', async () => {
    for (const [choice, started] of [
      ['of both', 'run-now 5'],
      ['nightly.job.yml', 'run-now 9007199254740993'],
    ] as const) {
      const bench = switching();
      bench.picks = [choice];
      await handlers['millrace.job.runNow'](bench.services, {});
      assert.equal(changes(bench).at(-1), started);
      assert.ok(!bench.trail.some((line) => line.startsWith('staging')), bench.trail.join('\n'));
      assert.ok(
        bench.trail.some((line) => line.startsWith('watch local 77')) && !bench.trail.includes('refresh'),
        bench.trail.join('\n'),
      );
    }
  });

  it('keeps its own jobs and runs of the same ids in the view', async () => {
    const bench = switching();
    bench.store.setJobs([{ job_id: '5', settings: { name: 'of staging' } }], 1);
    bench.store.mergeRuns(bench.runs, 1);
    await handlers['millrace.run.delete'](bench.services, { runId: '9' });
    bench.profile = localProfile;
    await handlers['millrace.job.delete'](bench.services, { jobId: '5' });
    assert.deepEqual(changes(bench), ['delete run 9', 'delete 5']);
    assert.ok(bench.store.run('9') && bench.store.job('5'));
    assert.ok(!bench.trail.includes('refresh'));
  });
});

describe('a row of another profile', () => {
  const row = targetOf({ id: 'x', node: { jobId: '5', runId: '9', profileId: 'local' } });
  const commands: CommandId[] = [
    'millrace.job.runNow',
    'millrace.job.runNowWithParameters',
    'millrace.job.openAsFile',
    'millrace.job.cancelAllRuns',
    'millrace.job.delete',
    'millrace.run.cancel',
    'millrace.openJob',
    'millrace.openRun',
    'millrace.run.compare',
    'millrace.run.showOutput',
    'millrace.run.openPage',
    'millrace.run.export',
    'millrace.run.delete',
    'millrace.run.repeat',
    'millrace.run.askChat',
    'millrace.run.attachToChat',
    'millrace.run.attachLine',
    'millrace.job.attachToChat',
    'millrace.jobs.loadMore',
  ];
  for (const command of commands) {
    it(`is refused by ${command}`, async () => {
      const bench = new Bench();
      bench.remote.set('5', { name: 'of both' });
      bench.runs = [{ run_id: '9', job_id: '5', run_type: 'JOB_RUN' }];
      bench.profile = staging;
      bench.services.connections.connect = () => assert.fail('no service is started for it');
      await assert.rejects(
        async () => handlers[command](bench.services, row),
        /^AppError: Run 9 belongs to the profile "Local"; the current one is "Staging"\. Nothing was done\.$/,
      );
      assert.deepEqual(bench.trail, []);
    });
  }

  it('is refused as well when the profile is switched while the connection is made', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'of both' });
    const { connect } = bench.services.connections;
    bench.services.connections.connect = () => {
      bench.profile = staging;
      return connect();
    };
    await assert.rejects(handlers['millrace.job.runNow'](bench.services, row), /belongs to the profile "Local"/);
    assert.deepEqual(bench.trail, []);
  });
});

describe('a file that names its job', () => {
  it('asks before it replaces a job of another name', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'of somebody else' });
    bench.texts.set(uri.uri, `job_id: 5\n${goodFile}`);
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'decide: Job "of somebody else" (5) on Local has other settings than nightly.job.yml, and they do not come from a deploy of this file from here.',
    ]);
    assert.match(bench.asked[0] ?? '', /• name: "of somebody else" becomes "nightly"/);
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.decisions = ['Deploy Anyway'];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(changes(bench), ['reset 5']);
  });
});

describe('the connection of a command', () => {
  /** Creates services whose connection always belongs to the profile `made`. */
  const connectingTo = (made: Profile) => {
    const bench = new Bench();
    let connects = 0;
    const { connections } = bench.services;
    const connect = connections.connect.bind(connections);
    const services = {
      ...bench.services,
      connections: Object.create(connections, {
        current: { get: () => bench.profile },
        connect: {
          value: async () => {
            connects += 1;
            return { ...(await connect()), profile: made };
          },
        },
      }) as typeof connections,
    };
    return { bench, services, connects: () => connects };
  };

  it('is not made for a row of another profile', async () => {
    const { bench, services, connects } = connectingTo(localProfile);
    bench.profile = staging;
    await assert.rejects(connectFor(services, { runId: '7', profileId: localProfile.id }), {
      kind: 'invalid',
      message: `Run 7 belongs to the profile "${localProfile.name}"; the current one is "Staging". Nothing was done.`,
    });
    await assert.rejects(connectFor(services, { runId: '7', jobId: '5', profileId: localProfile.id }), /^[^]*Run 7 /);
    await assert.rejects(connectFor(services, { profileId: 'gone' }), {
      message: 'This row belongs to a profile that no longer exists; the current one is "Staging". Nothing was done.',
      remedy: 'Choose an item in the Jobs view of "Staging".',
    });
    assert.equal(connects(), 0);
  });

  it('is not used if the profile changed while it was made', async () => {
    const { services, connects } = connectingTo(staging);
    await assert.rejects(connectFor(services, { jobId: '5', profileId: localProfile.id }), {
      kind: 'invalid',
      message: `Job 5 belongs to the profile "${localProfile.name}"; the current one is "Staging". Nothing was done.`,
    });
    assert.equal(connects(), 1);
  });

  it('updates the view only for its own profile', async () => {
    const { bench, services } = connectingTo(localProfile);
    const connection = await connectFor(services, {});
    assert.equal(storeOf(services, connection), services.runs);
    await refreshAfter(services, connection);
    assert.deepEqual(bench.trail, ['refresh']);
    bench.profile = staging;
    assert.equal(storeOf(services, connection), undefined);
    await refreshAfter(services, connection);
    assert.deepEqual(bench.trail, ['refresh']);
  });
});
