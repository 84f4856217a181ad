import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { flushed, output, plainLine } from '../../../src/cli/print.ts';

describe('what a command prints', () => {
  afterEach(() => mock.reset());

  it('is for programs as it stands, and for people a line at a time on standard error', () => {
    const out = mock.method(process.stdout, 'write', () => true);
    const err = mock.method(process.stderr, 'write', () => true);
    output.write('a\nb');
    output.say('c');
    const given = [out, err].map(({ mock: { calls } }) => calls.map((call) => call.arguments as unknown[]));
    mock.reset();
    assert.deepEqual(given, [[['a\nb']], [['c\n']]]);
  });

  it('is on its way before the program ends, on both ways', async () => {
    const waiting: (() => void)[] = [];
    const later = (_text: unknown, then: unknown): boolean => waiting.push(then as () => void) > 0;
    mock.method(process.stdout, 'write', later as never);
    mock.method(process.stderr, 'write', later as never);
    let isFlushed = false;
    const all = flushed().then(() => (isFlushed = true));
    mock.reset();
    const seen = [];
    for (const then of waiting) {
      seen.push(isFlushed);
      then();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    assert.deepEqual([seen, isFlushed], [[false, false], true]);
  });

  it('is nothing that a terminal would obey where others have written it, on one line', () => {
    for (const [text, line] of [
      ['plain ä 日本', 'plain ä 日本'],
      ['\u001b[31mred\u001b[0m and \u001b[2Jclear', 'red and clear'],
      ['a\r\n\tb\u0000c', 'a b c'],
      ['a\u007fb\u0080c\u009fd\u00a0e', 'a b c d\u00a0e'],
      ['\u001b]0;title\u0007x', ' ]0;title x'],
      ['', ''],
    ] as const)
      assert.equal(plainLine(text), line);
  });
});
