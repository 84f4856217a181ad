import assert from 'node:assert/strict';
import { OutputLines } from '../../../../src/runs/output/outputLines.ts';
import { cutsOf, RowMap } from '../../../../src/runs/output/rowMap.ts';
import { rowSpans } from '../../../../src/runs/output/rowSpans.ts';

describe('the rows of an output', () => {
  const never = (): boolean => false;

  it('lead to their line and back, however many there are and however they come', () => {
    const lines = new OutputLines();
    const map = new RowMap(lines);
    map.wrapAt(10);
    const expected: { line: number; part: number }[] = [];
    for (let line = 0; line < 1000; line += 1) {
      const length = (line * 7) % 35;
      lines.append(`${'x'.repeat(length)}\n`);
      if (line % 37 === 0) map.measure(never);
      for (let part = 0; part < Math.max(1, Math.ceil(length / 10)); part += 1) expected.push({ line, part });
    }
    assert.equal(map.measure(never), true);
    assert.equal(map.rows, expected.length);
    assert.deepEqual(
      expected.map((_, row) => map.lineAt(row)),
      expected,
    );
    for (const [row, { line, part }] of expected.entries()) if (part === 0) assert.equal(map.rowOf(line), row);
    map.wrapAt(undefined);
    assert.equal(map.rows, 1000);
  });

  it('are counted anew where they are wrapped at other columns, and not where these are the same', () => {
    const lines = new OutputLines();
    lines.append(`${'x'.repeat(35)}\n`.repeat(600));
    const map = new RowMap(lines);
    for (const [columns, rows] of [
      [10, 2400],
      [20, 1200],
      [35, 600],
      [undefined, 600],
      [10, 2400],
    ] as const) {
      map.wrapAt(columns);
      map.measure(never);
      assert.equal(map.rows, rows, `at ${columns}`);
      assert.deepEqual(map.lineAt(rows - 1), { line: 599, part: rows / 600 - 1 });
      map.wrapAt(columns);
      assert.equal(map.rows, rows);
    }
    map.wrapAt(20);
    assert.equal(map.rows, 600, 'one row each until they are measured');
    assert.equal(
      map.measure(() => true),
      false,
    );
    map.measure(never);
    lines.clear();
    map.clear();
    assert.deepEqual([map.rows, map.columns], [0, 20]);
  });

  it('are cut between characters, by the columns that these take', () => {
    assert.deepEqual(cutsOf('abcdef', 2), [0, 2, 4]);
    assert.deepEqual(cutsOf('', 2), [0]);
    assert.deepEqual(cutsOf('日本語x', 4), [0, 2]);
    assert.deepEqual(cutsOf('😀😀a', 3), [0, 2]);
    assert.deepEqual(cutsOf('e\u0301e\u0301e\u0301', 2), [0, 4]);
    assert.deepEqual(cutsOf('\ta', 8), [0, 1]);
  });

  it('are drawn in spans that change with style, place and match', () => {
    const [red, blue] = [{ color: 1 }, { color: 4 }];
    const parts = [
      { text: 'abcd', style: red },
      { text: 'efgh', style: blue },
    ];
    const place = { start: 2, end: 6, file: 'f', line: 1 };
    const spans = rowSpans(parts, {
      from: 1,
      to: 7,
      places: [place],
      matches: [
        { at: 3, length: 2, isCurrent: true },
        { at: 6, length: 2, isCurrent: false },
      ],
    });
    assert.deepEqual(spans, [
      { text: 'b', style: red },
      { text: 'c', style: red, place },
      { text: 'd', style: red, place, match: 'current' },
      { text: 'e', style: blue, place, match: 'current' },
      { text: 'f', style: blue, place },
      { text: 'g', style: blue, match: 'other' },
    ]);
  });

  it('have their tabs and wide characters whole, each by its columns', () => {
    assert.deepEqual(cutsOf('ab\tc', 8), [0, 3]);
    assert.deepEqual(cutsOf('ab\tc', 9), [0]);
    assert.deepEqual(cutsOf('ab\t\tc', 16), [0, 4]);
    assert.deepEqual(cutsOf('日本', 1), [0, 1], 'one that is wider than a row has a row');
    assert.deepEqual(cutsOf('\x1b[31mabcd\x1b[0m', 2), [0, 2]);
    const columns = (code: number): number => cutsOf(`${String.fromCodePoint(code).repeat(4)}é`, 4).length - 1;
    const rows: [columns: number, ...codes: number[]][] = [
      [0, 0x300, 0x36f, 0x200d, 0xfe00, 0xfe0f],
      [1, 0x2ff, 0x370, 0x10ff, 0x1160, 0x200c, 0x200e, 0x2e7f, 0x303f, 0xffe7, 0x1f2ff],
      [2, 0x1100, 0x115f, 0x2e80, 0x303e, 0x3040, 0xfdff, 0xfe10, 0xffe6, 0x1f300, 0x1f600],
    ];
    for (const [expected, ...codes] of rows)
      for (const code of codes) assert.equal(columns(code), expected, code.toString(16));
  });
});
