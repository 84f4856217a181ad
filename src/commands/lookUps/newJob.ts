import { jobSettings } from '../../api/schema/jobs/schemas.ts';
import { fenceFor } from '../../chat/chatRequest.ts';
import type { WritableFields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { knownPackages } from '../../shared/pythonPackages.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { LookUp } from './lookUp.ts';
import { readSchedule, zoneIn } from './scheduleWords.ts';

const example = '/new /jobs/etl.py, every working day at 6:30, 2 retries, mail ops@example.com on failure';

/** Writes a job file from a description such as "/jobs/etl.py, daily at 6, 2 retries", and says which parts of it are not in the file. */
export const newJob: LookUp = async (given) => {
  if (given === '')
    return {
      markdown: l10n.t('Describe the job: its program, when it runs, its retries.'),
      links: [{ title: example, command: example }],
    };
  const wanted = new Description(given);
  const name = nameIn(wanted);
  const settings: WritableFields = { ...taskOf(wanted), ...clusterOf(wanted), ...reliabilityOf(wanted) };
  // Names of programs and jobs can contain words such as "daily".
  const expression = readSchedule(wanted.spoken.replace(name ?? '', ''));
  const zone = zoneIn(wanted.text) ?? 'UTC';
  if (expression !== undefined) settings['schedule'] = scheduleOf(wanted, expression, zone);
  const libraries = librariesOf(wanted, settings['libraries']);
  if (libraries.length > 0) settings['libraries'] = libraries;
  const named = { name: name ?? programName(settings), ...settings };
  if (!jobSettings.safeParse(named).success)
    return { markdown: l10n.t('No valid job file follows from this description. Describe it in other words.') };
  const { toYaml } = await loadJobFileService();
  const yaml = toYaml(named);
  const fence = fenceFor(yaml);
  const notes = [
    expression === undefined ? '' : l10n.t('It runs: {0}.', describeCron(expression, zone)),
    isMadeUp(wanted.text) ? l10n.t('The path is only an example: put yours in its place.') : '',
    leftOver(wanted) === '' ? '' : l10n.t('**Not in the file:** "{0}"', leftOver(wanted)),
  ].filter((note) => note !== '');
  return {
    markdown: [
      l10n.t('Save this as `{0}`:', `${named.name}.job.yml`),
      `${fence}yaml\n${yaml}${fence}`,
      notes.map((note) => `- ${note}`).join('\n'),
    ].join('\n\n'),
  };
};

const asking = /\b(?:write|create|make|generate|give|build|compose|draft|show|need|want|prepare)\b/i;
const jobWords = /\b(?:jobs?|yaml|yml)\b/i;
const concrete =
  /\/[\w.-]+|dfs:|\.(?:py|ipynb|jar)\b|\b(?:every|each|daily|hourly|weekly|nightly|retr(?:y|ies)|notebook)\b|\b\d+ workers?\b|@/i;
const running = /^(?:please )?(?:run|start|execute|schedule|launch)\b.*\.(?:py|ipynb|jar)\b/i;
const repeated = /\b(?:every|each|daily|hourly|weekly|monthly|nightly|weekdays?)\b/i;

/** Returns whether a text asks for a job file and describes it: "write a job file for …", or "run etl.py every morning". */
export function asksForJobFile(text: string): boolean {
  const start = text.search(asking);
  const asks = start !== -1 && start < 40 && jobWords.test(text.slice(start));
  const isRun = running.test(text) && repeated.test(text);
  return concrete.test(text) && (asks || isRun) && !/^(?:why|did|when|what|which)\b/i.test(text);
}

/** A description, and the part of it that no rule has used. */
class Description {
  readonly text: string;
  left: string;

  constructor(text: string) {
    this.text = text
      .replace(/\btwice\b(?! (?:a|per)\b)/gi, '2 times')
      .replace(
        /(?<![\w./"'-])(?:one|two|three|four|five)(?![\w./"'-])/gi,
        (word) => numbers[word.toLowerCase()] ?? word,
      );
    this.left = this.text;
  }

  /** The text without names of programs. */
  get spoken(): string {
    return this.text.replace(/(?<!\w)\/[\w./-]{1,200}|[\w./-]{1,200}\.(?:py|ipynb|jar)\b/g, '');
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.text);
    if (match) this.left = this.left.replace(match[0], ' ');
    return match;
  }
}

const numbers: Record<string, string> = { one: '1', two: '2', three: '3', four: '4', five: '5' };
const mainClass = /(?<![\w.])(?:[a-z]\w*\.)+[A-Z]\w*\b/;

function taskOf(wanted: Description): WritableFields {
  const path = wanted.take(/(?<![\w./@:-])(?:dfs:|objstore:\/\/|file:)?\/[\w./@-]*[\w-]/)?.[0];
  const file = path ?? wanted.take(/(?<![\w./-])[./-]*(\w[\w./-]*\.(?:py|ipynb|jar))\b/)?.[1];
  const flags = [
    ...wanted.text.matchAll(/(?:^|\s)(--[\w-]+(?:=[^\s,;]+)?)(?: (\d[\w.:-]*|[\w./:-]+(?=$|[,;]| --)))?/g),
  ];
  for (const [all] of flags) wanted.left = wanted.left.replace(all, ' ');
  const parameters = flags.flatMap(([, flag = '', value]) => (value === undefined ? [flag] : [flag, value]));
  const given = parameters.length > 0 && { parameters };
  if (file?.endsWith('.jar') === true || (file === undefined && /\bjars?\b|\bmain class\b/i.test(wanted.text)))
    return {
      spark_jar_task: { main_class_name: wanted.take(mainClass)?.[0] ?? 'com.example.Main', ...given },
      libraries: [{ jar: file?.startsWith('/') === true ? `file:${file}` : (file ?? 'dfs:/libs/app.jar') }],
    };
  if (/\bnotebook\b|\.ipynb\b/i.test(wanted.text)) {
    const notebook = file?.replace(/\.(?:ipynb|py)$/, '') ?? '/notebooks/report';
    return { notebook_task: { notebook_path: absolute(notebook) } };
  }
  return { spark_python_task: { python_file: absolute(file ?? '/jobs/main.py'), ...given } };
}

function absolute(path: string): string {
  return /^(?:\/|\w+:)/.test(path) ? path : `/${path}`;
}

function clusterOf(wanted: Description): WritableFields {
  const range = wanted.take(/\b(\d+)\s*(?:-|to|–)\s*(\d+)\s+workers?\b/i);
  const workers = range ?? wanted.take(/\b(\d+)\s+workers?\b/i);
  if (!workers) return { existing_cluster_id: 'local' };
  const [, min, max] = workers.map(Number);
  const size =
    range && (max ?? 0) > (min ?? 0) ? { autoscale: { min_workers: min, max_workers: max } } : { num_workers: min };
  return { new_cluster: { spark_version: '3.5.x-scala2.12', node_type_id: 'local', ...size } };
}

const seconds: Record<string, number> = { s: 1, m: 60, h: 3600 };
const duration = String.raw`(\d{1,5})\s*(s(?:ec\w*)?|m(?:in\w*)?|h(?:ours?|r?s?)?)\b`;
const pausePattern = new RegExp(`\\b${duration} (?:apart|(?:in )?between)`, 'i');
const limitPattern = new RegExp(
  String.raw`\b(?:time[- ]?out|at most|longer than|(?:ends?|stop(?:ped)?|kill(?:ed)?) after|limit of)\D{0,20}?${duration}`,
  'i',
);

function secondsOf([, count, unit = 's']: readonly string[]): number {
  return Number(count) * (seconds[unit.charAt(0).toLowerCase()] ?? 1);
}

function reliabilityOf(wanted: Description): WritableFields {
  const fields: WritableFields = {};
  const never = wanted.take(/\b(?:no|not|never|without|don't)( \w+)? retr\w+/i);
  const retries = wanted.take(
    /\b(\d{1,3})\s*(?:retries|retry|times retry|attempts)\b|\bretr(?:y|ies|ied)[^\d,;.]{0,20}?(\d{1,3})\b(?:\s*times)?/i,
  );
  if (never) fields['max_retries'] = 0;
  else if (retries) fields['max_retries'] = Number(retries[1] ?? retries[2]);
  const pause = wanted.take(pausePattern);
  if (pause) fields['min_retry_interval_millis'] = secondsOf(pause) * 1000;
  const limit = wanted.take(limitPattern);
  if (limit) fields['timeout_seconds'] = secondsOf(limit);
  const addresses = [...new Set(wanted.text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g))];
  if (addresses.length > 0) {
    const event = /\bsucce(?:ed|ss)/i.test(wanted.text) ? 'on_success' : 'on_failure';
    const events = event === 'on_success' && /\bfail/i.test(wanted.text) ? ['on_success', 'on_failure'] : [event];
    fields['email_notifications'] = Object.fromEntries(events.map((each) => [each, addresses]));
    wanted.left = wanted.left.replace(
      /(?<!\S)\S{1,200}@\S+|\b(?:and )?(?:e-?)?mails?\b|\b(?:notif\w+|alert|if|when|on|it|fail\w*|succe\w*)\b/gi,
      ' ',
    );
  }
  return fields;
}

function librariesOf(wanted: Description, jars: unknown): WritableFields[] {
  const named = [...wanted.text.matchAll(/(?<![\w./-])([a-z][\w.-]*)(?:==(\d[\w.]*\w))?(?![\w./-])/gi)].filter(
    ([, name = '', version]) => version !== undefined || knownPackages.includes(name.toLowerCase()),
  );
  for (const [all] of named) wanted.left = wanted.left.replace(all, ' ');
  const packages = [...new Set(named.map(([all]) => all))].map((name) => ({ pypi: { package: name } }));
  return [...(Array.isArray(jars) ? (jars as WritableFields[]) : []), ...packages];
}

function scheduleOf(wanted: Description, expression: string, zone: string): WritableFields {
  for (const pattern of timeWords) wanted.left = wanted.left.replace(pattern, ' ');
  const city = zone.split('/').pop()?.replaceAll('_', ' ') ?? '';
  wanted.left = wanted.left.replace(zone, ' ').replace(new RegExp(`\\b${city}\\b`, 'i'), ' ');
  return {
    quartz_cron_expression: expression,
    timezone_id: zone,
    ...(wanted.take(/\bpaused\b/i) && { pause_status: 'PAUSED' }),
  };
}

/** Words that `readSchedule` understands. */
const timeWords = [
  /\b(?:between|from) \d{1,2}(?::\d{2})? ?(?:[ap]m)? ?(?:and|to|until|till|-) ?\d{1,2}(?::\d{2})? ?(?:[ap]m)?/i,
  /\bat \d{1,2}(?:[:.]\d{2})? ?(?:[ap]m)?(?:,? and (?:at )?\d{1,2}(?:[:.]\d{2})? ?(?:[ap]m)?)?|\b\d{1,2}(?::\d{2} ?(?:[ap]m)?| ?[ap]m\b)/gi,
  /\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:last|first|second|third|fourth)\b/gi,
  /\bevery \d{1,2}\b/i,
  /\b(?:every|each|\w+ly|midnight|noon|(?:week|work(?:ing)? |business )?days?|min(?:utes?)?|hours?|time)\b/gi,
  /\b(?:night|morning|evening|week|month|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?)\b/gi,
];

/** Words that every description may contain without wishing for anything. */
const idle = [
  /(?<![\w./=-])(?:[a-zI]{1,3}|JAR|(?:from|th[aei]|wh|hav|with|want|need|pleas|[csw]ould|us[ei]|max|most|packag)[a-z]{0,7})(?![\w./=-])/g,
  /(?<![\w./=-])(?:job|file|yaml|run|start|execut|task|python|script|notebook|program|class|main|code|spark|cluster|local|schedul|arg|parameter|librar|instal|named?|called|times)[a-z]{0,7}(?![\w./=-])/gi,
];

/** Returns the parts of a description that are not in the file. */
function leftOver({ left }: Description): string {
  return [asking, ...idle]
    .reduce((text, pattern) => text.replace(pattern, ' '), left)
    .split(/[,;!?()\n]|[.:](?=\s|$)/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .join(', ')
    .slice(0, 200);
}

/** Returns whether the description names no program. A class in a JAR does not count. */
function isMadeUp(text: string): boolean {
  return !/[/.]\w/.test(text.replace(mainClass, '').replace(/(?<!\S)\S{1,200}@\S+/g, ''));
}

function nameIn(wanted: Description): string | undefined {
  const named = /\b(?:named|called)\s+(?:(["'`])([^"'`\n]{2,60})\1|([\w-]{2,60}))/i;
  const [, , quoted, plain] = wanted.take(named) ?? [];
  return quoted ?? plain;
}

function programName(settings: WritableFields): string {
  const task = (settings['spark_python_task'] ?? settings['notebook_task']) as
    | { python_file?: string; notebook_path?: string }
    | undefined;
  const file = task?.python_file ?? task?.notebook_path;
  return (
    file
      ?.split('/')
      .pop()
      ?.replace(/\.\w+$/, '') ?? 'my-job'
  ); // A JAR's class says less than a name of one's own.
}
