import { readFileSync } from 'node:fs';
import { findCause } from '../../../../src/commands/fix/fixRun.ts';
import { assertApproved } from '../../../support/approved.ts';
import { failingJobs } from '../../../support/failingJobs/failingJobs.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

const outputs = JSON.parse(readFileSync('test/fixtures/failing-jobs.json', 'utf8')) as Record<
  string,
  Record<string, string>
>;
type Files = Readonly<Record<string, string>>;

/** What the guide says of a failure, and the lines that it would change. */
async function told(files: Files, output: Record<string, string>): Promise<string> {
  const found = await findCause(await failedRunOf(files, output));
  if (typeof found !== 'object') return `${found ?? '(not known)'}\n`;
  const [before, after] = [found.file.text.split('\n'), found.text.split('\n')];
  const lines = [
    ...before.flatMap((line, at) => (after.includes(line) ? [] : [`-${at + 1} ${line}`])),
    ...after.flatMap((line, at) => (before.includes(line) ? [] : [`+${at + 1} ${line}`])),
  ];
  const text = lines.length > 0 ? lines.join('\n') : found.text.trimEnd();
  return `${found.what} [${found.file.path}]\n${text.replaceAll('\r', '\\r').replaceAll('\t', '\\t')}\n`;
}

async function all<T>(cases: readonly T[], of: (each: T) => Promise<readonly [string, string]>): Promise<string> {
  const parts: string[] = [];
  for (const each of cases) {
    const [title, text] = await of(each);
    parts.push(`## ${title}\n${text}`);
  }
  return `${parts.join('\n')}`;
}

const traceOf = (error: string, line: number): Record<string, string> => ({
  error,
  error_trace: `Traceback (most recent call last):\n  File "/w/jobs/etl.py", line ${line}, in <module>\n    x\n${error}`,
});

