import assert from 'node:assert/strict';
import { aboutOwnJobs, ownJobsTools } from '../../../../../src/service/models/guide/ownJobs.ts';
import { askedOf } from '../../../../../src/service/models/guide/ownJobsQuestion.ts';
import type { ToolStep } from '../../../../../src/service/models/guide/question.ts';
import { assertApproved } from '../../../../support/approved.ts';

const own = [
  'Run hello',
  'please start the job etl-nightly now',
  'run the tests job',
  'Run it every day',
  'could you launch big job for me',
  'Why did etl fail?',
  'And why has my last run crashed today?',
  'why is it broken',
  'what went wrong with that?',
  'What did run 12 write?',
  'show me the output of the job etl',
  'why was my run skipped',
  'what has the newest failed run printed',
  'What does hello do?',
  'show me the job hello',
  'what are the settings of etl',
  'when will etl run next',
  'Which runs failed this week?',
  'did anything break last night',
  'any errors of etl',
  'what is running',
  'is anything in progress for etl?',
  'which runs succeeded yesterday',
  'show the green runs',
  'what ran this morning',
  'list my last 5 runs',
  'when did etl last run',
  'did etl succeed today',
  'how many jobs do I have',
  'which jobs are scheduled',
  'list all my scheduled jobs',
  'how many jobs are allowed',
  'how do I run a job',
  'what happens if a run failed',
  'What is `max_retries`?',
  '  Which  runs\tfailed today ?!! ',
  'which runs failed today '.padEnd(200, 'x'),
  'which runs failed today '.padEnd(201, 'x'),
  'tell me how do i see which runs failed',
  'what is `max`, which runs failed today',
  'what is the `max`, which runs failed today',
  'which field of the runs failed today',
  'show the most recent runs',
  'which runs failed most',
  'run -- hello',
  'start big thing job',
  'start big thing',
  'start hello job',
  'well why did it fail',
  'why did etl fail badly',
  'why did etl crash',
  'why did etl break',
  'why has etl broke',
  'why does etl not work',
  'why did it fail today or so',
  'so what went wrong',
  'what went wrong',
  'what went wrong with it then',
  'so what did etl do',
  'what did etl print there',
  'please show the output of etl',
  'show output of etl',
  'give me the logs of the job etl',
  'show log of etl',
  'print the result from etl',
  'what did my run 5 do',
  'why did big run 5 fail',
  'why did run 5 of etl fail',
  'why did run #5 fail',
  'what did the very last run do',
  'what did the last do',
  'why did the last runner fail',
  'why did the failed run fail',
  'what did the jobless do',
  'what did the job do',
  'what did !!! do',
  'why did you fail',
  'what did a thing do',
  'what did over the etl do',
  "what did etl's last run print",
  "what did 'etl' print",
  'so what does hello do',
  'what does hello do exactly',
  'what does the hello job do',
  'please show me the job hello',
  'show job hello',
  'show the job hello again',
  'show settings of hello',
  'please show settings of hello',
  'what are the settings of hello there',
  'what does it do',
  'well when does hello run',
  'when does hello run daily',
  'when does hello run',
  'when is hello scheduled',
  'when does hello start again',
  'did a run fail',
  'which run failed',
  'is there a failed job',
  'any failure today',
  'anything failing today',
  'any error today',
  'what broke today',
  'did anything crash today',
  'are there broken runs',
  'show the failed runs of `etl`',
  'show the failed runs of the job "etl"',
  'show the failed runs of it',
  'list failed runs for today',
  'list failed runs of etl-today',
  'list failed runs for locals',
  'list failed runs of all jobs',
  'which runs of etl failed',
  'which runs of the job `etl` have failed today',
  'which runs of these failed',
  'which runs of today failed',
  'how many runs of local-etl succeeded',
  'which runs of etl are active',
  'is any run active',
  'is any job running',
  'any jobs active',
  'any runs in progress',
  'is it running now',
  'what is running on it',
  'what is going on there',
  'is hello active',
  'which run succeeded today',
  'list a successful run',
  'show passed runs',
  'which job ran today',
  'which jobs ran',
  'what ran',
  'list my three last good runs',
  'list my one two three four runs',
  'show the runs',
  'show all runs',
  'when did hello run',
  'how did hello run last',
  'so when did hello run',
  'when did hello run away',
  'did hello finish',
  'did hello pass today',
  'did hello pass today or so',
  'well did hello run',
  'did it run',
  'show all jobs',
  'all jobs there',
  'what of my jobs',
  'how many scheduled jobs',
  'x'.repeat(201),
  '',
];

/** Asks until the guide calls nothing more; what it calls and says, in lines. */
function converse(
  text: string,
  world: Record<string, unknown>,
  stepsBefore: ToolStep[],
): { told: string; steps: ToolStep[] } {
  const steps: ToolStep[] = [];
  const lines: string[] = [];
  for (;;) {
    const reply = aboutOwnJobs(
      { text, before: '', first: false, toolResults: [], steps, stepsBefore },
      text,
      ownJobsTools,
    );
    if (!reply || !('call' in reply)) {
      const { markdown = 'something else', ...rest } = reply?.answer ?? {};
      return { told: [...lines, markdown, JSON.stringify(rest)].join('\n'), steps };
    }
    const { name, arguments: given } = reply.call;
    assert.ok(ownJobsTools.has(name) && steps.length < 4, `${text}: ${lines.join(', ')}`);
    lines.push(`${name} ${JSON.stringify(given)}`);
    steps.push({
      name,
      arguments: JSON.stringify(given),
      result: JSON.stringify(world[name] ?? { error: 'Not here.' }),
    });
  }
}

