import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { jobSettings } from '../../../../../src/api/schema/jobs/schemas.ts';
import { answerQuestion } from '../../../../../src/service/models/guide/guideAnswer.ts';
import { readSchedule } from '../../../../../src/service/models/guide/scheduleWords.ts';
import { GuideChat } from '../../../../support/guideChat.ts';
import { guideJobs } from '../../../../support/guideJobs.ts';

describe('the guide', () => {
  const nowInMs = Date.UTC(2026, 0, 5);

  function ask(text: string, before = '') {
    return answerQuestion({ text, before, first: false, toolResults: [] }, nowInMs);
  }

  /** Returns every YAML block of an answer. */
  function blocks(markdown: string): string[] {
    return [...markdown.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  }

  describe('with an attached file', () => {
    const file = 'word_count.py:\n```python\nimport sys\n\nprint(len(sys.stdin.read().split()))  # 1 2 3 4 5 6\n```';

    it('quotes the question and not the file', () => {
      const { found, markdown } = ask(
        `${file}\n\nnotes:\n\`\`\`\`\n\`\`\`\nx\n\`\`\`\n\`\`\`\`\n\nWhich colour has the zebra?`,
      );
      assert.equal(found, false);
      assert.match(markdown, /^I found nothing about "Which colour has the zebra\?" in/);
    });
  });

  const asked: readonly (readonly [question: string, expected: string])[] = [
    ['What is max_retries?', '**`max_retries`**'],
    ['How can I run my job every night?', 'Running a job on a schedule'],
    ['run the job every working day at 2:30', '`0 30 2 ? * MON-FRI`'],
    ['How do I cancel a run?', 'Cancelling runs'],
    ['How do I use ollama?', 'Using a real language model'],
  ];
  for (const [question, expected] of asked) {
    it(`answers "${question}"`, () => {
      const answer = ask(question);
      assert.ok(answer.markdown.includes(expected), answer.markdown.slice(0, 300));
      assert.ok(answer.found);
    });
  }

  for (const question of [
    'What is the capital of France?',
    'Write me a poem about love',
    'Who won the match yesterday?',
    'asdf qwer',
    '',
  ]) {
    it(`admits that it knows nothing about "${question}"`, () => {
      const answer = ask(question);
      assert.equal(answer.found, false);
      assert.match(answer.markdown, /found nothing/);
      assert.match(answer.markdown, /not a language model/);
    });
  }

  it('shows type, default, limits and description of a field', () => {
    const { markdown } = ask('What is max_concurrent_runs?');
    assert.match(markdown, /whole number · optional · default: `1` · at least 0, at most 1000/);
    assert.match(markdown, /0 makes every new run skipped/);
  });

  it('states once that it is not a language model', () => {
    const first = answerQuestion({ text: 'What is max_retries?', before: '', first: true, toolResults: [] }, nowInMs);
    assert.match(first.markdown, /not a language model/);
    assert.doesNotMatch(ask('What is max_retries?').markdown, /language model/);
    assert.match(ask('Are you an AI?').markdown, /not a language model/);
  });

  it('writes a valid job file from a description', () => {
    const { markdown } = ask(
      'Write a job file for dfs:/etl/load.py, weekdays at 2:30 in Europe/Berlin, retry 3 times, pandas, mail ops@example.com when it fails, at most 30 minutes',
    );
    const [block = ''] = blocks(markdown);
    const settings: unknown = parse(block);
    assert.ok(jobSettings.safeParse(settings).success);
    assert.deepEqual(settings, {
      name: 'load',
      spark_python_task: { python_file: 'dfs:/etl/load.py' },
      existing_cluster_id: 'local',
      max_retries: 3,
      timeout_seconds: 1800,
      email_notifications: { on_failure: ['ops@example.com'] },
      schedule: { quartz_cron_expression: '0 30 2 ? * MON-FRI', timezone_id: 'Europe/Berlin' },
      libraries: [{ pypi: { package: 'pandas' } }],
    });
  });

  it('checks a pasted job file', () => {
    const wrong = ask(
      'What is wrong?\n```yaml\nname: x\nspark_python_task:\n  python_file: /a.py\nnotebook_task:\n  ' +
        'notebook_path: report\nexisting_cluster_id: c\nmax_concurrent_runs: 2000\n```',
    );
    assert.match(wrong.markdown, /max_concurrent_runs/);
    assert.match(wrong.markdown, /one task/);
    assert.match(wrong.markdown, /notebook_path/);
    assert.match(ask('spark_python_task:\n  python_file: /a.py\nexisting_cluster_id: c').markdown, /it is valid/);
    assert.match(ask('```yaml\nspark_python_task:\n  python_file: "/a.py\n```').markdown, /problem/);
  });

  it('shows when a cron expression fires', () => {
    const { markdown } = ask('When does 0 30 2 ? * MON-FRI in Europe/Berlin fire?');
    assert.match(markdown, /Monday,? 5 January 2026 at 02:30:00/);
    assert.match(ask('Is 0 30 2 * * * valid?').markdown, /not a valid Quartz expression/);
  });

  const failures: readonly (readonly [text: string, expected: RegExp])[] = [
    [
      'Why?\n```\nTraceback (most recent call last):\n  File "/w/jobs/etl.py", line 3, in <module>\n    ' +
        "import sklearn\nModuleNotFoundError: No module named 'sklearn'\n```",
      /no module `sklearn`.*etl\.py`, line 3.*package: scikit-learn/s,
    ],
    ['run: {"state": {"life_cycle_state": "TERMINATED", "result_state": "TIMEDOUT"}}', /timeout_seconds/],
    ['java.lang.ClassNotFoundException: com.example.Main', /com\.example\.Main.*spark_jar_task/s],
  ];
  for (const [text, expected] of failures) {
    it(`explains ${JSON.stringify(text).slice(0, 50)}`, () => {
      const { markdown } = ask(text);
      assert.match(markdown, expected);
      for (const block of blocks(markdown)) assert.ok(jobSettings.safeParse(parse(block)).success, block);
    });
  }
});

describe("a newcomer's question", () => {
  /** Each question with a pattern of a useful answer or an honest refusal. */
  const questions: readonly (readonly [question: string, answer: RegExp, calls?: RegExp])[] = [
    [
      'Which runs failed today?',
      /One run of Local failed today[\s\S]*\*\*etl #3\*\*: Failed/,
      /list_runs .*"since":"today"/,
    ],
    ['What jobs do I have?', /Local has 2 jobs:[\s\S]*hello[\s\S]*etl/, /list_jobs/],
    ['Run hello', /\*\*hello\*\* was started on Local as run 9/, /run_job \{"job":"1"\}/],
    ['Why did etl fail?', /no module `pandas`[\s\S]*libraries/, /get_run \{"run_id":"7"\}/],
    ['When does etl run next?', /06:00.*next 2026-11-23/, /list_jobs/],
    [
      'Write a job file for a notebook that retries twice and mails me on failure',
      /max_retries: 2[\s\S]*You want an e-mail and gave no address[\s\S]*You named no file/,
    ],
    [
      'Write a job file for /jobs/etl.py, daily at 6, with 2 retries.',
      /0 0 6 \* \* \?[\s\S]*max_retries: 2|max_retries: 2[\s\S]*0 0 6 \* \* \?/,
    ],
    ['How do I run a job every working day at 2:30?', /0 30 2 \? \* MON-FRI/],
  ];

  for (const [question, answer, calls] of questions)
    it(`gets a useful answer: ${question}`, () => {
      const chat = new GuideChat(guideJobs);
      const text = chat.ask(question);
      assert.match(text, answer, text);
      if (calls) assert.match(chat.calls.join('\n'), calls);
      else assert.deepEqual(chat.calls, []);
    });

  it('can refer to the run mentioned before', () => {
    const chat = new GuideChat(guideJobs);
    chat.ask('Which runs failed today?');
    assert.match(chat.ask('Why did it fail?'), /\*\*etl #3\*\* on Local[\s\S]*no module `pandas`/);
    assert.deepEqual(chat.calls, ['get_run {"run_id":"7"}']);
  });

  it('about jobs is declined if there are no tools', () => {
    const chat = new GuideChat();
    assert.match(chat.ask('Which runs failed today?'), /^I cannot look at your jobs and runs here/);
  });

  it('is answered with the failure of a tool', () => {
    const chat = new GuideChat(() => ({ error: 'Local does not answer.' }));
    assert.match(chat.ask('Which runs failed today?'), /^I could not look that up: Local does not answer\./);
    for (const result of ['', 'none of your business', 7, null, { runs: 'x' }, { jobs: 5 }])
      assert.match(
        new GuideChat(() => result).ask('Which runs failed today?'),
        /^I could not look that up: /,
        String(result),
      );
  });

  it('about features calls no job function', () => {
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

describe('readSchedule', () => {
  for (const [text, expression, words] of [
    ['Every 15 minutes', '0 0/15 * * * ?', 'every 15 minutes'],
    ['every working day at 2:30', '0 30 2 ? * MON-FRI', 'on working days at 02:30'],
    ['the last friday of each month at 5pm', '0 0 17 ? * FRIL', 'on the last Friday of each month at 17:00'],
    ['every 30 minutes from 8am to 6pm', '0 0/30 8-18 * * ?', 'every 30 minutes from 8:00 to 18:59'],
  ] as const)
    it(`reads "${text}" as ${expression}`, () => assert.deepEqual(readSchedule(text), { expression, words }));

  for (const text of [
    'sometimes',
    'every other tuesday',
    'daily except sundays',
    'daily at 6:30 and 18:00',
    'every hour between 17 and 9',
  ])
    it(`refuses "${text}"`, () => assert.equal(readSchedule(text), undefined));
});
