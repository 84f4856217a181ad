import { jobSettings } from '../../../api/schema/jobs/schemas.ts';
import { emailAddresses } from './emailAddresses.ts';
import { exampleYaml } from './exampleJob.ts';
import { fenced } from './fencedText.ts';
import type { GuideAnswer } from './guideReply.ts';
import { readSchedule } from './scheduleWords.ts';

type Fields = Record<string, unknown>;

const asking = /\b(?:write|create|make|generate|give|build|compose|draft|show|need|want|prepare)\b/i;
const jobWords = /\b(?:jobs?|yaml|yml)\b/i;
const somethingConcrete =
  /\/[\w.-]+|dfs:|objstore:|\.(?:py|ipynb|jar)\b|\bevery\b|\bdaily\b|\bhourly\b|\bweekly\b|\bnightly\b|\bretr(?:y|ies)\b|@/i;

/** Writes a job file from a description such as "job file for /jobs/etl.py, daily at 6, 2 retries". Undefined if none is asked for. */
export function composeJob(text: string): GuideAnswer | undefined {
  if (!asksForJob(text) || !somethingConcrete.test(text)) return undefined;
  const settings: Fields = { ...taskOf(text), ...clusterOf(text), ...reliabilityOf(text) };
  const schedule = readSchedule(text);
  if (schedule) settings['schedule'] = { quartz_cron_expression: schedule.expression, timezone_id: zoneOf(text) };
  const libraries = librariesOf(text);
  if (libraries.length > 0) settings['libraries'] = libraries;
  const named: Fields = { name: nameOf(text, settings), ...settings };
  // What cannot be made valid is not offered as a job file.
  if (!jobSettings.safeParse(named).success) return undefined;
  const yaml = exampleYaml(named);
  const notes = notesOf(text, named, schedule?.words);
  return {
    found: true,
    confidence: 1,
    markdown: `Save this as \`${String(named['name'])}.job.yml\`:\n\n${fenced(yaml, 'yaml')}\n\n${notes.map((note) => `- ${note}`).join('\n')}`,
    summary: `A job file named ${String(named['name'])}.`,
    facts: { name: named['name'], example: yaml, yaml, settings: named },
  };
}

/** Whether a sentence asks for something, and then names a job. */
function asksForJob(text: string): boolean {
  return text.split(/[.?!\n]/).some((sentence) => {
    const start = sentence.search(asking);
    return start !== -1 && jobWords.test(sentence.slice(start));
  });
}

function taskOf(text: string): Fields {
  const path = /(?<![\w./@-])(?:dfs:|objstore:\/\/|file:)?\/[\w./@-]*[\w-]/.exec(text)?.[0];
  const file = path ?? /(?<![\w./-])[./-]*(\w[\w./-]*\.(?:py|ipynb|jar))\b/.exec(text)?.[1];
  const parameters = [...text.matchAll(/(?:^|\s)(--[\w-]+(?:=[^\s,;]+)?)/g)].map(([, flag]) => flag ?? '');
  if (file?.endsWith('.jar') === true) {
    const main = /(?<![\w.])(?:[a-z]\w*\.)+[A-Z]\w*\b/.exec(text)?.[0] ?? 'com.example.Main';
    return {
      spark_jar_task: { main_class_name: main, ...(parameters.length > 0 && { parameters }) },
      libraries: [{ jar: file.startsWith('/') ? `file:${file}` : file }],
    };
  }
  if (/\bnotebook\b|\.ipynb\b/i.test(text))
    return { notebook_task: { notebook_path: absolute(file?.replace(/\.(?:ipynb|py)$/, '') ?? '/notebooks/report') } };
  return {
    spark_python_task: { python_file: absolute(file ?? '/jobs/main.py'), ...(parameters.length > 0 && { parameters }) },
  };
}

function absolute(path: string): string {
  return /^(?:\/|\w+:)/.test(path) ? path : `/${path}`;
}

function clusterOf(text: string): Fields {
  const range = /\b(\d+)\s*(?:-|to|–)\s*(\d+)\s+workers?\b/i.exec(text);
  const workers = /\b(\d+)\s+workers?\b/i.exec(text);
  if (!range && !workers && !/\bnew cluster\b/i.test(text)) return { existing_cluster_id: 'local' };
  const size =
    range && Number(range[2]) > Number(range[1])
      ? { autoscale: { min_workers: Number(range[1]), max_workers: Number(range[2]) } }
      : { num_workers: Number(workers?.[1] ?? 1) };
  return { new_cluster: { spark_version: '3.5.x-scala2.12', node_type_id: 'local', ...size } };
}

const seconds: Record<string, number> = { s: 1, m: 60, h: 3600 };

function reliabilityOf(text: string): Fields {
  const fields: Fields = {};
  const retries =
    /\b(\d{1,3})\s*(?:retries|retry|times retry|attempts)\b|\bretr(?:y|ies)\D{0,20}?(\d{1,3})\b(?:\s*times)?/i.exec(
      inDigits(text),
    );
  if (retries) fields['max_retries'] = Number(retries[1] ?? retries[2]);
  else if (/\bretr(?:y|ies)\b/i.test(text)) fields['max_retries'] = 2;
  const timeout =
    /\b(?:time[- ]?out|at most|longer than|(?:stop(?:ped)?|kill(?:ed)?) after|limit of)\D{0,20}?(\d{1,5})\s*(s(?:ec\w*)?|m(?:in\w*)?|h(?:ours?|r?s?)?)\b/i.exec(
      text,
    );
  if (timeout)
    fields['timeout_seconds'] = Number(timeout[1]) * (seconds[(timeout[2] ?? 's')[0]?.toLowerCase() ?? 's'] ?? 1);
  const addresses = [...new Set(emailAddresses(text))];
  if (addresses.length > 0) {
    const event =
      /\bon success\b|\bsucceed/i.test(text) && !/\bfail/i.test(text)
        ? 'on_success'
        : /\bon start\b|\bwhen it starts\b/i.test(text)
          ? 'on_start'
          : 'on_failure';
    fields['email_notifications'] = { [event]: addresses };
  }
  const parallel = /\b(\d{1,3})\s+(?:concurrent|parallel)\b|\bup to (\d{1,3}) (?:runs )?at once\b/i.exec(text);
  if (parallel) fields['max_concurrent_runs'] = Number(parallel[1] ?? parallel[2]);
  return fields;
}

