import { l10n } from './l10n.ts';

/** "a", "a and b", "a, b and c". */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : l10n.t('{0} and {1}', names.slice(0, -1).join(', '), names.at(-1) ?? '');
}

/** "a", "a or b", "a, b or c". */
export function listedOr(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : l10n.t('{0} or {1}', names.slice(0, -1).join(', '), names.at(-1) ?? '');
}
