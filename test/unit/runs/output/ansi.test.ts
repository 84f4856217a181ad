import assert from 'node:assert/strict';
import { plain, styleAfter, styledParts, withoutAnsi } from '../../../../src/runs/output/ansi.ts';

describe('the styles of a terminal', () => {
  const partsOf = (line: string): [string, object][] =>
    styledParts(line, plain).parts.map(({ text, style }) => [text, JSON.parse(JSON.stringify(style)) as object]);

  it('are read from the codes, and end where they are taken back', () => {
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

  it('know the first and the last colour of each row, and nothing beside them', () => {
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

  it('give the nearest colour of the palette for those of larger tables', () => {
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

  it('go on in the next line, and are the same plain style when all is taken back', () => {
    const { end } = styledParts('\x1b[31mred', plain);
    assert.deepEqual(styledParts('more', end).parts, [{ text: 'more', style: { color: 1 } }]);
    assert.equal(styledParts('\x1b[0m', end).end, plain);
    for (const line of ['more', '\x1b[1mmore', '\x1b[4m\x1b[22m', 'a\x1b[0mb', '\x1b[2K'])
      assert.deepEqual(styleAfter(line, end), styledParts(line, end).end, JSON.stringify(line));
    assert.equal(styleAfter('\x1b[39m', end), plain);
  });

  it('leave nothing of other sequences, titles, links and controls in the text', () => {
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

  it('are those of colours and letters alone: what moves or wipes has none', () => {
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
