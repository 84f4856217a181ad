import { jobSettings } from '../../../api/schema/jobs/schemas.ts';
import type { WritableFields as Fields } from '../../../shared/fields.ts';
import { exampleYaml } from './exampleJob.ts';
import { fenced } from './explainFailure.ts';
import type { GuideAnswer } from './guideReply.ts';
import { readSchedule, zoneIn } from './scheduleWords.ts';

const asking = /\b(?:write|create|make|generate|give|build|compose|draft|show|need|want|prepare)\b/i;
const jobWords = /\b(?:jobs?|yaml|yml)\b/i;
const somethingConcrete =
  /\/[\w.-]+|dfs:|objstore:|\.(?:py|ipynb|jar)\b|\b(?:every|each)\b|\bdaily\b|\bhourly\b|\bweekly\b|\bnightly\b|\bretr(?:y|ies)\b|\b\d+ workers?\b|@/i;

/** A description and the part of it that no rule has consumed, which was therefore not understood. */
class Description {
  readonly text: string;
  left: string;

  constructor(text: string) {
    this.text = inDigits(text);
    this.left = this.text;
  }

  /** The text without names of programs, because a name can contain words such as "daily". */
  get spoken(): string {
    return this.text.replace(/(?<!\w)\/[\w./-]{1,200}|[\w./-]{1,200}\.(?:py|ipynb|jar)\b/g, '');
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text);
    if (match) this.left = this.left.replace(match[0], ' ');
    return match;
  }
}

/**
 * Writes a job file from a description such as "job file for /jobs/etl.py, daily at 6, 2 retries". Returns `undefined` if the text does not
 * ask for one.
 */
export function composeJob(asked: string): GuideAnswer | undefined {
  if (!asksForJobFile(asked)) return undefined;
  const wanted = new Description(asked);
  const given = givenName(wanted);
  const settings: Fields = { ...taskOf(wanted), ...clusterOf(wanted), ...reliabilityOf(wanted) };
  // Remove the job's name, because it can contain words such as "daily".
  const schedule = readSchedule(wanted.spoken.replace(given ?? '', ''));
  if (schedule) settings['schedule'] = scheduleOf(wanted, schedule.expression);
  const libraries = librariesOf(wanted);
  if (libraries.length > 0) settings['libraries'] = libraries;
  const named: Fields = { name: given ?? nameOf(settings), ...settings };
  // Never offer an invalid job file.
  if (!jobSettings.safeParse(named).success) return undefined;
  const yaml = exampleYaml(named);
  const notes = notesOf(wanted, named, schedule?.words);
  return {
    found: true,
    confidence: 1,
    markdown: `Save this as \`${String(named['name'])}.job.yml\`:\n\n${fenced(yaml, 'yaml')}\n\n${notes.map((note) => `- ${note}`).join('\n')}`,
    summary: `A job file named ${String(named['name'])}.`,
    facts: { name: named['name'], example: yaml, yaml, settings: named },
  };
}

/** Returns whether a sentence asks for a job and describes it, or asks to run a program at certain times. */
export function asksForJobFile(text: string): boolean {
  return (
    somethingConcrete.test(text) &&
    text.split(/[?!\n]|\.(?!\w)/).some((sentence) => {
      const start = sentence.search(/^\s*(?:an? )?(?:job(?= file| for)|ya?ml)/i.test(sentence) ? jobWords : asking);
      return (start !== -1 && jobWords.test(sentence.slice(start))) || asksForTimes(sentence);
    })
  );
}

const program = /\.(?:py|ipynb|jar)\b/i;
const running = /\b(?:run|start|execute|schedule|launch)\b/i;
/** Excludes "the job", which means an existing job. */
const toRunAnything =
  /^\s*(?:please )?(?:run|start|execute|schedule|launch) (?:a (?:new )?job|(?:an?|my|this) (?:python |(?:py)?spark |sql )?(?:script|notebook|file|program))\b/i;
const times = /\b(?:every|each|daily|hourly|weekly|monthly|nightly|weekdays?)\b/i;
/** Words about past events or of another question. "If it fails, tell me" is still a request: see `onFailure`. */
const notAWish = /\b(?:why|did|does|was|were|has|ran|runs|fails|failed|last|when|if|stops?|never)\b/i;
const onFailure = /\b(?:when|if|on) (?:it )?fail\w*/i;

function asksForTimes(sentence: string): boolean {
  return (
    times.test(sentence) &&
    !notAWish.test(sentence.replace(onFailure, '')) &&
    ((program.test(sentence) && running.test(sentence)) || toRunAnything.test(sentence))
  );
}