/** What Python says, the program, and the line that it names. */
const programs: readonly (readonly [error: string, code: string, line?: number])[] = [
  ["SyntaxError: expected ':'", 'def f()   \n    pass\n'],
  ["SyntaxError: expected ':'", 'if "#" in x\n    pass\n'],
  ["SyntaxError: expected ':'", 'if x # a # b\n    pass\n'],
  ["SyntaxError: expected ':'", 'a = 1\r\nif a\r\n    pass\r\n', 2],
  ["SyntaxError: '(' was never closed", 'print(1, 2   # all\n'],
  ["SyntaxError: '[' was never closed", 'x = [\n    1,\n    2,\n\n\ny = 1\n'],
  ["SyntaxError: '[' was never closed", 'x = [\n    1,\n    2\n  \n\t\n\ny = 1\n'],
  ["SyntaxError: '{' was never closed", 'x = {\n  "a": 1,\n  "b": 2\nprint(x)\n'],
  ["SyntaxError: '(' was never closed", 'def f(a, b:\n    return a\n'],
  ["SyntaxError: '(' was never closed", 'if f(x:  # why\n    pass\n'],
  ["SyntaxError: '(' was never closed", 'if f("#:",\n     x:\n    pass\n'],
  ["SyntaxError: '[' was never closed", 'for x in [1, 2\n'],
  ["SyntaxError: '(' was never closed", '    x = (1,\n        2\n    y = 1\n'],
  ["SyntaxError: unmatched ')'", 'print(1))  # (all)\n'],
  ["SyntaxError: unmatched ']'", 'x = [1]] + [2]\n'],
  ["SyntaxError: unmatched '}'", 'x = {1}}\n'],
  ["SyntaxError: unmatched ')'", '    2) + f(3))\n'],
  ["SyntaxError: unmatched ')'", 'f(")"))\n'],
  ["SyntaxError: unmatched ')'", "f('it's'))\n"],
  ["SyntaxError: unmatched ')'", 'x  # )\n'],
  ['SyntaxError: unterminated string literal (detected at line 1)', "print('a', f(['b]))\n"],
  ['SyntaxError: unterminated string literal (detected at line 1)', 'x = {"a": "b}:  \n'],
  ['SyntaxError: unterminated string literal (detected at line 1)', 'print("a", "b)\n'],
  ['SyntaxError: unterminated string literal (detected at line 1)', "print('it's')\n"],
  ['SyntaxError: unterminated string literal (detected at line 1)', 'x = "it\'s\n'],
  ['SyntaxError: unterminated string literal (detected at line 1)', 'x = "a" "b"\n'],
  ["SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 'while a <= 1 and b = 2 and c != 3:\n'],
  ["SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?", 'for x in y: print x, 1  # all\n'],
  ["SyntaxError: Missing parentheses in call to 'exec'. Did you mean exec(...)?", 'exec "a"\n'],
  ["SyntaxError: invalid character '\u2019' (U+2019)", 'x = \u2018a\u2019\n'],
  ["SyntaxError: invalid character '\u2013' (U+2013)", 'x = 3 \u2013 2 \u2212 1\n'],
  ['SyntaxError: invalid non-printable character U+00A0', 'x\u00A0=\u20031\n'],
  ['SyntaxError: invalid non-printable character U+200B', 'x\u200B = 1\uFEFF\n'],
  [
    "IndentationError: expected an indented block after 'for' statement on line 2",
    'def f():\n    for x in y:\n    print(x)\n\n    return 1\n',
    3,
  ],
  [
    "IndentationError: expected an indented block after 'for' statement on line 2",
    'def f():\n    for x in y:\n    print(x)\nf()\n',
    3,
  ],
  ["IndentationError: expected an indented block after 'if' statement on line 1", 'if x:\n', 2],
  ["IndentationError: expected an indented block after 'if' statement on line 1", 'if x:\n', 3],
  ['IndentationError: unexpected indent', 'def f():\n    a = 1\n\n        b = 2\n', 4],
  ['IndentationError: unexpected indent', '  a = 1\n', 1],
  ['IndentationError: unindent does not match any outer indentation level', 'if a:\n    b\n\n   c\n', 4],
  ['IndentationError: unindent does not match any outer indentation level', 'if a:\n        b\n  c\n', 3],
  ['IndentationError: unindent does not match any outer indentation level', ' c\n', 1],
  ['TabError: inconsistent use of tabs and spaces in indentation', 'if a:\n\tb = "\t"\n  \tc\n', 3],
  ["NameError: name 'totla' is not defined. Did you mean: 'total'?", 'total = 1\nprint(totla, totlas, totla)\n', 2],
  ["AttributeError: module 'json' has no attribute 'dump_s'. Did you mean: 'dumps'?", 'json.dump_s(1)\n'],
  [
    "ImportError: cannot import name 'Countr' from 'collections' (/usr/lib/x.py). Did you mean: 'Counter'?",
    'from collections import Countr\n',
  ],
  ["NameError: name 'os' is not defined", '"""About."""\n# more\nfrom sys import argv\nprint(os.name)\n', 4],
  ["NameError: name 'datetime' is not defined", '\n# a\n\nprint(datetime.now())\n', 4],
  ["NameError: name 'os' is not defined", 'from __future__ import annotations\nprint(os.name)\n', 2],
  ["NameError: name 'other' is not defined", 'print(other)\n'],
  ['ValueError: no', 'x\n'],
];

const job = (rest: string, path = '/jobs/etl.py'): string =>
  `name: etl\nspark_python_task:\n  python_file: ${path}\n${rest}existing_cluster_id: local\n`;
const given = (...parameters: string[]): string => job(`  parameters: ${JSON.stringify(parameters)}\n`);
const book = (parameters: Record<string, string>): string =>
  `name: etl\nnotebook_task:\n  notebook_path: /report\n  base_parameters: ${JSON.stringify(parameters)}\nexisting_cluster_id: local\n`;
const usage = 'usage: etl.py [-h] [--day DAY] [--full-load] [--mode MODE]\netl.py: error: ';

/** What a program wrote on its way out, and its job file. */
const parameters: readonly (readonly [logs: string, job: string])[] = [
  [`${usage}unrecognized arguments: --dya monday`, given('--dya', 'monday', '--mode', 'x')],
  [`${usage}unrecognized arguments: --dya=monday`, given('--mode=x', '--dya=monday')],
  [`${usage}unrecognized arguments: --ful-load`, given('plain', '--ful-load')],
  [`${usage}unrecognized arguments: --nothing-alike`, given('--nothing-alike')],
  [`${usage}unrecognized arguments: x`, given('--day', 'x')],
  [`${usage}the following arguments are required: --day`, given('--dy', 'monday')],
  [`${usage}the following arguments are required: --day/-d, --mode`, given('--mod', 'x')],
  [`${usage}the following arguments are required: input`, given('--full-lod')],
  [`${usage}the following arguments are required: input`, given()],
  [`${usage}argument --mode: invalid choice: 'fulll' (choose from 'full', 'delta')`, given('--mode', 'fulll')],
  [`${usage}argument --mode: invalid choice: 'fulll' (choose from full, delta)`, given('--mode=fulll')],
  [`${usage}argument mode: invalid choice: 'zebra' (choose from 'full', 'delta')`, given('zebra')],
  [`${usage}argument --mode: invalid choice: 'fulll' (choose from 'full', 'delta')`, given('fulll', 'fulll')],
  [`${usage}argument --n: invalid int value: '10.0'`, given('--n=10.0')],
  [`${usage}argument --n: invalid float value: '1_000,5'`, given('--n', '1_000,5')],
  ["ValueError: invalid literal for int() with base 10: '-2 000'", given('-2 000')],
  ["ValueError: could not convert string to float: 'many'", given('many')],
  ["ValueError: could not convert string to float: '1,000,000.25'", given('1,000,000.25')],
  ["ValueError: could not convert string to float: '7,5'", given('other')],
  ["ValueError: invalid literal for int() with base 10: '3,000'", book({ n: '3,000' })],
  ['com.databricks.dbutils_v1.InputWidgetNotDefined: No input widget named day is defined', book({ dya: 'monday' })],
  ["InputWidgetNotDefined: the widget is not defined, named 'day'", book({ dy: 'monday', other: 'x' })],
  ["No input widget named 'day' is defined", book({ zebra: 'monday' })],
];

/** What a run says of a file or a package that is not there, the job file, and other files. */
const missing: readonly (readonly [output: Record<string, string>, job: string | undefined, files: Files])[] = [
  ...['tabulat', 'yaml', 'own.part', 'sklearn.linear_model', 'acme'].map(
    (name) => [{ error: `ModuleNotFoundError: No module named '${name}'` }, plainJob, { 'jobs/etl.py': '' }] as const,
  ),
  [
    traceOf("ModuleNotFoundError: No module named 'reqests'", 1),
    plainJob,
    { 'jobs/etl.py': 'import reqests\nreqests.get(1)\nx.reqestsx\n' },
  ],
  [traceOf("ModuleNotFoundError: No module named 'requests'", 1), plainJob, { 'jobs/etl.py': 'import requests\n' }],
  [{ error: 'ImportError: No module named own' }, plainJob, { 'lib/own.py': '' }],
  [{ error: "ModuleNotFoundError: No module named 'own'" }, plainJob, { 'lib/own/__init__.py': '', 'lib/down.py': '' }],
  [{ error: "ModuleNotFoundError: No module named 'own'" }, plainJob, { 'lib/down.py': '' }],
  [
    { error: "ModuleNotFoundError: No module named 'yaml'" },
    job('libraries:\n- jar: /x.jar\n- pypi: {package: PyYAML>=6}\n'),
    {},
  ],
  [
    { error: 'No matching distribution found for reqests' },
    job('libraries:\n- pypi: {package: six}\n- pypi: {package: "reqests==2.31"}\n'),
    {},
  ],
  // Another package whose name begins the same is none of it, and extras and another case are no other name.
  [
    { error: 'No matching distribution found for reqests' },
    job('libraries:\n- pypi: {package: reqests-own}\n- pypi: {package: "Reqests[security]==2.31"}\n'),
    {},
  ],
  [{ error: "ModuleNotFoundError: No module named 'yaml'" }, job('libraries:\n- pypi: {package: PyYAML-own}\n'), {}],
  [{ error: 'No matching distribution found for requests' }, job('libraries:\n- pypi: {package: requests==99}\n'), {}],
  [{ error: 'No matching distribution found for requests' }, job('libraries:\n- pypi: {package: requests}\n'), {}],
  [{ error: 'No matching distribution found for acme-own' }, job('libraries:\n- pypi: {package: acme-own==1}\n'), {}],
  [{ error: 'No matching distribution found for acme-own' }, undefined, {}],
  [
    { error: 'Python file /jobs/elt.py was not found.' },
    job('', '/jobs/elt.py'),
    { 'jobs/etl.py': '', 'jobs/elt.csv': '' },
  ],
  [{ error: 'Python file /jobs/ETL.py was not found.' }, job('', '/jobs/ETL.py'), { 'old/etl.py': '' }],
  [
    { error: 'Python file /jobs/load.py was not found.' },
    job('', '/jobs/load.py'),
    { 'a/load.py': '', 'b/load.py': '' },
  ],
  [{ error: 'Python file /jobs/load.py was not found.' }, job('', '/jobs/load.py'), { 'jobs/load.py': '' }],
  [
    { error: 'Python file /job/loads.py was not found.' },
    job('', '/job/loads.py'),
    { 'jobs/load.py': '', 'jobs/other.py': '' },
  ],
  [{ error: 'Python file /jobs/zebra.py was not found.' }, job('', '/jobs/zebra.py'), { 'jobs/load.py': '' }],
  [
    { error: 'no', state_message: 'Notebook /reprot was not found in the workspace.' },
    book({}).replace('/report', '/reprot'),
    { 'report.sql': '' },
  ],
  [{ error: 'Notebook /reprot.py was not found.' }, book({}).replace('/report', '/reprot.py'), { 'report.py': '' }],
  [{ error: 'Notebook /report was not found.' }, book({}), { 'report.ipynb': '{}' }],
  [{ error: 'A notebook /reprot was not found' }, book({}).replace('/report', '/reprot'), { 'report.py': '' }],
];

/** What a program looks for, its code, and other files. */
const data: (readonly [error: string, code: string, files: Files, jobFile?: string])[] = [
  ["FileNotFoundError: [Errno 2] No such file or directory: 'days.csv'", 'open("days.csv")\n', { 'data/days.csv': '' }],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: './data/dyas.csv'",
    "open('./data/dyas.csv')\n",
    { 'jobs/data/days.csv': '', 'jobs/data/dyas.md': '' },
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: '/w/data/days.csv'",
    'open("/w/data/days.csv")\n',
    { 'data/days.csv': '' },
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'days.cvs'",
    'open(name)\n',
    { 'jobs/days.csv': '' },
    given('days.cvs'),
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'days.cvs'",
    'open("days.cvs"); open("days.cvs")\n',
    { 'jobs/days.csv': '' },
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'days'",
    'open("days")\n',
    { 'jobs/days.csv': '', 'x/night.csv': '' },
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'zebra.csv'",
    'open("zebra.csv")\n',
    { 'jobs/days.csv': '' },
  ],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'days.csv'",
    'open("days.csv")\n',
    { 'a/days.csv': '', 'b/days.csv': '' },
  ],
  [
    "KeyError: 'amuont'",
    'x = read("days.csv")["amuont"], "amuont"\n',
    { 'jobs/days.csv': '\uFEFF"day";"amount"\r\nmonday;3\r\n' },
  ],
  ["KeyError: 'amuont'", "x = read('/data/days.tsv')['amuont']\n", { 'data/days.tsv': 'day\tamount\n' }],
  [
    "pandas.errors.KeyError: 'amuont'",
    'x = read("a.json")["amuont"]\n',
    { 'jobs/a.json': '{"amount" : 1, "b": "amuont"}' },
  ],
  ["KeyError: 'amount'", 'x = read("days.csv")["amount"]\n', { 'jobs/days.csv': 'Amount,AMOUNT\n' }],
  ["KeyError: 'zebra'", 'x = read("days.csv")["zebra"]\n', { 'jobs/days.csv': 'day,amount\n' }],
  ["KeyError: 'amuont'", 'x = read("days.csv")[key]\n', { 'jobs/days.csv': 'day,amount\n' }],
  ["KeyError: 'STGE'", 'x = os.environ["STGE"]; open("a.json")\n', { 'jobs/a.json': '{"STAGE": 1}' }],
  ["KeyError: 'amuont'", 'x = read(sys.argv[1])["amuont"]\n', { 'jobs/days.csv': 'day,amount\n' }, given('days.csv')],
  [
    'json.decoder.JSONDecodeError: Expecting value',
    'load("a.json")\n',
    { 'jobs/a.json': '{"a": [True, False , None], "True": "None"}' },
  ],
  ['json.decoder.JSONDecodeError: Expecting property name', 'load("a.json")\n', { 'jobs/a.json': "{'a': 'b',\n}" }],
  ['json.decoder.JSONDecodeError: Unexpected UTF-8 BOM', 'load("a.json")\n', { 'jobs/a.json': '\uFEFF{"a": 1}' }],
  [
    'json.decoder.JSONDecodeError: Expecting value',
    'load("a.json"), load("b.json")\n',
    { 'jobs/a.json': '{"a": 1}', 'jobs/b.json': '{"b": [1,]}' },
  ],
  ['json.decoder.JSONDecodeError: Expecting value', 'load("a.json")\n', { 'jobs/a.json': '{"a": }' }],
  ['json.decoder.JSONDecodeError: Expecting value', 'load("days.csv")\n', { 'jobs/days.csv': '{"a": [1,]}' }],
];

