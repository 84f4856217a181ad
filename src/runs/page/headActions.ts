import type { PageAction } from './pageProtocol.ts';

/** More buttons than that are no help; the last one then leads to the rest. */
const maxButtons = 5;

/** The buttons of a page's head, the weightiest first, and what has none of its own. */
export function headActions(all: readonly (PageAction | false | undefined)[]): {
  actions: PageAction[];
  more?: PageAction[];
} {
  const offered = all.filter((each): each is PageAction => typeof each === 'object');
  if (offered.length <= maxButtons) return { actions: offered };
  return { actions: offered.slice(0, maxButtons - 1), more: offered.slice(maxButtons - 1) };
}
