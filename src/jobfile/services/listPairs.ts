/** A pair of matching items of two lists; a side is `undefined` if only the other list has the item. */
export type ListPair = readonly [own: number | undefined, other: number | undefined];

/** Longer remainders are not compared item by item: the time grows with the product of both lengths. */
const maxTableSize = 250_000;

/**
 * Pairs the differing items of two lists by their texts. Equal items are left out.
 * @param options.isSet whether neither order nor repetition has a meaning
 * @returns `undefined` if the lists are long and have little in common
 */
export function listPairs(
  own: readonly string[],
  other: readonly string[],
  options: { isSet: boolean },
): readonly ListPair[] | undefined {
  return options.isSet ? setPairs(own, other) : orderedPairs(own, other);
}

function setPairs(own: readonly string[], other: readonly string[]): ListPair[] {
  const left = (from: readonly string[], among: readonly string[]): number[] => {
    const known = new Set(among);
    return from.flatMap((text, index) => {
      if (known.has(text)) return [];
      known.add(text);
      return [index];
    });
  };
  return gapPairs(left(own, other), left(other, own), own, other);
}

function orderedPairs(own: readonly string[], other: readonly string[]): ListPair[] | undefined {
  let start = 0;
  while (start < own.length && start < other.length && own[start] === other[start]) start++;
  let end = 0;
  const max = Math.min(own.length, other.length) - start;
  while (end < max && own[own.length - 1 - end] === other[other.length - 1 - end]) end++;
  const [rows, columns] = [own.length - start - end, other.length - start - end];
  // Lists of the same length are treated as the same list with changed values.
  if (own.length === other.length) return range(start, rows).flatMap((at) => (own[at] === other[at] ? [] : [[at, at]]));
  if (rows * columns > maxTableSize) return undefined;
  const pairs: ListPair[] = [];
  const common = commonItems(own.slice(start, start + rows), other.slice(start, start + columns));
  let [row, column] = [0, 0];
  for (const [ownAt, otherAt] of [...common, [rows, columns] as const]) {
    pairs.push(...gapPairs(range(start + row, ownAt - row), range(start + column, otherAt - column), own, other));
    [row, column] = [ownAt + 1, otherAt + 1];
  }
  return pairs;
}

function range(start: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start + index);
}

/** Above this number of possible pairs, the items of a gap are paired by position. */
const maxComparedPairs = 400;

/** Pairs the items in one gap, the most similar first; remaining items were added or removed. */
function gapPairs(
  own: readonly number[],
  other: readonly number[],
  ownTexts: readonly string[],
  otherTexts: readonly string[],
): ListPair[] {
  const count = own.length * other.length;
  const isClear = count <= 1 || count > maxComparedPairs;
  const alike = isClear
    ? []
    : own
        .flatMap((at) => other.map((to) => ({ at, to, by: likeness(ownTexts[at] ?? '', otherTexts[to] ?? '') })))
        .sort((one, next) => next.by - one.by);
  const partners = new Map<number, number>();
  const taken = new Set<number>();
  for (const { at, to } of alike) {
    if (partners.has(at) || taken.has(to)) continue;
    partners.set(at, to);
    taken.add(to);
  }
  if (isClear) return range(0, Math.max(own.length, other.length)).map((index) => [own[index], other[index]]);
  return [
    ...own.map((at): ListPair => [at, partners.get(at)]),
    ...other.filter((to) => !taken.has(to)).map((to): ListPair => [undefined, to]),
  ];
}

/** Returns the number of equal characters at the start and the end. */
function likeness(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let start = 0;
  while (start < max && one[start] === other[start]) start++;
  let end = 0;
  while (end < max - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return start + end;
}

/** Returns the longest common subsequence of both lists, as index pairs. */
function commonItems(own: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  const width = other.length + 1;
  const lengths = new Uint32Array((own.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = own.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        own[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const found: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < own.length && column < other.length;) {
    if (own[row] === other[column]) found.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}
