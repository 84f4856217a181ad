type Since = 'any' | 'today' | 'yesterday' | 'week';
type State = 'any' | 'failed' | 'active' | 'succeeded';

/** A question about the user's own jobs and runs. `isSure` means that it cannot be about anything else. */
export type OwnJobsQuestion = { isSure: boolean } & (
  | { kind: 'jobs'; isScheduled?: boolean; isUnscheduled?: boolean }
  | { kind: 'runs'; state: State; since: Since; job?: string }
  /** @property isPointing whether it refers to the run mentioned before */
  | {
      kind: 'run';
      isWhy: boolean;
      /** Whether it asks for a failed run, but not for the reason. */
      isFailed?: true;
      isParameters?: true;
      job?: string;
      runId?: string;
      isPointing: boolean;
    }
  | { kind: 'job'; job: string }
  | { kind: 'start'; job: string }
);

export type RunQuestion = Extract<OwnJobsQuestion, { kind: 'run' }>;

/** Maximum length of a question in characters. Longer texts do not ask for a list. */
const maxQuestionLength = 200;

/** Parses a question about the user's own jobs. Returns `undefined` if it is about something else. */
export function askedOf(text: string): OwnJobsQuestion | undefined {
  const plain = text
    .trim()
    .slice(0, maxQuestionLength + 1)
    .replace(/(?<![?!.\s])[?!.\s]+$/, '')
    .replace(/\s+/g, ' ');
  if (plain === '' || plain.length > maxQuestionLength) return undefined;
  const lower = plain.toLowerCase();
  // The documentation answers how-to questions.
  if (
    /^(?:how (?:do|can|should|would|to|does)|can i|may i|is it possible|should i|what (?:is|are) (?:a |an |the )?`)/.test(
      lower,
    ) ||
    /\b(?:limit|allowed|may|maximum|fields?|settings(?! of)|default|times does|(?:run|job)s can)\b/.test(lower) ||
    // A list cannot answer comparisons.
    /\b(?:long|slow|fast|short|old)e(?:st|r)\b|\b(?:never|most|average|often|least|more than|less than)\b(?! recent)/.test(
      lower,
    )
  )
    return undefined;
  return startOf(plain) ?? runOf(plain, lower) ?? jobOf(plain, lower) ?? runsOf(plain, lower) ?? jobsOf(lower);
}

const noName =
  /^(?:a|an|it|this|that|my|the|every|each|on|in|at|as|now|again|jobs?|runs?|all|something|anything|python|notebook|me|them|one|daily|hourly|weekly)\b/i;

/** Parses "Run hello" and "please start the job etl-nightly now". */
function startOf(plain: string): OwnJobsQuestion | undefined {
  const wanted =
    /^(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:run|start|trigger|execute|launch) (.+)$/i.exec(
      plain,
    )?.[1];
  const match = /^(?:the )?(job )?["'`]?([\w][\w .-]{0,80}?)["'`]?( job)?(?: (?:now|again|please|for me|once))*$/i.exec(
    wanted ?? '',
  );
  const [, before, name = '', after] = match ?? [];
  if (
    name === '' ||
    noName.test(name) ||
    / (?:every|each|at|with|on|when|after|if|and|daily|weekly) /i.test(` ${name} `)
  )
    return undefined;
  return { kind: 'start', job: name, isSure: before !== undefined || after !== undefined || !name.includes(' ') };
}

function runOf(plain: string, lower: string): OwnJobsQuestion | undefined {
  const why =
    /^(?:and )?why (?:did|has|does|is|was) (.+?) (?:fail(?:ed|ing)?|crash(?:ed|ing)?|br(?:eak|oken?)|not work(?:ing)?|go wrong|red)$/i.exec(
      plain.replace(
        /(?: (?:today|yesterday|now|again|at \d[\d:.]{0,4}(?: ?[ap]m)?|(?:this|last) \w{1,20})){1,3}$/i,
        '',
      ),
    );
  if (why) return whichRun(why[1] ?? '', true);
  if (
    /^(?:what|where) (?:went wrong|is wrong|was wrong|is the (?:error|problem)|was the (?:error|problem))(?: (?:with|in) (?:it|that|this|the last run))?$/.test(
      lower,
    )
  )
    return whichRun('it', true);
  if (
    /^(?:explain|diagnose|analy[sz]e) (?:the |my )?(?:last |latest )?(?:failure|failed (?:run|job)|error)$/.test(lower)
  )
    return whichRun('last failed run', true);
  const given =
    /^(?:with )?w\w+ parameters did (.{1,99}?) (?:get|have|use|take|run|start)(?: (?:with|in|at|on|today|yesterday)\b.{0,99})?$/i.exec(
      plain,
    ) ??
    /^(?:(?:show|w\w+|the) (?:\w+ ){0,2})?parameters (?:\w+ ){0,2}(?:of|for|in|by) ((?:the |my )?(?:last |latest )?run\b.*|it|that)$/i.exec(
      plain,
    );
  const asked = given && whichRun(given[1] ?? '', false);
  if (asked) return { ...asked, isParameters: true };
  const did =
    /^how long did (.+?) (?:take|run|last)$/i.exec(plain) ??
    /^what (?:did|has) (.+?) (?:do|done|write|print|output|say|written|printed)$/i.exec(plain) ??
    /^(?:show|give|print)(?: me)? (?:the )?(?:output|logs?|result) (?:of|from) (.+)$/i.exec(plain);
  return did ? whichRun(did[1] ?? '', false) : undefined;
}

function whichRun(words: string, isWhy: boolean): RunQuestion | undefined {
  const name = words.replace(/^(?:the|my) (?:job )?/i, '').replace(/["`]|'(?!s\b)/g, '');
  if (/^(?:it|this|that|they|this run|that run|the run|run|this one|that one)$/i.test(name))
    return { kind: 'run', isWhy, isPointing: true, isSure: true };
  const id = /^run #?(\d{1,19})$/i.exec(name)?.[1];
  if (id !== undefined) return { kind: 'run', isWhy, runId: id, isPointing: false, isSure: true };
  if (
    /^(?:last|latest|newest|most recent)(?: (?:failed )?(?:run|job|one))?$/i.test(name) ||
    /^(?:failed run|job)$/i.test(name)
  )
    return { kind: 'run', isWhy, ...(/\bfailed\b/i.test(name) && { isFailed: true }), isPointing: false, isSure: true };
  const job = /^(?:last |latest )?(?:run of )?(?:the )?(?:job )?([\w][\w .-]{0,80}?)(?:'s last run| run| job)?$/i.exec(
    name,
  )?.[1];
  return job === undefined || noName.test(job) || /\b(?:skipped|retried|you|i|we)\b/i.test(job)
    ? undefined
    : { kind: 'run', isWhy, job, isPointing: false, isSure: true };
}

/** Parses "What does hello do", "show the job hello" and "settings of hello". */
function jobOf(plain: string, lower: string): OwnJobsQuestion | undefined {
  const [, isNamed, name] =
    /^what does (?:the )?(job )?([\w][\w.-]{0,80}) (?:job )?do$/i.exec(plain) ??
    /^what is (?:my |the )?(job )?([\w][\w.-]{0,80})(?: job)? (?:configured|set up|supposed|meant) to do$/i.exec(
      plain,
    ) ??
    /^(?:show|open|describe|explain)(?: me)? (?:the )?(job )([\w][\w.-]{0,80})$/i.exec(plain) ??
    /^(?:show|give|what are)(?: me)? (?:the )?settings of (?:the )?(job )?([\w][\w.-]{0,80})$/i.exec(plain) ??
    [];
  if (name !== undefined && !noName.test(name)) return { kind: 'job', job: name, isSure: isNamed !== undefined };
  if (
    /^(?:(?:show|what is|what's)(?: me)? )?(?:the )?schedules? (?:of|for) [\w"'`]/.test(lower) &&
    !/\b(?:a|every|all|my) /.test(lower)
  )
    return { kind: 'jobs', isScheduled: true, isSure: true };
  const next =
    /^when (?:does|will|is) (?:the )?(?:job )?([\w][\w.-]{0,80}) (?:run|start|fire|scheduled)(?: next| again)?$/.exec(
      lower,
    );
  return next ? { kind: 'jobs', isScheduled: true, isSure: true } : undefined;
}

function runsOf(plain: string, lower: string): OwnJobsQuestion | undefined {
  const since = sinceOf(lower);
  const going =
    /^is (?:the )?(?:job )?([\w][\w.-]{0,80}) (?:still |already )?(?:running|active|done|finished|going)(?: now)?$/i.exec(
      plain,
    )?.[1];
  if (going !== undefined && /^(?:it|this|that)$/i.test(going))
    return { kind: 'runs', state: 'active', since: 'any', isSure: true };
  if (going !== undefined && !noName.test(going))
    return { kind: 'runs', state: 'any', since, job: going, isSure: false };
  if (
    /^(?:is|was|did|has|have|are|were)\b.{0,20}\b(?:everything|all)\b.{0,40}\b(?:fine|ok(?:ay)?|well|good|green|work(?:ed)?)\b/.test(
      lower,
    )
  )
    return { kind: 'runs', state: 'failed', since, isSure: true };
  const isList =
    /\b(?:which|what|any|anything|list|show|how many|are there|is there|did|has|have|give|tell|see)\b/.test(lower);
  if (!isList || /\bwhat happens\b|\bif\b|\bwhen a\b|\bwhat does\b|\bwhat is\b(?! running| going on)/.test(lower))
    return undefined;
  const own =
    /\b(?:runs?|jobs?|anything|something|everything|today|yesterday|tonight|last night|this week|this morning)\b/.test(
      lower,
    );
  const job =
    /\b(?:of|for) (?:the )?(?:job )?["'`]?(\w[\w.-]{0,80})["'`]?(?: (?:(?:have )?(?:failed|succeeded)|are \w+))?(?: (?:today|yesterday|this week))?$/i.exec(
      plain,
    )?.[1];
  const named =
    job === undefined || noName.test(job) || /^(?:today|yesterday|last|local|these|those)$/i.test(job) ? {} : { job };
  if (own && /\b(?:fail(?:ed|ing|ures?|s)?|broken?|broke|crash(?:ed|es)?|errors?|red|went wrong)\b/.test(lower))
    return { kind: 'runs', state: 'failed', since, ...named, isSure: true };
  if (
    /\b(?:what|which|anything|any jobs?|any runs?|is|are)\b/.test(lower) &&
    /\b(?:running|active|in progress|going on|waiting|queued)\b/.test(lower)
  )
    return {
      kind: 'runs',
      state: 'active',
      since: 'any',
      ...named,
      isSure: /now|moment|running$|going on$/.test(lower),
    };
  if (/\b(?:succeeded|successful|green|passed|went well)\b/.test(lower) && /\bruns?\b/.test(lower))
    return { kind: 'runs', state: 'succeeded', since, ...named, isSure: since !== 'any' };
  const ran = /\b(?:what|which jobs?|anything) (?:has |have )?(?:ran|run)\b/.test(lower) && since !== 'any';
  const listed =
    /\b(?:list|show|give|tell|see|which|what (?:are|were))\b/.test(lower) &&
    /\b(?:my|last|latest|recent|all|the)(?: \w+){0,3} runs\b/.test(lower);
  if (ran || listed) return { kind: 'runs', state: 'any', since, ...named, isSure: true };
  const last = /^(?:when|how) did (?:the )?(?:job )?([\w][\w.-]{0,80}) (?:last )?run(?: last)?$/i.exec(plain)?.[1];
  const did =
    /^did (?:the )?(?:job )?([\w][\w.-]{0,80}) (?:succeed|work|run|finish|pass)(?: (?:today|yesterday))?$/i.exec(
      plain,
    )?.[1];
  const one = last ?? did;
  return one === undefined || noName.test(one)
    ? undefined
    : { kind: 'runs', state: 'any', since, job: one, isSure: true };
}

function jobsOf(lower: string): OwnJobsQuestion | undefined {
  const isAsked =
    /\b(?:which|what|list|show|how many)\b(?: me)?(?: are)?(?: all)?(?: of)?(?: the| my)*(?: scheduled)? jobs\b/.test(
      lower,
    ) ||
    (/\b(?:my|all) jobs$/.test(lower) && !/^(?:who|where|why|how|when)\b/.test(lower));
  if (/\bjobs? (?:will|is going to|are going to)\b/.test(lower))
    return { kind: 'jobs', isScheduled: true, isSure: true };
  if (!isAsked) return undefined;
  if (/\b(?:no|not|without)\b.{0,20}\bschedul|\bunschedul|n't\b.{0,20}\bschedul/.test(lower))
    return { kind: 'jobs', isUnscheduled: true, isSure: true };
  return { kind: 'jobs', isScheduled: /\bschedul/.test(lower), isSure: true };
}

/** Returns the period that a text asks about. */
export function sinceOf(lower: string): Since {
  if (/\byesterday\b/.test(lower)) return 'yesterday';
  if (/\b(?:week|last days|7 days|past days|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/.test(lower)) return 'week';
  // Last night spans two days, so request the whole week.
  if (/\b(?:last night|tonight)\b/.test(lower)) return 'week';
  return /\b(?:today|this morning|this afternoon|this evening)\b/.test(lower) ? 'today' : 'any';
}
