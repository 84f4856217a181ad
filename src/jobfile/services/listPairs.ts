/** Which item of one list is which of another; a side is undefined if the item stands in one of them only. */
export type ListPair = readonly [own: number | undefined, other: number | undefined];

/** Longer remains are not compared item by item: the time would grow with the product of both lengths. */
const maxTableSize = 250_000;

/**
 * Pairs the items of two lists that are not the same, by their texts. Equal items are left out.
 * @param options.isSet neither the order nor a second time says anything
 * @returns undefined if the lists are long and have little in common
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
  // Lists of the same length are the same list with other values.
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

/** Above so many pairs that could be, the items of a gap are taken as they stand. */
const maxComparedPairs = 400;

/** What stands in one gap is changed as far as it goes, the likest into one another, and then added or removed. */
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

/** How many characters they begin and end with alike. */
function likeness(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let start = 0;
  while (start < max && one[start] === other[start]) start++;
  let end = 0;
  while (end < max - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return start + end;
}

/** The longest row of items that both lists have in the same order, as positions. */
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
