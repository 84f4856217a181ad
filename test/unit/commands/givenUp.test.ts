import assert from 'node:assert/strict';
import type { Client } from '../../../src/api/client/client.ts';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { targetOf, type Target } from '../../../src/commands/target.ts';
import type { Connection } from '../../../src/connection/connection.ts';
import type { CommandId } from '../../../src/shared/commandIds.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, goodFile } from './commandSetup.ts';

const jobId = '5';
const settings = {
  name: 'nightly',
  spark_python_task: { python_file: '/main.py' },
  schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' },
};
const run = (more: object): Run =>
  ({
    run_id: '9',
    job_id: jobId,
    number_in_job: '1',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    task: { spark_python_task: { python_file: '/main.py' } },
    ...more,
  }) as Run;
const going = run({ state: { life_cycle_state: 'RUNNING' } });
const notebook = run({ task: { notebook_task: { notebook_path: '/n' } } });
const oneTime = run({ run_type: 'SUBMIT_RUN', job_id: '88' });

/** Each command with what it asks of the service while its progress is shown. */
const table: readonly (readonly [CommandId, Target, calls: string, setUp?: (bench: Bench) => void])[] = [
  ['millrace.job.runNow', { jobId }, 'get runNow'],
  ['millrace.job.runNow', {}, 'list runNow', (bench) => (bench.picks = ['nightly'])],
  ['millrace.job.pauseSchedule', { jobId }, 'get get update'],
  ['millrace.job.cancelAllRuns', { jobId }, 'get'],
  ['millrace.job.delete', { jobId }, 'get get delete'],
  ['millrace.job.pull', { jobId }, 'get get', (bench) => (bench.picks = [/New file/])],
  ['millrace.jobFile.deploy', { uri: 'file:///w/nightly.job.yml' }, 'list create', (bench) => bench.remote.clear()],
  [
    'millrace.jobFile.deploy',
    { uri: 'file:///w/nightly.job.yml' },
    'get get reset',
    (bench) => {
      bench.texts.set('file:///w/nightly.job.yml', `${goodFile}job_id: 5\n`);
      bench.decisions = ['Deploy Anyway'];
      bench.preview = 'never' as never;
    },
  ],
  ['millrace.jobFile.submit', { uri: 'file:///w/nightly.job.yml' }, 'submit'],
  ['millrace.run.cancel', { runId: '9' }, 'getRun cancelRun', (bench) => (bench.runs = [going])],
  ['millrace.run.repeat', { runId: '9' }, 'getRun get runNow', (bench) => (bench.runs = [run({})])],
  ['millrace.run.repeat', { runId: '9' }, 'getRun getRun submit', (bench) => (bench.runs = [oneTime])],
  ['millrace.run.delete', { runId: '9' }, 'getRun', (bench) => (bench.runs = [run({})])],
  [
    'millrace.run.export',
    { runId: '9' },
    'getRun exportRun',
    (bench) => {
      bench.runs = [notebook];
      bench.picks = ['Code'];
    },
  ],
  ['millrace.run.askChat', { runId: '9' }, 'getRun getRunOutput get', (bench) => (bench.runs = [run({})])],
  ['millrace.job.attachToChat', { jobId }, 'get get'],
];

describe('what a command waits for', () => {
  holdTrail(import.meta.url);
  for (const [id, target, expected, setUp] of table)
    it(`can be given up with its progress: ${id}, ${expected}`, async () => {
      const bench = new Bench();
      bench.remote.set(jobId, settings as never);
      setUp?.(bench);
      const calls: string[] = [];
      let given: AbortSignal | undefined;
      bench.services.ui.progress = async (_title, task) => {
        given = new AbortController().signal;
        try {
          return await task(given);
        } finally {
          given = undefined;
        }
      };
      const watched = (client: Client): Client =>
        ({
          ...client,
          jobs: Object.fromEntries(
            Object.entries(client.jobs).map(([name, call]) => [
              name,
              (...args: unknown[]) => {
                const options = args.at(-1) as { signal?: AbortSignal } | undefined;
                if (given) calls.push(options?.signal === given ? name : `${name} without the signal`);
                return (call as (...all: unknown[]) => unknown)(...args);
              },
            ]),
          ),
        }) as never;
      const { connect, connectTo } = bench.services.connections;
      const all = (found: Connection): Connection => ({ ...found, client: watched(found.client) });
      bench.services.connections.connect = async (...how) => all(await connect(...how));
      bench.services.connections.connectTo = async (...how) => {
        const found = await connectTo(...how);
        return found && all(found);
      };
      await handlers[id](bench.services, target);
      assert.equal(calls.join(' '), expected, bench.trail.join('\n'));
    });
});

describe('what is handed to a command', () => {
  it('is read for what it is, and nothing of another kind', () => {
    const nothing = { jobId: undefined, runId: undefined, uri: undefined, profileId: undefined };
    for (const odd of [null, 7, true, undefined]) assert.deepEqual(targetOf(odd), {});
    assert.deepEqual(targetOf({ jobId: 3, runId: 4, profileId: 5, uri: null }), nothing);
    assert.deepEqual(targetOf({ runId: '4', profileId: 'local', uri: { toString: () => 'file:///a' } }), {
      ...nothing,
      runId: '4',
      profileId: 'local',
      uri: 'file:///a',
    });
    const rows = [{ jobId: '1' }, { node: { jobId: '1', runId: '2' } }];
    assert.deepEqual(targetOf(rows[0], rows).all, [
      { ...nothing, jobId: '1' },
      { jobId: '1', runId: '2', profileId: undefined },
    ]);
    assert.equal(targetOf(rows[0], rows.slice(0, 1)).all, undefined);
    assert.equal(targetOf(rows[0], 'ab').all, undefined);
  });
});
