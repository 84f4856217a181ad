import assert from 'node:assert/strict';
import { answerQuestion } from '../../../../../src/service/models/guide/guideAnswer.ts';
import type { Question } from '../../../../../src/service/models/guide/question.ts';
import { topics } from '../../../../../src/service/models/guide/topics.ts';

/** By topic, what people say who mean it: each of its patterns is the only one that knows at least one of the questions. */
const questions: Readonly<Record<string, readonly string[]>> = {
  cancel: ['how to cancel a run that is stuck'],
  ids: ['Where is the run id?'],
  'chat-view': ['stop the answer', 'my old chats', 'the chat in a window', 'a preset'],
  arrange: ['filter the tree', 'find a job by name', 'sorted by name', 'What is the star?', 'all runs by time'],
  logs: ['the driver logs', 'logs of the Spark driver'],
  environment: ['set an environment variable'],
  delete: ['restore a deleted job', 'delete all old runs'],
  states: ['what does INTERNAL_ERROR mean', 'the meaning is clear, it means PENDING'],
  libraries: ['a requirements.txt', 'pip install it'],
  webhooks: ['a message in Slack'],
  concurrency: ['while another run is still going', 'do runs overlap', 'two at the same time', 'it stays pending'],
  'run-again': ['rerun a failed run'],
  edits: ['can you edit my file for me', 'apply the code of an answer'],
  'start-over': [
    'reset the local service',
    'Wipe everything',
    'clear all of it',
    'I want to start over',
    'Begin from scratch',
  ],
  deploy: [
    'does it overwrite what my team did',
    'move my jobs to another machine',
    'keep a job file in git',
    'How do I roll back a job?',
    'rolling back my last deployment',
    'restore the previous deploy',
    'What changed between my file and the server?',
    'has somebody changed it since my file was deployed',
    'Can I get a job from the server into a file?',
    'Other people want to deploy it',
    'Deploy or run?',
  ],
  privacy: [
    'Is it kept private?',
    'What is sent?',
    'Is this private?',
    'What about privacy?',
    'Can the model see my code?',
    'Keep the model away from it',
    'What can you do with my files?',
  ],
  debug: ['How is debugging done?', 'debugger', 'Where do I set a breakpoint?'],
  'closed-editor': ['What if I quit VS Code?', 'after I shut down my laptop', 'Closing the window'],
  'many-inputs': ['Do it for several dates', '12 inputs', 'many different dates', 'How do I backfill?'],
  'jobs-and-runs': ['What is a job?', "what's a run", 'Difference between a job and a run'],
  'uneven-schedule': [
    'every other week',
    'each 3rd day',
    'every second tuesday',
    'It should go biweekly',
    'quarterly',
    'twice a month',
    'on the last working day of the month',
  ],
  'time-zones': [
    'What is a time-zone?',
    'the timezone',
    'daylight saving',
    'summer time',
    'wintertime',
    'What of DST?',
    'when the clocks go back',
  ],
  secrets: [
    'Where is my access key?',
    'a secret',
    'passwords',
    'credentials',
    'Is my token safe?',
    'keys that are stored',
  ],
  permissions: [
    'permissions',
    'access control',
    'Who may see it?',
    'the right to see it',
    'grant it to Bob',
    'Share a job with Bob',
  ],
  'own-changes': ['Delete etl', 'could you rename hello', 'please stop the job', 'abort hello'],
  'start-with-parameters': [
    'Launch etl with day=5',
    'please run it with other parameters',
    'trigger it with arguments',
  ],
  profiles: [
    'How do I switch to staging?',
    'choose between workspaces',
    'edit my profile',
    'connect to a company service',
    'We are behind a proxy',
    'How do I sign in?',
    'protect it from accidental changes of production',
    'a read-only profile',
    'I cannot login',
    'Where do I put my new token?',
  ],
  errors: [
    'it gives 429 now',
    '503 when I call it',
    'I got a 404',
    'it answers HTTP 500',
    'what is status code 429',
    'unauthorised',
    'Forbidden',
  ],
  'several-steps': [
    'the output of the previous task',
    'values from another step',
    'between jobs',
    'only when the first one succeeds',
    'on to the other step',
    'wait for the other',
    'after task A',
  ],
  triggers: ['file_arrival', 'when files appear', 'a file is uploaded', 'start it when a new commit comes'],
  'other-tasks': ['dbt', 'a SQL task', 'for_each', 'delta live tables', 'a conditional task'],
  'spark-submit': ['spark submit', 'spark_submit'],
  python: [
    'Which Python is it?',
    'choose another python',
    'the Python interpreter',
    'a virtual env',
    'my venv',
    'conda',
  ],
  output: ['Where do I see the logs?', 'show me what it printed', 'read stdout'],
  streaming: ['streaming', 'a stream of events'],
  embedding: ['What is guide-embedding?', 'embeddings', 'an embeding', 'vectors'],
  endpoints: [
    'Which endpoints are there?',
    'create an endpoint',
    'my own serving endpoints',
    'What models are available?',
    'What is guide-completion?',
  ],
  'editor-notifications': ['too many pop-ups', 'mute the notifications', 'get rid of toasts'],
  sdk: ['Is there an SDK?', 'client libraries'],
  'silent-schedule': ['The schedule does nothing', "my schedule didn't start", 'scheduled and never started'],
  'token-limits': [
    'the token limit',
    'tokens in the context',
    'How many tokens?',
    'max tokens',
    'Make the answers shorter',
    'I want longer answers',
  ],
  offline: ['Does it work offline?', 'no internet', 'without an account'],
  cost: ['Is the guide free?', 'How much is a run?', 'the cost of a job', 'the price of this'],
  'several-tasks': ['a job of three tasks', '2 tasks', 'jobs in sequence', 'tasks one after the other'],
  retries: ['It is flaky', 'try it three times', 'attempted several times', 'trying again'],
  clusters: ['Do I need a cluster?', 'What is a cluster?'],
  sampling: ['Which temperature?', 'topk'],
  'command-line': ['Can I do it in CI?', 'from the command line'],
  keys: ['with the keyboard', 'Is there a shortcut?', 'the hotkeys', 'Can I type a line break?'],
  icons: ['Why is my job grey?', 'What does the red icon of a run mean?'],
  spark: ['a real Spark cluster', 'Does Spark run here?', 'Is there support for Spark?'],
  imports: ['It cannot find a module next to it', 'How do I import my own code?'],
  dbutils: ['What is dbutils?'],
  languages: ['How do I run an R notebook?', 'Which languages for notebooks?'],
  'next-run': ['the next run of my job'],
  'dynamic-values': ["today's date", 'the run id inside my script', 'How do I know the run_id?'],
  'exit-value': ['What is the largest size of the output?'],
  'one-time-run': ['test it without deploying', 'What is submit?'],
  limits: ['How many jobs can I have?', 'the limit of jobs'],
  jar: ['Can I run a JAR without a cluster?'],
  structured: ['How do I get JSON?', 'a JSON answer'],
  upstreams: ['Can I use GPT here?', 'a server at http://host:8000/v1'],
  attach: ['How do I attach a file?', 'ask something about a failed run'],
  fix: ['Can you fix it?'],
  stop: ['a stop sequence'],
  'endpoint-kinds': ['three answers'],
  'task-kinds': ['What sort of tasks can a job have?'],
  who: ['who started it'],
  'job-file': ['How do I get started?', 'my first job', 'between a job and a run'],
};

