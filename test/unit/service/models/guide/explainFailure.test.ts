import assert from 'node:assert/strict';
import { explainFailure } from '../../../../../src/service/models/guide/explainFailure.ts';
import { holdPhrases } from './phrases.ts';

const traceback = (...lines: string[]): string => ['Traceback (most recent call last):', ...lines].join('\n');
const own = '  File "/w/jobs/etl.py", line 30, in <module>\n    main()';

/** Each failing line, in the shapes that tracebacks of real runs have. */
const places: Record<string, readonly [text: string, file: string | undefined, line?: number]> = {
  'of a plain traceback': [
    traceback(own, '  File "/w/jobs/etl.py", line 12, in main\n    f()', 'ValueError: no'),
    '/w/jobs/etl.py',
    12,
  ],
  'above the frames of a library': [
    traceback(
      own,
      '  File "/usr/lib/python3.11/json/__init__.py", line 9, in load',
      '  File "/w/.venv/lib/python3.11/site-packages/x/y.py", line 4, in g',
      'ValueError: no',
    ),
    '/w/jobs/etl.py',
    30,
  ],
  'of a cell': [
    traceback(
      '  File "<cell 4>", line 2, in <module>\n    f(0)',
      '  File "<cell 3>", line 7, in f',
      'ZeroDivisionError: division by zero',
    ),
    '<cell 3>',
    7,
  ],
  'after a traceback that was handled': [
    `${traceback('  File "/w/jobs/etl.py", line 4, in read', "KeyError: 'a'")}\ngoing on without a\n${traceback(own, 'ValueError: no')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'before one that was only printed while a logger failed': [
    `${traceback(own, 'ValueError: no')}\n--- Logging error ---\n` +
      `${traceback('  File "/w/jobs/log.py", line 1, in emit', 'TypeError: not all arguments converted')}\n` +
      `Call stack:\n  File "/w/jobs/log.py", line 5, in log\nMessage: 'x'`,
    '/w/jobs/etl.py',
    30,
  ],
  'before one of an object that could not be cleaned up': [
    `${traceback(own, 'ValueError: no')}\nException ignored in: <function X.__del__ at 0x7f>\n` +
      `${traceback('  File "/w/jobs/x.py", line 8, in __del__', 'AttributeError: y')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'before one of a thread': [
    `${traceback(own, 'ValueError: no')}\nException in thread Thread-1 (work):\n${traceback('  File "/w/jobs/x.py", line 8, in work', 'OSError: y')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'that the run names among those it printed': [
    `error: ValueError: no\n${traceback(own, 'ValueError: no')}\nlast look\n${traceback('  File "/w/jobs/x.py", line 8, in close', 'OSError: y')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'of the exception that another led to': [
    `${traceback('  File "/w/jobs/etl.py", line 4, in read', "KeyError: 'a'")}\n\nDuring handling of the ` +
      'above exception, another exception occurred:\n\n' +
      `${traceback(own, '  File "/w/jobs/etl.py", line 6, in read', 'ValueError: no a')}`,
    '/w/jobs/etl.py',
    6,
  ],
  'above a place that a message quotes': [
    traceback(own, 'RuntimeError: the template is wrong:\n  File "/w/page.html", line 99, in block\n    {{ x }}'),
    '/w/jobs/etl.py',
    30,
  ],
  'of what calls exec': [
    traceback(
      '  File "/w/jobs/etl.py", line 12, in main\n    exec(code)',
      '  File "<string>", line 3, in <module>',
      "NameError: name 'y' is not defined",
    ),
    '/w/jobs/etl.py',
    12,
  ],
  'of what calls exec with something that is not Python': [
    traceback(
      '  File "/w/jobs/etl.py", line 12, in main\n    exec(code)',
      '  File "<string>", line 1\n    def (:\n        ^',
      'SyntaxError: invalid syntax',
    ),
    '/w/jobs/etl.py',
    12,
  ],
  'of a file that is not Python': [
    '  File "/w/jobs/etl.py", line 3\n    def (:\n        ^\nSyntaxError: invalid syntax',
    '/w/jobs/etl.py',
    3,
  ],
  'of Jupyter': [
    'ZeroDivisionError                         Traceback (most recent call last)\nCell In[3], line 2\n   ' +
      '   1 x = 1\n----> 2 f(0)\n\nFile /usr/lib/python3.11/json/decoder.py:355, in raw_decode(self)\n--> ' +
      '355     raise\n\nZeroDivisionError: division by zero',
    'Cell In[3]',
    2,
  ],
  'of an older Jupyter': [
    'ZeroDivisionError                         Traceback (most recent call last)\n<ipython-input-3-0a1b> ' +
      'in <module>\n      1 x = 1\n----> 2 f(0)\n\nZeroDivisionError: division by zero',
    '<ipython-input-3-0a1b>',
    2,
  ],
  'inside of JSON': [
    JSON.stringify({ error: 'ValueError: no', error_trace: traceback(own, 'ValueError: no') }, undefined, 1),
    '/w/jobs/etl.py',
    30,
  ],
  'with colours, quoted': [
    traceback(own, 'ValueError: no')
      .split('\n')
      .map((line) => `> \x1b[31m${line}\x1b[0m`)
      .join('\n'),
    '/w/jobs/etl.py',
    30,
  ],
  'of Java': [
    'Exception in thread "main" java.lang.IllegalStateException: no\n\tat ' +
      'java.base/java.lang.Integer.parseInt(Integer.java:668)\n\tat com.example.Mill$.run(Mill.scala:14)\n' +
      '\tat com.example.Main.main(Main.java:7)',
    'Mill.scala',
    14,
  ],
  'that nothing tells': ['ValueError: no', undefined],
  'of an error that is written as JSON has it, with a package before it': [
    `"error": "acme.OddError: no",\n${traceback(own, 'x.acme.OddError: no')}\n${traceback('  File "/w/b.py", line 8', 'OSError: y')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'of the last of several that say what the text gives as the error': [
    [
      '"error": "ValueError: no",',
      traceback('  File "/w/b.py", line 8', 'ValueError: no'),
      traceback(own, 'ValueError: no'),
      traceback('  File "/w/c.py", line 9', 'OSError: y'),
    ].join('\n'),
    '/w/jobs/etl.py',
    30,
  ],
  'of the last that has an error, before one that was cut off': [
    `${traceback(own, 'ValueError: no')}\n${traceback('  File "/w/b.py", line 8, in f')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'of one that was cut off': [
    `result_state: FAILED\nValueError: no\n${traceback(own)}\nException ignored in: <x>\n${traceback('  File "/w/b.py", line 8', 'OSError: y')}`,
    '/w/jobs/etl.py',
    30,
  ],
  'of a library alone': [
    traceback('  File "/usr/lib/python3.11/json/__init__.py", line 9, in load', 'ValueError: no'),
    '/usr/lib/python3.11/json/__init__.py',
    9,
  ],
  'of no file, where Java tells of its own alone': [
    'Exception in thread "main" java.lang.IllegalStateException: no\n\tat org.apache.spark.A.b(A.scala:3)\n\tat scala.C.d(C.scala:4)',
    undefined,
  ],
  'of Java, of the thread that ended it': [
    'at com.acme.Early.f(Early.java:1)\n\tat com.acme.Early.f(Early.java:1)\nException in thread "main" x.YError: no\n    at com.acme.Sun.g(Sun.kt:5)',
    'Sun.kt',
    5,
  ],
};

describe('what the guide says of a failure', () => {
  it('names the failing line of Java also where the output begins with it', () => {
    const text = 'Exception in thread "main" x.YError: no\n\tat com.acme.Sun.g(Sun.kt:5)';
    const { facts } = explainFailure(text) ?? {};
    assert.deepEqual([facts?.['file'], facts?.['line']], ['Sun.kt', 5]);
  });

  for (const [name, [text, file, line]] of Object.entries(places)) {
    it(`names the failing line ${name}`, () => {
      const { facts } = explainFailure(`Why did it fail?\n\n${text}`)!;
      assert.deepEqual([facts?.['file'], facts?.['line']], [file, line]);
    });
  }

  it('gives the cause of what failed, and not of what was handled before', () => {
    const text =
      `${traceback('  File "a.py", line 1, in f', "ModuleNotFoundError: No module named 'fast'")}\nslowly ` +
      `then\n${traceback(own, "PermissionError: [Errno 13] Permission denied: '/x'")}`;
    assert.match(explainFailure(text)!.markdown, /may not read or write `\/x`/);
  });

  it('knows a class that Spark does not find', () => {
    assert.match(
      explainFailure('error: Error: Failed to load class com.example.Nope.')!.markdown,
      /the class `com\.example\.Nope` is in no JAR/,
    );
  });
});

/** Each way in which runs name a cause, by the words that the guide has for it. */
const causes: Record<string, readonly string[]> = {
  'needed more memory': [
    'MemoryError',
    'java.lang.OutOfMemoryError: Java heap space',
    'result_state: FAILED, exit code 137',
    'result_state: FAILED, exited with status 137',
    'result_state: FAILED, ended by SIGKILL',
    'result_state: FAILED. Killed',
  ],
  'on the network': [
    'ConnectionError: x',
    'ConnectionRefusedError: [Errno 111]',
    'ConnectionResetError: [Errno 104]',
    'OSError: Connection refused',
    'urllib.error.URLError: <urlopen error>',
    'requests.exceptions.OtherError: Max retries exceeded with url',
    'socket.gaierror: y\nOSError: Name or service not known',
    'OSError: Temporary failure in name resolution',
  ],
  'could not read the file': ['IndentationError: unexpected indent', 'TabError: mixed', 'SyntaxError: invalid syntax'],
  'may not read or write `/w/a`': ["PermissionError: [Errno 13] Permission denied: '/w/a'"],
  'opened `/w/a`': ["FileNotFoundError: [Errno 2] No such file or directory: '/w/a'"],
  'reads a widget': ['InputWidgetNotDefined: No input widget named day is defined'],
  'the class `com.acme.Main` is in no JAR': [
    'java.lang.ClassNotFoundException: com.acme.Main',
    'Error: Failed to load class com.acme.Main.',
  ],
  'longer than `timeout_seconds`': ['result_state: TIMEDOUT', '{"result_state": "TIMED_OUT"}'],
  'somebody cancelled': ['result_state=CANCELED'],
  'so it was skipped': ['life_cycle_state: SKIPPED'],
  'the service could not go on': ['"life_cycle_state": "INTERNAL_ERROR"'],
  "no key 'day'": ["KeyError: 'day'"],
  'the code raised OddError: no.': ['acme.OddError: no'],
};

describe('the cause of a failure', () => {
  for (const [words, texts] of Object.entries(causes))
    it(`is told in words: ${words}`, () => {
      for (const text of texts) {
        const answer = explainFailure(`Why did this fail?\n${text}`);
        assert.ok(
          JSON.stringify(answer ?? '').includes(JSON.stringify(words).slice(1, -1)),
          `${text}: ${JSON.stringify(answer)}`,
        );
      }
    });
});

describe('the answer to a failure', () => {
  it('tells its cause and remedy, and shows the remedy in a job file', () => {
    const text = 'Why?\nrequests.ConnectionError: x';
    const cause = 'something on the network that the task needs did not answer.';
    const remedy =
      'See that its address is right and reachable from where the task runs. If it fails only now and then, let the run be retried.';
    const example =
      'name: nightly-report\nspark_python_task:\n  python_file: /jobs/etl.py\nmax_retries: 3\nexisting_cluster_id: local\nmin_retry_interval_millis: 60000\n';
    assert.deepEqual(explainFailure(text), {
      found: true,
      confidence: 1,
      markdown: `**Why it failed:** ${cause}\n\n**What to do:** ${remedy}\n\nFor example:\n\n\`\`\`yaml\n${example}\`\`\``,
      summary: `${cause} ${remedy}`,
      facts: { cause, remedy, file: undefined, line: undefined, example },
    });
  });

  for (const [text, settings] of [
    ["No module named 'sklearn.svm'", /\nlibraries:\n {2}- pypi:\n {6}package: scikit-learn\n/],
    ['No module named acme', /package: acme\n/],
    ['result_state: TIMEDOUT', /\ntimeout_seconds: 3600\n[^]*retry_on_timeout: true\n/],
    ['life_cycle_state: SKIPPED', /\nmax_concurrent_runs: 2\n/],
    ['life_cycle_state: INTERNAL_ERROR', /\nmax_retries: 3\n/],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/w/a'", /parameters:\n/],
    ['InputWidgetNotDefined: day', /base_parameters:\n/],
    ['java.lang.ClassNotFoundException: com.acme.Main', /main_class_name: /],
    ["PermissionError: [Errno 13] Permission denied: '/w/a'", undefined],
    ['result_state=CANCELED', undefined],
    ["KeyError: 'day'", undefined],
  ] as const)
    it(`shows ${settings === undefined ? 'no settings' : String(settings)} for ${text}`, () => {
      const example = explainFailure(text)?.facts['example'];
      if (settings === undefined) assert.equal(example, undefined);
      else assert.match(String(example), settings);
    });

  it('names the place, and ends a message of several sentences once', () => {
    const { markdown = '', facts } = explainFailure(traceback(own, 'acme.OddError: It is.. odd.')) ?? {};
    assert.deepEqual(facts, {
      cause: 'the code raised OddError: It is.. odd.',
      remedy: 'The line that the traceback names last in your own file is where to look first.',
      file: '/w/jobs/etl.py',
      line: 30,
      example: undefined,
    });
    assert.ok(
      markdown.startsWith(
        '**Why it failed:** the code raised OddError: It is.. odd. It happened in `/w/jobs/etl.py`, line 30.\n',
      ),
    );
    assert.doesNotMatch(markdown, /For example/);
  });

  for (const text of [
    'Everything went well.',
    'KeyError is an exception',
    'error: none',
    'Killed',
    'result_state: SUCCESS',
    'result_state: FAILED',
  ])
    it(`is none to "${text}"`, () => assert.equal(explainFailure(text), undefined));

  holdPhrases('failures', (phrase) => {
    const found = explainFailure(`Traceback (most recent call last):\n  File "/w/a.py", line 3, in f\n${phrase}`);
    const alone = explainFailure(phrase);
    return [found, alone].map((answer) => answer?.markdown.replaceAll('\n', ' ')).join(' | ');
  });
});
