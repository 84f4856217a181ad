import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { jobSettings } from '../../../../../src/api/schema/jobs/schemas.ts';
import { exampleSettings, exampleYaml } from '../../../../../src/service/models/guide/exampleJob.ts';
import { jobFileArea } from '../../../../../src/service/models/guide/fieldDocs.ts';
import { answerQuestion } from '../../../../../src/service/models/guide/guideAnswer.ts';
import { getKnowledge } from '../../../../../src/service/models/guide/knowledge.ts';
import { topics } from '../../../../../src/service/models/guide/topics.ts';
import './approvedAnswers.part.ts';
import './freshQuestions.part.ts';
import './guideTalk.part.ts';
import './newcomer.part.ts';
import './stranger.part.ts';
import './sureTopics.part.ts';

const nowInMs = Date.UTC(2026, 0, 5);

function ask(text: string, before = '') {
  return answerQuestion({ text, before, first: false, toolResults: [] }, nowInMs);
}

/** Every YAML block of an answer. */
function blocks(markdown: string): string[] {
  return [...markdown.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
}

describe('the built-in guide', () => {
  it('names only commands that there are', () => {
    const { contributes } = JSON.parse(
      readFileSync(path.join(import.meta.dirname, '../../../../../package.json'), 'utf8'),
    ) as { contributes: { commands: { title: string }[] } };
    const titles = contributes.commands.map(({ title }) => title);
    const named = topics.flatMap(({ text }) =>
      [...text.matchAll(/\*\*Millrace: ([^*]+)\*\*/g)].map(([, title]) => title),
    );
    assert.notDeepEqual(named, []);
    assert.deepEqual(
      named.filter((title) => !titles.includes(title ?? '')),
      [],
    );
  });

  describe('with a file attached', () => {
    const file = 'word_count.py:\n```python\nimport sys\n\nprint(len(sys.stdin.read().split()))  # 1 2 3 4 5 6\n```';

    it('quotes the question and not the file', () => {
      const { found, markdown } = ask(
        `${file}\n\nnotes:\n\`\`\`\`\n\`\`\`\nx\n\`\`\`\n\`\`\`\`\n\nWhich colour has the zebra?`,
      );
      assert.equal(found, false);
      assert.match(markdown, /^I found nothing about "Which colour has the zebra\?" in/);
    });

    it('shortens a long question', () => {
      assert.match(ask(`${file}\n\n${'zebra '.repeat(40)}`).markdown, /^I found nothing about "(?:zebra ){13}ze…" in/);
    });

    it('answers the question as it does without the file', () => {
      const question = 'How do I install pandas?';
      assert.equal(ask(`${file}\n\n${question}`).markdown, ask(question).markdown);
    });

    it('names the file where nothing is asked, and reads it where the question points at it', () => {
      assert.match(ask(file).markdown, /^I found nothing about "word_count\.py" in/);
      assert.match(ask('part.yml:\n```yaml\nmax_retries: 3\n```\n\nWhat does this mean?').markdown, /max_retries/);
    });
  });

  const asked: readonly (readonly [question: string, expected: string])[] = [
    ['What is max_retries?', '**`max_retries`**'],
    ['How do I retry a failed run?', 'Retrying failed runs'],
    ['How can I run my job every night?', 'Running a job on a schedule'],
    ['run the job every working day at 2:30', '`0 30 2 ? * MON-FRI`'],
    ['How do I pause a schedule?', 'Pausing a schedule'],
    ['How do I get an email when a run fails?', 'E-mails about runs'],
    ['How do I limit how long a run may take?', 'Limiting how long a run lasts'],
    ['What does timeout_seconds do?', '**`timeout_seconds`**'],
    ['Can two runs of a job run at the same time?', 'How many runs at once'],
    ['Why was my run skipped?', 'Why a run was skipped'],
    ['How do I pass parameters to a notebook?', 'Parameters of a notebook'],
    ['How do I install pandas?', 'Installing libraries'],
    ['How do I return a value from a notebook?', "A notebook's result"],
    ['What states can a run have?', 'The states of a run'],
    ['How do I cancel a run?', 'Cancelling runs'],
    ['Can I export a run as HTML?', 'Exporting a run'],
    ['How do I start a run exactly once?', 'Starting a run exactly once'],
    ['What is the difference between reset and update?', 'Reset or update'],
    ['How long are runs kept?', 'How long runs are kept'],
    ['What is schedule.timezone_id?', '**`schedule.timezone_id`**'],
    ['What is `quartz_cron_expression`?', '**`schedule.quartz_cron_expression`**'],
    ['How do I stream a chat answer?', 'Streamed answers'],
    ['How do I force a function call?', 'Functions that a model may call'],
    ['How can I get JSON that follows a schema?', 'Answers as JSON'],
    ['How do I use ollama?', 'Using a real language model'],
    ['What is top_p?', '**`top_p`**'],
    ['How can I run a jar?', 'Running a JAR'],
    ['how do I set environment variables', 'Environment variables'],
    ['run every monday at 9', '`0 0 9 ? * MON`'],
    ['How do I see the output of my run?', 'The output of a run'],
    ['How large may parameters be?', 'Parameters for one run'],
    ['How do I authenticate?', 'Connecting to a workspace'],
    ['Where do I find driver logs?', 'Where cluster logs go'],
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

  it('tells type, default, limits and description of a field', () => {
    const { markdown } = ask('What is max_concurrent_runs?');
    assert.match(markdown, /whole number · optional · default: `1` · at least 0, at most 1000/);
    assert.match(markdown, /0 makes every new run skipped/);
  });

  it('follows a question that points back', () => {
    assert.match(
      ask('And what is its default?', 'What is min_retry_interval_millis?').markdown,
      /min_retry_interval_millis/,
    );
  });

  it('says at the first answer, and only there, that it is no language model', () => {
    const first = answerQuestion({ text: 'What is max_retries?', before: '', first: true, toolResults: [] }, nowInMs);
    assert.match(first.markdown, /not a language model/);
    assert.doesNotMatch(ask('What is max_retries?').markdown, /language model/);
    assert.match(ask('Are you an AI?').markdown, /not a language model/);
  });

  it('shows an example that is valid, for every field of a job file', () => {
    const fields = getKnowledge().fields.filter((field) => field.area === jobFileArea);
    assert.ok(fields.length > 100, String(fields.length));
    const without: string[] = [];
    for (const field of fields) {
      const settings = exampleSettings(field.path);
      if (!settings) {
        without.push(field.path);
        continue;
      }
      const result = jobSettings.safeParse(parse(exampleYaml(settings)));
      assert.ok(result.success, `${field.path}: ${JSON.stringify(result.error?.issues)}\n${exampleYaml(settings)}`);
      const last = field.name;
      assert.ok(exampleYaml(settings).includes(`${last}:`), `${field.path} is not in its example`);
    }
    assert.deepEqual(without, [], 'Give these fields an example in src/service/models/guide/exampleJob.ts.');
  });

  it('refers in its topics only to fields that exist', () => {
    const knowledge = getKnowledge();
    for (const topic of topics) {
      for (const path of topic.fields) assert.ok(knowledge.fieldAt(path), `${topic.id}: ${path}`);
      if (topic.example !== undefined) {
        const [block = ''] = blocks(`\`\`\`yaml\n${exampleYaml(exampleSettings(topic.example) ?? {})}\`\`\``);
        assert.ok(jobSettings.safeParse(parse(block)).success, topic.id);
      }
    }
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

  it('checks a job file that is pasted', () => {
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

  it('tells when a cron expression fires', () => {
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
    [
      'Traceback (most recent call last):\n  File "/w/a.py", line 1, in <module>\n  File "/usr/lib/python3.11/x.py", ' +
        "line 9, in open\nFileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
      /`data\.csv`.*`\/w\/a\.py`, line 1/s,
    ],
    ['run: {"state": {"life_cycle_state": "TERMINATED", "result_state": "TIMEDOUT"}}', /timeout_seconds/],
    ['ZeroDivisionError: division by zero', /ZeroDivisionError: division by zero/],
    ['java.lang.ClassNotFoundException: com.example.Main', /com\.example\.Main.*spark_jar_task/s],
  ];
  for (const [text, expected] of failures) {
    it(`explains ${JSON.stringify(text).slice(0, 50)}`, () => {
      const { markdown } = ask(text);
      assert.match(markdown, expected);
      for (const block of blocks(markdown)) assert.ok(jobSettings.safeParse(parse(block)).success, block);
    });
  }

  it('reports what a tool answered', () => {
    assert.match(
      answerQuestion({ text: 'weather?', before: '', first: false, toolResults: ['12 degrees'] }, nowInMs).markdown,
      /> 12 degrees/,
    );
    const { markdown } = answerQuestion(
      { text: 'weather?', before: '', first: false, toolResults: ['12 degrees\n\n# wind', 'rain'] },
      nowInMs,
    );
    assert.equal(markdown, 'The tools answered:\n\n> 12 degrees\n> \n> # wind\n\n> rain');
  });
});
