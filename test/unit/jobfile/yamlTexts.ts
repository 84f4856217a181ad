/** A small generator with a seed, so that a failure can be repeated. */
export function randomness(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const pieces: readonly string[] = [
  'a',
  'name',
  'key:',
  ': ',
  ':',
  ' ',
  '  ',
  '    ',
  '\n',
  '\n',
  '\n  ',
  '\n    ',
  '\n- ',
  '\n  - ',
  '- ',
  '-',
  '#',
  ' # note',
  '"',
  "'",
  '"q"',
  "'it''s'",
  '"a\\n\\u00e9"',
  '\\',
  '|',
  '|-',
  '|+',
  '>',
  '[',
  ']',
  '{',
  '}',
  ',',
  ', ',
  '1',
  '-1',
  '+2',
  '007',
  '0x1f',
  '0o17',
  '1.50',
  '.5',
  '1e3',
  '.inf',
  '.nan',
  '9007199254740993',
  '-9223372036854775808',
  'true',
  'no',
  'null',
  '~',
  '&x ',
  '*x',
  '!t ',
  '?',
  '? ',
  '<<: ',
  '---',
  '...',
  '%',
  '@',
  '`',
  '\t',
  '\r\n',
  '\r',
  'é',
  '😀',
  '\u00a0',
  '\u2028',
  '\ufeff',
  'a: b',
  'libraries:\n- jar: x',
  '\nm: {a: 1, "b":2, c: [x, y]}',
  '\nt: |\n  x\n   y\n\n',
  '\nk: v # c',
  '{"a": [1, {"b": null}]}',
  'x:y',
  'http://x/#y',
  'a b',
];

/** Numbers that JSON has no word for are written out. */
export function show(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? `${item}n` : item === Infinity || item === -Infinity ? String(item) : item,
  );
}

/** What the fast parser says must be what the complete parser says; if it is silent, nothing is claimed. */
/** A text of up to 14 pieces; the same seed gives the same text. */
export function generatedText(seed: number, from: readonly string[], start = ''): string {
  const next = randomness(seed);
  let text = start;
  for (let count = 1 + next(14); count > 0; count--) text += from[next(from.length)] ?? '';
  return text;
}

/** Texts of every shape that a job file has, whole and while they are written. */
export const shapes: readonly string[] = [
  '',
  '# only a comment\n',
  'a: 1\n---\nb: 2\n...\n',
  '%YAML 1.2\n---\na: 1\n',
  'a: 0x1F\nb: 0o17\nc: 1e3\nd: .5\ne: -.inf\nf: .NaN\ng: 9007199254740993\nh: 1_000\ni: +1\nj: 01\nk: -0\n',
  'a: true\nb: Yes\nc: null\nd: ~\ne:\nf: ""\ng: \'it\'\'s\'\nh: "tab\\tu\\u00e9\\x41\\U0001F600\\\n  folded"\n',
  'a: |\n  one\n   two\n\n  three\n\nb: >-\n  folded\n  line\n\n  next\nc: |+\n  kept\n\nd: |2\n   indented\n',
  'a: plain text\n  goes on\n\n  here # note\nb: x#y\nc: http://x.example:80/\n',
  'a: &x {b: 1, c: [1, 2, "three"]}\nd: *x\ne:\n  <<: *x\n  b: 2\n',
  'a:\n- 1\n-\n- - 2\n  - 3\n-   b: 4\n    c: 5\n',
  '? a\n: 1\n? [b, c]\n: 2\n"quoted key": 3\n',
  'a: {b: 1, "c": 2, d, e: [f: g], }\nh: [ , ]\n',
  'a: {\n  b: 1,\n  c: [\n    2\n  ]\n}\n',
  'a: [1, 2\nb: 3\n',
  'a: "open\nb: 1\n',
  "a: 'open\nb: 1\n",
  'a:\n  b: 1\n c: 2\nd: 3\n',
  'a:\n\tb: 1\n\tc:\n\t\t- d\ne: 1\n',
  'a: b: c\nd: 1\n',
  'a\nb: 1\n',
  'a: *unknown\nb: !tag c\nd: !!str 1\n',
  '- a\nb: 1\n',
  'a: 1\r\nb:\r\n  - c\r\n',
  '\uFEFFa: 1\n',
  'a: @x\nb: `y`\nc: %z\n',
  'a: 1 # x\n# y\nb: # z\n  c: 1\n',
  `${'['.repeat(80)}\n`,
  `${Array.from({ length: 70 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n')}\n`,
];

/** Lines of jobs, the most of which the fast reader knows, and what it must not take for one of them. */
const lines: readonly string[] = [
  'a: 1',
  'b: x y # note',
  'c:',
  'd: # note',
  '- 1',
  '- e: 2',
  '-   f: x',
  '-',
  '- - g',
  '- # note',
  "\"h i\": 'it''s'",
  '\'j\': "t\\t\\u00E9\\/\\b\\f"',
  'k: "x" # note',
  'l: [1, "m", {n: 2}]',
  'o: {p: 1, "q":2, r: [s]}',
  't: {u: 1,',
  'v: [w,',
  '  x: y}',
  '  z, 1]',
  '}',
  ']',
  'aa: |',
  'ab: |-',
  '- |',
  '  text: # all',
  '    deeper',
  '# comment',
  '',
  '   ',
  'ac: -1',
  'ad: +x',
  'ae: a:b#c',
  'af: http://x/#y',
  'ag: {}',
  'ah: []',
  'ai: - b',
  'aj: b: c',
  'ak: &x y',
  'al: *x',
  'am: >',
  'an: @b',
  'ao: "x',
  "ap: 'x",
  'aq: "x"y',
  'ar: [1] x',
  'as : 1',
  'at:b',
  '<<: {a: 1}',
  '? a',
  '---',
  '...',
  'text',
  'au: ?x',
  'av: x\\y "z" \'',
  '"aw\\"": 1',
  'ax: \tb',
  'ay: b\t',
  '\taz: 1',
  'ba: x\r',
  'bb: {c, d}',
  'bc: {e:f}',
  'bd: [, ]',
  'be: [1,, 2]',
  'bf: {a: 1}}',
  'bg: | # note',
  'bh: |2',
  'bi: "a\\x41"',
];

/** A text of up to nine such lines, at columns that are mostly even. */
export function generatedLines(seed: number): string {
  const next = randomness(seed);
  const end = next(12) === 0 ? '\r\n' : '\n';
  let text = '';
  let column = 0;
  for (let count = 1 + next(9); count > 0; count--) {
    const line = lines[next(next(3) === 0 ? lines.length : 37)] ?? '';
    text += `${' '.repeat(column)}${line}${count === 1 && next(2) === 0 ? '' : end}`;
    column = Math.max(0, column + ([0, 0, 0, 2, 2, -2, -2, 1, -1, 4][next(10)] ?? 0));
    if (next(4) === 0) column = 0;
  }
  return text;
}
