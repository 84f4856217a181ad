import * as z from 'zod';
import type { Fields } from '../../../shared/fields.ts';
import { l10n } from '../../../shared/l10n.ts';
import { listed } from '../../../shared/text.ts';

/** What the rules between fields are made of. They are written on unknown values: see rules.ts. */

export type RulePath = readonly (string | number)[];

/**
 * @param severity `warning` for what the document does not have and real servers take: it is told when somebody writes it,
 *   and sent
 */
export type ReportProblem = (path: RulePath, code: string, message: string, severity?: 'warning') => void;

export function has(fields: Fields | undefined, key: string): boolean {
  return fields !== undefined && Object.hasOwn(fields, key) && fields[key] !== undefined && fields[key] !== null;
}

/** Reported of one request or file: what is wrong with the rest is the same. */
const maxReports = 100;

/**
 * Exactly one of the known keys. A key that this version does not know counts as one too if servers have more kinds.
 * @param open whether they have
 */
export function exactlyOne(
  fields: Fields,
  path: RulePath,
  code: string,
  known: readonly string[],
  report: ReportProblem,
  open = true,
): void {
  const chosen = known.filter((key) => has(fields, key));
  if (chosen.length > 1)
    report(
      [...path, chosen[1] ?? ''],
      code,
      l10n.t('{0} are given, but exactly one is allowed. Keep one of them.', listed(chosen)),
    );
  if (chosen.length > 0) return;
  if (open && Object.keys(fields).some((key) => has(fields, key))) return;
  report(path, code, l10n.t('One of {0} is required. Add it.', listed(known)));
}

/**
 * A rule function as a zod check: each report becomes an issue that keeps its code. What is only warned about is none. It
 * judges also what has fields of a wrong shape, so that all mistakes are told at once.
 */
export function refinement(check: (value: unknown, report: ReportProblem) => void): z.core.$ZodCheck<unknown> {
  return z.superRefine(
    (value: unknown, context) => {
      let reports = 0;
      check(value, (path, code, message, severity) => {
        if (severity === 'warning' || ++reports > maxReports) return;
        context.addIssue({ code: 'custom', path: [...path], message, params: { rule: code } });
      });
    },
    { when: () => true },
  );
}
