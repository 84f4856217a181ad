const days: Record<string, string> = {
  mon: 'MON',
  tue: 'TUE',
  wed: 'WED',
  thu: 'THU',
  fri: 'FRI',
  sat: 'SAT',
  sun: 'SUN',
};
const dayNames: Record<string, string> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};

/** A Quartz expression for a time said in words, with what it means. */
export interface ScheduleWords {
  expression: string;
  words: string;
}

const everyMinute: ScheduleWords = { expression: '0 * * * * ?', words: 'every minute' };
const everyHour: ScheduleWords = { expression: '0 0 * * * ?', words: 'at the start of every hour' };
const everyMidnight: ScheduleWords = { expression: '0 0 0 * * ?', words: 'every day at 00:00' };

/** Reads "every working day at 2:30", "every 15 minutes", "weekly on Monday at 9 pm". Undefined if there is no such time. */
export function readSchedule(text: string): ScheduleWords | undefined {
  const plain = text.toLowerCase();
  if (isUneven(plain)) return undefined;
  const interval = /\bevery\s+(\d{1,2})\s+(minutes?|min|hours?)\b/.exec(plain);
  if (interval) return everyInterval(Number(interval[1]), interval[2]?.startsWith('h') === true);
  if (/\bevery minute\b/.test(plain)) return everyMinute;
  const { hour, minute, given } = timeOf(plain);
  const clock = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  if (/\b(?:hourly|every hour)\b/.test(plain)) return everyHour;
  if (/\b(?:weekdays?|working days?|work days?|business days?|monday (?:to|through|-) friday|mon-fri)\b/.test(plain)) {
    return { expression: `0 ${minute} ${hour} ? * MON-FRI`, words: `on working days at ${clock}` };
  }
  const weekDays = [
    ...new Set(
      [...plain.matchAll(/\b(mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?)?\b/g)].map(
        ([, day]) => days[day ?? ''] ?? '',
      ),
    ),
  ];
  if (weekDays.length > 0)
    return {
      expression: `0 ${minute} ${hour} ? * ${weekDays.join(',')}`,
      words: `every ${weekDays.map((day) => dayNames[day] ?? day).join(' and ')} at ${clock}`,
    };
  if (/\b(?:monthly|every month|each month|first of (?:the|each|every) month)\b/.test(plain))
    return { expression: `0 ${minute} ${hour} 1 * ?`, words: `on the first of each month at ${clock}` };
  if (/\b(?:weekly|every week)\b/.test(plain))
    return { expression: `0 ${minute} ${hour} ? * MON`, words: `every Monday at ${clock}` };
  if (given || /\b(?:daily|nightly|every (?:day|night|morning|evening)|each day)\b/.test(plain))
    return { expression: `0 ${minute} ${hour} * * ?`, words: `every day at ${clock}` };
  return undefined;
}

const uneven = [
  /\b(?:every|each) (?:second|other|third|fourth|2nd|3rd)\b/,
  /\bevery \d+ (?:days?|weeks?|months?)\b/,
  /\b(?:bi-?weekly|fortnight(?:ly)?|quarterly|yearly|annually|twice|except|but not)\b/,
  /\blast (?:\w+ )?day\b/,
];

/** "Every other Tuesday", "twice a day": what only looks like the times below. */
function isUneven(plain: string): boolean {
  return uneven.some((pattern) => pattern.test(plain));
}

function everyInterval(count: number, hours: boolean): ScheduleWords | undefined {
  // A step that does not divide the hour or day would not be even: `0/25` fires at 0, 25 and 50.
  const whole = hours ? 24 : 60;
  if (count < 1 || whole % count !== 0) return undefined;
  if (count === 1) return hours ? everyHour : everyMinute;
  // A step of the whole is none to the scheduler.
  if (count === whole) return hours ? everyMidnight : everyHour;
  return hours
    ? { expression: `0 0 0/${count} * * ?`, words: `every ${count} hours` }
    : { expression: `0 0/${count} * * * ?`, words: `every ${count} minutes` };
}

function timeOf(text: string): { hour: number; minute: number; given: boolean } {
  if (/\bmidnight\b/.test(text)) return { hour: 0, minute: 0, given: true };
  if (/\bnoon\b/.test(text)) return { hour: 12, minute: 0, given: true };
  const match =
    /\bat\s+(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|a\.m\.|p\.m\.)?/.exec(text) ??
    /\b(\d{1,2}):(\d{2})\s*(am|pm)?/.exec(text);
  const fallback = { hour: /\bnight/.test(text) ? 2 : 6, minute: 0, given: false };
  if (!match) return fallback;
  let hour = Number(match[1]);
  if (match[3]?.startsWith('p') === true && hour < 12) hour += 12;
  if (match[3]?.startsWith('a') === true && hour === 12) hour = 0;
  const minute = Number(match[2] ?? 0);
  return hour < 24 && minute < 60 ? { hour, minute, given: true } : fallback;
}