/** As `data`, of a program in an inner folder, or at the top. */
data.push(
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'days.csv'",
    'open("days.csv")\n',
    { 'jobs/days.csv': '' },
    job('', '/jobs/deep/etl.py'),
  ],
  [
    "KeyError: 'amuont'",
    'x = read("days.csv")["amuont"]\n',
    { 'jobs/deep/days.csv': 'day,amount\n', 'jobs/days.csv': 'day,amounts\n' },
    job('', '/jobs/deep/etl.py'),
  ],
  ["KeyError: 'amuont'", 'x = read("days.csv")["amuont"]\n', { 'days.csv': 'day,amount\n' }, job('', '/etl.py')],
  ["KeyError: 'amuont'", 'x = read(p)["amuont"]\n', { 'days.csv': 'day,amount\n' }, book({ file: 'days.csv' })],
  ['json.decoder.JSONDecodeError: Unexpected UTF-8 BOM', 'load("a.json")\n', { 'jobs/a.json': '{"a": 1}' }],
  ['json.decoder.JSONDecodeError: Expecting value', 'load("a.json")\n', { 'jobs/a.json': '{"a": 1}' }],
);

const settings = 'schedule:\n  quartz_cron_expression: ';
/** Mistakes of the job file itself. */
const jobFiles: readonly string[] = [
  job(`${settings}0 30 7 * * * # daily\n  timezone_id: UTC\n`),
  job(`${settings}"30 7 * * 1-5"\n  timezone_id: UTC\n`),
  job(`${settings}'0 0 25 * * ?'\n  timezone_id: UTC\n`),
  job('max_retrys: 2\n'),
  job('max_retries: two\n'),
  job('max_retries: 2\nmax_retries: 3\n'),
  job('timeout_secnods: 2\nmax_retrys: 3\n'),
  'name: etl\nexisting_cluster_id: local\n',
  'name: [\n',
  '',
];