function taskOf(wanted: Description): Fields {
  const other = wanted.take(/\b(?:job\b[^,;\d]{0,60}?\bid|(?:run|start)s? (?:the )?job) (\d{1,19})\b/i)?.[1];
  if (other !== undefined) return { run_job_task: { job_id: BigInt(other) } };
  const path = wanted.take(/(?<![\w./@:-])(?:dfs:|objstore:\/\/|file:)?\/[\w./@-]*[\w-]/)?.[0];
  const file = path ?? wanted.take(/(?<![\w./-])[./-]*(\w[\w./-]*\.(?:py|ipynb|jar))\b/)?.[1];
  const parameters: string[] = [];
  // A value belongs to its flag only if it cannot mean anything else.
  for (const [all, flag = '', value] of wanted.text.matchAll(
    /(?:^|\s)(--[\w-]+(?:=[^\s,;]+)?)(?: (\d[\w.:-]*|[\w./:-]+(?=$|[,;]| --| and\b)))?/g,
  )) {
    parameters.push(...[flag, value].filter((part) => part !== undefined));
    wanted.left = wanted.left.replace(all, ' ');
  }
  const given = parameters.length > 0 && { parameters };
  if (file?.endsWith('.jar') === true || (file === undefined && /\bjars?\b|\bmain class\b/i.test(wanted.text))) {
    const main = wanted.take(mainClass)?.[0] ?? 'com.example.Main';
    return {
      spark_jar_task: { main_class_name: main, ...given },
      libraries: [{ jar: file?.startsWith('/') === true ? `file:${file}` : (file ?? 'dfs:/libs/app.jar') }],
    };
  }
  if (/\bnotebook\b|\.ipynb\b/i.test(wanted.text)) {
    const pairs = wanted.take(/\bparam(?:eter)?s? (?:(?:\w+) ?= ?[^\s,;]+(?:,? and |[, ]+|$))+/i)?.[0] ?? '';
    const values = Object.fromEntries(
      [...pairs.matchAll(/\b(\w{1,80}) ?= ?([^\s,;]+)/g)].map(([, name, value]) => [name, value]),
    );
    return {
      notebook_task: {
        notebook_path: absolute(file?.replace(/\.(?:ipynb|py)$/, '') ?? '/notebooks/report'),
        ...(pairs !== '' && { base_parameters: values }),
      },
    };
  }
  return { spark_python_task: { python_file: absolute(file ?? '/jobs/main.py'), ...given } };
}

const mainClass = /(?<![\w.])(?:[a-z]\w*\.)+[A-Z]\w*\b/;

function absolute(path: string): string {
  return /^(?:\/|\w+:)/.test(path) ? path : `/${path}`;
}

function clusterOf(wanted: Description): Fields {
  const range = wanted.take(/\b(\d+)\s*(?:-|to|–)\s*(\d+)\s+workers?\b/i);
  const workers = wanted.take(/\b(\d+)\s+workers?\b/i);
  if (!range && !workers && !/\bnew cluster\b/i.test(wanted.text)) return { existing_cluster_id: 'local' };
  const size =
    range && Number(range[2]) > Number(range[1])
      ? { autoscale: { min_workers: Number(range[1]), max_workers: Number(range[2]) } }
      : { num_workers: Number(workers?.[1] ?? 1) };
  const version = wanted.take(/\b\d[\w.]{0,30}-scala\d+\.\d+/)?.[0] ?? '3.5.x-scala2.12';
  return { new_cluster: { spark_version: version, node_type_id: 'local', ...size } };
}

const seconds: Record<string, number> = { s: 1, m: 60, h: 3600 };

function secondsOf([, count, unit = 's']: readonly string[]): number {
  return Number(count) * (seconds[unit.charAt(0).toLowerCase()] ?? 1);
}

const duration = String.raw`(\d{1,5})\s*(s(?:ec\w*)?|m(?:in\w*)?|h(?:ours?|r?s?)?)\b`;
const between = new RegExp(`\\b${duration} (?:apart|(?:in )?between(?! \\d)|pause)`, 'i');
const limit = new RegExp(
  String.raw`\b(?:time[- ]?out|at most|longer than|(?:ends?|stop(?:ped)?|kill(?:ed)?) after|limit of)\D{0,20}?${duration}`,
  'i',
);

