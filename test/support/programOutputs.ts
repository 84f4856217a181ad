const frame = (line = 1, file = '/w/a.py'): string => `  File "${file}", line ${line}, in f\n    g()\n`;
const trace = (error: string, line?: number): string => `Traceback (most recent call last):\n${frame(line)}${error}\n`;
const context = '\nDuring handling of the above exception, another exception occurred:\n\n';
const cause = '\nThe above exception was the direct cause of the following exception:\n\n';
const prefixed = (prefix: string, text: string): string => text.replace(/^(?=.)/gm, prefix);
const log = '24/01/02 03:04:05 INFO ShutdownHookManager: Deleting\n';
const java = 'Exception in thread "main" java.lang.IllegalStateException: two\nlines  \n\tat A.main(A.java:1)\n';

/** What programs print when they fail, and what looks like it: what is read from it is held as it was approved. */
export const programOutputs: readonly string[] = [
  '',
  'all is well\n',
  trace('ValueError: no'),
  `before\n${trace('KeyboardInterrupt')}after\n`,
  trace('KeyError: 1') + context + trace('ValueError: 2', 2),
  trace('KeyError: 1') +
    context +
    trace('ValueError: 2', 2) +
    cause +
    trace('mod.Own: 3', 3) +
    context +
    trace('OSError: 4', 4),
  trace('KeyError: 1') + cause + trace('ValueError: 2', 2) + trace('TypeError: 3', 3),
  `${trace('ValueError: no')}key here\n${log}more\n`,
  `${trace('ValueError: no')}{"ts":"2026","level":"INFO","msg":"bye"}\n`,
  trace('RuntimeError: worker said:\n  File "fake.py", line 99, in other\nand more'),
  ...[
    'Exception ignored in: <function X.__del__ at 0x7f>',
    'Exception ignored on calling ctypes callback function',
    '--- Logging error ---',
    'Error in atexit._run_exitfuncs:',
    'Exception in thread Thread-1:',
    'Task exception was never retrieved',
    'Exception in callback f()',
    'exception calling callback <Future at 0x7f>',
    'Something else:',
  ].map((aside) => `${trace('ValueError: 1')}\n${aside}\n${trace('TypeError: 2', 2)}`),
  `Exception in callback f()\nhandle: <Handle f()>\n${trace('ValueError: 1')}`,
  `Exception in callback f()\none\ntwo\n${trace('ValueError: 1')}`,
  `Exception in callback f()\none\ntwo\nthree\n${trace('ValueError: 1')}`,
  ...['SyntaxError: invalid syntax', 'IndentationError: unexpected indent', 'TabError: tabs', 'NameError: x'].map(
    (error) => `  File "/w/b.py", line 7\n    x = = 1\n        ^\n${error}\n`,
  ),
  '  File "/w/b.py", line 7\nno code\n',
  ...['> ', '| ', '  # ', '2026-01-05 10:00:01,234 ERROR ', '[worker 3] '].map((prefix) =>
    prefixed(prefix, trace('ValueError: no')),
  ),
  prefixed('2026-01-05 10:00:01 ', trace('ValueError: no')).replace('10:00:01 ValueError', '10:00:12 ValueError'),
  `  + Exception Group Traceback (most recent call last):\n${prefixed('  | ', `${frame()}ExceptionGroup: two (1 sub-exception)\n`)}`,
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nnot part of it\n',
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n',
  [
    'ZeroDivisionError                         Traceback (most recent call last)',
    'Cell In[3], line 2\n      1 def f():\n----> 2     1/0\n',
    'File /w/lib.py:12, in g(x)\n     11 pass\n---> 12 f()',
    'File ~/m.py:5\n',
    'ZeroDivisionError: division by zero\n',
  ].join('\n'),
  [
    'NameError                                 Traceback (most recent call last)',
    '/w/old.py in f()\n      3 a\n----> 4 b\n      5 c',
    '<ipython-input-1> in <module>\n----> 1 f()',
    'Input In [2], in <cell line: 1>()\n----> 1 x',
    'File /w/x.py, line 9, in h\nIn [4], line 6',
    "NameError: name 'b' is not defined",
    'printed later',
  ].join('\n'),
  `NameError      Traceback (most recent call last)\nnothing\n${trace('ValueError: no')}`,
  '\x1b[0;31mTraceback (most recent call last):\x1b[0m\r\n  File "a.py", line 1, in <module>\r\n\x1b[1mValueError: no\x1b[0m\r\n',
  `old\n${java}Caused by: X\n\t... 3 more\nprinted later\n${log}`,
  'Exception in thread "main" java.lang.Error  \n',
  `${java}${java.replace('two', 'three')}`,
  `${java}plain words\n`,
  ...['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'].map((level) => `why\n24/01/02 03:04:05 ${level} Utils: bye\n`),
  ...['TRACE', 'WARN', 'ERROR'].map((level) => `why\n{"ts":"x","level":"${level}"}\n`),
  ...[
    'WARNING: Using incubator modules: x',
    'Picked up JAVA_TOOL_OPTIONS: -X',
    'Picked up _JAVA_OPTIONS: -X',
    'SLF4J: no binder',
    "Using Spark's default log4j profile: x",
    '\tat a.b.C(D.java:1)',
    '\t... 3 more',
    'at home',
  ].map((line) => `why\n${line}\n\n`),
  `Error: one\nError: two\nmore\nUsage: spark-submit [options]\n  --master\nError: three\n`,
  'words\nUsage: spark-submit [options]\n',
  Array.from({ length: 23 }, (_, index) => `line ${index}`).join('\n'),
  `${'long '.repeat(500)}\n`,
];
