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
  /** The arguments of each request. */
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

describe('run texts', () => {
  it('keep the last known text while another profile is current, and are read again afterwards', async () => {
    const bench = new Bench();
    assert.match((await bench.read()).text, /of 9/);
    bench.profile = staging;
    const { text, follow } = await bench.read();
    assert.ok(
      text.startsWith(
        'This run belongs to the profile "Local", but the current one is "Staging", so its output is not read. ' +
          'Choose "Local" to read it.\n\nThis is the last known text:\n\n',
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

  it('start the local service only on request, and never one without data', async () => {
    const bench = new Bench();
    assert.match((await bench.read()).text, /of 9/);
    assert.match((await bench.read('local', true)).text, /of 9/);
    assert.deepEqual(bench.connects, ['look Local', 'look by user Local']);
    bench.used = false;
    const { text, follow } = await bench.read('local', true);
    assert.match(text, /The local service has no data, so there is no run 9\. Start the run again\./);
    assert.equal(follow, false);
  });

  it('keep the last known text below a failure and retry while the run is active', async () => {
    const bench = new Bench();
    await bench.read();
    for (const [kind, follow] of [
      ['network', true],
      // The run is active, regardless of the failure to read its output.
      ['rejected', true],
    ] as const) {
      bench.output = () => {
        throw new AppError(kind, 'It failed.');
      };
      const result = await bench.read();
      assert.match(result.text, /The output of run 9 could not be read\.\nIt failed\.\n\n[^]*of 9/);
      assert.equal(result.follow, follow);
    }
    bench.texts.forget({ profileId: 'local', runId: '9' });
    assert.doesNotMatch((await bench.read()).text, /of 9/);
  });

  it("follow a run to its end and start with the job's name", async () => {
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
});
