const dayWord = String.raw`(mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?)?`;
const ordinals: Record<string, number> = {
  first: 1,
  '1st': 1,
  second: 2,
  '2nd': 2,
  third: 3,
  '3rd': 3,
  fourth: 4,
  '4th': 4,
};
const ofMonth = String.raw`(?: of| in)? (?:the|each|every|a) month`;

/**
 * Returns the Quartz expression for "every working day at 2:30", "every 15 minutes", "weekly on Monday at 9 pm" or "the last Friday of each
 * month". Returns `undefined` if the text has no such time, or says more about it than this function understands.
 */
export function readSchedule(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/\beach (?=\d|hour|minute|half|quarter)/g, 'every ')
    .replace(/\bevery 24 hours\b/, 'daily at midnight');
  const monthly = dayOfMonth(plain);
  if ((monthly === undefined || /^[\d,]+ /.test(monthly)) && uneven.some((pattern) => pattern.test(plain)))
    return undefined;
  const days = monthly ?? daysOfWeek(plain);
  const interval = intervalOf(plain);
  if (interval === 'uneven') return undefined;
  if (interval !== undefined) return `0 ${interval} ${days ?? '* * ?'}`;
  const clock = clockOf(plain);
  if (clock === 'unclear') return undefined;
  const isDaily = /\b(?:daily|nightly|every (?:day|night|morning|evening)|each day)\b/.test(plain);
  const on = days ?? regularDays(plain) ?? (clock.isGiven || isDaily ? '* * ?' : undefined);
  return on === undefined ? undefined : `0 ${clock.fields} ${on}`;
}

const uneven = [
  /\b(?:every|each) (?:second|other|third|fourth|2nd|3rd)\b/,
  /\bevery \d+ (?:days?|weeks?|months?)\b/,
  /\b(?:bi-?weekly|fortnight(?:ly)?|quarterly|yearly|annually|twice|except|excluding|unless|holidays?|but not|other than)\b/,
  /\blast (?:\w+ )?day\b/,
  // Days that exist in no month.
  /\bon the (?:0|3[2-9]|[4-9]\d)(?:st|nd|rd|th)\b/,
];

const nthDay = new RegExp(String.raw`\b(last|first|1st|second|2nd|third|3rd|fourth|4th) ${dayWord}${ofMonth}\b`);
const lastDay = new RegExp(String.raw`\blast ((?:work(?:ing)?|business) ?|week)?day${ofMonth}\b`);
const dates = new RegExp(
  String.raw`\bon the (\d{1,2})(?:st|nd|rd|th)(?:(?:,| and|, and) (?:the )?(\d{1,2})(?:st|nd|rd|th))?\b(?! (?:minute|hour|second))`,
);

/** Parses days of a month, such as "the last Friday of each month" or "on the 1st and 15th". */
function dayOfMonth(plain: string): string | undefined {
  const [, which = '', day = ''] = nthDay.exec(plain) ?? [];
  if (day !== '') return `? * ${day.toUpperCase()}${which === 'last' ? 'L' : `#${ordinals[which] ?? 1}`}`;
  const last = lastDay.exec(plain);
  if (last) return last[1] === undefined ? 'L * ?' : 'LW * ?';
  const given = (dates.exec(plain) ?? []).slice(1).filter((date) => date !== undefined);
  return given.length === 0 ? undefined : `${given.map(Number).join(',')} * ?`;
}

function daysOfWeek(plain: string): string | undefined {
  if (/\b(?:weekdays?|working days?|work days?|business days?|monday (?:to|through|-) friday|mon-fri)\b/.test(plain))
    return '? * MON-FRI';
  if (/\bweekends?\b/.test(plain)) return '? * SAT,SUN';
  const [, first, last] = new RegExp(String.raw`\b${dayWord} ?(?:to|through|until|-) ?${dayWord}\b`).exec(plain) ?? [];
  if (first !== undefined && last !== undefined) return `? * ${first.toUpperCase()}-${last.toUpperCase()}`;
  const days = new Set([...plain.matchAll(new RegExp(String.raw`\b${dayWord}\b`, 'g'))].map(([, day = '']) => day));
  return days.size === 0 ? undefined : `? * ${[...days].join(',').toUpperCase()}`;
}

function regularDays(plain: string): string | undefined {
  if (/\b(?:monthly|every month|each month|first of (?:the|each|every) month)\b/.test(plain)) return '1 * ?';
  return /\b(?:weekly|every week)\b/.test(plain) ? '? * MON' : undefined;
}

