import assert from 'node:assert/strict';
import type { Client } from '../../../../src/api/client/client.ts';
import type { RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import {
  localProfile,
  type Connection,
  type ConnectionService,
  type Profile,
} from '../../../../src/connection/connection.ts';
import { RunTexts, type RunText } from '../../../../src/runs/page/runTexts.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Emitter } from '../../../../src/shared/event.ts';

const staging: Profile = { ...localProfile, id: 'Staging-1', name: 'Staging', kind: 'remote' };

class Bench {
  profile: Profile = localProfile;
  profiles = [localProfile, staging];
  used = true;
  output: (runId: string) => RunOutput = (runId) => ({
    metadata: { run_id: runId, job_id: '5', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } },
    logs: `of ${runId}`,
  });
  firstPiece = (): { versions?: string } => ({});
  firstPieces = 0;
  /** With what it was asked. */
  requests: unknown[][] = [];
  connects: string[] = [];
  store = new RunStore();
  readonly texts: RunTexts;

  constructor() {
    const connection = (how: string): Connection => {
      this.connects.push(`${how} ${this.profile.name}`);
      return {
        profile: this.profile,
        client: {
          jobs: {
            getRunOutput: async (...request: [string, object]) => {
              this.requests.push(['output', ...request]);
              return this.output(request[0]);
            },
            getRun: async (...request: [string, object]) => {
              this.requests.push(['run', ...request]);
              return { run_id: request[0], state: { life_cycle_state: 'RUNNING' } };
            },
          },
          localService: {
            runOutput: async (...request: unknown[]) => {
              this.requests.push(['piece', ...request]);
              this.firstPieces += 1;
              return this.firstPiece();
            },
          },
        } as unknown as Client,
      };
    };
    const current = (): Profile => this.profile;
    const profiles = (): Profile[] => this.profiles;
    const connections: ConnectionService = {
      get current() {
        return current();
      },
      get profiles() {
        return profiles();
      },
      onDidChange: new Emitter<Profile>().event,
      isKnownEmpty: false,
      connect: async () => connection('connect'),
      connectIfUsed: async (options) => (this.used ? connection(options?.byUser ? 'look by user' : 'look') : undefined),
      connectTo: async () => undefined,
      confirmMutation: async () => true,
    };
    this.texts = new RunTexts(connections, this.store);
  }

  read(profileId = 'local', byUser = false): Promise<RunText> {
    return this.texts.read({ profileId, runId: '9' }, byUser);
  }
}

