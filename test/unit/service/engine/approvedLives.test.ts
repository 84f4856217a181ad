import { AppError } from '../../../../src/shared/errors.ts';
import { assertApproved } from '../../../support/approved.ts';
import { EngineDiary } from '../support/engineDiary.ts';

/** What becomes of jobs and runs, told by a diary of everything that can be seen of an engine from outside. */
describe('the lives of runs', () => {
  for (const [name, live] of Object.entries(lives()))
    it(`go as approved: ${name}`, async () => {
      const diary = new EngineDiary();
      await live(diary);
      assertApproved(`engine-${name.replaceAll(' ', '-')}`, `${await diary.close()}\n`);
    });
});

function lives(): Record<string, (diary: EngineDiary) => Promise<void>> {
  return {
    async success(d) {
      const warned = { health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 9 }] } };
      await d.step('a job', () => d.job({ ...warned, timeout_seconds: 60, libraries: [{ jar: 'dfs:/a.jar' }] }));
      await d.step('a run with parameters', () => d.runNow('1', undefined, {}, '{"python_params":["x"]}'));
      await d.pass(2000);
      await d.step('its process', () => d.runners.last.started());
      await d.pass(9000);
      await d.step('its end', () =>
        d.runners.last.end({
          resultState: 'SUCCESS',
          stateMessage: 'Done.',
          note: 'Mind this.',
          notebookResult: { result: '1', truncated: true },
        }),
      );
      await d.step('a token', () => d.runNow('1', 'token'));
      await d.step('the same token', () => d.runNow('1', 'token'));
      await d.step('an end', () => d.runners.last.succeed());
      await d.step('it is deleted', () => d.engine.delete('2'));
      await d.step('its token again', () => d.runNow('1', 'token'));
    },
    async failures(d) {
      const retried = { max_retries: 1, min_retry_interval_millis: 5000, timeout_seconds: 3 };
      await d.step('a job', () => d.job(retried));
      await d.step('a run', () => d.runNow('1'));
      await d.step('it starts', () => d.runners.last.started());
      await d.pass(1000);
      await d.step('it fails', () => d.runners.last.end({ resultState: 'FAILED', error: 'No.', errorTrace: 'Trace' }));
      await d.pass(4000);
      await d.step('the retry starts', () => d.runners.last.started());
      await d.pass(3000);
      await d.step('a job that is retried after a time-out', () => d.job({ ...retried, retry_on_timeout: true }));
      await d.step('a run', () => d.runNow('2'));
      await d.pass(3000);
      await d.step('the job is deleted', () => d.catalog.delete('2'));
      await d.pass(5000);
      await d.step('a run that cannot be carried out', () => d.runNow('1'));
      await d.step('what is missing here', () => d.runners.last.reject('No Python.'));
      await d.step('the time-out is another', () =>
        d.catalog.change('1', (text) => {
          const settings = { ...(JSON.parse(text) as object), timeout_seconds: 7 };
          return { text: JSON.stringify(settings), settings };
        }),
      );
      await d.step('the disk is full for once', () => void (d.diskFull = 1));
      await d.pass(5000);
      await d.pass(1000);
      await d.step('all are cancelled', () => d.engine.cancelAll('1'));
      await d.pass(7000);
    },
    async cancellations(d) {
      await d.step('a job', () => d.job({ max_concurrent_runs: 3, timeout_seconds: 50 }));
      for (const run of ['one', 'two', 'three']) await d.step(`run ${run}`, () => d.runNow('1'));
      await d.step('one too many', () => d.runNow('1'));
      await d.step('one that waits', () => d.engine.cancel('3'));
      await d.step('one in preparation', () => d.engine.cancel('2'));
      await d.step('it starts', () => d.runners.tasks[0]?.started());
      await d.step('an active one cannot be deleted', () => d.engine.delete('1'));
      await d.step('the disk is full', () => void (d.diskFull = 1));
      await d.step('that it is cancelled cannot be stored', () => d.engine.cancel('1'));
      await d.step('again', () => d.engine.cancel('1'));
      await d.step('one that is over', () => d.engine.cancel('1'));
      await d.step('one that there is not', () => d.engine.cancel('99'));
      await d.step('nor to be deleted', () => d.engine.delete('99'));
      await d.step('a job that takes none', () => d.job({ max_concurrent_runs: 0 }));
      await d.step('its run', () => d.runNow('2'));
      await d.step('a run of the first', () => d.runNow('1'));
      await d.step('its job is deleted', () => d.catalog.delete('1'));
      await d.step('again', () => d.catalog.delete('1'));
      await d.step('a run of it', () => d.runNow('1'));
    },
    async debugging(d) {
      await d.step('a job', () => d.job({ timeout_seconds: 5, max_retries: 1 }));
      await d.step('a run', () => d.runNow('1', undefined, { debug: true }));
      await d.step('it starts', () => d.runners.last.started());
      for (const phase of ['installing', 'held', 'going', 'held'] as const) {
        await d.step(phase, () => d.runners.last.debugging({ phase }));
        await d.pass(6000);
      }
      await d.step('the editor goes', () => d.runners.last.debugging({ phase: 'left' }));
      await d.pass(4000);
      await d.pass(1000);
      await d.step('a JAR', () => d.job({ spark_python_task: undefined, spark_jar_task: { main_class_name: 'A' } }));
      await d.step('it cannot be debugged', () => d.runNow('2', undefined, { debug: true }));
      await d.step('what it does not take', () => d.runNow('2', undefined, {}, '{"python_params":[]}'));
      await d.step('a one-time run', async () => {
        const settings = '{"run_name":"once","spark_python_task":{"python_file":"/b.py"},"max_retries":1}';
        return (await d.catalog.submit(settings, 't')).runId;
      });
      await d.step('it fails', () => d.runners.last.fail());
      await d.pass(1);
    },
    async 'jobs that run jobs'(d) {
      const runs = (job_id: number): Record<string, unknown> => ({
        spark_python_task: undefined,
        run_job_task: { job_id },
      });
      await d.step('a job', () => d.job({ max_retries: 1, min_retry_interval_millis: 100 }));
      await d.step('one that runs it', () => d.job({ ...runs(1), max_concurrent_runs: 4 }));
      await d.step('a run', () => d.runNow('2'));
      await d.step('what it runs fails', () => d.runners.last.fail());
      await d.pass(100);
      await d.step('its retry succeeds', () => d.runners.last.succeed());
      await d.step('a run', () => d.runNow('2'));
      await d.step('it is cancelled', () => d.engine.cancel('4'));
      await d.step('a run', () => d.runNow('2'));
      await d.step('what it runs is over and deleted before its retry', () => d.runners.last.fail('Broken.'));
      await d.step('deleted', () => d.engine.delete('7'));
      await d.pass(100);
      await d.step('one that runs what there is not', () => d.job(runs(77)));
      await d.step('a run', () => d.runNow('3'));
      await d.step('one that runs itself', () => d.job({ ...runs(4), max_concurrent_runs: 40 }));
      await d.step('a run', () => d.runNow('4'));
      await d.pass(10);
    },
    async schedules(d) {
      const schedule = { quartz_cron_expression: '0 0/1 * * * ?', timezone_id: 'UTC' };
      await d.step('a job of every minute', () => d.job({ schedule }));
      await d.pass(60_000);
      await d.step('it starts', () => d.runners.last.started());
      await d.pass(60_000);
      await d.step('it is paused', () =>
        d.catalog.change('1', () => {
          const settings = {
            spark_python_task: { python_file: '/a.py' },
            schedule: { ...schedule, pause_status: 'PAUSED' },
          };
          return { text: JSON.stringify(settings), settings };
        }),
      );
      await d.pass(120_000);
      await d.step('and resumed', () =>
        d.catalog.change('1', (text) => {
          const settings = { ...(JSON.parse(text) as object), schedule };
          return { text: JSON.stringify(settings), settings };
        }),
      );
      await d.step('its moment was missed', () => d.store.jobs.setNextFire('1', d.clock.now() - 60_001));
      await d.pass(60_000);
      await d.step('its moment was nearly missed', () => d.store.jobs.setNextFire('1', d.clock.now() - 1));
      await d.pass(59_000);
      await d.step('a change of what there is not', () => d.catalog.change('9', (text) => ({ text, settings: {} })));
      await d.step('a change that is refused', () =>
        d.catalog.change('1', () => {
          throw new AppError('invalid', 'Not so.');
        }),
      );
    },
    async restarts(d) {
      await d.step('a job', () => d.job({ max_concurrent_runs: 5, max_retries: 1, min_retry_interval_millis: 4000 }));
      for (const run of ['one', 'two', 'three', 'four']) await d.step(`run ${run}`, () => d.runNow('1'));
      await d.step('one starts', () => d.runners.tasks[0]?.started());
      await d.step('one fails', () => d.runners.tasks[1]?.fail());
      d.store.processes.insert('1', { pid: 12, startTime: 't' });
      const killed = Promise.withResolvers<unknown>();
      await d.step('another service', () => d.restart(() => killed.promise));
      await d.pass(4000);
      await d.step('the leftovers are gone', () => killed.resolve(undefined));
      await d.pass(1000);
      await d.step('one more', () => d.restart(() => Promise.reject(new Error('They stay.'))));
      await d.pass(1000);
      await d.step('it ends', () => d.engine.close());
      await d.step('nothing is started then', () => d.runNow('1'));
    },
    async 'old runs'(d) {
      await d.step('a job', () => d.job());
      await d.step('a run', () => d.runNow('1'));
      await d.pass(2000);
      await d.step('its end', () => d.runners.last.succeed());
      const day = 86_400_000;
      await d.pass(60 * day - 2000);
      await d.pass(3_600_000);
      await d.pass(3_600_000);
    },
  };
}