describe("the guide's answers about somebody's own jobs, as they were approved", () => {
  it('to what is understood of a question', () =>
    assertApproved(
      'guide-own-questions',
      own.map((text) => `${text.slice(0, 80)}\n  ${JSON.stringify(askedOf(text)) ?? 'something else'}\n`).join(''),
    ));

  it('to what is called and said', () => {
    const run = (id: number, more: object = {}): object => ({
      run_id: String(id),
      name: `etl #${id}`,
      state: 'Succeeded',
      is_failed: false,
      ...more,
    });
    const bad = run(7, {
      state: 'Failed',
      is_failed: true,
      started: '2026-11-22T06:00:00Z',
      duration: '2 s',
      message: `${'m'.repeat(200)}\nmore`,
      output: 'KeyError: 1',
    });
    const odd = run(6, { state: 'Failed', is_failed: true, started: 'soon', message: `${'m'.repeat(160)}\nmore` });
    const jobs = (count: number, more: object = {}): { profile: string; count: number; jobs: object[] } => ({
      profile: 'P',
      count,
      jobs: Array.from({ length: count }, (_, index) => ({
        job_id: String(index),
        name: index === 0 ? 'big-job' : `job ${index}`,
        ...more,
      })),
    });
    const runs = (...all: object[]): object => ({
      profile: 'P',
      count: all.length,
      is_whole: all.length < 3,
      now: '',
      runs: all,
    });
    const worlds: Record<string, Record<string, unknown>> = {
      empty: { list_jobs: jobs(0), list_runs: runs() },
      one: {
        list_jobs: jobs(1),
        list_runs: runs(bad),
        get_run: { profile: 'P', ...bad },
        get_job: { name: 'big-job', job_file: 'name: x' },
        run_job: { profile: 'P', job: 'big-job', run_id: '9', started: true },
      },
      many: {
        list_jobs: jobs(25, { schedule: 'hourly', next_start: '2026-11-23T05:00:00Z' }),
        list_runs: runs(...Array.from({ length: 25 }, (_, index) => run(index, { is_active: true }))),
        get_run: { profile: 'P', ...run(3, { is_active: true, output: `first${'o'.repeat(2500)}last` }) },
        get_job: { error: 'Gone.' },
        run_job: { started: false, why: 'It is paused.' },
      },
      few: {
        list_jobs: {
          profile: 'P',
          count: 22,
          jobs: [
            { job_id: '1', name: 'hello', schedule: 'daily' },
            ...jobs(20).jobs.map((job, index) => (index > 17 ? { ...job, schedule: 'hourly' } : job)),
            { job_id: '41', name: 'big job' },
          ],
        },
        list_runs: { ...runs(run(5, { started: '2026-11-22T06:05:00Z', duration: '1 min' }), odd, bad), count: 23 },
        get_run: { profile: 'P', ...odd, output: 'o'.repeat(2000), message: '' },
        get_job: { name: 'hello', job_file: '```' },
        run_job: { started: false, declined: 'You said no.' },
      },
      single: {
        list_jobs: { profile: 'P', count: 1, jobs: [{ job_id: '1', name: 'hello', schedule: 'daily' }] },
        list_runs: { profile: 'P', count: 1, is_whole: false, runs: [run(4, { is_active: true })] },
        get_run: { profile: 'P', ...run(4, { is_failed: false, output: `a${'o'.repeat(1999)}b` }) },
        run_job: {},
      },
      twenty: {
        list_jobs: jobs(20, { schedule: 'weekly' }),
        list_runs: runs(...Array.from({ length: 20 }, (_, index) => run(index))),
        get_run: { profile: 'P', ...run(2, { is_failed: true, message: "FileNotFoundError: No file 'a.csv'" }) },
      },
      broken: {
        list_jobs: { jobs: 1 },
        list_runs: { runs: 2 },
        get_run: { profile: 'P', ...run(8, { is_failed: true, output: 'nothing to see' }) },
      },
    };
    const questions = [
      'Which runs failed today?',
      'What is running?',
      'Which runs succeeded yesterday?',
      'Show my last runs',
      'Which jobs do I have?',
      'Which jobs are scheduled?',
      'Why did big job fail?',
      'What did the last run do?',
      'Why did run 7 fail?',
      'Start the job big-job',
      'What does the job nosuch do?',
      'Show me the job big-job',
      'Show me the job Big_Job',
      'Did big-job run?',
      'Did nosuch run?',
      'Which runs of big-job failed?',
      'Which runs of nosuch are active?',
      'Which runs failed this week?',
      'Why did nosuch fail?',
      'When will hello run next?',
      'start hello',
      'What does big-job do?',
    ];
    let before = '';
    const told = Object.entries(worlds).flatMap(([name, world]) =>
      questions.map((text) => {
        const asked = converse(text, world, []);
        const { told: then } = converse('Why did it fail?', world, asked.steps);
        const why = then === before ? 'the same' : then.slice(0, 400);
        before = then;
        return `== ${name}: ${text}\n${asked.told}\n-- and why?\n${why}\n\n`;
      }),
    );
    assertApproved(
      'guide-own-answers',
      told.join('').replaceAll(/(.)\1{99,}/g, (all, one: string) => `${one}×${all.length}`),
    );
  });
});
