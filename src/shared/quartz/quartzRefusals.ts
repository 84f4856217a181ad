import { l10n } from '../l10n.ts';
import { allowedValues, QuartzError, type QuartzField } from './quartzSchedule.ts';

/** Creates the errors of an expression, each with its place as the author wrote it. */
export class QuartzRefusals {
  readonly #expression: string;

  constructor(expression: string) {
    this.#expression = expression;
  }

  checkCount(tokens: readonly Piece[], fields: readonly QuartzField[]): void {
    const whole: Piece = { text: this.#expression, start: 0 };
    const order = l10n.t('seconds minutes hours day-of-month month day-of-week and, optionally, year');
    if (tokens.length < 6) {
      const missing = fields[tokens.length]?.label ?? '';
      const what = l10n.t('The expression "{0}" ends before its {1} field.', this.#expression, missing);
      this.refuse('expression', whole, what, l10n.t('Write six or seven fields: {0}.', order));
    }
    const eighth = tokens[7];
    if (eighth) {
      const rest: Piece = { text: this.#expression.slice(eighth.start).trimEnd(), start: eighth.start };
      const what = l10n.t('The expression has {0} fields; "{1}" is one too many.', tokens.length, rest.text);
      this.refuse('expression', rest, what, l10n.t('Write at most seven fields: {0}.', order));
    }
  }

  range(field: QuartzField, item: Piece, value: number): never {
    this.inField(
      field,
      item,
      l10n.t('has the value {0}, which is not from {1} to {2}', value, field.minimum, field.maximum),
      l10n.t('Write {0}.', allowedValues(field)),
    );
  }

  step(field: QuartzField, item: Piece): never {
    this.inField(
      field,
      item,
      l10n.t('needs a whole number and nothing else after /'),
      l10n.t('Write a step such as "0/5".'),
    );
  }

  inField(field: QuartzField, piece: Piece, what: string, remedy: string): never {
    const written = this.written(piece);
    this.refuse(field.name, written, l10n.t('The {0} field, "{1}", {2}.', field.label, written.text, what), remedy);
  }

  refuse(field: QuartzError['problem']['field'], piece: Piece, message: string, remedy: string): never {
    const end = piece.start + piece.text.length;
    throw new QuartzError({ field, value: piece.text, start: piece.start, end }, message, remedy);
  }

  /** Returns the piece as the author wrote it. */
  written(piece: Piece): Piece {
    return { text: this.#expression.slice(piece.start, piece.start + piece.text.length), start: piece.start };
  }
}

export const maxInt32 = 2_147_483_647;

/** A piece of the expression with its position. */
export interface Piece {
  readonly text: string;
  readonly start: number;
}

/** Returns the parts of a text that match a global pattern; `start` is the position of the text itself. */
export function pieces(text: string, pattern: RegExp, start: number): Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], start: start + match.index }));
}

/** Trims line ends and other control characters, which only blanks and tabs do not. */
export function trimmed(piece: Piece): Piece {
  const text = piece.text.replace(/^[\0-\x20]+/, '');
  return { text: text.replace(/(?<![\0-\x20])[\0-\x20]+$/, ''), start: piece.start + piece.text.length - text.length };
}

/** Parses what Java's Integer.parseInt accepts, including a sign. */
export function javaInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > maxInt32 || value < -maxInt32 - 1 ? undefined : value;
}

export function ascending(values: Iterable<number>): readonly number[] {
  return [...values].sort((a, b) => a - b);
}
