import type { TextChange } from '../yaml/textChange.ts';

/** A change of a file that mends a problem, or answers it. */
export interface QuickFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  /** The fix that is most likely meant. */
  readonly isPreferred: boolean;
  /** Job files to make beside this one; each name says what it is about. */
  readonly newFiles?: readonly { readonly name: string; readonly text: string }[];
}