describe('texts of runs', () => {
  it('keep what was read while another profile is chosen, start nothing for it, and are read again after', async () => {
    const bench = new Bench();
    assert.match((await bench.read()).text, /of 9/);
    bench.profile = staging;
    const { text, follow } = await bench.read();
    assert.ok(
      text.startsWith(
        'This run belongs to the profile "Local"; the current one is "Staging", so its output is not read now. ' +
          'Choose "Local", and it is read again.\n\nThis is what was read before:\n\n',
      ),
      text,
    );
    assert.match(text, /of 9/);
    assert.equal(follow, false);
    assert.deepEqual(bench.connects, ['look Local']);
    bench.profile = localProfile;
    const again = await bench.read();
    assert.doesNotMatch(again.text, /belongs/);
    assert.equal(again.follow, true);
  });

  it('are not read from a profile that is chosen while the connection is made', async () => {
    const bench = new Bench();
    bench.output = () => {
      throw new Error('the other profile was asked');
    };
    let looks = 0;
    Object.defineProperty(bench, 'profile', { get: () => (looks++ === 0 ? localProfile : staging) });
    assert.match((await bench.read()).text, /^This run belongs to the profile "Local"/);
  });

  it('say that their profile is gone', async () => {
    const bench = new Bench();
    bench.profiles = [localProfile];
    assert.match((await bench.read('staging-1')).text, /^This run belongs to a profile that is no longer there/);
  });

  it('are read for profiles with capital letters in their ids', async () => {
    const bench = new Bench();
    bench.profile = staging;
    assert.match((await bench.read('staging-1')).text, /of 9/);
  });

  it('name the versions that a local run has, asked for once they are known, and do without them', async () => {
    const bench = new Bench();
    const { output } = bench;
    bench.output = (runId) => ({ logs: '', metadata: { run_id: runId, state: { life_cycle_state: 'PENDING' } } });
    assert.equal((await bench.read()).text.includes('Python'), false);
    bench.output = output;
    bench.firstPiece = () => ({ versions: 'Python 3.11.2, pandas 2.2.1' });
    assert.match((await bench.read()).text, /\nPython 3\.11\.2, pandas 2\.2\.1\n\n[^]*of 9/);
    assert.match((await bench.read()).text, /\nPython 3/);
    assert.equal(bench.firstPieces, 2);
    bench.profile = staging;
    assert.doesNotMatch((await bench.read('staging-1')).text, /Python/);
    assert.equal(bench.firstPieces, 2);
    bench.profile = localProfile;
    bench.texts.forget({ profileId: 'local', runId: '9' });
    bench.firstPiece = () => {
      throw new AppError('notFound', 'There is no such route.');
    };
    assert.match((await bench.read()).text, /of 9/);
  });

  it('are not asked again for versions that a run goes on without', async () => {
    const bench = new Bench();
    for (let read = 0; read < 3; read += 1) assert.match((await bench.read()).text, /of 9/);
    assert.equal(bench.firstPieces, 1);
  });

  it('start a service only where the user asks, and none that was never used', async () => {
    const bench = new Bench();
    assert.match((await bench.read()).text, /of 9/);
    assert.match((await bench.read('local', true)).text, /of 9/);
    assert.deepEqual(bench.connects, ['look Local', 'look by user Local']);
    bench.used = false;
    const { text, follow } = await bench.read('local', true);
    assert.match(text, /The local service keeps nothing, so there is no run 9\. Start the run again\./);
    assert.equal(follow, false);
  });

  it('keep what was read below a failure, and look again where it may pass', async () => {
    const bench = new Bench();
    await bench.read();
    for (const [kind, follow] of [
      ['network', true],
      // The run is there and goes on, whatever is said of its output.
      ['rejected', true],
    ] as const) {
      bench.output = () => {
        throw new AppError(kind, 'It failed.');
      };
      const result = await bench.read();
      assert.match(
        result.text,
        /(^|Running[^]*)The output of run 9 could not be read\.\nIt failed\.\n\nThis is what was read before:\n[^]*of 9/,
      );
      assert.equal(result.follow, follow);
    }
    bench.texts.forget({ profileId: 'local', runId: '9' });
    assert.doesNotMatch((await bench.read()).text, /of 9/);
  });

  it('follow a run until its end, and name its job', async () => {
    const bench = new Bench();
    bench.store.setJobs([{ job_id: '5', settings: { name: 'nightly' } }], 1);
    bench.output = (runId) => ({
      metadata: {
        run_id: runId,
        job_id: '5',
        run_type: 'JOB_RUN',
        number_in_job: '3',
        state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
      },
    });
    const { text, follow } = await bench.read();
    assert.match(text, /^nightly /);
    assert.equal(follow, false);
  });

  it('are asked for once each', async () => {
    const bench = new Bench();
    bench.output = () => ({ logs: 'x' });
    await bench.texts.read({ profileId: 'local', runId: '9' }, false);
    const options = { retry: 'fail' };
    assert.deepEqual(bench.requests, [
      ['output', '9', options],
      ['run', '9', options],
      ['piece', { runId: '9', offset: 0, wait: false }, options],
    ]);
  });

  it('are named by their job where that is known, and by themselves else', async () => {
    const titleOf = async (run: object, isShown = true): Promise<string | undefined> => {
      const bench = new Bench();
      bench.store.setJobs([{ job_id: '5', settings: { name: 'etl' } }], 1);
      const state = { life_cycle_state: 'RUNNING' };
      bench.output = () => {
        // The profile is left while the answer is on its way.
        if (!isShown) bench.profile = staging;
        return { metadata: { run_id: '9', state, ...run } };
      };
      return (await bench.read()).text.split(' — ')[0];
    };
    const ofJob = { job_id: '5', run_type: 'JOB_RUN', number_in_job: '3' };
    assert.equal(await titleOf(ofJob), 'etl #3');
    assert.equal(await titleOf(ofJob, false), '#3');
    assert.equal(await titleOf({ ...ofJob, job_id: '6' }), '#3');
    assert.equal(await titleOf({ ...ofJob, job_id: undefined }), '#3');
    assert.equal(await titleOf({ ...ofJob, run_type: 'SUBMIT_RUN', run_name: 'once' }), 'once');
  });

  it('say why there is none, with nothing below where nothing was read before', async () => {
    const bench = new Bench();
    bench.output = () => {
      throw new AppError('network', 'No answer.');
    };
    const { text, follow } = await bench.read();
    assert.deepEqual([text, follow], ['The output of run 9 could not be read.\nNo answer.\n', true]);
  });
});
