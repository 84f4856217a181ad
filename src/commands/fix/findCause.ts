import { dataPathRule, dataRule, folderRule } from './dataRules.ts';
import type { FailedRun, Proposal, Rule } from './failedRun.ts';
import { codePathRule, jobFileRule, libraryRule, parameterRule } from './jobRules.ts';
import { syntaxRules } from './syntaxRules.ts';

/** All rules, in the order in which they are tried. */
const rules: readonly Rule[] = [
  jobFileRule,
  libraryRule,
  codePathRule,
  syntaxRules,
  parameterRule,
  folderRule,
  dataPathRule,
  dataRule,
];

/** Returns the change that certainly fixes the failure, otherwise the reason why there is none, if the cause is known. */
export async function findCause(failure: FailedRun): Promise<Proposal | string | undefined> {
  for (const rule of rules) {
    const found = await rule(failure);
    if (found !== undefined) return found;
  }
  return undefined;
}
