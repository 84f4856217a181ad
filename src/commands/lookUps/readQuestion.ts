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

const failures = new RegExp(
  String.raw`^(?:which|what|show(?: me)?|list|are there(?: any)?|any|did any|how many) (?:of )?(?:(?:the|my|our|all|recent|last) )*` +
    String.raw`(?!.*\b(?:if|when|happens?|mean)\b)(?:(?:runs?|jobs?|tasks?)\b.*\bfail(?:ed|s|ing|ures?)?|fail(?:ed|ing)(?: (?:runs?|jobs?|tasks?)|$| (?:today|yesterday|last|this|since))|failures)\b`,
);
const scheduling =
  /^(?:every|each) |\b(?:cron|quartz|schedule|expression|fire|(?:how|when) (?:do|can|would) i (?:run|schedule|start)|run (?:a|my|the|it))\b/;

/** What is done to a job that may be named like a time, as in "pause nightly", and what goes wrong every day. */
const noSchedule =
  /^(?:please |can you |could you |how (?:do|can) i )?(?:(?:pause|unpause|resume|disable|enable|turn|delete|remove|undo|rename|copy|cancel|stop|kill)\b|(?:run|start) (?:my|the) [\w-]+ job$)|\b(?:fail|skip|crash|red\b|wrong|error|why\b|not\b|another\b|slow|hang|takes?\b)/;

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
  if (expression !== undefined || (!noSchedule.test(plain) && scheduling.test(plain) && readSchedule(plain)))
    return { command: { name: 'cron', given }, related };
  if (failures.test(plain)) {
    const day = /\b(?:today|yesterday|week)\b/.exec(plain)?.[0] ?? '';
    return { command: { name: 'failed', given: day }, related };
  }
  for (const [pattern, name, isOffer] of readings) {
    const match = pattern.exec(plain);
    if (!match) continue;
    if (name === 'check')
      return {
        command: { name, given: given.slice(plain.indexOf(match[1] ?? '', match.index)).split(' ')[0] ?? '' },
        related,
      };
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
    .replace(/^(?:job|run) (?=\S)|(?<=\S) job$/gi, '');
  if (noName.test(named)) return '';
  // A name is short, and nothing is known about jobs in general.
  const isOther = /^(?:a|an|all|any|it|this|that|only|jobs|runs|tasks|everything)(?!\S)|(?<!\S)with(?!\S)|=/i.test(
    named,
  );
  return isOther || named.split(' ').length > 4 ? undefined : named;
}
