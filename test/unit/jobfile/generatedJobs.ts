import { stringify } from 'yaml';
import type { Fields } from '../../../src/shared/fields.ts';
import { randomness } from './yamlTexts.ts';

type Below = (below: number) => number;

/** So many jobs without a mistake, of all kinds of tasks, clusters and schedules; the same ones for the same seed. */
export function generatedJobs(count: number, seed = 7): Fields[] {
  const below = randomness(seed);
  return Array.from({ length: count }, (_, index) => jobOf(index, below));
}

/** The job as somebody may have written it: in one of several styles, with comments. */
export function writtenJob(settings: Fields, index: number): string {
  const styles = [
    {},
    { indent: 4 },
    { indentSeq: false },
    { defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' },
    { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
    { flowCollectionPadding: false },
  ] as const;
  const text = stringify(settings, {
    lineWidth: 0,
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    ...styles[index % styles.length],
  });
  return index % 3 === 0 ? `# Job ${index}: what it does\n${text}` : text;
}

function jobOf(index: number, below: Below): Fields {
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const maybe = (fields: () => Fields, outOf = 2): Fields => (below(outOf) === 0 ? fields() : {});
  const task = one([pythonTask, notebookTask, jarTask, submitTask, pipelineTask, runJobTask])(below);
  const isSubmit = 'spark_submit_task' in task;
  const needsCluster = !('pipeline_task' in task || 'run_job_task' in task);
  const cluster =
    isSubmit || below(2) === 0
      ? { new_cluster: clusterOf(below, isSubmit) }
      : { existing_cluster_id: `1201-${index}-abc` };
  const retries = below(5);
  return {
    name: one([`nightly ${index}`, `ETL: billing #${index}`, `año-${index}`, `${index}`, `yes ${index}`]),
    ...task,
    ...(needsCluster ? cluster : {}),
    ...(needsCluster && !isSubmit ? maybe(() => ({ libraries: librariesOf(below) })) : {}),
    ...maybe(() => ({ timeout_seconds: 60 * (1 + below(500)) })),
    ...maybe(() => ({
      max_retries: 1 + retries,
      ...maybe(() => ({ min_retry_interval_millis: 1000 * (1 + below(900)) })),
      ...maybe(() => ({ retry_on_timeout: below(2) === 0 })),
    })),
    ...maybe(() => ({ max_concurrent_runs: 2 + below(900) })),
    ...maybe(() => ({
      schedule: {
        quartz_cron_expression: one(['0 0 8 * * ?', '0 30 2 ? * MON-FRI', '0 0/15 * * * ?', '0 0 12 L * ?']),
        timezone_id: one(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo']),
        ...maybe(() => ({ pause_status: one(['PAUSED', 'UNPAUSED']) })),
      },
    })),
    ...maybe(() => ({
      email_notifications: {
        on_failure: [`ops${index}@example.com`, 'lead@example.com'].slice(below(2)),
        ...maybe(() => ({ on_success: ['all@example.com'] })),
        ...maybe(() => ({ no_alert_for_skipped_runs: true })),
      },
    })),
    ...maybe(
      () => ({ webhook_notifications: { on_failure: [{ id: `hook-${index}` }, { id: 'pager' }].slice(below(2)) } }),
      3,
    ),
    ...maybe(
      () => ({
        health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 60 * (1 + below(100)) }] },
      }),
      3,
    ),
  };
}

const words = (below: Below): string[] =>
  ['--day', 'today', 'a b', '7', 'true', "it's", '{"k": [1, 2]}', '-x', '#1', '07'].slice(below(5), 5 + below(6));

const pythonTask = (below: Below): Fields => ({
  spark_python_task: { python_file: ['/jobs/main.py', 'dfs:/etl/load.py'][below(2)], parameters: words(below) },
});
const notebookTask = (below: Below): Fields => ({
  notebook_task: {
    notebook_path: `/Users/me@example.com/notebook ${below(9)}`,
    ...(below(2) === 0 ? { base_parameters: { day: 'today', count: String(below(99)) } } : {}),
  },
});
const jarTask = (below: Below): Fields => ({
  spark_jar_task: { main_class_name: `com.example.Main${below(9)}`, parameters: words(below) },
});
const submitTask = (below: Below): Fields => ({
  spark_submit_task: { parameters: ['--class', 'com.example.Main', 'dfs:/app.jar', String(below(50))] },
});
const pipelineTask = (below: Below): Fields => ({ pipeline_task: { pipeline_id: `a1b2-${below(99)}` } });
const runJobTask = (below: Below): Fields => ({
  run_job_task: { job_id: String(9_007_199_254_740_993n + BigInt(below(99))) },
});

function clusterOf(below: Below, isSubmit: boolean): Fields {
  const size =
    below(2) === 0 ? { num_workers: 1 + below(9) } : { autoscale: { min_workers: 1, max_workers: 2 + below(8) } };
  return {
    spark_version: ['15.4.x-scala2.12', '7.3.x'][below(2)],
    node_type_id: ['m5.large', 'i3.xlarge'][below(2)],
    ...size,
    ...(below(2) === 0 && !isSubmit
      ? { spark_conf: { 'spark.speculation': 'true', 'spark.executor.memory': '4g' } }
      : {}),
    ...(below(2) === 0 ? { spark_env_vars: { STAGE: 'test', LEVEL: '3' } } : {}),
    ...(below(2) === 0 ? { custom_tags: { team: 'data', cost: String(below(1000)) } } : {}),
    ...(below(3) === 0 ? { init_scripts: [{ workspace: { destination: '/init/a.sh' } }] } : {}),
  };
}

function librariesOf(below: Below): Fields[] {
  return [
    { jar: 'dfs:/libs/a.jar' },
    { pypi: { package: 'simplejson==3.8.0' } },
    { maven: { coordinates: 'org.jsoup:jsoup:1.7.2', exclusions: ['slf4j:slf4j', 'b:c'] } },
    { whl: 'dfs:/libs/b-1.0-py3-none-any.whl' },
    { pypi: { package: 'requests', repo: 'https://pypi.example.com/simple' } },
  ].slice(below(3), 3 + below(3));
}
