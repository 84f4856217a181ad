/** A small generator with a seed, so that a failure can be repeated. */
function randomness(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const pieces: readonly string[] = [
  ...['a', 'name', 'key:', ': ', ':', ' ', '  ', '    ', '\n', '\n', '\n  ', '\n    ', '\n- ', '\n  - ', '- ', '-'],
  ...['#', ' # note', '"', "'", '"q"', "'it''s'", '"a\\n\\u00e9"', '\\', '|', '|-', '|+', '>', '[', ']', '{', '}'],
  ...[',', ', ', '1', '-1', '+2', '007', '0x1f', '0o17', '1.50', '.5', '1e3', '.inf', '.nan', '9007199254740993'],
  ...['-9223372036854775808', 'true', 'no', 'null', '~', '&x ', '*x', '!t ', '?', '? ', '<<: ', '---', '...', '%'],
  ...['@', '`', '\t', '\r\n', '\r', 'é', '😀', '\u00a0', '\u2028', '\ufeff', 'a: b', 'libraries:\n- jar: x'],
  ...['\nm: {a: 1, "b":2, c: [x, y]}', '\nt: |\n  x\n   y\n\n', '\nk: v # c', '{"a": [1, {"b": null}]}', 'x:y'],
  ...['http://x/#y', 'a b'],
];

/** Numbers that JSON has no word for are written out. */
export function show(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? `${item}n` : item === Infinity || item === -Infinity ? String(item) : item,
  );
}

/** A text of up to 14 pieces; the same seed gives the same text. */
export function generatedText(seed: number, from: readonly string[], start = ''): string {
  const next = randomness(seed);
  let text = start;
  for (let count = 1 + next(14); count > 0; count--) text += from[next(from.length)] ?? '';
  return text;
}
