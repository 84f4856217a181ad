import { AppError } from '../errors.ts';

const quartzFieldNames = ['seconds', 'minutes', 'hours', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;

export type QuartzFieldName = (typeof quartzFieldNames)[number];

/** Where a schedule is wrong, so that an editor can underline it. */
export interface QuartzProblem {
  /** `expression` if no single field is wrong, `timezone` for the time zone ID. */
  readonly field: QuartzFieldName | 'expression' | 'timezone';
  /** The offending text as written. */
  readonly value: string;
  /** First character of `value`, counted from 0 in the expression (or in the time zone ID). */
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

/** An AppError of kind `invalid` that also says which characters are wrong. */
export class QuartzError extends AppError {
  readonly problem: QuartzProblem;

  constructor(problem: QuartzProblem, message: string, remedy: string) {
    super('invalid', message, { remedy });
    this.name = 'QuartzError';
    this.problem = problem;
  }
}