describe('what the guide would change, as it was approved', () => {
  it('of the jobs that fail', async () => {
    const text = await all(failingJobs, async ({ name, files }) => [name, await told(files, outputs[name] ?? {})]);
    assertApproved('fix-jobs', text);
  });

  it('of programs that Python does not take', async () => {
    const text = await all(programs, async ([error, code, line = 1]) => [
      `${error} (line ${line})\n${code.replaceAll('\r', '\\r').replaceAll('\t', '\\t')}`,
      await told({ 'etl.job.yml': plainJob, 'jobs/etl.py': code }, traceOf(error, line)),
    ]);
    assertApproved('fix-programs', text);
  });

  it('of parameters that the program does not take', async () => {
    const text = await all(parameters, async ([logs, jobFile]) => [
      `${logs.split('\n').at(-1)}\n${jobFile}`,
      await told({ 'etl.job.yml': jobFile }, { logs, state_message: 'The process exited with code 2.' }),
    ]);
    assertApproved('fix-parameters', text);
  });

  it('of files and packages that are not there', async () => {
    const text = await all(missing, async ([output, jobFile, files]) => {
      const present = { ...(jobFile === undefined ? {} : { 'etl.job.yml': jobFile }), ...files };
      return [
        `${output['error']} with ${Object.keys(files).join(', ')}\n${jobFile ?? ''}`,
        await told(present, output),
      ];
    });
    assertApproved('fix-missing', text);
  });

  it('of data that is not as the program reads it', async () => {
    const text = await all(data, async ([error, code, files, jobFile = plainJob]) => [
      `${error} with ${Object.keys(files).join(', ')}\n${code}`,
      await told({ 'etl.job.yml': jobFile, 'jobs/etl.py': code, ...files }, traceOf(error, 1)),
    ]);
    assertApproved('fix-data', text);
  });

  it('of job files with mistakes', async () => {
    const text = await all(jobFiles, async (jobFile) => [jobFile, await told({ 'etl.job.yml': jobFile }, {})]);
    assertApproved('fix-job-files', text);
  });
});
