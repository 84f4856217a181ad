import assert from 'node:assert/strict';
import { plain, styleAfter, styledParts, withoutAnsi } from '../../../../src/runs/output/ansi.ts';
import { maxLineLength, OutputLines } from '../../../../src/runs/output/outputLines.ts';
import { cutsOf, RowMap } from '../../../../src/runs/output/rowMap.ts';

describe('terminal styles', () => {
  const partsOf = (line: string): [string, object][] =>
    styledParts(line, plain).parts.map(({ text, style }) => [text, JSON.parse(JSON.stringify(style)) as object]);

  it('start and end with their codes', () => {
    assert.deepEqual(partsOf('a\x1b[1;31mb\x1b[22mc\x1b[39md'), [
      ['a', {}],
      ['b', { bold: true, color: 1 }],
      ['c', { color: 1 }],
      ['d', {}],
    ]);
    assert.deepEqual(partsOf('\x1b[2;3;4;7mx\x1b[23;24;27my\x1b[mz'), [
      ['x', { dim: true, italic: true, underline: true, inverse: true }],
      ['y', { dim: true }],
      ['z', {}],
    ]);
    assert.deepEqual(partsOf('\x1b[94;103mx\x1b[44;49my'), [
      ['x', { color: 12, background: 11 }],
      ['y', { color: 12 }],
    ]);
  });

  it('cover exactly the codes of each color range', () => {
    for (const [first, name, from] of [
      [30, 'color', 0],
      [90, 'color', 8],
      [40, 'background', 0],
      [100, 'background', 8],
    ] as const) {
      const styles = [first - 1, first, first + 7].map((code) => styleAfter(`\x1b[${code}m`, plain));
      assert.deepEqual(styles, [plain, { [name]: from }, { [name]: from + 7 }]);
    }
  });

  it('use the nearest color of the palette', () => {
    const colorOf = (codes: string): unknown => styleAfter(`\x1b[${codes}m`, plain).color;
    assert.deepEqual(
      ['38;5;9', '38;5;196', '38;5;21', '38;5;232', '38;5;255', '38;2;255;0;0', '38;2;0;128;0', '38:2:250:250:90'].map(
        colorOf,
      ),
      [9, 1, 4, 0, 15, 1, 2, 11],
    );
    assert.deepEqual(styleAfter('\x1b[48;5;2;1m', plain), { background: 2, bold: true });
    assert.deepEqual(styleAfter('\x1b[38m', plain), plain);
  });

  it('continue on the next line until they are reset', () => {
    const { end } = styledParts('\x1b[31mred', plain);
    assert.deepEqual(styledParts('more', end).parts, [{ text: 'more', style: { color: 1 } }]);
    assert.equal(styledParts('\x1b[0m', end).end, plain);
    for (const line of ['more', '\x1b[1mmore', '\x1b[4m\x1b[22m', 'a\x1b[0mb', '\x1b[2K'])
      assert.deepEqual(styleAfter(line, end), styledParts(line, end).end, JSON.stringify(line));
    assert.equal(styleAfter('\x1b[39m', end), plain);
  });

  it('remove other sequences and control characters from the text', () => {
    const text = '\x1b[2K\x1b]0;title\x07a\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\\x1b[?25l\x1b(Bb\bc\0\x1b';
    assert.equal(withoutAnsi(text), 'alinkbc');
    assert.equal(
      partsOf(text)
        .map(([part]) => part)
        .join(''),
      withoutAnsi(text),
    );
    assert.equal(withoutAnsi('plain\ttext'), 'plain\ttext');
    for (let code = 0; code < 32; code += 1) {
      const control = String.fromCharCode(code);
      assert.equal(withoutAnsi(`a${control}1`), control === '\t' || control === '\n' ? `a${control}1` : 'a1');
    }
    assert.equal(withoutAnsi('a\x7fb'), 'ab');
    assert.deepEqual(partsOf('a\x0cb'), [
      ['a', {}],
      ['b', {}],
    ]);
    assert.deepEqual(partsOf(''), []);
  });

  it('ignore codes for anything but colors and fonts', () => {
    for (const other of ['K', 'J', 'H', 'h', 'n']) {
      assert.equal(styleAfter(`\x1b[31${other}`, plain), plain, other);
      assert.deepEqual(partsOf(`\x1b[31${other}a`), [['a', {}]], other);
    }
    for (const code of [29, 50, 89, 98, 99, 108]) assert.equal(styleAfter(`\x1b[${code}m`, plain), plain, String(code));
    assert.deepEqual(styleAfter('\x1b[1;38;9m', plain), { bold: true });
    assert.deepEqual(styleAfter('\x1b[1;38;9;31;4m', plain), { bold: true }, 'nobody knows how long it is');
    assert.deepEqual(styleAfter('\x1b[38;2;255;0;0;4m', plain), { color: 1, underline: true });
    assert.deepEqual(styleAfter('\x1b[48;5;9;4m', plain), { background: 9, underline: true });
  });
});

