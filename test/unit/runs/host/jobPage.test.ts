import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { PageContent } from '../../../../src/runs/host/pageContent.ts';
import type { FileSync } from '../../../../src/runs/page/jobFileView.ts';
import type { JobView, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/editorStandIn/panel.ts';
import { useStillDisk } from '../../../support/editorStandIn/stillDisk.ts';
import { eventually } from '../../../support/eventually.ts';
import { PagesBench } from './runPagesBench.ts';

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
  /** Folders are looked for on the disk as well, which takes its time. */
  const until = (isSo: () => boolean): Promise<void> => eventually(isSo, 'what the page shows', 1);
  const linksOf = (): unknown => views.at(-1)?.files?.map(({ link }) => link.label);

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

  it('shows and compares the files that are there, in the order of their names on the page', async () => {
    editor.files = new Set(['/work/a.job.yml', '/work/b.job.yml']);
    await known();
    await until(() => String(linksOf()).includes('b.job'));
    assert.deepEqual(linksOf(), ['a.job.yml', 'b.job.yml']);
    for (const id of ['file1', 'compare0', 'deploy1', 'pull0', 'pull2', 'toString0']) await press(id);
    assert.deepEqual(editor.shownDocuments.map(String), ['file:///work/b.job.yml']);
    assert.deepEqual(editor.executed, [
      ['millrace.jobFile.compare', standIn.Uri.parse('file:///work/a.job.yml')],
      ['millrace.jobFile.deploy', standIn.Uri.parse('file:///work/b.job.yml')],
      ['millrace.job.pull', standIn.Uri.parse('file:///work/a.job.yml')],
    ]);
    assert.ok(trail.some((line) => String(line) === 'files,local,1'));
    assert.ok(trail.some((line) => String(line) === 'sync,local,1,file:///work/b.job.yml'));
  });

  it('tells how its file stands to the job, anew after each button and once it is saved', async () => {
    editor.files = new Set(['/work/a.job.yml']);
    sync = () => ({ kind: 'here', rows: [] });
    content.resume();
    await known();
    const words = (): string | undefined => views.at(-1)?.files?.[0]?.words;
    await until(() => words() !== undefined);
    assert.equal(words(), 'Changed here since the last deploy to Local');
    sync = () => ({ kind: 'same', rows: [] });
    await press('deploy0');
    await until(() => words() === 'In step with Local');
    sync = () => ({ kind: 'broken', rows: [] });
    editor.events.saved.fire({});
    await until(() => words()?.startsWith('Has errors') === true);
    assert.match(words() ?? '', /^Has errors/);
    sync = () => {
      throw new Error('Not to be read.');
    };
    editor.events.saved.fire({});
    await until(() => words() === 'Deployed to this job');
    assert.equal(words(), 'Deployed to this job');
    content.pause();
    trail = [];
    editor.events.saved.fire({});
    await settle();
    assert.deepEqual(trail, [], 'nobody sees it');
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

  it('is paid attention to while it is seen, and follows its own profile alone', async () => {
    await known(run('7'));
    content.pause();
    content.resume();
    content.resume();
    assert.deepEqual(
      trail.filter((line) => line === 'attend' || line === 'leave'),
      ['attend', 'leave', 'attend'],
    );
    connections.current = staging;
    await content.act({ type: 'ready' });
    assert.match(views.at(-1)?.notice?.text ?? '', /belongs to "Local"/);
    connections.profiles = [staging];
    await content.act({ type: 'ready' });
    assert.equal(views.at(-1)?.notice?.text, 'The profile of this job is no longer there.');
  });
});

describe('the page of a job in its tab', () => {
  useStillDisk();
  let bench: PagesBench;
  beforeEach(() => (bench = new PagesBench()));
  afterEach(() => bench.dispose());

  it('say of a job that the service does not have any more', async () => {
    const { pages, panels, store, connections } = bench;
    store.setJobs([], 1);
    store.mergeRuns([], 1);
    Object.assign((connections.client as { jobs: object }).jobs, {
      get: async () => Promise.reject(new AppError('notFound', 'Job 404 does not exist.')),
      listRuns: async () => ({ runs: [], has_more: false }),
    });
    pages.open({ kind: 'job', profileId: 'local', id: '404' });
    const panel = panels.at(-1);
    assert.ok(panel);
    await panel.says({ type: 'ready' });
    const noticeText = (): string | undefined =>
      panel.posted.findLast((message) => message.type === 'job')?.view.notice?.text;
    await eventually(() => assert.equal(noticeText(), 'Local has no such job any more.'));
  });
});
