import { cronIn } from './cronLookUp.ts';
import type { LookUpCommand, LookUpName } from './lookUp.ts';
import { asksForJobFile } from './newJob.ts';
import { readSchedule } from './scheduleWords.ts';

/** Reading of a free text: the command that it means, which is only offered if it changes something, or else commands that may fit. */
export interface QuestionReading {
  readonly command?: LookUpCommand;
  readonly isOffer?: boolean;
  readonly related: readonly LookUpName[];
}

/** Words that name no run or job: "why did my last run fail". */
const noName =
  /^(?:(?:the|my|our|this|that|it|last|latest|newest|recent|failed|failing|job|run|task|just|now|again|please|today|there|me)\b\s*)*$/i;
const opening = String.raw`^(?:please |can you |could you )?`;

const readings: readonly (readonly [pattern: RegExp, name: LookUpName, isOffer?: boolean])[] = [
  [/(?:wrong with|mistakes? in|errors? in|problems? (?:in|of)) (\S+\.job\.(?:ya?ml|json))$/, 'check'],
  [
    new RegExp(
      `${opening}(?:tell me |explain |show me )?why (?:did|does|do|has|have|is|was|were) (.*?) ?(?:fail|crash|break|broke|red\\b)`,
    ),
    'why',
  ],
  [new RegExp(`${opening}(?:what went wrong (?:in|with)|what(?:'s| is) wrong with|explain) (.+)`), 'why'],
  [new RegExp(`${opening}(?:fix|repair) (.+)`), 'fix', true],
  [new RegExp(`${opening}(?:cancel|stop|kill|abort) (.+)`), 'cancel', true],
  [new RegExp(`${opening}(?:run|start|launch|trigger|execute|rerun) (.+)`), 'run', true],
  [new RegExp(`${opening}(?:check|validate|lint) (\\S+\\.job\\.(?:ya?ml|json))`), 'check'],
  [/^is (\S+\.job\.(?:ya?ml|json)) (?:valid|correct|ok|okay|right)$/, 'check'],
];

const failures =
  /^(?:which|what|show|list|are there|any|did any|how many)\b(?!.*\b(?:if|when|happens?|mean)\b).*\bfail(?:ed|s|ing|ures?)?\b/;
const scheduling =
  /^(?:every|each) |\b(?:cron|quartz|schedule|expression|fire|(?:how|when) (?:do|can|would) i (?:run|schedule|start)|run (?:a|my|the|it))\b/;

/** What is done to a job that may be named like a time: "pause nightly". */
const changing =
  /^(?:please |can you |could you |how (?:do|can) i )?(?:pause|unpause|resume|disable|enable|turn|delete|remove|undo|rename|copy|cancel|stop|kill)\b/;

const topics: readonly (readonly [words: RegExp, names: readonly LookUpName[]])[] = [
  [/\b(?:fail|error|crash|broke|traceback|exception|wrong|why)/, ['failed', 'why', 'fix']],
  [/\b(?:cancel|abort|kill|stop)/, ['cancel']],
  [/\b(?:cron|quartz|schedul|every|daily|weekly|hourly)/, ['cron', 'new']],
  [/\b(?:valid|check|lint|mistake)/, ['check']],
  [/\b(?:job file|yaml|write|create|new job)/, ['new', 'check']],
  [/\b(?:run|start|launch|trigger|execute)\b/, ['run', 'failed']],
];

/** Reads a free text. Returns a command only if the text clearly means it. */
export function readQuestion(text: string): QuestionReading {
  const given = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<=[^\s?!.*])[?!.]+$/, '');
  const plain = given.toLowerCase();
  const related = topics.find(([words]) => words.test(plain))?.[1] ?? [];
  if (asksForJobFile(given)) return { command: { name: 'new', given }, related };
  const expression = cronIn(given);
  if (expression !== undefined || (!changing.test(plain) && scheduling.test(plain) && readSchedule(plain)))
    return { command: { name: 'cron', given }, related };
  if (failures.test(plain)) {
    const day = /\b(?:today|yesterday|week)\b/.exec(plain)?.[0] ?? '';
    return { command: { name: 'failed', given: day }, related };
  }
  for (const [pattern, name, isOffer] of readings) {
    const match = pattern.exec(plain);
    if (!match) continue;
    const subject = subjectOf(given.slice(plain.indexOf(match[1] ?? '', match.index), undefined), match[1] ?? '');
    if (subject === undefined) return { related };
    return { command: { name, given: subject }, ...(isOffer && { isOffer }), related };
  }
  return { related };
}

/** Returns the run, job or file that the words name, '' if they point at one without naming it, or `undefined` if they are something else. */
function subjectOf(original: string, words: string): string | undefined {
  const named = original
    .slice(0, words.length)
    .replace(/^(?:the|my|our) /i, '')
    .replace(/^(?:job|run) (?=\S)/i, '');
  if (noName.test(named)) return '';
  // A name is short, and nothing is known about jobs in general.
  const isOther = /^(?:a|an|all|any|it|this|that|only|jobs|runs|tasks|everything)\b|\bwith\b|=/i.test(named);
  return isOther || named.split(' ').length > 4 ? undefined : named;
}