function reliabilityOf(wanted: Description): Fields {
  const { text } = wanted;
  const fields: Fields = {};
  if (wanted.take(/\bretr\w+ (?:also )?(?:on|after) (?:a )?time[- ]?outs?\b/i)) fields['retry_on_timeout'] = true;
  const never = wanted.take(/\b(?:no|not|never|without|don't)( \w+)? retr\w+/i);
  const retries = wanted.take(
    /\b(\d{1,3})\s*(?:retries|retry|times retry|attempts)\b|\bretr(?:y|ies|ied)[^\d,;.]{0,20}?(\d{1,3})\b(?:\s*times)?/i,
  );
  if (never) fields['max_retries'] = 0;
  else if (retries) fields['max_retries'] = Number(retries[1] ?? retries[2]);
  else if (/\bretr(?:y|ies|ied)\b/i.test(text)) fields['max_retries'] = 2;
  const pause = wanted.take(between);
  if (pause) fields['min_retry_interval_millis'] = secondsOf(pause) * 1000;
  const timeout = wanted.take(limit);
  if (timeout) fields['timeout_seconds'] = secondsOf(timeout);
  const addresses = [...new Set(emailAddresses(text))];
  if (addresses.length > 0) {
    const events = [
      ['on_start', /\bon (?:the )?start\b|\bstarts\b/i],
      ['on_success', /\bon success\b|\bsucce(?:ed|ss)/i],
      ['on_failure', /\bfail/i],
    ] as const;
    const meant = events.filter(([, asked]) => asked.test(text)).map(([event]) => event);
    fields['email_notifications'] = Object.fromEntries(
      (meant.length > 0 ? meant : ['on_failure']).map((event) => [event, addresses]),
    );
  }
  const parallel = wanted.take(
    /\b(\d{1,3})\s+(?:concurrent|parallel)\b|\b(?:up to|at most|max(?:imum)?) (\d{1,3}) (?:runs? )?at (?:once|a time|the same time)\b/i,
  );
  if (parallel) fields['max_concurrent_runs'] = Number(parallel[1] ?? parallel[2]);
  return fields;
}

/** Replaces "once", "twice" and "three" with digits. */
function inDigits(text: string): string {
  return text
    .replace(/(?<!at )\bonce\b/gi, '1 times')
    .replace(/\btwice\b(?! (?:a|per)\b)/gi, '2 times')
    .replace(/(?<![\w./"'-])(?:one|two|three|four|five|six|ten)(?![\w./"'-])/gi, (word) =>
      String(numbers[word.toLowerCase()]),
    );
}

const numbers: Record<string, number> = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, ten: 10 };

/** Wishes that a description can contain: the field that fulfills each, and the note if the job file lacks that field. */
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
    /(?<!\bretr\w+ (?:also )?on (?:a )?)\btime[- ]?out\b|\bhang/i,
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
];

function zoneOf(text: string): string {
  return zoneIn(text) ?? 'UTC';
}

const knownPackages = [
  /\b(?:pandas|numpy|requests|scipy|scikit-learn|matplotlib|polars|pyarrow|duckdb)\b(?:(?:==| )\d[\w.]*\w)?/gi,
  /\b(?:sqlalchemy|beautifulsoup4|openpyxl|boto3|torch|transformers|xgboost|lightgbm)\b(?:(?:==| )\d[\w.]*\w)?/gi,
];

function librariesOf({ text }: Description): Fields[] {
  const jar = /(?:dfs:|objstore:\/\/)[\w./@-]*\.jar\b/.exec(text)?.[0];
  const named = knownPackages.flatMap((pattern) => text.toLowerCase().match(pattern) ?? []);
  for (const [all] of text.matchAll(/(?<![\w./-])[a-z][\w.-]*==\d[\w.]*\w/gi)) named.push(all);
  const packages = [...new Set(named)].map((name) => ({ pypi: { package: name.replace(' ', '==') } }));
  const wheel = /(?<![\w./@-])(?:dfs:|objstore:\/\/|file:)?\/[\w./@-]+(?<=\.whl)\b/.exec(text)?.[0];
  return [...(jar ? [{ jar }] : []), ...packages, ...(wheel ? [{ whl: wheel }] : [])];
}

/** Returns whether the description names no program. A class in a jar does not count. */
function isMadeUp(text: string): boolean {
  return !/[/.]\w/.test(text.replace(mainClass, ''));
}

function givenName(wanted: Description): string | undefined {
  const named = /\b(?:named|called|name(?: it)?)\s+(?:(["'`])([^"'`\n]{2,60})\1|([\w-]{2,60}))/i;
  const [, , quoted, plain] = wanted.take(named) ?? [];
  return quoted ?? plain;
}

function nameOf(settings: Fields): string {
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

/** Patterns of the times that `readSchedule` understands. */
const timeWords = [
  /\b(?:between|from) \d{1,2}(?::\d{2})? ?(?:[ap]m)? ?(?:and|to|until|till|-) ?\d{1,2}(?::\d{2})? ?(?:[ap]m)?/i,
  /\b(?:at|,|and) {1,3}\d{1,2}(?:[:.]\d{2})?(?!\w| ?\w{0,3}retr) ?(?:[ap]m)?|\b\d{1,2}(?::\d{2} ?(?:[ap]m)?| ?[ap]m\b)/gi,
  /\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:last|first|second|third|fourth)\b(?=\s+(?:work|business|week|day|[mtwfs][a-z]{2,5}day))/gi,
  /\bevery \d{1,2}\b/i,
  /\b(?:every|each|\w+ly|midnight|noon|first of|(?:week|work(?:ing)? |business )?days?|min(?:utes?)?|hours?)\b/gi,
  /\b(?:night|morning|evening|week|month|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?)\b/gi,
];

function scheduleOf(wanted: Description, expression: string): Fields {
  for (const pattern of timeWords) wanted.left = wanted.left.replace(pattern, ' ');
  const zone = zoneOf(wanted.text);
  const city = zone.split('/').pop()?.replaceAll('_', ' ').toLowerCase() ?? '';
  const at = wanted.text.includes(zone) ? -1 : wanted.left.toLowerCase().indexOf(city);
  if (at >= 0) wanted.left = wanted.left.slice(0, at) + wanted.left.slice(at + city.length);
  const isPaused = wanted.take(/\bpaused\b/i);
  return {
    quartz_cron_expression: expression,
    timezone_id: zone,
    ...(isPaused && { pause_status: 'PAUSED' }),
  };
}

/** Words that carry no wish: short words, and words that every job file implies. */
const idle = [
  /(?<![\w./=-])(?:[a-zI]{1,3}|JAR|SQL|again|during|(?:from|th[aei]|wh|hav|with|want|need|[Pp]leas|[csw]ould|us[ei]|max|most|packag)[a-z]{0,7})(?![\w./=-])/g,
  /(?<![\w./=-])(?:job|file|yaml|run|start|execut|dont|task|python|script|note|program|class|main|code|spark|cluster|local)[a-z]{0,7}(?![\w./=-])/gi,
  /(?<![\w./=-])(?:version|retr|time|zone|arg|parameter|autoscal|schedul|e?-?mail|send|fail|succe|error|instal|librar)[a-z]{0,7}(?![\w./=-])/gi,
];

/** Returns the parts of a description that were not understood. */
function notRead({ left }: Description): string {
  const read = [
    ...knownPackages,
    ...wishes.map(([asked]) => asked),
    /(?<!\S)(?:\S+(?:@\S+|\.whl|==\S+)|w\/)|UTC|(?<!\w)[A-Z]\w+\/[A-Z]\w+/g,
    asking,
    ...idle,
  ];
  return read
    .reduce((text, pattern) => text.replace(pattern, ' '), left)
    .split(/[,;!?()\n]|[.:](?=\s|$)/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .join(', ')
    .slice(0, 200);
}

function notesOf(wanted: Description, settings: Fields, scheduleWords: string | undefined): string[] {
  const { text } = wanted;
  const notes: string[] = [];
  if (scheduleWords !== undefined) notes.push(`It runs ${scheduleWords}, in the time zone ${zoneOf(text)}.`);
  else if (/\b(?:every|each)\b|daily|hourly|weekly|monthly|nightly\b/i.test(wanted.spoken))
    notes.push('I did not understand when it should run, so there is no `schedule`.');
  if ('existing_cluster_id' in settings)
    notes.push('`existing_cluster_id` may be anything for the local service; elsewhere put the id of your cluster.');
  for (const [wish, field, note] of wishes) if (wish.test(text) && !(field in settings)) notes.push(note);
  const left = notRead(wanted);
  if (left !== '') notes.push(`Nothing in the file is for this: "${left}".`);
  if (isMadeUp(text) && !('run_job_task' in settings))
    notes.push('You named no file, so the path is only an example: put yours in its place.');
  notes.push('Deploy it with **Millrace: Deploy Job File**, start it with **Run Now**.');
  return notes;
}

/** Returns the e-mail addresses of a text, in order. */
export function emailAddresses(text: string): string[] {
  return text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [];
}
