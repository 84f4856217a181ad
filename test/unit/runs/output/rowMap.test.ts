import assert from 'node:assert/strict';
import { maxLineLength, OutputLines } from '../../../../src/runs/output/outputLines.ts';
import { cutsOf, RowMap } from '../../../../src/runs/output/rowMap.ts';
import { rowSpans } from '../../../../src/runs/output/rowSpans.ts';

describe('the rows of an output', () => {
  const never = (): boolean => false;

  it('are its lines where these are not wrapped', () => {
    const lines = new OutputLines();
    lines.append(`${'x'.repeat(300)}\nb\n`);
    const map = new RowMap(lines);
    assert.equal(map.measure(never), true);
    assert.deepEqual([map.rows, map.rowOf(1), map.lineAt(1), map.rowsOf(0)], [2, 1, { line: 1, part: 0 }, 1]);
  });

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

  it('are the same whether or not their characters had to be looked at', () => {
    const texts = Array.from({ length: 400 }, (_, line) => 'x'.repeat((line * 13) % 45));
    for (const [strange, width] of [
      ['', 0],
      ['日本語', 6],
      ['\x1b[31mred\x1b[0m', 3],
    ] as const) {
      const lines = new OutputLines();
      lines.append(`${[...texts, strange].join('\n')}\n`);
      const map = new RowMap(lines);
      map.wrapAt(10);
      map.measure(never);
      assert.deepEqual(
        [...texts, strange].map((_, line) => map.rowsOf(line)),
        [...texts.map(({ length }) => length), width].map((length) => Math.max(1, Math.ceil(length / 10))),
      );
      assert.equal(lines.simpleLength(3), strange === '' ? 39 : undefined);
    }
    const cut = new OutputLines();
    cut.append('x'.repeat(maxLineLength + 5));
    assert.deepEqual([cut.simpleLength(0), cut.simpleLength(1)], [maxLineLength, undefined]);
  });

  it('are measured in turns, and guessed until then', () => {
    const lines = new OutputLines();
    lines.append(`${'x'.repeat(25)}\n`.repeat(2000));
    const map = new RowMap(lines);
    map.wrapAt(10);
    assert.equal(map.rows, 2000);
    let turns = 0;
    while (!map.measure(() => turns % 2 === 1 || ((turns += 1), false))) turns += 1;
    assert.ok(turns > 4);
    assert.equal(map.rows, 6000);
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

  it('are one for each line that was not measured yet, there and back', () => {
    const lines = new OutputLines();
    const map = new RowMap(lines);
    map.wrapAt(10);
    lines.append(`${'x'.repeat(25)}\n`.repeat(300));
    assert.deepEqual(
      [map.lineAt(0), map.lineAt(299), map.rowOf(299)],
      [{ line: 0, part: 0 }, { line: 299, part: 0 }, 299],
    );
    map.measure(never);
    lines.append(`${'x'.repeat(25)}\n`.repeat(5));
    assert.deepEqual([map.rows, map.rowOf(299), map.rowOf(300), map.rowOf(304)], [905, 897, 900, 904]);
    assert.deepEqual(
      [899, 900, 904].map((row) => map.lineAt(row)),
      [
        { line: 299, part: 2 },
        { line: 300, part: 0 },
        { line: 304, part: 0 },
      ],
    );
  });

  it('take time only where lines are wrapped, and by blocks of 256', () => {
    const turnsFor = (count: number, columns: number | undefined): number => {
      const lines = new OutputLines();
      lines.append('x\n'.repeat(count));
      const map = new RowMap(lines);
      map.wrapAt(columns);
      let turns = 0;
      assert.equal(
        map.measure(() => ((turns += 1), false)),
        true,
      );
      return turns;
    };
    assert.deepEqual(
      [255, 256, 511, 512].map((count) => turnsFor(count, 10)),
      [0, 1, 1, 2],
    );
    assert.equal(turnsFor(512, undefined), 0);
  });

  it('are counted without a look at lines that are short or of known length, nor at any far away', () => {
    const looked: number[] = [];
    const length = (line: number): number => (line % 2 === 0 ? 5 : 25);
    const map = new RowMap({
      count: 1000,
      lengthAtMost: length,
      simpleLength: (line) => (line < 600 ? length(line) : undefined),
      text: (line) => (looked.push(line), 'é'.repeat(length(line))),
    });
    map.wrapAt(10);
    map.measure(never);
    assert.equal(map.rows, 2000);
    assert.deepEqual(
      looked,
      Array.from({ length: 200 }, (_, index) => 601 + 2 * index),
    );
    looked.length = 0;
    assert.deepEqual([map.rowOf(999), map.rowOf(700), map.lineAt(1999)], [1997, 1400, { line: 999, part: 2 }]);
    assert.ok(
      looked.every((line) => line >= 512),
      String(looked),
    );
    looked.length = 0;
    assert.equal(map.rowOf(999), 1997);
    assert.deepEqual(looked, [], 'the last ones are known one by one');
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

  it('are drawn without what is not of them', () => {
    const style = {};
    const row = { from: 2, to: 4, places: [], matches: [{ at: 0, length: 2, isCurrent: true }] };
    assert.deepEqual(rowSpans([{ text: 'abcdef', style }], row), [{ text: 'cd', style }]);
    assert.deepEqual(
      rowSpans(
        [
          { text: 'ab', style },
          { text: 'cdef', style },
        ],
        row,
      ),
      [{ text: 'cd', style }],
    );
    assert.deepEqual(rowSpans([], row), []);
    const place = { start: 2, end: 4, file: 'f', line: 1 };
    const matches = [
      { at: 2, length: 1, isCurrent: false },
      { at: 3, length: 1, isCurrent: true },
    ];
    assert.deepEqual(rowSpans([{ text: 'abcdef', style }], { ...row, places: [place], matches }), [
      { text: 'c', style, place, match: 'other' },
      { text: 'd', style, place, match: 'current' },
    ]);
  });
});
