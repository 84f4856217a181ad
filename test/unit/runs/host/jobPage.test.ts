import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { PageContent } from '../../../../src/runs/host/pageContent.ts';
import type { FileSync } from '../../../../src/runs/page/jobFileView.ts';
import type { JobView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';

const { jobPage } = await import('../../../../src/runs/host/jobPage.ts');

const subject = { kind: 'job', profileId: 'local', id: '1' } as const;
const job = { job_id: '1', settings: { name: 'etl', notebook_task: { notebook_path: '/jobs/n' } } } as Job;
const run = (id: string, more: object = {}): Run =>
  ({
    run_id: id,
    job_id: '1',
    number_in_job: id,
    run_type: 'JOB_RUN',
    start_time: 1000,
    end_time: 2000,
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    ...more,
  }) as Run;

describe('what is behind the page of a job', () => {
  useStillDisk();
  let trail: unknown[];
  let store: RunStore;
  let connections: FakeConnections;
  let views: JobView[];
  let content: PageContent;
  let answer: () => Promise<Job>;
  let sync: () => FileSync | undefined;
  const executeCommand = standIn.commands.executeCommand;
  const findFiles = standIn.workspace.findFiles;

  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    trail = [];
    views = [];
    store = new RunStore();
    answer = async () => job;
    sync = () => undefined;
    connections = new FakeConnections({
      jobs: { get: (...args: unknown[]) => (trail.push(['get', ...args]), answer()) },
    });
    content = jobPage(
      subject,
      {
        post: (message: ToPage) => {
          if (message.type === 'job') views.push(message.view);
        },
        setTitle: (title, state) => trail.push(['title', title, state.icon]),
        open: (...args) => trail.push(['open', ...args]),
      },
      {
        connections,
        runs: {
          store,
          attend: () => {
            trail.push('attend');
            return new standIn.Disposable(() => trail.push('leave')) as never;
          },
          loadRuns: async (...args) => {
            trail.push(['load', ...args]);
            throw new AppError('network', 'Gone.');
          },
        },
        jobFilesOf: (...args) => {
          trail.push(['files', ...args]);
          return ['file:///work/gone.job.yml', 'file:///work/a.job.yml', 'file:///work/b.job.yml'];
        },
        async syncOf(...args) {
          trail.push(['sync', ...args]);
          return sync();
        },
      },
    );
  });
  afterEach(() => {
    content.pause();
    standIn.commands.executeCommand = executeCommand;
    standIn.workspace.findFiles = findFiles;
  });
  const press = (id: string): Promise<void> => content.act({ type: 'action', id });
  const known = async (...runs: Run[]): Promise<void> => {
    store.setJobs([job], 1);
    store.setRunsOf('1', runs, false, 1);
    await content.act({ type: 'ready' });
    await settle();
  };
  it('does what its buttons say with the job, and nothing by other names', async () => {
    await known(run('7'));
    for (const id of ['runNow', 'runNowWithParameters', 'debug', 'cancelAll', 'pause', 'resume', 'openAsFile', 'curl'])
      await press(id);
    const target = { profileId: 'local', jobId: '1' };
    assert.deepEqual(editor.executed, [
      ['millrace.job.runNow', target],
      ['millrace.job.runNowWithParameters', target],
      ['millrace.job.debug', target],
      ['millrace.job.cancelAllRuns', target],
      ['millrace.job.pauseSchedule', target],
      ['millrace.job.resumeSchedule', target],
      ['millrace.job.openAsFile', target],
      ['millrace.job.copyAsCurl', target],
    ]);
    editor.executed = [];
    await press('explain');
    await press('chooseProfile');
    for (const id of ['constructor', 'file', 'file2', 'xfile0', 'file00000']) await press(id);
    assert.deepEqual(editor.executed, [
      ['millrace.run.askChat', { profileId: 'local', runId: '7' }],
      ['millrace.profile.choose', 'local'],
    ]);
    assert.deepEqual(editor.shownDocuments, []);
  });

  it('asks the service for a job that no list has: as it is once, without sending again', async () => {
    store.setJobs([], 1);
    store.mergeRuns([], 1);
    await content.act({ type: 'ready' });
    await settle();
    assert.deepEqual(
      trail.filter((line) => Array.isArray(line) && line[0] === 'get'),
      [['get', '1', { retry: 'fail' }]],
    );
    assert.equal(views.at(-1)?.title, 'etl');
    answer = async () => Promise.reject(new AppError('notFound', 'No job.'));
    content.pause();
    await content.act({ type: 'ready' });
    await settle();
    assert.equal(views.at(-1)?.notice?.text, 'Local has no such job any more.');
  });
});
