import assert from 'node:assert/strict';
import { GuideChat } from '../../../../support/guideChat.ts';
import { guideJobs } from '../../../../support/guideJobs.ts';

/** Each with what a useful answer has, or an honest refusal. */
const questions: readonly (readonly [question: string, answer: RegExp, calls?: RegExp])[] = [
  [
    'Which runs failed today?',
    /One run of Local failed today[\s\S]*\*\*etl #3\*\*: Failed/,
    /list_runs .*"since":"today"/,
  ],
  ['What failed yesterday?', /failed yesterday/, /"yesterday"/],
  ['Did anything fail this week?', /failed in the last 7 days/, /"week"/],
  ['Is anything running right now?', /Nothing is running on Local/, /"active"/],
  ['What jobs do I have?', /Local has 2 jobs:[\s\S]*hello[\s\S]*etl/, /list_jobs/],
  ['Which jobs are scheduled?', /One job of Local has a schedule:[\s\S]*06:00/, /list_jobs/],
  ['Run hello', /\*\*hello\*\* was started on Local as run 9/, /run_job \{"job":"1"\}/],
  ['Please start the job etl now', /was started/, /run_job \{"job":"2"\}/],
  ['Run nosuchjob', /There is no job `nosuchjob` on Local\. Its jobs are `hello`, `etl`/, /list_jobs/],
  ['Why did etl fail?', /no module `pandas`[\s\S]*libraries/, /get_run \{"run_id":"7"\}/],
  ['Why did my last run fail?', /no module `pandas`/, /get_run \{"run_id":"7"\}/],
  ['What did the last run do?', /Hello, world/, /get_run \{"run_id":"8"\}/],
  ['Show me the output of hello', /Hello, world/, /get_run \{"run_id":"8"\}/],
  ['What does hello do?', /name: hello/, /get_job/],
  ['Show my last runs', /2 runs of Local:[\s\S]*hello #5[\s\S]*etl #3/, /list_runs/],
  ['When does etl run next?', /06:00.*next 2026-11-23/, /list_jobs/],
  ['How do I use Ollama here?', /Start Ollama, llama\.cpp, vLLM or LM Studio on this machine/],
  ['How do I use a real language model?', /Start Ollama, llama\.cpp, vLLM or LM Studio/],
  [
    'Write a job file for a notebook that retries twice and mails me on failure',
    /max_retries: 2[\s\S]*You want an e-mail and gave no address[\s\S]*You named no file/,
  ],
  [
    'Write a job file for /jobs/etl.py, daily at 6, with 2 retries.',
    /0 0 6 \* \* \?[\s\S]*max_retries: 2|max_retries: 2[\s\S]*0 0 6 \* \* \?/,
  ],
  ['How do I run a job every working day at 2:30?', /0 30 2 \? \* MON-FRI/],
  ['What is max_retries?', /max_retries/],
  ['How do I install a Python package for my job?', /libraries|pypi/],
  ['Why was my run skipped?', /max_concurrent_runs/],
  ['How do I pass parameters to a notebook?', /base_parameters|notebook_params/],
  ['How can I stop a run that hangs?', /timeout_seconds|[Cc]ancel/],
  ['How do I get an e-mail when a job fails?', /on_failure/],
  ['What does "0 0 6 * * ?" mean?', /06:00|6:00|6 ?am/i],
  ['What is the weather in Berlin?', /found nothing|not a language model/],
  ['Translate "good morning" into French', /found nothing|not a language model/],
];

describe('questions of a newcomer to the guide', () => {
  for (const [question, answer, calls] of questions)
    it(question, () => {
      const chat = new GuideChat(guideJobs);
      const text = chat.ask(question);
      assert.match(text, answer, text);
      if (calls) assert.match(chat.calls.join('\n'), calls);
      else assert.deepEqual(chat.calls, []);
    });

  it('are thirty', () => assert.equal(questions.length, 30));

  it('go on about the run that was spoken of', () => {
    const chat = new GuideChat(guideJobs);
    chat.ask('Which runs failed today?');
    assert.match(chat.ask('Why did it fail?'), /\*\*etl #3\*\* on Local[\s\S]*no module `pandas`/);
    assert.deepEqual(chat.calls, ['get_run {"run_id":"7"}']);
  });

  it('about jobs are refused honestly where nothing can be looked up', () => {
    const chat = new GuideChat();
    assert.match(chat.ask('Which runs failed today?'), /^I cannot look at your jobs and runs here/);
  });

  it('say what went wrong where a function failed, and never invent', () => {
    const chat = new GuideChat(() => ({ error: 'Local does not answer.' }));
    assert.match(chat.ask('Which runs failed today?'), /^I could not look that up: Local does not answer\./);
    for (const result of ['', 'none of your business', 7, null, { runs: 'x' }, { jobs: 5 }])
      assert.match(
        new GuideChat(() => result).ask('Which runs failed today?'),
        /^I could not look that up: /,
        String(result),
      );
  });

  it('about a run that is attached are about that one', () => {
    const attached =
      'hello #5: state and output:\n```\nhello #5 — Succeeded\nrun 8 · job 1 · 1 s\n\n── Output ──\nHi there\n```';
    const job = 'hello: job file:\n```yaml\nname: hello\nexisting_cluster_id: local\n```';
    const chat = new GuideChat(guideJobs);
    const text = chat.ask(`${attached}\n\n${job}\n\nWhat did this run do?`);
    assert.match(text, /^\*\*hello #5\*\*: Succeeded, job 1, 1 s\.\n\nWhat it wrote:[\s\S]*Hi there/);
    assert.deepEqual(chat.calls, []);
  });

  it('that only look like questions about jobs are not taken for them', () => {
    for (const question of [
      'Run a job every working day at 2:30',
      'What happens when a run fails?',
      'How many runs may be active at once?',
      'What does autoscale do?',
      'Start date and end date as parameters',
      'List the fields of a job',
    ]) {
      const chat = new GuideChat(guideJobs);
      chat.ask(question);
      assert.doesNotMatch(chat.calls.join(), /run_job|list_runs|get_run/, question);
    }
  });
});

/** Each with what the file has, what is said not to be in it, and what it must not have. */
const descriptions: readonly (readonly [asked: string, has: RegExp, missing?: string, not?: RegExp])[] = [
  ['notebook /n/report with parameter day=today, every Monday at 9, paused', /day: today[^]*0 0 9 \? \* MON[^]*PAUSED/],
  ['/clean.py with arguments --days 30 --dry-run, every hour, at most 2 at a time', /--days\n\s+- "30"\n[^]*runs: 2/],
  ['/etl.py with --region north every day', /--region\n[^]*0 0 6 \* \* \?/, 'north'],
  [
    '/etl.py with pandas 2.1 and requests, 3 retries with 5 minutes between',
    /is: 300000[^]*pandas==2\.1\n[^]*requests/,
  ],
  ['a JAR com.acme.Main from dfs:/a.jar with 4 workers on spark 3.4.x-scala2.13', /version: 3\.4\.x-scala2\.13/],
  ['the job nightly-load (id 12) every working day at 6:15 UTC', /job_id: 12\n[^]*0 15 6 \? \* MON-FRI/],
  ['/a.py and then /b.py when the first succeeded', /python_file: \/a\.py/, '/b.py first'],
  ['/x.py at 9 and at 17 every day', /0 0 9,17 \* \* \?/],
  ['/x.py at 6:30 and 18:00 daily', /did not understand when/, '6:30 18:00 daily'],
  [
    '/x.py every 30 minutes between 8 and 18 on weekdays, retried twice, in New York',
    /max_retries: 2[^]*0 0\/30 8-18 \? \* MON-FRI\n\s+timezone_id: America\/New_York/,
    undefined,
    /min_retry_interval/,
  ],
  ['/x.py on the 1st and 15th at 8', /0 0 8 1,15 \* \?/],
  ['/x.py with environment variable MODE=prod and tags team=data', /`spark_env_vars`/, 'MODE=prod tags team=data'],
  ['/x.py on the last day of each month at 23:30, retry also on timeout', /retry_on_timeout[^]*0 30 23 L \* \?/],
  [
    '/x.py named "Daily sales", from git https://github.com/acme/etl',
    /name: Daily sales/,
    'https://github.com/acme/etl',
    /schedule:/,
  ],
  [
    '/x that ends after 2 hours, no retries, mail on success and on failure a@b.co',
    /max_retries: 0\ntimeout_seconds: 7200[^]*on_success[^]*on_fail/,
  ],
  ['the notebook /daily/weekly-sales', /notebook_path: \/daily\/weekly-sales/, undefined, /schedule/],
  ['/x.py, do not retry, concurrency 3', /max_retries: 0/, 'concurrency 3'],
  ['/x.py every day but not on Sunday', /so there is no `schedule`/, 'every Sunday', /SUN/],
  ['/x.py daily at 6 am which needs a GPU', /0 0 6 \* \* \?/, 'GPU'],
  [
    'the python script /etl.py every Tuesday and Friday at 2:30 pm in Asia/Tokyo, with three retries please',
    /0 30 14 \? \* TUE,FRI/,
  ],
];

describe('a job file that the guide writes', () => {
  for (const [asked, has, missing, not] of descriptions)
    it(`has what was asked, or it is said: ${asked}`, () => {
      const text = new GuideChat(guideJobs).ask(`Write a job file for ${asked}`);
      assert.match(text, has);
      if (not) assert.doesNotMatch(text, not);
      assert.equal(/Nothing in the file is for this: "(.*)"\./.exec(text)?.[1], missing, text);
    });
});

describe('a program or a job that is to run at certain times', () => {
  for (const [asked, has] of [
    [
      'i have a python script etl/load.py, how do i run it every morning at 6?',
      /file: \/etl\/load\.py[^]*0 0 6 \* \* \?/,
    ],
    ['run etl/load.py every day at 6 with 2 retries', /max_retries: 2[^]*0 0 6 \* \* \?/],
    ['Run a job every weekday at 2:30, with 3 retries', /max_retries: 3[^]*0 30 2 \? \* MON-FRI/],
    ['start the job nightly.py daily', /file: \/nightly\.py[^]*0 0 6 \* \* \?/],
    ['schedule for report.ipynb: weekdays 8am, mail me at a@b.co on failure', /on_failure:\n[^]*0 0 8 \? \* MON-FRI/],
    ['run etl.py daily and mail a@b.co if it fails', /on_failure:\n[^]*0 0 6 \* \* \?/],
    // What the empty chat suggests.
    ['Write a job file that runs a Python file every morning at 07:30.', /spark_python_task:[^]*0 30 7 \* \* \?/],
    ['Write a Spark Job that runs my Notebook each Monday', /notebook_task:[^]*0 0 6 \? \* MON/],
    ['Schedule a SQL notebook /Reports/Daily weekly', /notebook_path: \/Reports\/Daily\n[^]*0 0 6 \? \* MON/],
    ['schedule my notebook daily at 7am Berlin time', /notebook_task:[^]*0 0 7 \* \* \?[^]*Europe\/Berlin/],
  ] as const)
    it(`is written as a job file: ${asked}`, () => {
      const text = new GuideChat(guideJobs).ask(asked);
      assert.match(text, /^Save this as/);
      assert.match(text, has);
      assert.doesNotMatch(text, /Nothing in the file is for this/);
    });

  for (const asked of [
    'why did etl/load.py not run every day at 6',
    'does load.py run every hour?',
    'how do I run a job every working day at 2:30?',
    'run the job every working day at 2:30',
    'when does load.py start each day',
    'etl.py fails every day at 6',
  ])
    it(`is not what this asks for: ${asked}`, () =>
      assert.doesNotMatch(new GuideChat(guideJobs).ask(asked), /Save this as/));
});

describe('a question that a list does not answer', () => {
  for (const [asked, answer] of [
    ['How many times does a failed run try again by default?', /^\*\*Retrying failed runs/],
    ['Is there a limit to how many runs can be active at once?', /^\*\*How many runs at once/],
    ['Which of my jobs ran longest?', /found nothing/],
    ['How many jobs have never run?', /^(?!Local has)/],
    ['My answer stopped in the middle, why?', /found nothing/],
    ['How do I change the port of the local service?', /^\*\*The local service[^]*Copy Address of the Local Service/],
    [
      'Which python does the local service use and how do I change it?',
      /^\*\*The Python that tasks run with(?![^]*\n---\n)/,
    ],
    ['How many times did etl fail today?', /1 run|One run|etl/],
    ["what's the difference between n and max_tokens", /^\*\*`n`\*\*[^]*\n---\n[^]*\*\*`max_tokens`\*\*/],
    ['temperature vs top p', /^\*\*`temperature`\*\*[^]*\n---\n[^]*\*\*`top_p`\*\*/],
    ['stop sequences', /^\*\*Stop sequences/],
    ['what is the n parameter', /^\*\*`n`\*\*/],
    ['can I find a job by name or id', /^(?!\*\*`name`)/],
  ] as const)
    it(`is answered with what is known, or not at all: ${asked}`, () =>
      assert.match(new GuideChat(guideJobs).ask(asked), answer));
});
