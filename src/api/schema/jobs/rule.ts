import * as z from 'zod';
import type { Fields } from '../../../shared/fields.ts';
import { l10n } from '../../../shared/l10n.ts';
import { listed } from '../../../shared/text.ts';

/** Building blocks of the rules between fields. The rules take unknown values: see rules.ts. */

export type RulePath = readonly (string | number)[];

/**
 * @param severity `warning` for what is not in the document but real servers accept: it is reported when the user writes it,
 * and sent anyway
 */
export type ReportProblem = (path: RulePath, code: string, message: string, severity?: 'warning') => void;

export function has(fields: Fields | undefined, key: string): boolean {
  return fields !== undefined && Object.hasOwn(fields, key) && fields[key] !== undefined && fields[key] !== null;
}

/** Maximum problems reported for one request or file; the rest would repeat them. */
const maxReports = 100;

/**
 * Requires exactly one of the known keys. If servers have more kinds, a key that this version does not know also counts.
 * @param open whether servers have more kinds
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
 * Converts a rule function to a zod check: each report becomes an issue that keeps its code; warnings are dropped. It also runs on values
 * with fields of the wrong shape, so that all mistakes are reported at once.
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