/** By topic, a question and others that have its words and mean something else. */
const exceptions: Readonly<Record<string, readonly (readonly [string, ...string[]])[]>> = {
  deploy: [['restore the job', 'restore the deleted job', 'undo deleting a job']],
  'chat-view': [['stop the answer', 'stop answers with a word', 'stop the answer with a word', 'stop answering']],
  'command-line': [['the command line', 'command line arguments', 'a command-line parameter']],
  fix: [['fix it', 'is it fixed']],
  dbutils: [['use dbutils', 'use dbutils.fs']],
  permissions: [['share my job', 'share my job file', 'share the job files']],
  'own-changes': [
    ['delete etl', ...['after', 'when', 'if', 'that', 'endpoint', 'chat'].map((word) => `delete it ${word} it`)],
    [
      'stop etl',
      ...['after', 'longer', 'when', 'if', 'that', 'hang', 'hangs', 'email', 'e-mails', 'mails', 'answer'].map(
        (word) => `stop it ${word} it`,
      ),
      ...['streaming', 'sequence', 'word', 'words', 'token', 'tokens'].map((word) => `abort it ${word} it`),
    ],
  ],
  profiles: [
    [
      'connect to a server',
      ...['model', 'llm', 'ollama', 'llama', 'vllm', 'openai', 'studio', 'smtp'].map(
        (word) => `connect to ${word} server`,
      ),
    ],
  ],
  errors: [['an error 403', 'an error 404 times', 'get 500 jobs', 'get 500 ms']],
  output: [['see the job logs', ...['driver', 'executor', 'cluster', 'service'].map((word) => `see the ${word} logs`)]],
  'token-limits': [['the token limit', 'the idempotency token limit', 'the idempotency_token limit']],
  'one-time-run': [['submit it', 'spark-submit it', 'spark submit it', 'submit it to spark']],
  delete: [['delete old runs', ...['after', 'when', 'if'].map((word) => `delete old runs ${word} a week`)]],
  sampling: [
    ['the temperature', ...['in', 'outside', 'today', 'tomorrow'].map((word) => `the temperature ${word} Rome`)],
  ],
};

describe('what surely asks for a topic', () => {
  const asked = (text: string): Question =>
    ({ text, before: '', first: false, toolResults: [], steps: [], stepsBefore: [] }) as never;

  for (const { id, title, match } of topics)
    if (match)
      it(id, () => {
        const own = questions[id] ?? [];
        for (const question of own)
          assert.ok(
            match.some((pattern) => pattern.test(question)),
            `nothing of ${id} knows "${question}"`,
          );
        for (const pattern of match)
          assert.ok(
            own.some((question) => match.every((other) => other.test(question) === (other === pattern))),
            `no question is for ${pattern.source} alone`,
          );
        const { markdown } = answerQuestion(asked(own[0] ?? ''), 0);
        assert.ok(markdown.includes(`**${title}**`) || id === 'own-changes', markdown);
      });

  for (const [id, cases] of Object.entries(exceptions))
    it(`${id}, and not where the same words ask for something else`, () => {
      const knows = (text: string): boolean =>
        topics.some((topic) => topic.id === id && topic.match?.some((each) => each.test(text)));
      for (const [asks, ...others] of cases) {
        assert.ok(knows(asks), asks);
        for (const other of others) assert.ok(!knows(other), other);
      }
    });

  it('is each pattern of each topic, and nothing without one', () => {
    const known = topics.flatMap(({ id, match }) => (match ? [id] : []));
    assert.deepEqual(Object.keys(questions).toSorted(), known.toSorted());
  });
});
