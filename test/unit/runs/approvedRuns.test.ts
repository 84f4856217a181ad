import type { Job, Run } from '../../../src/api/schema/jobs/schemas.ts';
import { outputText } from '../../../src/runs/outputText.ts';
import { jobView } from '../../../src/runs/page/jobView.ts';
import { runView } from '../../../src/runs/page/runView.ts';
import { runStatus } from '../../../src/runs/runState.ts';
import { formatNext, formatShortAge, formatTime } from '../../../src/runs/timeTexts.ts';
import {
  isFiltered,
  filterWords,
  plainArrangement,
  readArrangement,
  stateGroups,
  stateGroupWords,
} from '../../../src/runs/tree/arrangement.ts';
import type { TreeNode } from '../../../src/runs/tree/treeRows.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { assertApproved } from '../../support/approved.ts';
import { build, now, scheduleTimes } from './tree/builtTree.ts';

const second = 1000;
const minute = 60 * second;
const lives = ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'SKIPPED', 'INTERNAL_ERROR', 'BLOCKED', undefined];
const results = ['SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED', 'OTHER', undefined];
const run = (id: number, state: object, more: object = {}): Run =>
  ({
    run_id: String(id),
    job_id: '1',
    number_in_job: String(id),
    run_type: 'JOB_RUN',
    start_time: now - id * minute,
    state,
    ...more,
  }) as Run;

/** Every state, and what else a run may carry. */
const runs: Run[] = [
  ...lives.map((life, index) => run(index + 1, { life_cycle_state: life })),
  ...results.map((result, index) =>
    run(
      20 + index,
      { life_cycle_state: 'TERMINATED', result_state: result, state_message: `why ${result}` },
      { end_time: now - index * 3 * minute, execution_duration: 61_000, setup_duration: 1000 },
    ),
  ),
  run(
    30,
    { life_cycle_state: 'TERMINATED', result_state: 'CANCELED', user_cancelled_or_timedout: true },
    { end_time: now },
  ),
  run(
    31,
    { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    { attempt_number: 1, original_attempt_run_id: '29', trigger: 'RETRY', end_time: now - 40 * 24 * 60 * minute },
  ),
  run(
    32,
    { life_cycle_state: 'RUNNING' },
    {
      trigger: 'PERIODIC',
      schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' },
      execution_duration: 0,
    },
  ),
  run(
    33,
    { life_cycle_state: 'RUNNING' },
    {
      trigger: 'ONE_TIME',
      creator_user_name: 'ann',
      cluster_spec: {
        new_cluster: { num_workers: 2, spark_version: '15', node_type_id: 'n' },
        libraries: [{ pypi: { package: 'pandas' } }, { jar: 'dfs:/a.jar' }],
      },
      cluster_instance: { cluster_id: 'c-1', spark_context_id: 's' },
      overriding_parameters: { notebook_params: { day: 'mon', more: '1' } },
      task: { notebook_task: { notebook_path: '/n', base_parameters: { day: 'sun' } } },
      run_page_url: 'https://x.example/#job/1/run/33',
    },
  ),
  run(34, { life_cycle_state: 'RUNNING' }, { run_type: 'SUBMIT_RUN', job_id: undefined, run_name: 'once' }),
  run(35, { life_cycle_state: 'RUNNING' }, { run_type: 'SUBMIT_RUN', job_id: undefined, run_name: ' ' }),
  run(36, { life_cycle_state: 'PENDING' }, { number_in_job: undefined, start_time: 0 }),
];
const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Europe/Berlin' };
const jobs: Job[] = [
  { spark_python_task: { python_file: '/a.py', parameters: ['x'] }, schedule, max_retries: 2, timeout_seconds: 60 },
  {
    notebook_task: { notebook_path: '/n', base_parameters: { day: 'sun' } },
    schedule: { ...schedule, pause_status: 'PAUSED' },
  },
  {
    spark_jar_task: { main_class_name: 'A' },
    new_cluster: { autoscale: { min_workers: 1, max_workers: 3 }, spark_version: '15', node_type_id: 'n' },
  },
  { spark_submit_task: { parameters: ['--class', 'A'] }, libraries: [{ whl: 'dfs:/a.whl' }] },
  { pipeline_task: { pipeline_id: 'p' }, email_notifications: { on_failure: ['a@b.example'] } },
  {
    run_job_task: { job_id: '2' },
    webhook_notifications: { on_start: [{ id: 'h' }] },
    health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 60 }] },
  },
  { sql_task: {}, tags: { team: 'a' } },
  undefined,
].map(
  (settings, index) =>
    ({
      job_id: String(index + 1),
      settings: settings && { name: `job ${index + 1}`, ...settings },
      creator_user_name: 'ann',
      created_time: now - minute,
    }) as unknown as Job,
);

