import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };
const failed = {
  run_id: '5',
  job_id: '9007199254740993',
  run_type: 'JOB_RUN',
  number_in_job: '3',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  overriding_parameters: { python_params: ['x'] },
} as unknown as Run;

describe('debugging', () => {
  holdTrail(import.meta.url);
  holdApproved('debugJob');

  it('a job file deploys it first, and starts a session of its job', async () => {
    const bench = new Bench();
    await handlers['millrace.job.debug'](bench.services, uri);
    assert.deepEqual(bench.trail.slice(0, 2), ['mutation: Create job "nightly"', 'create 9007199254740993']);
    assert.ok(bench.trail.includes('mutation: Debug job "nightly" (9007199254740993)'));
    assert.deepEqual(bench.debugged, [
      { name: 'Debug nightly on Local', jobId: '9007199254740993', parameters: {}, haltAtFailure: false },
    ]);
  });

  it('a job of the tree deploys nothing', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    await handlers['millrace.job.debug'](bench.services, { jobId: '5', profileId: 'local' });
    assert.deepEqual(bench.trail, ['mutation: Debug job "nightly" (5)']);
    assert.equal(bench.debugged[0]?.jobId, '5');
  });

  it('starts nothing where a question is answered with no, or the file has problems', async () => {
    const bench = new Bench();
    bench.mutationDeclined = true;
    bench.remote.set('5', { name: 'nightly' });
    await handlers['millrace.job.debug'](bench.services, { jobId: '5' });
    bench.mutationDeclined = false;
    bench.texts.set(uri.uri, `${goodFile}max_retires: 1\nmax_concurrent_runs: 5000\n`);
    await handlers['millrace.job.debug'](bench.services, uri);
    assert.deepEqual(bench.debugged, []);
  });

  it('is refused on another profile, before anything is deployed', async () => {
    const bench = new Bench();
    bench.profile = staging;
    await assert.rejects(
      handlers['millrace.job.debug'](bench.services, uri),
      /the current profile is "Staging"\. Nothing was deployed or started/,
    );
    await assert.rejects(handlers['millrace.run.debugFailure'](bench.services, {}), /debugged on the local service/);
    assert.deepEqual([bench.trail, bench.debugged], [[], []]);
  });

  it('a failure runs its job again with the same parameters, and halts where it fails', async () => {
    const bench = new Bench();
    bench.runs = [
      failed,
      { ...failed, run_id: '6', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } },
      // Its file was missing: there is nothing to halt in.
      { ...failed, run_id: '7', number_in_job: '4', execution_duration: 0 },
    ];
    bench.picks = [/#4/];
    await assert.rejects(handlers['millrace.run.debugFailure'](bench.services, {}));
    bench.picks = [/#3/];
    await handlers['millrace.run.debugFailure'](bench.services, {});
    assert.equal(bench.debugged.length, 1);
    const { name, ...launch } = bench.debugged[0]!;
    assert.match(name, /^Debug the failure of .*#3/);
    assert.deepEqual(launch, {
      jobId: '9007199254740993',
      parameters: { python_params: ['x'] },
      haltAtFailure: true,
    });
  });

  it('a failure of a one-time run runs a copy of it, as it was submitted', async () => {
    const bench = new Bench();
    const task = { spark_python_task: { python_file: '/a.py', parameters: ['x'] } };
    const cluster = { existing_cluster_id: 'local', libraries: [{ pypi: { package: 'six==1.16.0' } }] };
    bench.runs = [{ ...failed, run_type: 'SUBMIT_RUN', run_name: 'once', task, cluster_spec: cluster }] as never;
    await handlers['millrace.run.debugFailure'](bench.services, { runId: '5', profileId: 'local' });
    assert.deepEqual(bench.debugged, [
      {
        name: 'Debug the failure of once',
        submit: { ...cluster, ...task, run_name: 'once' },
        haltAtFailure: true,
      },
    ]);
  });
});