/** Parses the minutes and hours of "every 15 minutes" or "hourly between 9 and 17". */
function intervalOf(plain: string): string | undefined {
  const [, count, unit] = /\bevery (\d{1,2}) (minutes?|mins?|hours?)\b/.exec(plain) ?? [];
  const isMinutely = /\bevery minute\b/.test(plain);
  if (count === undefined && !isMinutely && !/\b(?:hourly|every hour)\b/.test(plain)) return undefined;
  const isHours = count === undefined ? !isMinutely : unit?.startsWith('h') === true;
  const step = Number(count ?? 1);
  // A step that does not divide the hour or day is uneven: `0/25` fires at 0, 25 and 50.
  const whole = isHours ? 24 : 60;
  if (step < 1 || whole % step !== 0) return 'uneven';
  const range = hoursOf(plain);
  if (range === 'unclear') return 'uneven';
  const hours = range?.join('-') ?? '*';
  // The scheduler rejects a step of 60 minutes.
  if (!isHours) return `${step === 1 ? '*' : step === whole ? '0' : `0/${step}`} ${hours}`;
  return step === 1 ? `0 ${hours}` : `0 ${range ? hours : '0'}/${step}`;
}

const clockTime = String.raw`(\d{1,2})(?:[:.](\d{2}))? ?(am|pm|a\.m\.|p\.m\.)?`;

/** Parses the hours of "between 9 and 17", including the last. */
function hoursOf(plain: string): readonly [number, number] | 'unclear' | undefined {
  const match = new RegExp(String.raw`\b(?:between|from) ${clockTime} ?(?:and|to|until|till|-) ?${clockTime}`).exec(
    plain,
  );
  if (!match)
    return /\b(?:between|from|until|till|during|business hours|working hours|office hours)\b/.test(plain)
      ? 'unclear'
      : undefined;
  const [from, to] = [
    hourOf(match[1], match[3] ?? (match[6] === undefined ? undefined : 'am')),
    hourOf(match[4], match[6]),
  ];
  const isWhole = [match[2], match[5]].every((minute) => minute === undefined || minute === '00');
  return isWhole && from < to && to < 24 ? [from, to] : 'unclear';
}

function hourOf(given: string | undefined, half: string | undefined): number {
  const hour = Number(given);
  if (half?.startsWith('p') === true && hour < 12) return hour + 12;
  return half?.startsWith('a') === true && hour === 12 ? 0 : hour;
}

const anyTime = String.raw`\d{1,2}(?:[:.]\d{2})? ?(?:am\b|pm\b|a\.m\.|p\.m\.)?`;
const ends = String.raw`(?= ?(?:$|[,.;:?!)]|o'clock|every|each|daily|on |in |utc))`;
/** Accepts another number as a time only if it cannot mean anything else: "at 6 and 2 retries" contains one time. */
const atTimes = new RegExp(
  String.raw`\bat (?:${anyTime}(?:, ${anyTime})*,? and (?:at )?${anyTime}${ends}|${anyTime})|\b\d{1,2}(?::\d{2} ?(?:am|pm)?| ?[ap]m\b)`,
);

/** Parses the minute and hours of "at 9 pm" or "at 6 and 18". The default is 6:00. */
function clockOf(plain: string): { fields: string; isGiven: boolean } | 'unclear' {
  if (/\bmidnight\b/.test(plain)) return { fields: '0 0', isGiven: true };
  if (/\bnoon\b/.test(plain)) return { fields: '0 12', isGiven: true };
  const given = atTimes.exec(plain)?.[0];
  const times = [...(given ?? '').matchAll(new RegExp(clockTime, 'g'))].map(([, hour, minute = '0', half]) => ({
    hour: hourOf(hour, half ?? halfOfDay(plain, Number(hour))),
    minute: Number(minute),
  }));
  if (given === undefined) times.push({ hour: /\bnight/.test(plain) ? 2 : 6, minute: 0 });
  const minute = times[0]?.minute ?? 0;
  // An expression has only one minute for all its hours.
  if (times.some((time) => time.hour > 23 || time.minute > 59 || time.minute !== minute)) return 'unclear';
  return { fields: `${minute} ${times.map(({ hour }) => hour).join(',')}`, isGiven: given !== undefined };
}

/** Returns the half of the day for "every evening at 8" or "each night at 11". */
function halfOfDay(plain: string, hour: number): 'pm' | undefined {
  const isLate = /\b(?:evenings?|afternoons?)\b/.test(plain) || (hour > 6 && /\bnights?\b/.test(plain));
  return isLate ? 'pm' : undefined;
}

/** Returns the time zone that a text names, directly or by a city, or `undefined`. */
export function zoneIn(text: string): string | undefined {
  const named =
    /\b(?:UTC|(?:Europe|America|Asia|Africa|Australia|Pacific|Atlantic|Indian)\/[A-Za-z_]+(?:\/[A-Za-z_]+)?)\b/.exec(
      text,
    );
  if (named) return named[0];
  const words = ` ${text
    .slice(0, 2000)
    .toLowerCase()
    .replace(/\d(?: ?[ap]m)? (?!\w+ ?[\d=])/g, ' in ')
    .replace(/[^a-z]+/g, ' ')} `;
  return Intl.supportedValuesOf('timeZone').find((zone) => {
    const city = zone.split('/').pop()?.replaceAll('_', ' ').toLowerCase() ?? '';
    return words.includes(` ${city} time `) || words.includes(` in ${city} `);
  });
}
