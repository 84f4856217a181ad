import assert from 'node:assert/strict';
import { cursorContext, type CursorContext } from '../../../../src/jobfile/services/cursorContext.ts';
import { assertApproved } from '../../../support/approved.ts';

/** Each in all its offsets: what a cursor can stand in, at, before and behind. */
const texts: readonly string[] = [
  '',
  '\n',
  'name: a # b\nname2 : c#d\n',
  "name:\nother:x\n\"quoted\" : y\n'it''s': z\n",
  '"a\\"b": 1\nurl: http://x:80/a # c\n# name: x\n  # more: y\nlast: ',
  'a:\r\n  b: 1\r\n  \r\nc:\r\n',
  '---\na:\n  b:\n\n    c: 1\n  \n   \nd:   \n',
  'a: 1\n---\n  b: 2\n',
  'list:\n- a: 1\n  b: 2\n- c: 3\n-\n- \n  d: 4\nafter: 5\n',
  'list:\n  - - x\n    - y: 1\n      z: 2\n  - "k": v\n  -   far: 1\n      deep:\n        - in: 2\n',
  'a:\n  b:\n    c: 1\n# d: 2\n  # e\n  f: 3\n\n  g: 4\n    h: 5\n  i: 6\n',
  't: |\n  name: a\n\n  b\n c\nu: >-\n  x: 1\n\nv: 1\nw: |',
  'outer:\n  t: |\n    x: 1\n   \n  \n y: 2\n',
  '- t: |\n    x\n  u: 1\n- v\n',
  'a: "b # c" # d\nb: \'x # y\nc: it\'s # z\nd: a"b # c"\n',
  'f: {a: 1, "b": 2, c\n}\ng: [1, {d: e, f}, [h: i]]\nj: 2\n',
  "f: {\"a\": \"x, y: {\", 'b': 'it''s', c:d, : e, g: }\n",
  'f: {a: [1, 2], b: {c: 1}, # d: [\n  e: 2, "q": 3}\nh: {i\n',
  '{"a": {"b": ["c", {"d": 1, "": 2}]}, "e"}\n',
  'f: [\n  {a: 1,\n   b: 2},\n  {c: "x\n  d: 3}\n]\ng: 1\n',
  'f: {a: "x\\" y: 1", b: \'c\\\', d: 2}\nk: [a#b, c #d\n]\n',
  '- {a: 1, b}\n- [x: 1, y]\n-   {c: 2}\n',
  'o:\n  p:\n   - y\n  z:\n    w: 1\n---\n  v: 2\n',
  'a: {b: {c: 1, d: [2]}, e: 3, f: {g: 4}, h: "i"}\n',
];

const flagNames = ['flow', 'quoted', 'hasColon', 'needsSpace', 'behindDash'] as const;

function shown(context: CursorContext | undefined): string {
  if (!context) return 'nothing';
  const { path, place, start, end, siblings, extraIndent } = context;
  const flags = flagNames.filter((name) => context[name]);
  return [
    place,
    `${start}-${end}`,
    JSON.stringify(path),
    ...(siblings.size > 0 ? [`beside ${[...siblings].sort().join(',')}`] : []),
    ...flags,
    ...(extraIndent > 0 ? [`+${extraIndent}`] : []),
  ].join(' ');
}

/** What the cursor is at, from offset to offset where it is the same. */
function table(text: string): string {
  const rows: { from: number; to: number; what: string }[] = [];
  for (let offset = 0; offset <= text.length; offset += 1) {
    const what = shown(cursorContext(text, offset));
    const last = rows.at(-1);
    if (last?.what === what) last.to = offset;
    else rows.push({ from: offset, to: offset, what });
  }
  return rows
    .map(({ from, to, what }) => `${from}-${to} ${JSON.stringify(text.slice(from, to + 1))}: ${what}`)
    .join('\n');
}

describe('where a cursor is', () => {
  it('is as it was approved, at each offset of texts that are half written', () => {
    assertApproved('cursor-contexts', texts.map((text) => `== ${JSON.stringify(text)}\n${table(text)}\n`).join('\n'));
  });

  it('is looked for behind fifty dashes and a key of a thousand characters, and no further', () => {
    const dashes = (count: number): string => `${'- '.repeat(count)}a: `;
    const pathAt = (text: string) => cursorContext(text, text.length)?.path ?? [];
    assert.deepEqual(
      [49, 50, 51].map((count) => [pathAt(dashes(count)).length, pathAt(dashes(count)).at(-1)]),
      [
        [50, 'a'],
        [51, 'a'],
        [51, '- a'],
      ],
    );
    assert.deepEqual(
      [998, 999, 1000].map((count) => pathAt(`${'k'.repeat(count)}: `).length),
      [1, 1, 0],
    );
  });
});
