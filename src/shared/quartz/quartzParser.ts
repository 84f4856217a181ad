import { l10n } from '../l10n.ts';
import { ascending, javaInteger, maxInt32, type Piece, pieces, QuartzRefusals, trimmed } from './quartzRefusals.ts';
import { allowedValues, quartzFields, type QuartzField, type QuartzSchedule } from './quartzSchedule.ts';

/** The scheduler represents `*` and `?` by these numbers, so the plain numbers mean the same where they are allowed. */
const everyValue = 99;
const noValue = 98;

const maxDaysBeforeLast = 30;

/** Returns the last year that the scheduler searches, from now. */
export function lastQuartzYear(): number {
  return new Date().getFullYear() + 100;
}

/**
 * Parses a Quartz cron expression like org.quartz.CronExpression 2.5, including what it tolerates.
 * @throws QuartzError that names the field, the characters and the remedy
 */
export function parseQuartz(expression: string, lastYear = lastQuartzYear()): QuartzSchedule {
  return new Parser(expression, lastYear).parse();
}

class Parser {
  readonly #expression: string;
  readonly #lastYear: number;
  readonly #values: Record<QuartzField['name'], Set<number>> = {
    seconds: new Set(),
    minutes: new Set(),
    hours: new Set(),
    dayOfMonth: new Set(),
    month: new Set(),
    dayOfWeek: new Set(),
    year: new Set(),
  };
  readonly #lastDays = new Set<number>();
  readonly #nearest = { days: new Set<number>(), beforeLast: new Set<number>() };
  readonly #refusals: QuartzRefusals;
  #lastWeekday = false;
  #nthWeekday = 0;

  constructor(expression: string, lastYear: number) {
    this.#expression = expression;
    this.#lastYear = lastYear;
    this.#refusals = new QuartzRefusals(expression);
  }

  parse(): QuartzSchedule {
    const fields = quartzFields(this.#lastYear);
    const upperCase = this.#expression.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
    const tokens = pieces(upperCase, /[^ \t]+/g, 0);
    this.#refusals.checkCount(tokens, fields);
    fields.forEach((field, index) => {
      // The count was checked, so only the year can be missing.
      const token = tokens[index] ?? { text: '*', start: this.#expression.length };
      this.#readField(field, trimmed(token));
    });
    this.#checkDays(tokens);
    fields.forEach((field, index) => this.#checkNotEmpty(field, tokens[index]));
    return {
      expression: this.#expression,
      seconds: this.#sorted('seconds'),
      minutes: this.#sorted('minutes'),
      hours: this.#sorted('hours'),
      byWeekday: this.#has('dayOfMonth', noValue),
      monthDays: { days: this.#sorted('dayOfMonth'), beforeLast: ascending(this.#lastDays) },
      nearestWeekdays: { days: ascending(this.#nearest.days), beforeLast: ascending(this.#nearest.beforeLast) },
      months: this.#sorted('month'),
      weekdays: this.#sorted('dayOfWeek'),
      lastWeekday: this.#lastWeekday,
      nthWeekday: this.#nthWeekday,
      years: this.#sorted('year'),
      lastYear: this.#lastYear,
    };
  }

  #readField(field: QuartzField, token: Piece): void {
    if (field.name === 'dayOfWeek') {
      if (token.text.includes('L') && token.text.includes(',')) {
        this.#refusals.inField(
          field,
          token,
          l10n.t('cannot combine L with other days of the week'),
          l10n.t('Write one day with L, such as "6L".'),
        );
      }
      if (token.text.split('#').length > 2) {
        this.#refusals.inField(
          field,
          token,
          l10n.t('can hold only one #'),
          l10n.t('Write one day with #, such as "2#1".'),
        );
      }
    }
    for (const item of pieces(token.text, /[^,]+/g, token.start)) this.#readItem(field, item);
  }

  #readItem(field: QuartzField, item: Piece): void {
    const first = item.text[0] ?? '';
    if (/^L(W|-\d*W?)?$/.test(item.text)) this.#readLast(field, item);
    else if (/[A-Z]/.test(first)) this.#readName(field, item);
    else if (first === '?') this.#readNoValue(field, item);
    else if (first === '*' || first === '/') this.#readEvery(field, item);
    else if (/[0-9]/.test(first)) this.#readNumber(field, item);
    else
      this.#refusals.inField(
        field,
        item,
        l10n.t('cannot start with "{0}"', first),
        l10n.t('Write {0}.', allowedValues(field)),
      );
  }

  /** MON, MON-FRI, MON#2, MONL; further characters are ignored, as the scheduler does. */
  #readName(field: QuartzField, item: Piece): void {
    const { names } = field;
    if (!names)
      this.#refusals.inField(
        field,
        item,
        l10n.t('contains letters, which have no meaning there'),
        l10n.t('Write {0}.', allowedValues(field)),
      );
    const from = this.#named(field, names, item, item.text.slice(0, 3));
    const rest = item.text.slice(3);
    if (rest.startsWith('-')) {
      this.#add(field, item, from, this.#named(field, names, item, rest.slice(1, 4)), 1);
      return;
    }
    if (field.name === 'dayOfWeek') {
      if (rest.startsWith('#')) this.#readNth(field, item, rest.slice(1));
      if (rest.startsWith('L')) this.#lastWeekday = true;
    }
    this.#add(field, item, from, -1, 0);
  }

  #named(field: QuartzField, names: readonly string[], item: Piece, name: string): number {
    const index = names.indexOf(name);
    if (index < 0) {
      this.#refusals.inField(
        field,
        item,
        l10n.t('has the unknown name "{0}"', name),
        l10n.t('Write {0}.', allowedValues(field)),
      );
    }
    return field.minimum + index;
  }

  #readNoValue(field: QuartzField, item: Piece): void {
    if (item.text.length > 2) {
      this.#refusals.inField(field, item, l10n.t('has characters after ?'), l10n.t('Write "?" alone.'));
    }
    if (field.name !== 'dayOfMonth' && field.name !== 'dayOfWeek') {
      this.#refusals.inField(
        field,
        item,
        l10n.t('cannot be ?'),
        l10n.t('Write "*" for every value; ? is for day-of-month or day-of-week.'),
      );
    }
    this.#add(field, item, noValue, -1, 0);
  }

  #readEvery(field: QuartzField, item: Piece): void {
    const rest = item.text.startsWith('*') ? item.text.slice(1) : item.text;
    if (!rest.startsWith('/')) {
      this.#add(field, item, everyValue, -1, rest === '' ? 0 : 1);
      return;
    }
    const step = javaInteger(rest.slice(1));
    if (step === undefined) this.#refusals.step(field, item);
    this.#checkStep(field, item, step);
    this.#add(field, item, everyValue, -1, step);
  }

  /** L, LW, L-3, L-3W */
  #readLast(field: QuartzField, item: Piece): void {
    if (field.name === 'dayOfWeek') this.#add(field, item, 7, 7, 0);
    else if (field.name === 'dayOfMonth') {
      const match = /^L(-?)(\d*)(W?)$/.exec(item.text);
      const [, dash, digits = '', nearest] = match ?? [];
      if (dash && !digits && !nearest) {
        this.#refusals.inField(
          field,
          item,
          l10n.t('has no number after L-'),
          l10n.t('Write a number of days before the last, such as "L-3".'),
        );
      }
      const offset = Number(digits);
      if (offset > maxDaysBeforeLast) {
        const remedy = l10n.t('Write a number of days from 0 to {0} after "L-".', maxDaysBeforeLast);
        this.#refusals.inField(
          field,
          item,
          l10n.t('goes {0} days back from the last day of the month', digits),
          remedy,
        );
      }
      (nearest ? this.#nearest.beforeLast : this.#lastDays).add(offset);
    } else if (field.cycle !== undefined && field.name !== 'month') {
      this.#refusals.inField(
        field,
        item,
        l10n.t('cannot use L'),
        l10n.t('Write {0}; L is for day-of-month and day-of-week.', allowedValues(field)),
      );
    }
    // In the month and year fields the scheduler accepts L, which stands for no value.
  }

  #readNumber(field: QuartzField, item: Piece): void {
    const [digits = ''] = /^\d+/.exec(item.text) ?? [];
    const value = this.#integer(field, item, digits);
    const rest = item.text.slice(digits.length);
    switch (rest[0]) {
      case 'L':
        this.#readLastWeekday(field, item, value);
        break;
      case 'W':
        this.#readNearestWeekday(field, item, value);
        break;
      case '#':
        if (field.name !== 'dayOfWeek') {
          this.#refusals.inField(
            field,
            item,
            l10n.t('cannot use #'),
            l10n.t('Write {0}; # is for day-of-week.', allowedValues(field)),
          );
        }
        this.#readNth(field, item, rest.slice(1));
        this.#values[field.name].add(value);
        break;
      case '-':
        this.#readRange(field, item, value, rest.slice(1));
        break;
      case '/':
        this.#readStep(field, item, value, rest.slice(1));
        break;
      default:
        this.#add(field, item, value, -1, 0);
    }
  }

  #readLastWeekday(field: QuartzField, item: Piece, value: number): void {
    if (field.name !== 'dayOfWeek') {
      const remedy =
        field.name === 'dayOfMonth'
          ? l10n.t('Write "L" or "L-3" without a day before it.')
          : l10n.t('Write {0}.', allowedValues(field));
      this.#refusals.inField(field, item, l10n.t('cannot use L after a number'), remedy);
    }
    if (value < 1 || value > 7) this.#refusals.range(field, item, value);
    this.#lastWeekday = true;
    this.#values[field.name].add(value);
  }

  #readNearestWeekday(field: QuartzField, item: Piece, value: number): void {
    if (field.name !== 'dayOfMonth') {
      this.#refusals.inField(
        field,
        item,
        l10n.t('cannot use W'),
        l10n.t('Write {0}; W is for day-of-month.', allowedValues(field)),
      );
    }
    if (value > 31) this.#refusals.range(field, item, value);
    this.#nearest.days.add(value);
  }

  #readNth(field: QuartzField, item: Piece, text: string): void {
    const nth = javaInteger(text);
    if (nth === undefined || nth < 1 || nth > 5) {
      this.#refusals.inField(
        field,
        item,
        l10n.t('needs a number from 1 to 5 after #'),
        l10n.t('Write for example "2#1" for the first Monday.'),
      );
    }
    this.#nthWeekday = nth;
  }

  #readRange(field: QuartzField, item: Piece, from: number, text: string): void {
    const match = /^(\d+)(?:(\/)(\d*))?/.exec(text);
    if (!match)
      this.#refusals.inField(
        field,
        item,
        l10n.t('has no number after -'),
        l10n.t('Write a range with both ends, such as "1-5".'),
      );
    const to = this.#integer(field, item, match[1] ?? '');
    if (match[2] && !match[3]) this.#refusals.step(field, item);
    this.#add(field, item, from, to, match[3] ? this.#integer(field, item, match[3]) : 1);
  }

  #readStep(field: QuartzField, item: Piece, from: number, text: string): void {
    const [digits = ''] = /^\d+/.exec(text) ?? [];
    // After a one-digit step the scheduler checks the next character; after a longer one it does not.
    if (digits === '' || (digits.length === 1 && text.length > 1)) this.#refusals.step(field, item);
    const step = this.#integer(field, item, digits);
    this.#checkStep(field, item, step);
    this.#add(field, item, from, -1, step);
  }

  #integer(field: QuartzField, item: Piece, digits: string): number {
    const value = Number(digits);
    if (value > maxInt32)
      this.#refusals.inField(
        field,
        item,
        l10n.t('has the number {0}, which is too large', digits),
        l10n.t('Write {0}.', allowedValues(field)),
      );
    return value;
  }

  #checkStep(field: QuartzField, item: Piece, step: number): void {
    if (field.maxStep !== undefined && step > field.maxStep) {
      const remedy = l10n.t('Write a step from 1 to {0}.', field.maxStep);
      this.#refusals.inField(field, item, l10n.t('has the step {0}, which is too large', step), remedy);
    }
  }

  /**
   * Adds `from`, or with a step the values from `from` to `to` (-1: to the end of the field). A step of 0 without `*` is a single value.
   */
  #add(field: QuartzField, item: Piece, from: number, to: number, step: number): void {
    const mayBeUnset = field.name === 'dayOfMonth' || field.name === 'dayOfWeek';
    const outside = from < field.minimum || from > field.maximum || to > field.maximum;
    if (field.name !== 'year' && outside && from !== everyValue && !(mayBeUnset && from === noValue)) {
      this.#refusals.range(field, item, to > field.maximum ? to : from);
    }
    const set = this.#values[field.name];
    if (step <= 0 && from !== everyValue) {
      set.add(from);
      return;
    }
    const start = from === everyValue ? field.minimum : from;
    let stop = to === -1 ? field.maximum : to;
    const runsOver = stop < start;
    if (runsOver && field.cycle === undefined) {
      const what =
        to === -1
          ? l10n.t('starts after {0}, the last possible year', field.maximum)
          : l10n.t('has a range that ends before it starts');
      this.#refusals.inField(field, item, what, l10n.t('Write {0}, the smaller year first.', allowedValues(field)));
    }
    if (runsOver) stop += field.cycle ?? 0;
    // Years past the last one make no difference and could be billions.
    if (field.name === 'year') stop = Math.min(stop, field.maximum);
    for (let value = start; value <= stop; value += Math.max(step, 1)) {
      if (!runsOver || field.cycle === undefined) set.add(value);
      else set.add(value % field.cycle === 0 && field.minimum === 1 ? field.cycle : value % field.cycle);
    }
  }

  #checkDays(tokens: readonly Piece[]): void {
    const dayOfMonthUnset = this.#has('dayOfMonth', noValue);
    const dayOfWeekUnset = this.#has('dayOfWeek', noValue);
    if (dayOfMonthUnset !== dayOfWeekUnset) return;
    const token = tokens[5];
    if (!token) return;
    const piece = this.#refusals.written(trimmed(token));
    if (dayOfWeekUnset) {
      const what = l10n.t('Both the day-of-month and the day-of-week field are "?", so no day is chosen.');
      this.#refusals.refuse('dayOfWeek', piece, what, l10n.t('Write "*" instead of one of the two.'));
    }
    const what = l10n.t(
      'Both the day-of-month and the day-of-week field choose days; the day-of-week field is "{0}". Only one of them may choose days.',
      piece.text,
    );
    this.#refusals.refuse('dayOfWeek', piece, what, l10n.t('Write "?" in one of the two.'));
  }

  /** Rejects a field without a value: only commas, or a month that is L. */
  #checkNotEmpty(field: QuartzField, token: Piece | undefined): void {
    // Without a day of the month or a year, the scheduler accepts the expression and never fires.
    if (!token || field.name === 'dayOfMonth' || field.name === 'year') return;
    if (this.#values[field.name].size === 0)
      this.#refusals.inField(field, trimmed(token), l10n.t('has no value'), l10n.t('Write {0}.', allowedValues(field)));
  }

  #has(name: QuartzField['name'], value: number): boolean {
    return this.#values[name].has(value);
  }

  #sorted(name: QuartzField['name']): readonly number[] {
    return ascending(this.#values[name]);
  }
}
