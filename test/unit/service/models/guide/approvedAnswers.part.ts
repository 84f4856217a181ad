import { answerQuestion } from '../../../../../src/service/models/guide/guideAnswer.ts';
import { getKnowledge } from '../../../../../src/service/models/guide/knowledge.ts';
import type { Question } from '../../../../../src/service/models/guide/question.ts';
import { topics } from '../../../../../src/service/models/guide/topics.ts';
import { assertApproved } from '../../../../support/approved.ts';

const nowInMs = Date.parse('2026-11-22T12:00:00Z');
const asked = (text: string, before = ''): Question =>
  ({ text, before, first: false, toolResults: [], steps: [], stepsBefore: [] }) as never;
const written = (text: string, before?: string): string => {
  const { markdown, confidence, found } = answerQuestion(asked(text, before), nowInMs);
  return `>>> ${text}\n[${found} ${confidence.toFixed(2)}] ${markdown}\n\n`;
};

const failures = [
  "ModuleNotFoundError: No module named 'sklearn.svm'",
  "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
  "PermissionError: [Errno 13] Permission denied: '/etc/x'",
  'SyntaxError: invalid syntax',
  "InputWidgetNotDefined: No input widget named 'day' is defined",
  'Traceback (most recent call last):\n  File "/w/a.py", line 3, in f\n    g()\nMemoryError',
  'ConnectionRefusedError: [Errno 111] Connection refused',
  'Exception in thread "main" java.lang.ClassNotFoundException: com.a.B\n\tat java.lang.X.y(X.java:1)\n\tat com.a.Main.main(Main.java:7)',
  '"result_state": "TIMEDOUT"',
  '"result_state": "CANCELED"',
  '"life_cycle_state": "SKIPPED"',
  '"life_cycle_state": "INTERNAL_ERROR"',
  "KeyError: 'a'",
  'my.own.OddError: it is odd.',
  '{"error": "x", "error_trace": "Traceback (most recent call last):\\n  File \\"/w/b.py\\", line 9\\nValueError: no"}',
  [
    'Traceback (most recent call last):\n  File "/w/a.py", line 3, in f\n  File "/usr/lib/python3/site-packages/x.py", line 8\nValueError: one',
    'During handling of the above exception, another exception occurred:',
    'Traceback (most recent call last):\n  File "/w/a.py", line 5, in f\nTypeError: two',
  ].join('\n\n'),
  'everything went well',
];

const descriptions = [
  'Write a job file named nightly for /jobs/etl.py --day=mon --size 3, every night at 2, retry 3 times, time-out 20 minutes, mail a@b.example on success',
  'Create a job for the notebook reports/weekly.ipynb with 2 to 8 workers, up to 3 runs at once',
  'I need a job that runs app.jar with com.acme.Main hourly, 4 workers, stopped after 2 hours',
  'Make a job with pandas and numpy for /jobs/a.py and /libs/b.whl, mail b@c.example when it starts',
  'Create a job for /jobs/a.py with pandas, Pandas, numpy==1.26.4 and again pandas, please',
  'Give me a yaml job every month for a notebook, paused, tags team=a',
  'Draft a job that retries, every blue moon',
];

describe("the guide's answers, as they were approved", () => {
  it('to questions about each topic', () => {
    const texts = topics.flatMap(({ title, asks }) => [written(title), written(`Tell me of ${asks}`)]);
    assertApproved('guide-topics', texts.join(''));
  });

  it('to what a field is, for each field of both documents', () => {
    const lines = getKnowledge().fields.map(({ path }) => {
      const { markdown, facts } = answerQuestion(asked(`What is ${path}?`), nowInMs);
      const { example, ...rest } = facts;
      return `${path}: ${JSON.stringify(rest)}\n  ${markdown.length} characters${example === undefined ? '' : ', with an example'}\n`;
    });
    assertApproved('guide-fields', lines.join(''));
  });

  it('to failures', () => assertApproved('guide-failures', failures.map((text) => written(text)).join('')));

  it('to descriptions of jobs', () => assertApproved('guide-jobs', descriptions.map((text) => written(text)).join('')));

  it('to small talk, schedules, job files, and what points back', () => {
    const texts = [
      ...['Hello!', 'Thanks.', 'Who are you?', 'Are you an AI?', 'help', 'What is love?', ''].map((text) =>
        written(text),
      ),
      ...[
        'What does "0 0 6 * * ?" mean?',
        'when does 0 15 10 ? * MON-FRI fire',
        'when does 0 15 10 ? * MON-FRI fire in America/New_York',
        'What is 99 99 99 * * ?',
        'Every Monday at 9',
      ].map((text) => written(text)),
      ...[
        'name: x\nspark_python_task:\n  python_file: /a.py\n',
        '```yaml\nname: x\nexisting_cluster_id: c\nnotebook_task: {}\nmax_retry: 1\n```',
        'notebook_task: [\n',
      ].map((text) => written(text)),
      written('And what is its default?', 'What is max_retries?'),
      written('How about timeouts?', 'What is max_retries?'),
      written('What does this mean?', 'schedule'),
    ];
    assertApproved('guide-others', texts.join(''));
  });

  it('in JSON: the first paragraph, and the values that it rests on', () => {
    const questions = [
      ...['Hello!', 'Thanks.', 'Who are you?', 'Which colour has the zebra?'],
      ...['What does "0 0 6 * * ?" mean?', 'What is 99 99 99 * * ?', 'How do I change the colours of the editor?'],
      ...['What is max_retries?', 'How do I run a job?', 'name: x\nmax_retry: 1\n', ...failures.slice(0, 6)],
      ...descriptions.slice(0, 2),
    ];
    const results = [['42'], ['{"a": 1}', 'two\nlines']].map((toolResults) => ({ ...asked('Go on'), toolResults }));
    const answers = [...questions.map((text) => asked(text)), ...results].map((question) => {
      const { summary, facts } = answerQuestion(question, nowInMs);
      return `>>> ${question.text} ${question.toolResults.join(' & ')}\n${summary}\n${JSON.stringify(facts)}\n\n`;
    });
    assertApproved('guide-json', answers.join(''));
  });
});