const written = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 1)?.replaceAll(/\n */g, ' ') ?? 'nothing'}\n`;

describe('runs and jobs in words, as they were approved', () => {
  it('in the rows of the tree, with their details, current and not', () => {
    const times = scheduleTimes();
    const { store, model } = build({
      pinned: () => new Set(['3']),
      scheduleTimes: () => times,
      changedElsewhere: (id) => (id === '4' ? now - minute : undefined),
      debugPhase: (id) => (id === '33' ? 'held' : id === '32' ? 'going' : undefined),
    });
    const lines: string[] = [];
    const walk = (node: TreeNode, depth: number): void => {
      const { profileId: _profileId, ...rest } = node;
      lines.push(`${'  '.repeat(depth)}${written(rest)}`, `${'  '.repeat(depth)}${written(model.details(node))}`);
      const children = node.expandable ? model.children(node) : [];
      if (children === 'notLoaded') lines.push(`${'  '.repeat(depth)}not loaded\n`);
      else for (const child of children) walk(child, depth + 1);
    };
    const tell = (title: string): void => {
      lines.push(`== ${title}\n`);
      for (const node of model.roots()) walk(node, 0);
    };
    tell('nothing was asked yet');
    store.setJobs([], now);
    tell('no jobs');
    store.setJobs(jobs, now);
    store.mergeRuns(runs, now);
    store.setRunsOf(
      '1',
      runs.filter(({ job_id: id }) => id === '1'),
      true,
      now,
    );
    store.setOneTimeRuns(
      runs.filter(({ run_type: type }) => type === 'SUBMIT_RUN'),
      false,
      now,
    );
    store.setRunsOf('2', [], false, now);
    store.setSkipped('jobs', 'One job could not be read.');
    tell('jobs and runs');
    store.markStale(new AppError('network', 'No answer.', { remedy: 'Wait.' }));
    tell('no answer any more');
    assertApproved('runs-tree', lines.join(''));
  });

  it('on the pages of runs', () => {
    const lines = runs.flatMap((each) =>
      [true, false].map((isProduction) =>
        written(
          runView({
            run: each,
            job: each.run_type === 'SUBMIT_RUN' ? undefined : jobs[1],
            attempts:
              each.run_id === '31'
                ? [
                    run(29, { life_cycle_state: 'TERMINATED', result_state: 'FAILED' }, { end_time: now - 2 * minute }),
                    each,
                  ]
                : [],
            profile: { name: 'P', isLocal: !isProduction, isProduction, isReadOnly: isProduction },
            output: { note: 'n', isGoing: false, end: 'e' },
            nowMs: now,
          } as never),
        ),
      ),
    );
    assertApproved('runs-pages', lines.join(''));
  });

  it('on the pages of jobs', () => {
    const lines = jobs.flatMap((job) =>
      [undefined, [], runs.slice(0, 26)].map((known) => {
        const [last] = known ?? [];
        return written(
          jobView({
            job,
            lastRun: last ? { kind: 'run', run: last } : { kind: known ? 'none' : 'unknown' },
            isActive: last !== undefined && runStatus(last).active,
            ...(known && { runs: { runs: known, hasMore: known.length > 5 } }),
            profile: {
              name: 'P',
              isLocal: known === undefined,
              isProduction: known?.length === 0,
              isReadOnly: known?.length === 0,
            },
            ...(known?.length === 0 && { lastSeenMs: now - minute }),
            files: job.job_id === '1' ? ['a.job.yml', 'b.job.yml'] : [],
            nowMs: now,
          } as never),
        );
      }),
    );
    assertApproved('jobs-pages', lines.join(''));
  });

  it('as texts with their output', () => {
    const outputs = [
      {},
      { logs: 'one\n' },
      { logs: 'x', logs_truncated: true, error: 'no', error_trace: 'trace' },
      { notebook_output: { result: 'r', truncated: true } },
      { notebook_output: {} },
    ];
    const picked = [runs[2], runs[8], runs[9], runs[15], runs[18]] as Run[];
    assertApproved(
      'runs-texts',
      picked
        .flatMap((each) => outputs.map((output) => `${outputText('etl', output as never, each, now)}\n====\n`))
        .join(''),
    );
  });

  it('in times, ages and filters', () => {
    const spans = [0, 1, 30, 59, 60, 90, 3599, 3600, 5400, 86_399, 86_400, 200_000, 604_800, 3_000_000, 40_000_000];
    const ages = spans.flatMap((seconds) => [
      `${seconds} s ago: ${[formatTime, formatShortAge].map((say) => say(now - seconds * second, now)).join(' | ')}\n`,
      `in ${seconds} s: ${[formatNext, formatShortAge].map((say) => say(now + seconds * second, now)).join(' | ')}\n`,
    ]);
    const arrangements = [
      undefined,
      { text: ' Etl ' },
      { states: ['failed', 'active', 'none'] },
      { states: ['unknown'], triggers: ['PERIODIC', 'x'], types: ['notebook_task'], withinHours: 24 },
      { order: 'lastRun', withinHours: 1 },
      { order: 'x', groupBy: 'state', text: 7 },
      { ...plainArrangement, triggers: ['ONE_TIME'], withinHours: 168 },
    ].map((kept) => {
      const arrangement = readArrangement(kept);
      return `${JSON.stringify(kept)}\n  ${JSON.stringify(arrangement)}\n  ${isFiltered(arrangement)} ${filterWords(arrangement)}\n`;
    });
    assertApproved(
      'runs-words',
      [...ages, ...stateGroups.map((group) => `${group}: ${stateGroupWords(group)}\n`), ...arrangements].join(''),
    );
  });
});
