import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import type { LookUpAnswer } from '../../../src/chat/chatTools.ts';
import type { Attachment } from '../../../src/chat/conversationEvent.ts';
import { createLookUps } from '../../../src/commands/lookUps/createLookUps.ts';
import { sectionsOf } from '../../../src/commands/lookUps/manual.ts';
import { readSchedule } from '../../../src/commands/lookUps/scheduleWords.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { ChatToolBench, nowMs } from './chatToolBench.ts';

const manual = sectionsOf('README.md', readFileSync('README.md', 'utf8'));
const traceback =
  'Traceback (most recent call last):\n  File "/w/etl.py", line 4, in <module>\n    import sklearn\n' +
  "ModuleNotFoundError: No module named 'sklearn'";

describe('A command of the prompt', () => {
  let bench: ChatToolBench;
  beforeEach(() => {
    bench = new ChatToolBench();
  });

  const lookUps = (): ReturnType<typeof createLookUps> =>
    createLookUps(bench.services, { manual: async () => manual, openSection: async () => undefined }, () => nowMs);
  const ask = (text: string, attachments: Attachment[] = []): Promise<LookUpAnswer> =>
    lookUps().answer({ text, attachments }, new AbortController().signal);
  const commands = ({ links = [] }: LookUpAnswer): (string | undefined)[] => links.map(({ command }) => command);
  const runs = ({ links = [] }: LookUpAnswer): string[] => links.flatMap(({ run }) => run?.runId ?? []);
  const yamlIn = ({ markdown }: LookUpAnswer): unknown => parse(/```yaml\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '');

  it('lists the runs that failed, with links to their pages', async () => {
    assert.deepEqual(runs(await ask('/failed')), ['8', '6']);
    assert.deepEqual(runs(await ask('/failed today')), ['8']);
    bench.runs = [];
    assert.deepEqual(runs(await ask('/failed')), []);
  });

  it('explains the failure of the newest failed run, and offers a fix', async () => {
    bench.output = { logs: `begun\n${traceback}\n`, error: "ModuleNotFoundError: No module named 'sklearn'" };
    const answer = await ask('/why');
    assert.match(answer.markdown, /hello #8[^]*No module named 'sklearn'[^]*scikit-learn[^]*/);
    assert.match(answer.markdown, /etl\.py`, line 4/);
    assert.deepEqual([runs(answer), commands(answer)], [['8'], [undefined, '/fix hello #8']]);
  });

  it('quotes an error of which no cause is known', async () => {
    bench.output = { logs: 'begun', error: 'RateError: no rate for 2026' };
    assert.match((await ask('/why hello #8')).markdown, /RateError: no rate for 2026/);
  });

  it('believes the error that the service reports before a traceback that was only printed', async () => {
    bench.output = { logs: `${traceback}\nhandled`, error: 'SystemExit: 3' };
    const { markdown } = await ask('/why 8');
    assert.match(markdown, /SystemExit: 3/);
    assert.doesNotMatch(markdown, /sklearn/);
  });

  it('says of a run that succeeded that it did not fail', async () => {
    const answer = await ask('/why hello #7');
    assert.match(answer.markdown, /hello #7\*\*: Succeeded/);
    assert.deepEqual(commands(answer), [undefined]);
  });

  it('says what a run, a job or a file that does not exist is called', async () => {
    assert.match((await ask('/why nothing')).markdown, /"nothing"/);
    assert.match((await ask('/why hello #99')).markdown, /hello #99/);
    assert.match((await ask('/check other.job.yml')).markdown, /"other\.job\.yml"/);
  });

  it('fails if the service cannot be reached', async () => {
    bench.services.connections.connect = async () => {
      throw new AppError('unavailable', 'Local does not answer.');
    };
    await assert.rejects(ask('/failed'), /does not answer/);
  });

  it('runs a job, and offers the jobs if none is named', async () => {
    assert.deepEqual(commands(await ask('/run')), ['/run hello', '/run etl']);
    assert.equal(bench.started.length, 0);
    await ask('/run hello');
    assert.deepEqual(
      bench.started.map(({ job_id: id }) => id),
      ['1'],
    );
  });

  it('cancels the active run', async () => {
    await ask('/cancel');
    assert.ok(
      bench.trail.some((line) => /cancel/i.test(line) && line.includes('9')),
      bench.trail.join('\n'),
    );
  });

  it('explains a cron expression, or writes one from words', async () => {
    const schedule = { quartz_cron_expression: '0 30 7 ? * MON-FRI', timezone_id: 'Europe/Berlin' };
    for (const text of ['0 30 7 ? * MON-FRI in Europe/Berlin', 'every working day at 7:30 in Berlin'])
      assert.deepEqual(yamlIn(await ask(`/cron ${text}`)), { schedule });
    assert.match((await ask('/cron 30 7 * * *')).markdown, /not a Quartz expression/);
    assert.ok(commands(await ask('/cron now and then')).length > 0);
  });

  it('checks a job file with the rules of the editor', async () => {
    bench.texts.set('file:///w/wrong.job.yml', 'name: x\nmax_retries: many\n');
    assert.match((await ask('/check wrong.job.yml')).markdown, /Line 2/);
    assert.match((await ask('/check')).markdown, /no problems/);
  });

  it('writes a valid job file from a description', async () => {
    const answer = await ask(
      '/new dfs:/etl/load.py, weekdays at 2:30 in Europe/Berlin, retry 3 times, pandas, mail ops@example.com when it fails, at most 30 minutes',
    );
    const settings = yamlIn(answer);
    assert.ok(jobSettings.safeParse(settings).success);
    assert.deepEqual(settings, {
      name: 'load',
      existing_cluster_id: 'local',
      spark_python_task: { python_file: 'dfs:/etl/load.py' },
      libraries: [{ pypi: { package: 'pandas' } }],
      email_notifications: { on_failure: ['ops@example.com'] },
      timeout_seconds: 1800,
      max_retries: 3,
      schedule: { quartz_cron_expression: '0 30 2 ? * MON-FRI', timezone_id: 'Europe/Berlin' },
    });
    assert.doesNotMatch(answer.markdown, /Not in the file/);
  });

  it('says which parts of a description are not in the job file', async () => {
    assert.match((await ask('/new /a.py and post to slack')).markdown, /Not in the file.*slack/);
  });

  it('finds sections of the manual, and nothing else', async () => {
    const { links = [] } = await ask('/help keyboard');
    assert.equal(links[0]?.section, 'README.md#keyboard');
    assert.deepEqual(
      (await ask('/help capital of France')).links?.filter(({ section }) => section),
      [],
    );
  });

  it('is completed with commands, jobs and files', async () => {
    const complete = async (text: string): Promise<string[]> =>
      (await lookUps().complete(text)).map((each) => each.text.trimEnd());
    assert.deepEqual(await complete('/f'), ['/failed', '/fix']);
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], nowMs);
    assert.deepEqual(await complete('/run he'), ['/run hello']);
    assert.deepEqual(await complete('/run hello'), []);
    assert.deepEqual(await complete('/nothing x'), []);
  });

  it('completes the runs and jobs that a # attaches', () => {
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], nowMs);
    bench.store.mergeRuns(bench.runs, nowMs);
    const complete = (begun: string): (string | undefined)[][] =>
      lookUps()
        .completeNames(begun)
        .map(({ text, named }) => [text, named]);
    assert.deepEqual(complete(''), []);
    assert.deepEqual(complete('run').slice(0, 2), [
      ['#run:hello #9', 'run:9'],
      ['#run:hello #8', 'run:8'],
    ]);
    assert.deepEqual(complete('Line:hello'), [
      ['#line:hello #8', 'line:8'],
      ['#line:hello #6', 'line:6'],
    ]);
    assert.deepEqual(complete('job:el'), [['#job:hello', 'job:1']]);
    assert.deepEqual(
      complete('hello')
        .map(([text]) => text)
        .at(-1),
      '#job:hello',
    );
    assert.deepEqual(complete('none'), []);
  });

  describe('in free text', () => {
    for (const [text, command] of [
      ['Which runs failed today?', '/failed today'],
      ['Why did hello #8 fail?', '/why hello #8'],
      ['Why did my last run fail?', '/why hello #8'],
      ['How do I run a job every weekday at 2:30?', '/cron'],
      ['0 0 12 * * ?', '/cron 0 0 12 * * ?'],
      ["What's wrong with hello.job.yml?", '/check hello.job.yml'],
      ['Write a job file for /jobs/etl.py, daily at 6, with 2 retries', '/new'],
      ['Where are tokens stored?', '/help'],
    ] as const)
      it(`is shown before it answers: ${text}`, async () => {
        const { markdown } = await ask(text);
        assert.ok(markdown.startsWith(`\`${command}`), markdown.slice(0, 200));
      });

    it('is only offered if it changes something', async () => {
      assert.deepEqual(commands(await ask('Run hello')), ['/run hello']);
      assert.deepEqual(commands(await ask('Please cancel my run')), ['/cancel']);
      assert.deepEqual(commands(await ask('Fix etl')), ['/fix etl']);
      assert.deepEqual(bench.started, []);
    });

    it('is not guessed', async () => {
      for (const text of [
        'What is the capital of France?',
        'hi',
        'Wie starte ich einen Job?',
        'What happens when a run fails?',
        'Pause the schedule of nightly',
        'Repair only the failed tasks',
        'Run nightly with day=5',
      ])
        assert.match((await ask(text)).markdown, /^`\/help/, text);
      assert.deepEqual(bench.started, []);
    });

    it('is the explanation of a pasted failure', async () => {
      for (const [text, expected] of [
        [`Help!\n${traceback}`, /scikit-learn/],
        ['java.lang.ClassNotFoundException: com.example.Main', /com\.example\.Main/],
        ['Exception in thread "main" X\nCaused by: java.io.IOException: disk is gone', /disk is gone/],
        ['Why?\nbash: line 1: frobnicate: command not found', /frobnicate/],
        ['RateError: no rate', /RateError: no rate/],
        [
          `${traceback}\n\nThe above exception was the direct cause of the following exception:\n\n` +
            'Traceback (most recent call last):\n  File "/w/etl.py", line 6, in <module>\n    fail()\nRateError: no rate',
          /RateError: no rate[^]*No module named 'sklearn'/,
        ],
        ['panic: no day\n\ngoroutine 1 [running]:', /panic: no day/],
        ["thread 'main' panicked at a.rs:4:10:\nno rate for today", /no rate for today/],
        ['ERROR: No matching distribution found for x==9', /`x==9`/],
        ["[PARSE_ERROR] Syntax error at 'FORM'", /FORM/],
        ['Killed', /memory/],
        ['I get "ValueError: no day" since today', /```text\nValueError: no day\n/],
      ] as const)
        assert.match((await ask(text)).markdown, expected, text);
    });

    it('explains an attached run and not its job file', async () => {
      const jobFile = { label: 'etl: job file', text: 'name: etl\nspark_python_task:\n  python_file: /etl.py\n' };
      const failed = { label: 'etl #3', text: 'etl #3 — Failed\nrun 7 · job 2\n\n── Output ──\nno rate for 2026' };
      const { markdown } = await ask('Why did this run fail?', [failed, jobFile]);
      assert.match(markdown, /Failed[^]*no rate for 2026/);
      assert.doesNotMatch(markdown, /no problems/);
      assert.match((await ask('What is wrong?', [jobFile])).markdown, /etl: job file/);
    });
  });
});

describe('readSchedule', () => {
  for (const [text, expression] of [
    ['Every 15 minutes', '0 0/15 * * * ?'],
    ['every working day at 2:30', '0 30 2 ? * MON-FRI'],
    ['the last friday of each month at 5pm', '0 0 17 ? * FRIL'],
    ['every 30 minutes from 8am to 6pm', '0 0/30 8-18 * * ?'],
  ] as const)
    it(`reads "${text}" as ${expression}`, () => assert.equal(readSchedule(text), expression));

  for (const text of ['sometimes', 'every other tuesday', 'daily except sundays', 'daily at 6:30 and 18:00'])
    it(`refuses "${text}"`, () => assert.equal(readSchedule(text), undefined));
});
