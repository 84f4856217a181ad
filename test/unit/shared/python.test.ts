import assert from 'node:assert/strict';
import { parseTracebacks } from '../../../src/shared/pythonTraceback.ts';

const shortOf = (text: string): unknown =>
  parseTracebacks(text).map(({ frames, error }) => [frames.map(({ file, line }) => `${file}:${line}`), error]);

describe('parseTracebacks', () => {
  it('reads frames and the exception', () => {
    assert.deepEqual(
      shortOf(
        'before\nTraceback (most recent call last):\n  File "/w/a.py", line 3, in <module>\n    f()\n    ' +
          '~^^\n  File "<cell 2>", line 5, in f\nValueError: no\nafter',
      ),
      [[['/w/a.py:3', '<cell 2>:5'], 'ValueError: no']],
    );
  });

  it('separates causes, contexts and ignored exceptions', () => {
    const one = (error: string, line: number): string =>
      `Traceback (most recent call last):\n  File "a.py", line ${line}, in f\n${error}\n`;
    const text =
      `${one('KeyError: 1', 1)}\nDuring handling of the above exception, another exception occurred:\n\n` +
      `${one('ValueError: 2', 2)}Exception ignored in: <function X.__del__ at 0x7f>\n` +
      `${one('TypeError: 3', 3)}`;
    assert.deepEqual(
      parseTracebacks(text).map((each) => [each.error, each.leadsOn, each.isAside]),
      [
        ['KeyError: 1', true, false],
        ['ValueError: 2', false, false],
        ['TypeError: 3', false, true],
      ],
    );
  });

  it('reads quoted, colored and grouped tracebacks', () => {
    const plain = ['Traceback (most recent call last):', '  File "a.py", line 1, in <module>', 'ValueError: no'];
    for (const text of [
      plain.join('\r\n'),
      plain.map((line) => `> ${line}`).join('\n'),
      plain.map((line) => `    ${line}`).join('\n'),
      plain.map((line) => `\x1b[31m${line}\x1b[0m`).join('\n'),
    ]) {
      assert.deepEqual(shortOf(text), [[['a.py:1'], 'ValueError: no']], JSON.stringify(text));
    }
    const group =
      '  + Exception Group Traceback (most recent call last):\n  |   File "a.py", line 4, in <module>\n  | ' +
      'ExceptionGroup: two (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback ' +
      '(most recent call last):\n    |   File "a.py", line 2, in f\n    | ValueError: inner\n    ' +
      '+------------------------------------\n';
    assert.deepEqual(shortOf(group), [
      [['a.py:4'], 'ExceptionGroup: two (1 sub-exception)'],
      [['a.py:2'], 'ValueError: inner'],
    ]);
  });

  it('reads syntax errors without a header', () => {
    assert.deepEqual(shortOf('  File "/w/a.py", line 3\n    def (:\n        ^\nSyntaxError: invalid syntax'), [
      [['/w/a.py:3'], 'SyntaxError: invalid syntax'],
    ]);
    for (const name of ['SyntaxError', 'IndentationError', 'TabError'])
      assert.deepEqual(shortOf(`  File "/w/a.py", line 3\n    x\n${name}: no`), [[['/w/a.py:3'], `${name}: no`]]);
    assert.deepEqual(shortOf('  File "/w/a.py", line 3\nis what I opened'), []);
  });

  it('reads the formats of IPython', () => {
    const head = 'ZeroDivisionError                         Traceback (most recent call last)\n';
    assert.deepEqual(
      shortOf(
        `${head}Cell In[3], line 2\n      1 x = 1\n----> 2 f(0)\n\nFile ~/jobs/helper.py:12, in f(x)\n---> ` +
          '12     return 1 / x\n\nZeroDivisionError: division by zero',
      ),
      [[['Cell In[3]:2', '~/jobs/helper.py:12'], 'ZeroDivisionError: division by zero']],
    );
    assert.deepEqual(
      shortOf(
        `${head}<ipython-input-3-0a1b> in <module>\n      1 x = 1\n----> 2 f(0)\n\n/w/helper.py in f(x)\n    ` +
          ' 11 def f(x):\n---> 12     return 1 / x\n\nZeroDivisionError: division by zero',
      ),
      [[['<ipython-input-3-0a1b>:2', '/w/helper.py:12'], 'ZeroDivisionError: division by zero']],
    );
    assert.deepEqual(
      shortOf(`${head}File <command-1234>, line 7\n      5 a\n----> 7 f(0)\n\nZeroDivisionError: division by zero`),
      [[['<command-1234>:7'], 'ZeroDivisionError: division by zero']],
    );
  });

  it('takes linear time', () => {
    const hostile = [
      'Traceback (most recent call last):\n',
      '  File "a.py", line 1, in f\n',
      '  File "a.py", line 1\n',
      'Error'.repeat(20) + '\n',
      'X    Traceback (most recent call last)\n',
      '> | + ',
      'KeyError\nDuring handling of the above exception, another exception occurred:\n',
    ];
    const timeOf = (text: string): number => {
      const before = process.cpuUsage();
      parseTracebacks(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
      assert.ok(timeOf(text) < 2000, `2 MB of ${JSON.stringify(piece)}`);
    }
  });

  it('reads a traceback that is cut off', () => {
    for (const margin of ['', '> ', '  | ']) {
      const [found, ...more] = parseTracebacks(
        [
          ...['before', 'Traceback (most recent call last):', '  File "a.py", line 1, in f', '    g()', '(cut)'],
          ...['ValueError: of another'],
        ]
          .map((line) => margin + line)
          .join('\n'),
      );
      assert.deepEqual(
        [found?.frames, found?.error, found?.start, found?.end, more],
        [[{ file: 'a.py', line: 1 }], undefined, 1, 4, []],
        margin,
      );
      const [last] = parseTracebacks(
        `${margin}Traceback (most recent call last):\n${margin}  File "a.py", line 1, in f`,
      );
      assert.deepEqual([last?.error, last?.end, last?.leadsOn, last?.isAside], [undefined, 2, false, false]);
    }
  });
});