/** "Retries twice" and "three times", as numbers. */
function inDigits(text: string): string {
  return text
    .replace(/\bonce\b/gi, '1 times')
    .replace(/\btwice\b/gi, '2 times')
    .replace(/\b(?:one|two|three|four|five|six|ten)\b/gi, (word) => String(numbers[word.toLowerCase()]));
}

const numbers: Record<string, number> = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, ten: 10 };

/** What a description may ask for that has a field, and what is said if the job file has it not. */
const wishes: readonly (readonly [asked: RegExp, field: string, note: string])[] = [
  [
    /\be-?mails?\b|\bmails?\b|\bnotif\w+|\balert/i,
    'email_notifications',
    'You want an e-mail and gave no address, so none is sent: add `email_notifications: {on_failure: [you@example.com]}`.',
  ],
  [
    /\bslack\b|\bteams\b|\bpager\w*|\bwebhook/i,
    'webhook_notifications',
    'A message to another system needs the id of its destination, so there is none: add `webhook_notifications`.',
  ],
  [
    /\btime[- ]?out\b|\bhang/i,
    'timeout_seconds',
    'I did not understand the time limit, so there is none: add `timeout_seconds`.',
  ],
  [
    /\benvironment variables?\b|\benv(?:ironment)? vars?\b/i,
    'spark_env_vars',
    'Environment variables are not in it: they go into `spark_env_vars` of `new_cluster`.',
  ],
  [
    /\bafter (?:the )?(?:job|task)\b|\bdepends? on\b|\bthen run\b|\btwo tasks\b|\bsecond task\b/i,
    'tasks',
    'A job of this API has one task and waits for no other, so that part is not in it.',
  ],
  [
    /\bgpus?\b/i,
    'gpu',
    'Which machine has a GPU only your workspace knows: choose it with `node_type_id` of `new_cluster`.',
  ],
  [/\bsecrets?\b|\bpasswords?\b/i, 'secrets', 'Secrets have no place in a job file, so none is in it.'],
  [
    /\bpriority\b|\bowners?\b|\bpermissions?\b/i,
    'permissions',
    'Owners, permissions and priorities are no fields of a job file, so they are not in it.',
  ],
];

function zoneOf(text: string): string {
  return (
    /\b(?:UTC|(?:Europe|America|Asia|Africa|Australia|Pacific|Atlantic|Indian)\/[A-Za-z_]+(?:\/[A-Za-z_]+)?)\b/.exec(
      text,
    )?.[0] ?? 'UTC'
  );
}

const knownPackages = [
  /\b(?:pandas|numpy|requests|scipy|scikit-learn|matplotlib|polars|pyarrow|duckdb)\b(?:==[\w.]+)?/gi,
  /\b(?:sqlalchemy|beautifulsoup4|openpyxl|boto3|torch|transformers|xgboost|lightgbm)\b(?:==[\w.]+)?/gi,
];

function librariesOf(text: string): Fields[] {
  const jar = /(?:dfs:|objstore:\/\/)[\w./@-]*\.jar\b/.exec(text)?.[0];
  const named = knownPackages.flatMap((pattern) => text.toLowerCase().match(pattern) ?? []);
  const packages = [...new Set(named)].map((name) => ({ pypi: { package: name } }));
  const wheel = /(?<![\w./@-])(?:dfs:|objstore:\/\/|file:)?\/[\w./@-]+(?<=\.whl)\b/.exec(text)?.[0];
  return [...(jar ? [{ jar }] : []), ...packages, ...(wheel ? [{ whl: wheel }] : [])];
}

/** Whether the description names nothing to run. */
function isMadeUp(text: string): boolean {
  return !/[/.]\w/.test(text);
}

function nameOf(text: string, settings: Fields): string {
  const given = /\b(?:named|called|name(?: it)?)\s+["'`]?([\w-]{2,60})/i.exec(text)?.[1];
  if (given) return given;
  const task = (settings['spark_python_task'] ?? settings['notebook_task']) as
    | { python_file?: string; notebook_path?: string }
    | undefined;
  const file = task?.python_file ?? task?.notebook_path;
  return (
    file
      ?.split('/')
      .pop()
      ?.replace(/\.\w+$/, '') ?? 'my-job'
  );
}

function notesOf(text: string, settings: Fields, scheduleWords: string | undefined): string[] {
  const notes: string[] = [];
  if (scheduleWords !== undefined) notes.push(`It runs ${scheduleWords}, in the time zone ${zoneOf(text)}.`);
  else if (/\bevery|daily|hourly|weekly|monthly|nightly\b/i.test(text))
    notes.push('I did not understand when it should run, so there is no `schedule`.');
  if ('existing_cluster_id' in settings)
    notes.push('`existing_cluster_id` may be anything for the local service; elsewhere put the id of your cluster.');
  for (const [wish, field, note] of wishes) if (wish.test(text) && !(field in settings)) notes.push(note);
  if (isMadeUp(text)) notes.push('You named no file, so the path is only an example: put yours in its place.');
  notes.push('Deploy it with **Millrace: Deploy Job File**, start it with **Run Now**.');
  return notes;
}
