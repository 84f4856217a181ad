/** A job that fails, and what mends it. */
export interface FailingJob {
  readonly kind: 'library' | 'path' | 'parameter' | 'cron' | 'syntax' | 'data';
  readonly name: string;
  /** By path in the workspace; the job file is `etl.job.yml`. */
  readonly files: Readonly<Record<string, string>>;
  /** What the guide's change has that the file had not; undefined if the guide is to know nothing. */
  readonly guide?: string;
  /** What a model answers if the guide knows nothing. */
  readonly answer?: string;
}

const job = (rest = '', task = '  python_file: /jobs/etl.py\n'): string =>
  `# Every night\nname: etl\nspark_python_task:\n${task}existing_cluster_id: local\n${rest}`;
const scheduled = (cron: string, zone = 'UTC'): string =>
  job(`schedule:\n  quartz_cron_expression: ${cron}\n  timezone_id: ${zone}\n`);
const notebook = (path: string, parameters = ''): string =>
  `name: etl\nnotebook_task:\n  notebook_path: ${path}\n${parameters}existing_cluster_id: local\n`;
const parameters = (...given: string[]): string =>
  job('', `  python_file: /jobs/etl.py\n  parameters: ${JSON.stringify(given)}\n`);
const diff = (path: string, hunk: string): string =>
  `That is the cause.\n\n\`\`\`diff\n--- a/${path}\n+++ b/${path}\n${hunk}\`\`\`\n`;
/** A program beside a job file that has nothing special. */
const program = (code: string, jobFile = job()): Record<string, string> => ({
  'etl.job.yml': jobFile,
  'jobs/etl.py': code,
});
const argparse = (argument: string): string =>
  `import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument(${argument})\nprint(parser.parse_args())\n`;
const good = 'print("good")\n';
const csv = 'day,amount\nmonday,3\ntuesday,4\n';

