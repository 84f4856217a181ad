import assert from 'node:assert/strict';
import { withOnce } from '../../../../src/commands/fix/failedRun.ts';
import { findCause } from '../../../../src/commands/fix/fixRun.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

const traceOf = (error: string, ...places: readonly string[]): Record<string, string> => ({
  error,
  error_trace: ['Traceback (most recent call last):', ...places.map((place) => `  ${place}`), error].join('\n'),
});
const etl = (error: string, line = 1): Record<string, string> =>
  traceOf(error, `File "/w/jobs/etl.py", line ${line}, in <module>`);

describe('the words of a failure', () => {
  it('are those that a program left last where nothing was raised, and those of what was raised alone', async () => {
    const logs = `begun${'x'.repeat(3997)}end`;
    const left = await failedRunOf({}, { error: 'It ended.', logs });
    assert.equal(left.text, `It ended.\n\n${logs.slice(-4000)}`);
    const raised = await failedRunOf({}, { ...etl('KeyError: 1'), logs });
    assert.doesNotMatch(raised.text, /xend/);
    assert.equal(raised.error, 'KeyError: 1');
  });
});

describe('the places of a failure', () => {
  const stepsOf = async (files: Record<string, string>, ...places: readonly string[]): Promise<string[]> => {
    const { steps } = await failedRunOf(files, traceOf('KeyError: 1', ...places));
    return steps.map(({ file, line }) => `${file.path}:${line}`);
  };

  it('are none of libraries, wherever these are, and are found by paths of Windows too', async () => {
    const files = { 'a.py': 'x' };
    for (const folder of ['/opt/dist-packages', '/v/site-packages', '/usr/lib/python3.11', 'C:\\lib\\python3'])
      assert.deepEqual(await stepsOf(files, `File "${folder}/a.py", line 1, in f`), [], folder);
    assert.deepEqual(await stepsOf(files, 'File "C:\\w\\a.py", line 2, in f'), ['a.py:2']);
  });

  it('are the first twenty, however deep the calls are', async () => {
    const files = { 'a.py': 'x' };
    const places = Array.from({ length: 30 }, (_each, index) => `File "/w/a.py", line ${index + 1}, in f`);
    const lines = await stepsOf(files, ...places);
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'a.py:30', 'a.py:11']);
  });

  it('of cells are in the notebook that the cell names, else in that of the task', async () => {
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

  it('are told with the last that is known of the error', async () => {
    const { error } = await failedRunOf(
      {},
      { error_trace: 'no trace of Python', state_message: ' The cluster went. ' },
    );
    assert.equal(error, 'The cluster went.');
  });

  it('are changed only where a word stands alone and once', () => {
    assert.equal(withOnce('a-b b', 'b', 'c'), 'a-b c', 'a hyphen joins words');
    assert.equal(withOnce('ab b', 'b', 'c'), 'ab c');
    assert.equal(withOnce('b b', 'b', 'c'), undefined);
    assert.equal(withOnce('ab', 'b', 'c'), undefined);
  });
});

describe('what mends data', () => {
  const told = async (files: Record<string, string>, output: Record<string, string>): Promise<string> => {
    const found = await findCause(await failedRunOf({ 'etl.job.yml': plainJob, ...files }, output));
    return typeof found === 'object' ? `${found.file.path}: ${found.text}` : String(found);
  };
  const missing = (path: string): Record<string, string> =>
    etl(`FileNotFoundError: [Errno 2] No such file or directory: '${path}'`);

  it('is looked for beside the program, from where it says', async () => {
    assert.equal(
      await told({ 'jobs/etl.py': "open('./data.cvs')\n", 'jobs/data.csv': '' }, missing('./data.cvs')),
      "jobs/etl.py: open('data.csv')\n",
    );
    assert.equal(
      await told({ 'jobs/etl.py': "open('/jobs/data.cvs')\n", 'jobs/data.csv': '' }, missing('/jobs/data.cvs')),
      "jobs/etl.py: open('data.csv')\n",
    );
  });

  it('names a column by what is in the head of its table, also behind a mark, but no variable of the environment', async () => {
    const head = (code: string, data: string, text = ''): Promise<string> =>
      told({ 'jobs/etl.py': code, 'jobs/in.csv': data }, { ...etl("KeyError: 'amuont'"), state_message: text });
    const code = "read('in.csv')['amuont']\n";
    assert.equal(await head(code, 'amount,day\n1,2\n'), "jobs/etl.py: read('in.csv')['amount']\n");
    assert.equal(await head(code, '\uFEFFamount,day\n1,2\n'), "jobs/etl.py: read('in.csv')['amount']\n");
    assert.match(await head(code, 'amount,day\n', 'os.environ is asked'), /has the name amuont or one like it/);
  });

  it('makes JSON of what is nearly JSON, and leaves the quotes within it', async () => {
    const mended = (data: string, error = 'json.decoder.JSONDecodeError: Expecting value'): Promise<string> =>
      told({ 'jobs/etl.py': "load('in.json')\n", 'jobs/in.json': data }, etl(error));
    assert.equal(await mended(`{"a": "it's",}`), `jobs/in.json: {"a": "it's"}`);
    assert.equal(await mended(`{'a': 1}`), 'jobs/in.json: {"a": 1}');
    assert.match(await mended('{"a": 1}'), /is not JSON, and it is not clear what was meant/, 'it is right as it is');
  });
});

describe('what mends a job', () => {
  const told = async (files: Record<string, string>, output: Record<string, string>): Promise<string> => {
    const found = await findCause(await failedRunOf(files, output));
    return typeof found === 'object' ? found.text : String(found);
  };

  it('is no other path where the file is there', async () => {
    const job = 'name: etl\nnotebook_task:\n  notebook_path: /jobs/etl\nexisting_cluster_id: local\n';
    const output = { error: 'Notebook /jobs/etl was not found' };
    assert.equal(await told({ 'etl.job.yml': job, 'jobs/etl.py': '', 'jobs/et.py': '' }, output), 'undefined');
  });

  it('writes a number without what only people read in it', async () => {
    const number = async (written: string): Promise<string> => {
      const job = plainJob.replace(/(python_file: .*\n)/, `$1  parameters: [--size, '${written}']\n`);
      const text = await told(
        { 'etl.job.yml': job, 'jobs/etl.py': '' },
        { error: `ValueError: invalid literal for int() with base 10: '${written}'` },
      );
      return /parameters: (.*)/.exec(text)?.[1] ?? text;
    };
    assert.equal(await number('1 000'), "[--size, '1000']");
    assert.equal(await number('12.00'), "[--size, '12']");
    assert.equal(await number(' 7'), "[--size, '7']");
    assert.equal(await number('-1,000,000.5'), "[--size, '-1000000.5']");
    assert.match(await number('many'), /many is not a number/);
  });
});
