import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dataPathRule, dataRule } from '../../../src/commands/fix/dataRules.ts';
import type { Proposal, Rule } from '../../../src/commands/fix/failedRun.ts';
import { findCause } from '../../../src/commands/fix/findCause.ts';
import { mendCron } from '../../../src/commands/fix/jobRules.ts';
import { failingJobs } from '../../support/failingJobs/failingJobs.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

/** Outputs of the local service with Python 3.11; `/w` is the workspace. */
const outputs = JSON.parse(readFileSync('test/fixtures/failing-jobs.json', 'utf8')) as Record<
  string,
  Record<string, string>
>;

/** Returns the corrected program, or `undefined` if there is no fix. */
async function mended(code: string, error: string, line = 1): Promise<string | undefined> {
  const files = { 'etl.job.yml': plainJob, 'jobs/etl.py': code };
  const found = await findCause(
    await failedRunOf(files, { error, error_trace: `  File "/w/jobs/etl.py", line ${line}\n    x\n${error}` }),
  );
  return typeof found === 'object' ? found.text : undefined;
}

const changedLines = ({ file, text }: Proposal): number => {
  const before = file.text.split('\n');
  return text.split('\n').filter((each) => !before.includes(each)).length;
};

describe('findCause', () => {
  for (const { kind, name, files, guide } of failingJobs) {
    it(`${guide === undefined ? 'finds no certain fix for' : 'fixes'} ${kind}: ${name}`, async () => {
      const found = await findCause(await failedRunOf(files, outputs[name] ?? {}));
      if (guide === undefined) {
        assert.notEqual(typeof found, 'object', JSON.stringify(found));
        return;
      }
      assert.ok(typeof found === 'object', String(found));
      assert.ok(found.text.includes(guide), found.text);
      assert.ok(!found.file.text.includes(guide), 'the file did not say it');
      assert.ok(changedLines(found) <= 4, found.text);
      assert.notEqual(found.what, '');
    });
  }

  it('keeps the comments of the job file', async () => {
    for (const name of ['a package is not listed', 'the time zone is mistyped', 'the Python file is mistyped']) {
      const found = await findCause(
        await failedRunOf(failingJobs.find((each) => each.name === name)?.files ?? {}, outputs[name] ?? {}),
      );
      assert.ok(typeof found === 'object' && found.text.startsWith('# Every night\nname: etl\n'), name);
    }
  });

  it("applies the hints of Python's error messages", async () => {
    assert.equal(await mended('f((1)))\n', "SyntaxError: unmatched ')'"), 'f((1))\n');
    assert.equal(await mended('f("a)\n', 'SyntaxError: unterminated string literal (detected at line 1)'), 'f("a")\n');
    assert.equal(
      await mended(
        'if a = 1:\n    pass\n',
        "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
      ),
      'if a == 1:\n    pass\n',
    );
    assert.equal(await mended('x = \u201Ca\u201D\n', "SyntaxError: invalid character '\u201C' (U+201C)"), 'x = "a"\n');
    assert.equal(
      await mended('if a:\n\tb\n        c\n', 'TabError: inconsistent use of tabs and spaces in indentation', 3),
      'if a:\n    b\n        c\n',
    );
    assert.equal(
      await mended(
        'def f():\n    if a:\n        b\n      c\n',
        'IndentationError: unindent does not match any outer indentation level',
        4,
      ),
      undefined,
      'either level may be meant',
    );
    assert.equal(
      await mended('# a\nprint(json.dumps(1))\n', "NameError: name 'json' is not defined", 2),
      '# a\nimport json\nprint(json.dumps(1))\n',
    );
    assert.equal(await mended('if x  # why\n    pass\n', "SyntaxError: expected ':'"), 'if x:  # why\n    pass\n');
    assert.equal(
      await mended('x = f(\n    1,\n    2\ny = 3\n', "SyntaxError: '(' was never closed"),
      'x = f(\n    1,\n    2)\ny = 3\n',
    );
    assert.equal(
      await mended('f("a", \'b)\n', 'SyntaxError: unterminated string literal (detected at line 1)'),
      undefined,
    );
    assert.equal(
      await mended('if a:\nb\nc\n', "IndentationError: expected an indented block after 'if' statement on line 1", 2),
      'if a:\n    b\nc\n',
    );
    assert.equal(
      await mended(
        'def f():\n    if a:\n    b\n    c\n',
        "IndentationError: expected an indented block after 'if' statement on line 2",
        3,
      ),
      undefined,
    );
  });

  it('ignores libraries and files outside the workspace', async () => {
    const error = "SyntaxError: expected ':'";
    const trace = `  File "/usr/lib/python3.11/jobs/etl.py", line 1\n    x\n${error}`;
    const found = await findCause(
      await failedRunOf({ 'etl.job.yml': plainJob, 'jobs/etl.py': 'if x\n' }, { error, error_trace: trace }),
    );
    assert.equal(found, undefined);
  });

  it('asks to check an unknown package, and adds none that is listed', async () => {
    const error = "ModuleNotFoundError: No module named 'acme_billing'";
    const files = { 'etl.job.yml': plainJob, 'jobs/etl.py': 'import acme_billing\n' };
    const found = await findCause(await failedRunOf(files, { error }));
    assert.match(typeof found === 'object' ? found.what : '', /acme-billing to the libraries .* Check that/);
    const listed = { ...files, 'etl.job.yml': `${plainJob}libraries:\n- pypi:\n    package: acme-billing==1\n` };
    assert.match(String(await findCause(await failedRunOf(listed, { error }))), /already include acme-billing/);
    assert.match(
      String(await findCause(await failedRunOf({ 'jobs/etl.py': '' }, { error }))),
      /no job file in this workspace/,
    );
  });

  describe('in a Jupyter notebook', () => {
    const cell = (cell_type: string, ...source: string[]) => ({
      cell_type,
      id: `c${source.length}`,
      metadata: {},
      ...(cell_type === 'code' && { execution_count: null, outputs: [] }),
      source,
    });
    const book = (...cells: unknown[]): unknown => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const good = book(
      cell('markdown', '# Ünïcode'),
      cell('raw', 'not counted'),
      cell('code', 'x = 1\n', 'if x == 1\n', '    print(x)'),
    );
    const job = 'name: n\nexisting_cluster_id: local\nnotebook_task:\n  notebook_path: /jobs/etl\n';
    const find = async (text: string, number = 2, place = `File "<cell ${number}>"`): ReturnType<typeof findCause> =>
      findCause(
        await failedRunOf(
          { 'etl.job.yml': job, 'jobs/etl.ipynb': text },
          {
            error: "SyntaxError: expected ':'",
            error_trace: `  ${place}, line 2\n    if x == 1\nSyntaxError: expected ':'`,
          },
        ),
      );

    for (const [name, write] of [
      ['written by nbformat', (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`],
      ['written by the editor', (value: unknown) => JSON.stringify(value, undefined, 4)],
      ['written on a single line', (value: unknown) => JSON.stringify(value)],
    ] as const)
      it(`changes only the failing cell if the file was ${name}`, async () => {
        const found = await find(write(good));
        assert.ok(typeof found === 'object', String(found));
        assert.equal(found.file.path, 'jobs/etl.ipynb');
        assert.equal(found.text, write(good).replace('if x == 1', 'if x == 1:'));
      });

    it('changes nothing if writing would change other cells', async () => {
      for (const text of [
        `${JSON.stringify(good, undefined, 3)}\n`,
        JSON.stringify(good).replace('"nbformat":4', '"nbformat":4.0'),
        '{"cells": 7}',
        'no JSON',
      ])
        assert.notEqual(typeof (await find(text)), 'object', text);
      assert.notEqual(typeof (await find(JSON.stringify(good), 3)), 'object', 'there is no third');
      assert.notEqual(typeof (await find(JSON.stringify(good), 1)), 'object', 'the first is text');
      const magic = book(cell('code', '%pip install x\n', 'if x == 1\n'));
      assert.notEqual(typeof (await find(JSON.stringify(magic), 1)), 'object');
    });
  });
});

const csv = 'day,amount\nmonday,3\n';

const withLines = (lines: string): string => `${plainJob}${lines}`;

const parameters = (...given: string[]): string =>
  plainJob.replace('etl.py\n', `etl.py\n  parameters: ${JSON.stringify(given)}\n`);

const scheduled = (cron: string, zone = 'UTC'): string =>
  withLines(`schedule:\n  quartz_cron_expression: ${cron}\n  timezone_id: ${zone}\n`);

const sum = 'import csv\nfor row in csv.DictReader(open("days.csv")):\n    print(row["amount"])\n';

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly error?: string;
  /** Line in `jobs/etl.py`. */
  readonly line?: number;
  /** Text that the fix adds; undefined if no fix is expected. */
  readonly has: string | undefined;
}

const code = (text: string, error: string, line: number, has: string | undefined, more = {}): Case => ({
  files: { 'etl.job.yml': plainJob, 'jobs/etl.py': text, ...more },
  error,
  line,
  has,
});

const comma = 'SyntaxError: invalid syntax. Perhaps you forgot a comma?';

const types = 'SyntaxError: multiple exception types must be parenthesized';

const missing = "FileNotFoundError: [Errno 2] No such file or directory: 'out/day/result.csv'";

const job = (file: string, error: string, has: string | undefined): Case => ({
  files: { 'etl.job.yml': file, 'jobs/etl.py': 'print(1)\n' },
  error,
  has,
});

/** Outputs of the local service with Python 3.11. */
const cases: Readonly<Record<string, Case>> = {
  'a library with one equals sign': job(
    withLines('libraries:\n- pypi:\n    package: tabulate=0.9.0\n'),
    'Installing tabulate=0.9.0 failed, so the run was not started. Hint: = is not a valid operator. Did you mean == ?',
    'package: tabulate==0.9.0\n',
  ),
  'a Python file without its ending': job(
    plainJob.replace('etl.py', 'etl'),
    'Python file /jobs/etl was not found; nothing was run.',
    'python_file: /jobs/etl.py\n',
  ),
  'an option with one dash': job(
    parameters('-day', 'monday'),
    'etl.py: error: the following arguments are required: --day',
    '["--day","monday"]',
  ),
  'a number below zero, which is no option': job(
    parameters('-10'),
    'etl.py: error: the following arguments are required: --day',
    undefined,
  ),
  'a schedule by its name in Unix': job(scheduled('"@daily"'), '', '"0 0 0 * * ?"'),
  'a schedule every week': job(scheduled("'@weekly'"), '', "'0 0 0 ? * SUN'"),
  'a schedule by a name that is none': job(scheduled('"@lunar"'), '', undefined),
  'midnight at the end of the day': job(scheduled('0 30 24 * * ?'), '', '0 30 0 * * ?'),
  'a time zone by its city': job(scheduled('0 0 8 * * ?', 'Berlin'), '', 'timezone_id: Europe/Berlin\n'),
  'a time zone by a city of two words': job(scheduled('0 0 8 * * ?', 'new york'), '', 'America/New_York\n'),
  'an exception as Python 2 names it': code(
    'try:\n    x\nexcept ValueError, error:\n    x\n',
    types,
    3,
    'except ValueError as error:',
  ),
  'two exceptions': code('try:\n    x\nexcept OSError, EOFError:\n    x\n', types, 3, 'except (OSError, EOFError):'),
  'a comma at the end of a line': code('a = [\n    "x"  # one\n    3,\n]\n', comma, 2, '    "x",  # one\n'),
  'a comma in the middle of a line': code('a = [1 2]\n', comma, 1, undefined),
  'a folder that is written into': code(
    'if 1:\n    with open("out/day/result.csv", "w") as file:\n        pass\n',
    missing,
    2,
    'import os\nif 1:\n    os.makedirs("out/day", exist_ok=True)\n    with open',
  ),
  'a folder that a table is written into': code(
    'import os\nframe.to_csv("out/a.csv")\n',
    "OSError: Cannot save file into a non-existent directory: 'out'",
    2,
    'import os\nos.makedirs("out", exist_ok=True)\nframe',
  ),
  'a folder that is read from': code('open("out/day/result.csv")\n', missing, 1, undefined),
  'a folder of the machine': code(
    'open("/mnt/x/a.csv", "w")\n',
    "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/x/a.csv'",
    1,
    undefined,
  ),
  'a table with semicolons': code(sum, "KeyError: 'amount'", 3, 'csv.DictReader(open("days.csv"), delimiter=";")', {
    'jobs/days.csv': csv.replaceAll(',', ';'),
  }),
  'a table with tabs, read by pandas': code(
    'import pandas as pd\nx = pd.read_csv("days.csv")["amount"]\n',
    "KeyError: 'amount'",
    2,
    String.raw`pd.read_csv("days.csv", delimiter="\t")`,
    { 'jobs/days.csv': csv.replaceAll(',', '\t') },
  ),
  'a table whose separator is given': code(
    sum.replace('"))', '"), delimiter=";")'),
    "KeyError: 'amount'",
    3,
    undefined,
    { 'jobs/days.csv': csv.replaceAll(',', ';') },
  ),
  'a table that begins with a mark': code(
    sum.replace('"amount"', '"day"'),
    "KeyError: 'day'",
    3,
    'open("days.csv", encoding="utf-8-sig")',
    { 'jobs/days.csv': csv },
  ),
  'a column that is there, and no first one': code(sum, "KeyError: 'amount'", 3, undefined, { 'jobs/days.csv': csv }),
  'a key of JSON that is there': code('open("a.json")\nx = row["a"]\n', "KeyError: 'a'", 2, undefined, {
    'jobs/a.json': '{"a": 1}',
  }),
};

describe('findCause for other failures', () => {
  for (const [name, { files, error = '', line = 1, has }] of Object.entries(cases))
    it(`${has === undefined ? 'finds no fix' : 'finds a fix'}: ${name}`, async () => {
      const trace = `  File "/w/jobs/etl.py", line ${line}\n    x\n${error}`;
      const found = await findCause(await failedRunOf(files, { error, error_trace: trace, state_message: error }));
      if (has === undefined) return assert.notEqual(typeof found, 'object', JSON.stringify(found));
      assert.ok(typeof found === 'object', String(found));
      assert.ok(found.text.includes(has), found.text);
      assert.ok(!found.file.text.includes(has));
    });
});

describe('mendCron', () => {
  const cases: readonly (readonly [written: string, meant: string | undefined])[] = [
    ['0 30 7 * * *', '0 30 7 * * ?'],
    ['30 7 * * *', '0 30 7 * * ?'],
    ['0 6 * * 1-5', '0 0 6 ? * MON-FRI'],
    ['0 6 * * 0', '0 0 6 ? * SUN'],
    ['0 0 8 ? * MON-FRY', '0 0 8 ? * MON-FRI'],
    ['0 0 8 ? * monday', '0 0 8 ? * MON'],
    ['0 0 8 1 JANUARY *', '0 0 8 1 JAN ?'],
    ['0 0 8 ? * ?', '0 0 8 * * ?'],
    ['  0   6 * * 1,3 ', '0 0 6 ? * MON,WED'],
    ['0 6 1 * *', '0 0 6 1 * ?'],
    ['*/5 6 * * *', '0 */5 6 * * ?'],
    ['0 6 * * 7', '0 0 6 ? * SUN'],
    ['0 6 * jan-feb sun', '0 0 6 ? JAN-FEB SUN'],
    ['0 0 8 1 * MON', undefined],
    ['0 0 8 ? * 2', undefined],
    ['0 0 8 * * MON#2', '0 0 8 ? * MON#2'],
    ['0 0 8 L * *', '0 0 8 L * ?'],
    ['0 0 8 ? * *', undefined],
    ['0 0 8 * *', '0 0 0 8 * ?'],
    ['0 0 8 *', undefined],
    ['0 0 25 * * ?', undefined],
    ['every day', undefined],
    ['@hourly', '0 0 * * * ?'],
    [' @daily\n', '0 0 0 * * ?'],
    ['@weekly', '0 0 0 ? * SUN'],
    ['@monthly', '0 0 0 1 * ?'],
    ['@yearly', '0 0 0 1 1 ?'],
    ['@never', undefined],
    ['0 0 8 * * ?', undefined],
  ];
  for (const [written, meant] of cases)
    it(`${meant === undefined ? 'returns nothing for' : `returns "${meant}" for`} "${written}"`, () =>
      assert.equal(mendCron(written), meant));
});

const places = (...lines: number[]): string =>
  lines.map((line) => `  File "/w/jobs/etl.py", line ${line}\n    x\n`).join('');

/** Returns the path, the new text and the description of a fix for jobs/etl.py, or the reason why there is none. */
async function made(
  rule: Rule,
  error: string,
  code: string,
  more: Record<string, string> = {},
  lines: number[] = [1],
): Promise<unknown> {
  const files = { 'etl.job.yml': plainJob, 'jobs/etl.py': code, ...more };
  const found = await rule(await failedRunOf(files, { error, error_trace: places(...lines) + error }));
  return typeof found === 'object' ? [found.file.path, found.text, found.what] : found;
}

describe('a misspelled column or key', () => {
  const head = (text: string): Record<string, string> => ({ 'jobs/days.csv': text });
  const mended = (error: string, code: string, more: Record<string, string>, lines?: number[]): Promise<unknown> =>
    made(dataRule, error, code, more, lines);
  const error = "KeyError: 'amuont'";
  it('is kept if the intended name is unclear or it is an environment variable', async () => {
    assert.match(String(await mended(error, 'read("days.csv")["amuont"]\n', head('amount,Amount\n'))), /or Amount/);
    const code = 'os.environ["amuont"]; read("days.csv")\n';
    assert.match(String(await mended(error, code, head('amount\n'))), /environment variable/);
  });

  it('is not called missing from data that was not read', async () => {
    assert.equal(await mended(error, 'rows = load()\nrows["amuont"]\n', {}, [2]), undefined);
    const other = 'print("amount")\nrow["amuont"]\n';
    assert.match(String(await mended(error, other, {}, [2])), /the program also has the name amount/i);
    assert.match(String(await mended(error, 'read("days.csv")["amuont"]\n', head('day\n'))), /^jobs\/days\.csv has no/);
  });

  it('is corrected to the only similar key that the program writes', async () => {
    const code = 'row = {"amount": 1}\nrow["amuont"]\n';
    assert.deepEqual(await mended(error, code, {}, [2]), [
      'jobs/etl.py',
      'row = {"amount": 1}\nrow["amount"]\n',
      'Change amuont to amount.',
    ]);
  });

  it('is corrected only in the failing line', async () => {
    const code = 'x = "amuont"\nd = read("days.csv")\ny = d[\'amuont\'], d["day"]\nz = "amuont"\n';
    assert.deepEqual(await mended(error, code, head('day,amount\n'), [3]), [
      'jobs/etl.py',
      code.replace("d['amuont']", "d['amount']"),
      'Change amuont to amount.',
    ]);
    // The innermost line does not contain the name, so the next outer line is changed.
    const calls = 'd = read("days.csv")\ndef f(k): return d[k]\nf("amuont")\n';
    assert.deepEqual(await mended(error, calls, head('day,amount\n'), [3, 2]), [
      'jobs/etl.py',
      calls.replace('amuont', 'amount'),
      'Change amuont to amount.',
    ]);
    assert.equal(await mended(error, 'k = read("days.csv")[name]\n', head('day,amount\n')), undefined);
  });

  it('is looked up in the data that the parameters name', async () => {
    const job = plainJob.replace(/(python_file: .*\n)/, '$1  parameters: [days.csv]\n');
    assert.deepEqual(
      await mended(error, 'read(sys.argv[1])["amuont"]\n', { 'etl.job.yml': job, 'jobs/days.csv': 'day,amount\n' }),
      ['jobs/etl.py', 'read(sys.argv[1])["amount"]\n', 'Change amuont to amount.'],
    );
    const notebook =
      'name: n\nexisting_cluster_id: local\nnotebook_task:\n  notebook_path: /jobs/etl\n  base_parameters: {table: days.csv}\n';
    assert.deepEqual(
      await mended(error, 'read(table)["amuont"]\n', { 'etl.job.yml': notebook, 'jobs/days.csv': 'day,amount\n' }),
      ['jobs/etl.py', 'read(table)["amount"]\n', 'Change amuont to amount.'],
    );
  });

  it('is looked up in the headers of tables and the keys of JSON', async () => {
    for (const [name, text] of [
      ['days.csv', '\uFEFF"day" , "amount"\r\namuent\r\n'],
      ['days.csv', 'day;amount\n'],
      ['days.tsv', 'day\tamount\n'],
      ['days.json', '[{"day": "amuent", "amount"  : 1}]'],
    ] as const)
      assert.deepEqual(
        await mended(error, `read("${name}")["amuont"]\n`, { [`jobs/${name}`]: text }),
        ['jobs/etl.py', `read("${name}")["amount"]\n`, 'Change amuont to amount.'],
        text,
      );
  });
});

describe('data that is not JSON', () => {
  const error = 'json.decoder.JSONDecodeError: Expecting value';
  const mended = async (text: string, words = error): Promise<unknown> =>
    made(dataRule, words, 'load("a.json")\n', { 'jobs/a.json': text });
  const unclear = "The program's input is not JSON, and the intended content is unclear.";

  it('is corrected when exactly one thing is wrong', async () => {
    for (const [text, good] of [
      ['\uFEFF{"a": 1}', '{"a": 1}'],
      ['{"a": [1, 2,], }', '{"a": [1, 2] }'],
      ['{"a": True, "b": [False, None]}', '{"a": true, "b": [false, null]}'],
      ["{'a': 'b',}", '{"a": "b"}'],
    ] as const)
      assert.deepEqual(await mended(text), ['jobs/a.json', good, 'Correct the JSON in jobs/a.json.']);
  });

  it('stays when the intent is unclear', async () => {
    for (const text of ['{"a": }', '{"a": \'b\'}', '{"a": 1}', '']) assert.equal(await mended(text), unclear, text);
  });
});

describe('a missing file', () => {
  const error = (path: string): string => `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;
  const mended = (path: string, code: string, more: Record<string, string>): Promise<unknown> =>
    made(dataPathRule, error(path), code, more);

  it('is not replaced if the code names it twice or no file has a similar name', async () => {
    assert.equal(
      await mended('dayz.csv', 'open("dayz.csv"); open("dayz.csv")\n', { 'jobs/days.csv': '' }),
      'dayz.csv does not exist, and its path does not appear exactly once in the code.',
    );
    assert.match(
      String(await mended('zebra.csv', 'open("zebra.csv")\n', { 'jobs/days.csv': '' })),
      /no file of a similar/,
    );
    const twice = { 'a/days.csv': '', 'b/days.csv': '' };
    assert.match(String(await mended('days.csv', 'open("days.csv")\n', twice)), /a\/days\.csv, b\/days\.csv$/);
    assert.equal(await made(dataPathRule, 'OSError: x', 'open("a")\n'), undefined);
  });
});

const traceOf = (error: string, ...places: readonly string[]): Record<string, string> => ({
  error,
  error_trace: ['Traceback (most recent call last):', ...places.map((place) => `  ${place}`), error].join('\n'),
});

describe('the places of a failure', () => {
  const stepsOf = async (files: Record<string, string>, ...places: readonly string[]): Promise<string[]> => {
    const { steps } = await failedRunOf(files, traceOf('KeyError: 1', ...places));
    return steps.map(({ file, line }) => `${file.path}:${line}`);
  };

  it('skip libraries, and are found in Windows paths', async () => {
    const files = { 'a.py': 'x' };
    for (const folder of ['/opt/dist-packages', '/v/site-packages', '/usr/lib/python3.11', 'C:\\lib\\python3'])
      assert.deepEqual(await stepsOf(files, `File "${folder}/a.py", line 1, in f`), [], folder);
    assert.deepEqual(await stepsOf(files, 'File "C:\\w\\a.py", line 2, in f'), ['a.py:2']);
  });

  it('are the innermost twenty', async () => {
    const files = { 'a.py': 'x' };
    const places = Array.from({ length: 30 }, (_each, index) => `File "/w/a.py", line ${index + 1}, in f`);
    const lines = await stepsOf(files, ...places);
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'a.py:30', 'a.py:11']);
  });

  it('in cells belong to the named notebook, otherwise to the notebook of the task', async () => {
    const notebook = ['# Databricks notebook source', 'a = 1', '', '# COMMAND ----------', '', 'b = 2', ''].join('\n');
    const job = plainJob.replace(/spark_python_task:\n(?: +.*\n)+/, 'notebook_task:\n  notebook_path: /own\n');
    const files = { 'etl.job.yml': job, 'own.py': notebook, 'other.py': notebook };
    assert.deepEqual(await stepsOf(files, 'File "<cell 2>", line 1, in f'), ['own.py:6']);
    assert.deepEqual(await stepsOf(files, 'File "<cell 2 of /other.py>", line 1, in f'), ['other.py:6']);
    const words = ['# Databricks notebook source', '# MAGIC %md', '# MAGIC x', '', '# COMMAND ----------', '', 'b = 2'];
    const withWords = { ...files, 'own.py': words.join('\n') };
    assert.deepEqual(await stepsOf(withWords, 'File "In[1]", line 1, in f'), ['own.py:7'], 'text is no input');
    assert.deepEqual(await stepsOf(withWords, 'File "<cell 2>", line 1, in f'), ['own.py:7'], 'and is a cell');
  });
});