describe('the lines of an output', () => {
  function linesOf(pieces: readonly string[]): { lines: OutputLines; texts: string[] } {
    const lines = new OutputLines();
    for (const piece of pieces) lines.append(piece);
    return { lines, texts: Array.from({ length: lines.count }, (_, index) => lines.text(index)) };
  }

  it('do not depend on how the output is split', () => {
    const text = 'one\ntwo\n\nthree € 😀\n\x1b[31mred\nstill red\x1b[0m\nrest';
    const expected = ['one', 'two', '', 'three € 😀', 'red', 'still red', 'rest'];
    for (let size = 1; size <= text.length; size += 1) {
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
      const { lines, texts } = linesOf(pieces);
      assert.deepEqual(texts, expected, `pieces of ${size}`);
      assert.deepEqual([lines.styleAt(4), lines.styleAt(5), lines.styleAt(6)], [{}, { color: 1 }, {}]);
      assert.equal(lines.wholeCount, 6);
      assert.equal([...lines.texts()].join(''), 'one\ntwo\n\nthree € 😀\nred\nstill red\nrest');
    }
  });

  it('apply carriage returns', () => {
    const { texts } = linesOf(['10 %\r', '50 %\r', '100 %\r\n', 'done\n']);
    assert.deepEqual(texts, ['100 %', 'done']);
    const growing = new OutputLines();
    growing.append('10 %\r50 %');
    assert.equal(growing.text(0), '50 %');
  });

  it('drop overwritten text and cut endless lines', () => {
    const progress = new OutputLines();
    for (let step = 0; step < 20_000; step += 1) progress.append(`step ${step}\r`);
    assert.equal(progress.count, 1);
    assert.ok(progress.lengthAtMost(0) <= maxLineLength);
    const endless = new OutputLines();
    for (let step = 0; step < 100; step += 1) endless.append('😀'.repeat(500));
    assert.ok(endless.count >= 25);
    assert.equal(
      Array.from({ length: endless.count }, (_, index) => endless.text(index)).join(''),
      '😀'.repeat(50_000),
    );
    const { lines, texts } = linesOf([`${'x'.repeat(maxLineLength * 2 + 5)}\nnext\n`]);
    assert.deepEqual(
      texts.map(({ length }) => length),
      [maxLineLength, maxLineLength, 5, 4],
    );
    assert.equal(lines.wholeCount, 4);
  });

  it('are searched case-insensitively and without colors', () => {
    const lines = new OutputLines();
    lines.append('Zero\nnothing\nze\x1b[1mro\x1b[0m zero\n');
    lines.append('zeroes');
    const found: { line: number; at: number }[] = [];
    for (let from = 0; from < lines.count;) {
      const { found: more, next } = lines.search('zero', from, 100);
      found.push(...more);
      assert.ok(next > from);
      from = next;
    }
    assert.deepEqual(found, [
      { line: 0, at: 0 },
      { line: 2, at: 0 },
      { line: 2, at: 5 },
      { line: 3, at: 0 },
    ]);
    assert.equal(lines.search('zero', 0, 2).found.length, 2);
  });

  it('keep their numbers, line breaks and matches when they are cut', () => {
    const long = `${'x'.repeat(maxLineLength - 2)}needle${'y'.repeat(maxLineLength - 4)}`;
    const text = `one\n${long}\ntwo\n${long}`;
    for (const size of [text.length, 4096, 999]) {
      const lines = new OutputLines();
      for (let at = 0; at < text.length; at += size) lines.append(text.slice(at, at + size));
      assert.equal([...lines.texts()].join(''), text, `pieces of ${size}`);
      const pieces = Array.from({ length: lines.count }, (_each, index) => index);
      const numbers = pieces.map((index) => [lines.numberOf(index), lines.isCut(index)]);
      assert.deepEqual(
        numbers,
        [1, 2, 2, 3, 4, 4].map((number, index) => [number, index === 2 || index === 5]),
      );
      const found: { line: number; at: number }[] = [];
      for (let from = 0; from < lines.count;) {
        const { found: more, next } = lines.search('needle', from, 9);
        found.push(...more);
        from = next;
      }
      assert.deepEqual(found, [
        { line: 2, at: -2 },
        { line: 5, at: -2 },
      ]);
    }
    assert.equal(new OutputLines().numberOf(-1), 0);
    const { lines } = linesOf([`${'a'.repeat(maxLineLength + 4)}\n`]);
    assert.equal(lines.search('aaaaa', 0, 9999).found.length, Math.floor((maxLineLength + 4) / 5), 'none twice');
    lines.clear();
    lines.append('b\nc\n');
    assert.deepEqual([lines.numberOf(1), lines.isCut(1)], [2, false]);
  });

  it('are never cut within a surrogate pair', () => {
    const lengths = (text: string): number[] => {
      const { lines, texts } = linesOf([text]);
      return [lines.wholeCount, ...texts.map(({ length }) => length)];
    };
    for (const character of ['\u{10000}', '\u{103ff}', '\u{10fc00}'])
      assert.deepEqual(lengths(`x${character.repeat(maxLineLength)}`), [2, 3999, 4000, 2]);
    for (const character of ['\ue000', '\uff21', 'é'])
      assert.deepEqual(lengths(character.repeat(maxLineLength + 1)), [1, 4000, 1]);
  });
});

describe('the rows of an output', () => {
  const never = (): boolean => false;

  it('map to their lines and back', () => {
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

  it('are measured again only when the columns change', () => {
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

  it('break between characters, by their width', () => {
    assert.deepEqual(cutsOf('abcdef', 2), [0, 2, 4]);
    assert.deepEqual(cutsOf('', 2), [0]);
    assert.deepEqual(cutsOf('日本語x', 4), [0, 2]);
    assert.deepEqual(cutsOf('😀😀a', 3), [0, 2]);
    assert.deepEqual(cutsOf('e\u0301e\u0301e\u0301', 2), [0, 4]);
    assert.deepEqual(cutsOf('\ta', 8), [0, 1]);
  });

  it('keep tabs and wide characters whole', () => {
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
