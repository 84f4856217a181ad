import assert from 'node:assert/strict';
import { dataPathRule, dataRule, folderRule } from '../../../../src/commands/fix/dataRules.ts';
import type { Rule } from '../../../../src/commands/fix/failedRun.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

const places = (...lines: number[]): string =>
  lines.map((line) => `  File "/w/jobs/etl.py", line ${line}\n    x\n`).join('');

/** What a rule makes of a failure of jobs/etl.py: the path and the changed text of a file, or why there is none. */
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

describe('a column or a key by another name than the data has', () => {
  const head = (text: string): Record<string, string> => ({ 'jobs/days.csv': text });
  const mended = (error: string, code: string, more: Record<string, string>, lines?: number[]): Promise<unknown> =>
    made(dataRule, error, code, more, lines);
  const error = "KeyError: 'amuont'";
  const none = 'Nothing that the program reads has the name amuont or one like it.';

  it('becomes the nearest that the data has, also where another is near', async () => {
    const code = 'read("gone.csv")\nread("days.csv")["totl"]\n';
    assert.deepEqual(await mended("KeyError: 'totl'", code, head('day,total,totle\n'), [2]), [
      'jobs/etl.py',
      code.replace('totl', 'total'),
      'Change totl to total.',
    ]);
  });

  it('stays where two differ in case alone, or where it is one of the environment', async () => {
    assert.equal(await mended(error, 'read("days.csv")["amuont"]\n', head('amount,Amount\n')), none);
    for (const code of ['os.environ["amuont"]', 'getenv("amuont")'])
      assert.equal(await mended(`${error}\n${code}`, `${code}; read("days.csv")\n`, head('amount\n')), none, code);
  });

  it('is changed in the line that failed, in the quotes that it has, and nowhere else', async () => {
    const code = 'x = "amuont"\nd = read("days.csv")\ny = d[\'amuont\'], d["day"]\nz = "amuont"\n';
    assert.deepEqual(await mended(error, code, head('day,amount\n'), [3]), [
      'jobs/etl.py',
      code.replace("d['amuont']", "d['amount']"),
      'Change amuont to amount.',
    ]);
    // The innermost place that names it, where the innermost of all does not.
    const calls = 'd = read("days.csv")\ndef f(k): return d[k]\nf("amuont")\n';
    assert.deepEqual(await mended(error, calls, head('day,amount\n'), [3, 2]), [
      'jobs/etl.py',
      calls.replace('amuont', 'amount'),
      'Change amuont to amount.',
    ]);
    assert.equal(await mended(error, 'k = read("days.csv")[name]\n', head('day,amount\n')), undefined);
  });

  it('is looked for also in the data that the job names in its parameters', async () => {
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

  it('is none of other errors', async () => {
    for (const other of ["ValueError: 'amuont'", 'KeyError: 5', 'NameError: KeyError'])
      assert.equal(await mended(other, 'read("days.csv")["amuont"]\n', head('amount\n')), undefined, other);
  });

  it('is looked for in the heads of tables, whatever parts and quotes them, and in the keys of JSON', async () => {
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

describe('a column that a table has, and gives by no name', () => {
  const read = 'rows = csv.DictReader(open("days.csv"))\nprint([row["amount"] for row in rows])\n';
  const mended = (code: string, text: string, error = "KeyError: 'amount'"): Promise<unknown> =>
    made(dataRule, error, code, { 'jobs/days.csv': text }, [2]);
  const what = 'Read jobs/days.csv as it is written.';

  it('is read with what separates its columns, by csv and by pandas', async () => {
    for (const [text, delimiter] of [
      ['day;amount\n1;2\n', '";"'],
      ['day\tamount\n1\t2\n', '"\\t"'],
    ] as const) {
      const given = `, delimiter=${delimiter}`;
      assert.deepEqual(await mended(read, text), [
        'jobs/etl.py',
        read.replace('open("days.csv")', `open("days.csv")${given}`),
        what,
      ]);
      const table = 'table = pd.read_csv("days.csv")\nprint(table["amount"])\n';
      assert.deepEqual(await mended(table, text), [
        'jobs/etl.py',
        table.replace('"days.csv"', `"days.csv"${given}`),
        what,
      ]);
    }
  });

  it('is read behind the mark that the file begins with, where it is the first', async () => {
    const text = '\uFEFFamount,day\n1,2\n';
    assert.deepEqual(await mended(read, text), [
      'jobs/etl.py',
      read.replace('"days.csv"', '"days.csv", encoding="utf-8-sig"'),
      what,
    ]);
    const other = read.replace('"amount"', '"day"');
    assert.equal(await mended(other, text, "KeyError: 'day'"), undefined, 'nothing is in the way of the second');
  });

  it('stays where the program says already how it is read, or reads it by itself', async () => {
    for (const code of [
      read.replace('"))', '"), delimiter="|")'),
      read.replace('")', '", encoding="latin-1")'),
      'rows = own(open("days.csv"))\nprint(rows["amount"])\n',
    ])
      assert.equal(await mended(code, 'day;amount\n1;2\n'), undefined, code);
  });
});

describe('data that is not JSON', () => {
  const error = 'json.decoder.JSONDecodeError: Expecting value';
  const mended = async (text: string, words = error): Promise<unknown> =>
    made(dataRule, words, 'load("a.json")\n', { 'jobs/a.json': text });
  const unclear = "The program's input is not JSON, and the intended content is unclear.";

  it('is made JSON where one thing is wrong for certain', async () => {
    for (const [text, good] of [
      ['\uFEFF{"a": 1}', '{"a": 1}'],
      ['{"a": [1, 2,], }', '{"a": [1, 2] }'],
      ['{"a": True, "b": [False, None]}', '{"a": true, "b": [false, null]}'],
      ["{'a': 'b',}", '{"a": "b"}'],
    ] as const)
      assert.deepEqual(await mended(text), ['jobs/a.json', good, 'Make jobs/a.json the JSON that it is meant to be.']);
  });

  it('stays where that is not clear, or where it is JSON', async () => {
    for (const text of ['{"a": }', '{"a": \'b\'}', '{"a": 1}', '']) assert.equal(await mended(text), unclear, text);
  });

  it('is left to the rule for reading where only the mark at its start is in the way of the program', async () => {
    assert.equal(await mended('{"a": 1}', 'json.decoder.JSONDecodeError: Unexpected UTF-8 BOM'), undefined);
  });
});

describe('a folder that is not there', () => {
  const error = "FileNotFoundError: [Errno 2] No such file or directory: 'out/days/x.csv'";

  it('is made before what is written into it, where the line writes', async () => {
    const code = 'import csv\nif x:\n    f = open("out/days/x.csv", "w")\n';
    assert.deepEqual(await made(folderRule, error, code, {}, [3]), [
      'jobs/etl.py',
      'import os\nimport csv\nif x:\n    os.makedirs("out/days", exist_ok=True)\n    f = open("out/days/x.csv", "w")\n',
      'Make the folder out/days first.',
    ]);
    const pandas = "OSError: Cannot save file into a non-existent directory: 'out'";
    assert.deepEqual(await made(folderRule, pandas, 'table.to_csv("out/x.csv")\n'), [
      'jobs/etl.py',
      'import os\nos.makedirs("out", exist_ok=True)\ntable.to_csv("out/x.csv")\n',
      'Make the folder out first.',
    ]);
  });

  it('stays where the line reads, where it is none of the workspace, and where no line is known', async () => {
    assert.equal(await made(folderRule, error, 'open("out/days/x.csv")\n'), undefined);
    assert.equal(await made(folderRule, error.replace('out/', '/out/'), 'open("/out/days/x.csv", "w")\n'), undefined);
    assert.equal(await made(folderRule, error, 'open("out/days/x.csv", "w")\n', {}, []), undefined);
    assert.equal(await made(folderRule, error.replace('out/days/', ''), 'open("x.csv", "w")\n'), undefined);
  });
});

describe('a file that is not there', () => {
  const error = (path: string): string => `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;
  const mended = (path: string, code: string, more: Record<string, string>): Promise<unknown> =>
    made(dataPathRule, error(path), code, more);

  it('is the near one of its kind, in the quotes that the code has', async () => {
    assert.deepEqual(await mended('dayz.csv', "open('dayz.csv')\n", { 'jobs/days.csv': '', 'jobs/dayz.txt': '' }), [
      'jobs/etl.py',
      "open('days.csv')\n",
      'Change dayz.csv to days.csv.',
    ]);
  });

  it('stays where the code does not name it once, or nothing is near', async () => {
    assert.equal(
      await mended('dayz.csv', 'open("dayz.csv"); open("dayz.csv")\n', { 'jobs/days.csv': '' }),
      'dayz.csv does not exist, and the code does not name its path exactly once.',
    );
    assert.equal(
      await mended('zebra.csv', 'open("zebra.csv")\n', { 'jobs/days.csv': '' }),
      'The workspace has no file that could be zebra.csv.',
    );
    assert.equal(await made(dataPathRule, 'OSError: x', 'open("a")\n'), undefined);
  });
});
