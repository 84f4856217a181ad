import assert from 'node:assert/strict';
import { maxLineLength, OutputLines } from '../../../../src/runs/output/outputLines.ts';

function linesOf(pieces: readonly string[]): { lines: OutputLines; texts: string[] } {
  const lines = new OutputLines();
  for (const piece of pieces) lines.append(piece);
  return { lines, texts: Array.from({ length: lines.count }, (_, index) => lines.text(index)) };
}

describe('the lines of an output', () => {
  it('has one line of a bar of progress that was written a thousand times', () => {
    const lines = new OutputLines();
    lines.append(`${Array.from({ length: 1000 }, (_, step) => `\rLoading ${step}`).join('')}\nnext\r\n`);
    assert.deepEqual([lines.count, lines.text(0), lines.text(1)], [2, 'Loading 999', 'next']);
  });

  it('are the same however the output comes in pieces', () => {
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

  it('show what a carriage return has left of them', () => {
    const { texts } = linesOf(['10 %\r', '50 %\r', '100 %\r\n', 'done\n']);
    assert.deepEqual(texts, ['100 %', 'done']);
    const growing = new OutputLines();
    growing.append('10 %\r50 %');
    assert.equal(growing.text(0), '50 %');
  });

  it('keep of a line that is written over without end only what is seen, and cut one that never ends', () => {
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

  it('are cut between characters, wherever these stand in the line', () => {
    for (const begin of ['', 'x']) {
      const lines = new OutputLines();
      lines.append(begin + '😀'.repeat(maxLineLength));
      const texts = Array.from({ length: lines.count }, (_each, index) => lines.text(index));
      assert.equal(texts.join(''), begin + '😀'.repeat(maxLineLength));
      assert.ok(texts.every((text) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text)));
      assert.ok(texts.every(({ length }) => length <= maxLineLength));
    }
  });

  it('are found by a text without regard to case or colours, piece by piece', () => {
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

  it('have each its own length, style and matches, in whichever piece they came', () => {
    const { lines } = linesOf(['a\n\x1b[31mbb\n', 'ccc\ndddd\n', 'e\x1b[0m\nx dddd\n']);
    const all = [0, 1, 2, 3, 4, 5];
    assert.deepEqual(
      all.map((line) => lines.lengthAtMost(line)),
      [2, 8, 4, 5, 6, 7],
    );
    assert.deepEqual(
      all.map((line) => lines.simpleLength(line)),
      [undefined, undefined, 3, 4, undefined, undefined],
    );
    assert.deepEqual(
      all.map((line) => lines.styleAt(line)),
      [{}, {}, { color: 1 }, { color: 1 }, { color: 1 }, {}],
    );
    assert.deepEqual(lines.search('dd', 2, 9), {
      found: [
        { line: 3, at: 0 },
        { line: 3, at: 2 },
      ],
      next: 4,
    });
    assert.deepEqual(lines.search('dd', 4, 1), { found: [{ line: 5, at: 2 }], next: 6 });
    assert.deepEqual(lines.search('dd', 6, 9), { found: [], next: 6 });
  });

  it('have their own numbers and their own line breaks, and are found, though they are cut', () => {
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

  it('are cut before a character of two halves, of whichever halves it is', () => {
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
