import type { AnswerTool } from './guideChat.ts';

const traceback =
  'Traceback (most recent call last):\n  File "/w/etl.py", line 4, in <module>\n    import pandas\n' +
  "ModuleNotFoundError: No module named 'pandas'";
const failed = {
  run_id: '7',
  name: 'etl #3',
  job_id: '2',
  state: 'Failed',
  is_failed: true,
  started: '2026-11-22T06:00:00.000Z',
  duration: '2 s',
  message: "ModuleNotFoundError: No module named 'pandas'",
};
/** Of the failed run. */
const parameters = { day: '2026-11-21' };
const good = { run_id: '8', name: 'hello #5', job_id: '1', state: 'Succeeded', is_failed: false, duration: '1 s' };

/** What the functions of the chat give of two jobs and a run of each, of which one failed. */
export const guideJobs: AnswerTool = (name, given) => {
  switch (name) {
    case 'list_jobs':
      return {
        profile: 'Local',
        count: 2,
        jobs: [
          { job_id: '1', name: 'hello' },
          { job_id: '2', name: 'etl', schedule: 'At 06:00, Europe/Berlin', next_start: '2026-11-23T05:00:00.000Z' },
        ],
      };
    case 'list_runs': {
      const runs = [good, failed].filter(
        (run) =>
          (given['state'] !== 'failed' || run.is_failed) &&
          given['state'] !== 'active' &&
          (given['job'] === undefined || run.job_id === given['job']),
      );
      return { profile: 'Local', now: '2026-11-22T12:00:00.000Z', count: runs.length, is_whole: true, runs };
    }
    case 'get_run':
      return given['run_id'] === '7'
        ? {
            profile: 'Local',
            ...failed,
            overriding_parameters: parameters,
            output: `etl #3 — Failed\nrun 7 · job 2\n\n── Traceback ──\n${traceback}`,
          }
        : { profile: 'Local', ...good, output: 'hello #5 — Succeeded\nrun 8 · job 1\n\n── Output ──\nHello, world' };
    case 'get_job':
      return { profile: 'Local', job_id: given['job'], name: 'hello', job_file: 'name: hello\n' };
    case 'run_job':
      return { profile: 'Local', job: 'hello', run_id: '9', started: true };
  }
  throw new Error(`${name} was not expected`);
};