export const failingJobs: readonly FailingJob[] = [
  {
    kind: 'library',
    name: 'a package is not listed',
    files: program('import tabulate\nprint(tabulate.tabulate([[1]]))\n'),
    guide: 'package: tabulate',
  },
  {
    kind: 'library',
    name: 'a package has another name than its module',
    files: program('import bs4\nprint(bs4)\n', job('libraries:\n- pypi:\n    package: six\n')),
    guide: 'package: beautifulsoup4',
  },
  {
    kind: 'library',
    name: 'a module of Python is mistyped',
    files: program('import jsno\nprint(jsno.dumps(1))\n'),
    guide: 'json.dumps(1)',
  },
  {
    kind: 'library',
    name: 'a module that names are taken from is mistyped',
    files: program('from colections import Counter\nprint(Counter("a"))\n'),
    guide: 'from collections import',
  },
  {
    kind: 'library',
    name: 'a library is mistyped',
    files: program('import tabulate\nprint(tabulate)\n', job('libraries:\n- pypi:\n    package: tabulatte\n')),
    guide: 'package: tabulate\n',
  },
  {
    kind: 'library',
    name: 'a version does not exist',
    files: program('import six\nprint(six)\n', job('libraries:\n- pypi:\n    package: six==99.0\n')),
    guide: 'package: six\n',
  },
  {
    kind: 'library',
    name: 'a module of the workspace is in another folder',
    files: { ...program('from helper import go\ngo()\n'), 'lib/helper.py': 'def go():\n    print("gone")\n' },
    answer: diff(
      'jobs/etl.py',
      '@@ -1 +1,4 @@\n+import sys\n+sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/lib")\n from helper import go\n go()\n',
    ),
  },
  {
    kind: 'path',
    name: 'the Python file is mistyped',
    files: program(good, job('', '  python_file: /jobs/elt.py\n')),
    guide: '/jobs/etl.py',
  },
  {
    kind: 'path',
    name: 'the Python file is in another folder',
    files: program(good, job('', '  python_file: /etl.py # moved\n')),
    guide: '/jobs/etl.py # moved',
  },
  {
    kind: 'path',
    name: 'the notebook is mistyped',
    files: { 'etl.job.yml': notebook('/notebooks/reprot'), 'notebooks/report.py': good },
    guide: '/notebooks/report\n',
  },
  {
    kind: 'path',
    name: 'the data is in another folder',
    files: { ...program('print(open("days.csv").read())\n'), 'data/days.csv': csv },
    guide: '"../data/days.csv"',
  },
  {
    kind: 'path',
    name: "the data's name is mistyped",
    files: { ...program("print(open('data/dyas.csv').read())\n"), 'jobs/data/days.csv': csv },
    guide: "'data/days.csv'",
  },
  {
    kind: 'path',
    name: 'a parameter names data by a wrong ending',
    files: {
      ...program('import sys\nprint(open(sys.argv[1]).read())\n', parameters('data/days.cvs')),
      'jobs/data/days.csv': csv,
    },
    guide: 'data/days.csv',
  },
  {
    kind: 'path',
    name: 'data is nowhere',
    files: program('print(open("/mnt/lake/days.parquet").read())\n'),
    answer: diff('jobs/etl.py', '@@ -1 +1 @@\n-print(open("/mnt/lake/days.parquet").read())\n+print("no days")\n'),
  },
  {
    kind: 'parameter',
    name: 'an option is mistyped',
    files: program(argparse('"--day"'), parameters('--dya', 'monday')),
    guide: '"--day"',
  },
  {
    kind: 'parameter',
    name: 'an option that is needed is mistyped',
    files: program(argparse('"--input-path", required=True'), parameters('--input_path=x')),
    guide: '"--input-path=x"',
  },
  {
    kind: 'parameter',
    name: 'a choice is mistyped',
    files: program(argparse('"--mode", choices=["full", "delta"]'), parameters('--mode', 'detla')),
    guide: '"delta"',
  },
  {
    kind: 'parameter',
    name: 'a number has a comma',
    files: program(argparse('"--count", type=int'), parameters('--count', '1,000')),
    guide: '"1000"',
  },
  {
    kind: 'parameter',
    name: 'a parameter of a notebook is mistyped',
    files: {
      'etl.job.yml': notebook('/report', '  base_parameters: {dya: monday}\n'),
      'report.py': '# Databricks notebook source\nprint(dbutils.widgets.get("day"))\n',
    },
    guide: '{day: monday}',
  },
  {
    kind: 'parameter',
    name: 'a parameter is missing',
    files: program('import sys\nprint(sys.argv[2])\n', parameters('monday')),
    answer: diff('etl.job.yml', '@@ -5 +5 @@\n-  parameters: ["monday"]\n+  parameters: ["monday", "tuesday"]\n'),
  },
  {
    kind: 'parameter',
    name: 'a variable of the environment is missing',
    files: program('import os\nprint(os.environ["MILLRACE_TEST_STAGE"])\n'),
    answer: diff(
      'jobs/etl.py',
      '@@ -2 +2 @@\n-print(os.environ["MILLRACE_TEST_STAGE"])\n+print(os.environ.get("MILLRACE_TEST_STAGE", "dev"))\n',
    ),
  },
  { kind: 'cron', name: 'both days are stars', files: program(good, scheduled('0 30 7 * * *')), guide: '0 30 7 * * ?' },
  { kind: 'cron', name: 'there are five fields', files: program(good, scheduled('30 7 * * ?')), guide: '0 30 7 * * ?' },
  {
    kind: 'cron',
    name: 'a day is mistyped',
    files: program(good, scheduled('0 0 8 ? * MON-FRY')),
    guide: '0 0 8 ? * MON-FRI',
  },
  {
    kind: 'cron',
    name: 'the time zone is mistyped',
    files: program(good, scheduled('0 0 8 * * ?', 'Europe/Berlln')),
    guide: 'Europe/Berlin',
  },
  {
    kind: 'cron',
    name: 'the hour does not exist',
    files: program(good, scheduled('0 0 25 * * ?')),
    answer: diff(
      'etl.job.yml',
      '@@ @@\n-  quartz_cron_expression: 0 0 25 * * ?\n+  quartz_cron_expression: 0 0 1 * * ?\n',
    ),
  },
  {
    kind: 'cron',
    name: 'the field is mistyped',
    files: program(good, scheduled('0 0 8 * * ?').replace('cron_expression', 'cron_expresion')),
    guide: 'quartz_cron_expression:',
  },
  {
    kind: 'syntax',
    name: 'a colon is missing',
    files: program('for n in range(3)\n    print(n)\n'),
    guide: 'range(3):',
  },
  { kind: 'syntax', name: 'a bracket is open', files: program('x = max(1, 2\nprint(x)\n'), guide: 'max(1, 2)' },
  { kind: 'syntax', name: 'a line is too deep', files: program('x = 1\n  print(x)\n'), guide: '\nprint(x)' },
  {
    kind: 'syntax',
    name: 'print is that of Python 2',
    files: program('x = 1\nprint "x", x\n'),
    guide: 'print("x", x)',
  },
  {
    kind: 'syntax',
    name: 'a name is mistyped',
    files: program('total = 1\nprint(totla)\n'),
    guide: 'print(total)',
  },
  { kind: 'syntax', name: 'a block is flat', files: program('if True:\nprint(1)\n'), guide: '    print(1)' },
  {
    kind: 'syntax',
    name: 'an operator is missing',
    files: program('x = 1 2\nprint(x)\n'),
    answer: diff('jobs/etl.py', '@@ -1 +1 @@\n-x = 1 2\n+x = 1 + 2\n'),
  },
  {
    kind: 'data',
    name: 'a column has another name',
    files: {
      ...program('import csv\nfor row in csv.DictReader(open("days.csv")):\n    print(row["amuont"])\n'),
      'jobs/days.csv': csv,
    },
    guide: 'row["amount"]',
  },
  {
    kind: 'data',
    name: 'JSON has a comma too many',
    files: { ...program('import json\nprint(json.load(open("a.json")))\n'), 'jobs/a.json': '{"a": [1, 2,],}\n' },
    guide: '{"a": [1, 2]}',
  },
  {
    kind: 'data',
    name: 'JSON is written as Python',
    files: { ...program('import json\nprint(json.load(open("a.json")))\n'), 'jobs/a.json': "{'a': True, 'b': None}\n" },
    guide: '{"a": true, "b": null}',
  },
  {
    kind: 'data',
    name: 'a value is no number',
    files: {
      ...program('import csv\nfor row in csv.DictReader(open("days.csv")):\n    print(int(row["amount"]))\n'),
      'jobs/days.csv': `${csv}wednesday,many\n`,
    },
    answer:
      'One row has no number.\n\nIn `jobs/days.csv`:\n\n```csv\nday,amount\nmonday,3\ntuesday,4\nwednesday,5\n```\n',
  },
  {
    kind: 'data',
    name: 'there are no rows',
    files: program('rows = []\nprint(sum(rows) / len(rows))\n'),
    answer: diff('jobs/etl.py', '@@ -2 +2 @@\n-print(sum(rows) / len(rows))\n+print(sum(rows) / max(1, len(rows)))\n'),
  },
  {
    kind: 'data',
    name: 'a file is in another encoding',
    files: {
      ...program('print(open("days.txt", encoding="ascii").read())\n'),
      'jobs/days.txt': 'caf\u00e9\n',
    },
    answer: diff(
      'jobs/etl.py',
      '@@ -1 +1 @@\n-print(open("days.txt", encoding="ascii").read())\n+print(open("days.txt", encoding="utf-8").read())\n',
    ),
  },
];
