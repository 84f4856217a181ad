import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { groupAttempts } from '../../../../src/runs/attempts.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import type { TreeNode } from '../../../../src/runs/tree/treeRows.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { now, ended, build, childrenOf } from './builtTree.ts';
import './treeModelLists.part.ts';

describe('TreeModel', () => {
  it('keeps every digit of an INT64 id, in ids and in details', () => {
    const { store, model } = build();
    store.setJobs(
      [{ job_id: '9007199254740993', settings: { name: 'big', notebook_task: { notebook_path: '/n' } } }],
      now,
    );
    store.setRunsOf(
      '9007199254740993',
      [
        {
          run_id: '9007199254740995',
          job_id: '9007199254740993',
          number_in_job: '1',
          run_type: 'JOB_RUN',
          state: ended,
        },
      ],
      false,
      now,
    );
    const [job] = model.roots();
    assert.equal(job?.id, 'local/job/9007199254740993');
    assert.ok(job);
    assert.deepEqual(model.details(job)[0], ['Job', '9007199254740993']);
    const [run] = childrenOf(model, job);
    assert.equal(run?.id, 'local/job/9007199254740993/run/9007199254740995');
    assert.ok(run);
    assert.deepEqual(model.details(run)[0], ['Run', '9007199254740995']);
  });

  it('shows a job as running while a run goes on, also where a later one was skipped', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.mergeRuns(
      [
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          start_time: now - 63_000,
          state: { life_cycle_state: 'RUNNING' },
        },
        {
          run_id: '6',
          job_id: '1',
          run_type: 'JOB_RUN',
          start_time: now - 1000,
          state: { life_cycle_state: 'SKIPPED' },
        },
      ],
      now,
    );
    assert.equal(model.roots()[0]?.description, 'Running · 1 min 3 s · newer run skipped');
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    store.mergeRuns([{ ...store.run('5')!, end_time: now - 60_000, state: failed }], now);
    const [job] = model.roots();
    assert.deepEqual(
      [job?.description, job?.icon?.id],
      ['Failed 1 min ago · 3 s · newer run skipped', 'error'],
      'a run that was skipped says nothing of how the job goes',
    );
    assert.match(job?.accessibleLabel ?? '', /last run Failed 1 min ago · 3 s · newer run skipped$/);
  });

  it('sorts jobs by name, names the nameless and separates one-time runs', () => {
    const { store, model } = build();
    store.setJobs(
      [
        { job_id: '2', settings: { name: 'zeta' } },
        { job_id: '3', settings: {} },
        { job_id: '1', settings: { name: 'alpha' } },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '5', run_name: 'ad hoc', run_type: 'SUBMIT_RUN', state: ended }], now);
    assert.deepEqual(
      model.roots().map((node) => node.label),
      ['alpha', 'Untitled', 'zeta', 'One-time runs'],
    );
    const group = (): TreeNode | undefined => model.roots()[3];
    assert.deepEqual(
      [model.children(group() as TreeNode), group()?.description],
      ['notLoaded', undefined],
      'there may be older ones',
    );
    store.setOneTimeRuns([{ run_id: '5', run_name: 'ad hoc', run_type: 'SUBMIT_RUN', state: ended }], true, now);
    assert.equal(group()?.description, '1+');
    assert.deepEqual(
      childrenOf(model, group()).map((node) => [node.label, node.description]),
      [
        ['ad hoc', 'Succeeded'],
        ['Load older runs…', undefined],
      ],
    );
  });

  it('shows an unknown state in its own words with its own icon', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '5',
          job_id: '1',
          number_in_job: '1',
          run_type: 'JOB_RUN',
          state: { life_cycle_state: 'HIBERNATING' },
        },
      ],
      false,
      now,
    );
    const [run] = childrenOf(model, model.roots()[0]);
    assert.equal(run?.description, 'HIBERNATING');
    assert.equal(run?.icon?.id, 'question');
    assert.equal(run?.accessibleLabel, 'Run #1, HIBERNATING');
  });

  it('groups the attempts of a run under the newest', () => {
    const attempt = (id: string, number: number): Run => ({
      run_id: id,
      job_id: '1',
      original_attempt_run_id: '10',
      attempt_number: number,
      run_type: 'JOB_RUN',
      number_in_job: '1',
      state: ended,
    });
    assert.deepEqual(
      groupAttempts([attempt('12', 2), attempt('11', 1), attempt('10', 0)]).map((group) =>
        group.map((run) => run.run_id),
      ),
      [['12', '11', '10']],
    );
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf('1', [attempt('12', 2), attempt('11', 1), attempt('10', 0)], true, now);
    const [newest, more] = childrenOf(model, model.roots()[0]);
    assert.deepEqual([newest?.runId, newest?.expandable, more?.kind], ['12', true, 'more']);
    assert.deepEqual(
      childrenOf(model, newest).map((node) => node.runId),
      ['11', '10'],
    );
  });

  it('stands still, in icon, words and time, once it is not current', () => {
    const store = new RunStore();
    let time = now;
    const model = new TreeModel({ profileId: 'local', store, now: () => time });
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '5',
          job_id: '1',
          number_in_job: '3',
          run_type: 'JOB_RUN',
          start_time: now - 7000,
          state: { life_cycle_state: 'RUNNING' },
        },
      ],
      false,
      now,
    );
    const going = childrenOf(model, model.roots()[0])[0];
    assert.deepEqual([going?.icon?.id, going?.description?.endsWith(' · 7 s')], ['loading~spin', true]);
    store.markStale(new AppError('unavailable', 'The local service is stopped.'));
    time += 600_000;
    const [, job] = model.roots();
    const [run] = childrenOf(model, job);
    assert.deepEqual([job?.icon?.id, job?.description], ['sync-ignored', 'Running when last seen · 7 s']);
    assert.match(run?.description ?? '', /^Running when last seen · 7 s$/);
    assert.equal(run?.icon?.id, 'sync-ignored');
  });

  it('says of a job that it is idle only where it is known that no run of it goes on, the older ones included', () => {
    const { store, model } = build();
    store.setJobs(
      ['1', '2', '3', '4'].map((id) => ({ job_id: id, settings: { name: id } })),
      now,
    );
    const run = (id: string, jobId: string, state: Run['state']): Run =>
      ({ run_id: id, job_id: jobId, run_type: 'JOB_RUN', start_time: now + Number(id), state }) as Run;
    const running = { life_cycle_state: 'RUNNING' };
    store.mergeRuns([run('5', '1', running), run('6', '1', ended), run('7', '2', ended)], now);
    store.settle(['3']);
    const idle = () =>
      model
        .roots()
        .filter(({ context }) => context.split(' ').includes('idle'))
        .map(({ jobId }) => jobId);
    assert.deepEqual(idle(), ['2', '3']);
    store.mergeRuns([run('5', '1', ended)], now);
    assert.deepEqual(idle(), ['1', '2', '3']);
    store.markStale(new AppError('network', 'x'));
    assert.deepEqual(idle(), []);
  });

  it('tells what can be done with a node', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a', notebook_task: { notebook_path: '/n' } } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '6',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: { notebook_path: '/a' } },
          state: { life_cycle_state: 'RUNNING' },
          run_page_url: 'http://127.0.0.1:8000/runs/6/key',
        },
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: { notebook_path: '/a' } },
          state: ended,
          run_page_url: 'https://acme.example/runs/5',
        },
      ],
      false,
      now,
    );
    assert.deepEqual(
      model.roots().map((node) => node.context),
      ['job notebook_task active'],
    );
    assert.deepEqual(
      childrenOf(model, model.roots()[0]).map((node) => node.context),
      ['run notebook_task active cancellable ofJob pageOfThisMachine', 'run notebook_task terminal ofJob'],
    );
  });
});
