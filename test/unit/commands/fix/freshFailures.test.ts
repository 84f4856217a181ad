import assert from 'node:assert/strict';
import { findCause } from '../../../../src/commands/fix/fixRun.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

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
  /** Where in `jobs/etl.py`. */
  readonly line?: number;
  /** What the change has that the file had not; undefined if there is to be none. */
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

/** As the local service gave them, with Python 3.11. */
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

describe('failures that the guide mends beside those it was made with', () => {
  for (const [name, { files, error = '', line = 1, has }] of Object.entries(cases))
    it(`${name}${has === undefined ? ', which it leaves alone' : ''}`, async () => {
      const trace = `  File "/w/jobs/etl.py", line ${line}\n    x\n${error}`;
      const found = await findCause(await failedRunOf(files, { error, error_trace: trace, state_message: error }));
      if (has === undefined) return assert.notEqual(typeof found, 'object', JSON.stringify(found));
      assert.ok(typeof found === 'object', String(found));
      assert.ok(found.text.includes(has), found.text);
      assert.ok(!found.file.text.includes(has));
    });
});
