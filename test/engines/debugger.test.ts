import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { DebugAddress } from '../../src/service/runners/debugDoor.ts';
import { readNotebook } from '../../src/service/runners/notebookModel.ts';
import type { DebugProgress, RunnersOptions, RunOutcome, RunRequest } from '../../src/service/runners/runner.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { DebugClient } from '../support/debugClient.ts';
import { eventually } from '../support/eventually.ts';
import { leftOf, openWorkbench, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, engineEnvironment, skipBecause } from './engineEnvironment.ts';

const program = `import sys
import helper

total = 0
for count in range(3):
    total += count
print("total", total, sys.argv[1:], flush=True)
print(helper.twice(total))
`;
const helper = `def twice(number):
    result = number * 2
    return result
`;
const failing = `def deep(number):
    found = number + 1
    raise ValueError("bad %d" % found)


deep(41)
`;

const helpers = `# Databricks notebook source
def thrice(number):
    tripled = number * 3
    return tripled
`;
const book = `# Databricks notebook source
# MAGIC %md
# MAGIC # Totals

# COMMAND ----------

# MAGIC %run ./helpers

# COMMAND ----------

import helper
dbutils.widgets.text("n", "1")
total = int(dbutils.widgets.get("n"))
print("total", total)

# COMMAND ----------

thrice(total) + helper.twice(total)
`;
const cells = JSON.stringify({
  cells: [
    { cell_type: 'markdown', metadata: {}, source: ['# Title'] },
    { cell_type: 'code', metadata: {}, outputs: [], source: ['first = 1\n', 'second = first + 1'] },
    { cell_type: 'code', metadata: {}, outputs: [], source: ['%run ./more\n'] },
    { cell_type: 'code', metadata: {}, outputs: [], source: ['print(half(second))\n', 'half("no")'] },
  ],
  metadata: { kernelspec: { language: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});
const more = JSON.stringify({
  cells: [{ cell_type: 'code', source: ['def half(number):\n', '    return number / 2'] }],
  metadata: {},
});

describe('A run under debugpy', function () {
  this.timeout(300_000);
  let bench: Workbench;
  before(async function () {
    if (!(await commandWorks('python3', ['--version']))) skipBecause(this, 'there is no python3 on this machine');
    const download = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', '.cache/engines/downloads', 'debugpy'];
    if (!(await commandWorks('python3', download))) skipBecause(this, 'PyPI cannot be reached from this machine');
    bench = await openWorkbench();
    await bench.write('job.py', program);
    await bench.write('helper.py', helper);
    await bench.write('fail.py', failing);
    await bench.write('book.py', book);
    await bench.write('helpers.py', helpers);
    await bench.write('cells.ipynb', cells);
    await bench.write('more.ipynb', more);
  });
  after(async () => {
    await bench?.remove();
  });

  /** Ends a run whose test has failed, so that the others do not find its processes. */
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  });

  let count = 0;
  interface Debugged {
    client: DebugClient;
    runId: string;
    outcome: Promise<RunOutcome>;
    abort: AbortController;
    phases: string[];
  }

  async function start(
    file: string,
    more: Partial<RunRequest> = {},
    options: Partial<RunnersOptions> = {},
  ): Promise<Debugged> {
    const runId = String(++count);
    const ready = Promise.withResolvers<DebugAddress>();
    const phases: string[] = [];
    const onDebugging = (progress: DebugProgress): void => {
      if (phases.at(-1) !== progress.phase) phases.push(progress.phase);
      if (progress.phase === 'ready') ready.resolve(progress.address);
    };
    const abort = new AbortController();
    const outcome = bench.run(
      { runId, task: { spark_python_task: { python_file: file, parameters: ['a', 'b c'] } }, debug: true, ...more },
      { events: { onDebugging }, signal: abort.signal, ...options },
    );
    ends.push(() => {
      abort.abort();
      return outcome.catch(() => undefined);
    });
    outcome.then((end) => ready.reject(new Error(JSON.stringify(end))), ready.reject);
    return { client: await DebugClient.enter(await ready.promise), runId, outcome, abort, phases };
  }

  it('stops at a breakpoint in an imported module, shows variables, evaluates, and ends normally', async () => {
    const { client, runId, outcome } = await start('/job.py');
    const stopped = client.event('stopped');
    await client.begin({ [`${bench.root}/helper.py`]: [3] });
    const frames = await client.frames(await stopped);
    assert.deepEqual(
      frames.map(({ name, line, path }) => [name, line, path.slice(bench.root.length)]),
      [
        ['twice', 3, '/helper.py'],
        ['<module>', 8, '/job.py'],
      ],
    );
    assert.equal((await client.ask('evaluate', { expression: 'result + 1', frameId: frames[0]!.id })).result, '7');
    // What was printed has been written by the task; the service reads it a moment later.
    await eventually(async () =>
      assert.equal((await readRunOutput(bench.runFolder(runId))).text, "total 3 ['a', 'b c']\n"),
    );
    await client.ask('continue', { threadId: (await stopped).body.threadId });
    assert.deepEqual(await outcome, { resultState: 'SUCCESS' });
    await client.closed;
    assert.equal((await readRunOutput(bench.runFolder(runId))).text, "total 3 ['a', 'b c']\n6\n");
    assert.equal(await leftOf(bench), 0);
  });

  it('pauses at the raising frame, and fails with the same traceback as without the debugger', async () => {
    const { client, outcome, phases } = await start('/fail.py');
    const stopped = client.event('stopped');
    await client.begin({}, ['uncaught']);
    const [raising] = await client.frames(await stopped);
    assert.deepEqual([raising?.name, raising?.line], ['deep', 3]);
    assert.equal((await client.ask('evaluate', { expression: 'found', frameId: raising!.id })).result, '42');
    await client.ask('continue', { threadId: (await stopped).body.threadId });
    const plain = await bench.run({ runId: 'plain', task: { spark_python_task: { python_file: '/fail.py' } } });
    assert.deepEqual(await outcome, plain);
    assert.equal(plain.error, 'ValueError: bad 42');
    assert.deepEqual(phases.slice(0, 1), ['ready'], 'the second run installs nothing');
  });

  it("ends an infinite recursion in its own frames, not in the debugger's", async () => {
    await bench.write('deep.py', 'def deep(n):\n    return deep(n + 1) + 1\n\n\ndeep(0)\n');
    const { client, outcome } = await start('/deep.py');
    const stopped = client.event('stopped');
    await client.begin({}, ['uncaught']);
    const message = await stopped;
    assert.match((await client.frames(message))[0]!.path, /deep\.py$/);
    await client.ask('continue', { threadId: message.body.threadId });
    const { error, errorTrace } = await outcome;
    assert.match(error ?? '', /^RecursionError: maximum recursion depth exceeded/);
    assert.doesNotMatch(errorTrace ?? '', /debugpy|pydevd/);
  });

  it('can be canceled while paused, and leaves no process', async () => {
    const { client, outcome, abort } = await start('/job.py');
    const stopped = client.event('stopped');
    await client.begin({ [`${bench.root}/job.py`]: [6] });
    await stopped;
    abort.abort();
    assert.equal((await outcome).resultState, 'CANCELED');
    await client.closed;
    assert.equal(await leftOf(bench), 0);
  });

  for (const how of ['says so', 'vanishes']) {
    it(`continues when the editor disconnects and ${how}`, async () => {
      const { client, runId, outcome, phases } = await start('/job.py');
      const stopped = client.event('stopped');
      await client.begin({ [`${bench.root}/job.py`]: [6] });
      await stopped;
      if (how === 'says so') await client.ask('disconnect', { terminateDebuggee: false });
      client.leave();
      assert.deepEqual(await outcome, { resultState: 'SUCCESS' });
      // Whether it is still told that it goes on is a matter of who is first.
      assert.deepEqual(
        phases.filter((phase) => phase !== 'going'),
        ['ready', 'held', 'left'],
      );
      assert.match((await readRunOutput(bench.runFolder(runId))).text, /^total 3 .*\n6\n$/);
    });
  }

  it('shows the secrets in no command line, environment or permanent file', async () => {
    const { client, runId, outcome } = await start('/job.py');
    await client.begin({});
    await outcome;
    await assert.rejects(readFile(`${bench.runFolder(runId)}/debug.json`), { code: 'ENOENT' });
  });

  for (const notebookEngine of ['builtin', 'jupyter'] as const) {
    describe(`A debugged notebook, ${notebookEngine}`, () => {
      let options: Partial<RunnersOptions>;
      before(async function () {
        options = { notebookEngine };
        if (notebookEngine === 'builtin') return;
        const environment = await engineEnvironment('jupyter', ['nbclient', 'ipykernel', 'pandas', 'matplotlib']);
        if ('reason' in environment) skipBecause(this, environment.reason);
        options = { notebookEngine, python: environment.python };
      });
      const startBook = (notebook: string, parameters: Record<string, string> = {}): Promise<Debugged> =>
        start('', { task: { notebook_task: { notebook_path: notebook, base_parameters: parameters } } }, options);
      const outputsOf = async (runId: string): Promise<unknown> =>
        (await readNotebook(bench.runFolder(runId)))?.cells.map((cell) => cell.outputs);
      const placesOf = (frames: { line: number; path: string }[]): [string, number][] =>
        frames.map(({ path, line }) => [path.replace(`${bench.root}/`, ''), line]);

      it('stops in its cells, in a %run notebook and in a module, at the lines of their files', async () => {
        const { client, runId, outcome } = await startBook('/book', { n: '14' });
        const [stops, values]: [unknown[], unknown[]] = [[], []];
        let stopped = client.event('stopped');
        await client.begin({
          [`${bench.root}/book.py`]: [14],
          [`${bench.root}/helpers.py`]: [4],
          [`${bench.root}/helper.py`]: [3],
        });
        for (let stop = 0; stop < 3; stop += 1) {
          const { threadId } = (await stopped).body;
          const frames = await client.frames(await stopped);
          stops.push(placesOf(frames));
          const expression = ['total', 'tripled', 'result'][stop];
          values.push((await client.ask('evaluate', { expression, frameId: frames[0]!.id })).result);
          stopped = client.event('stopped');
          await client.ask('continue', { threadId });
        }
        assert.deepEqual(stops, [
          [['book.py', 14]],
          [
            ['helpers.py', 4],
            ['book.py', 18],
          ],
          [
            ['helper.py', 3],
            ['book.py', 18],
          ],
        ]);
        assert.deepEqual(values, ['14', '42', '28']);
        const plain = await bench.run(
          { runId: 'plain-book', task: { notebook_task: { notebook_path: '/book', base_parameters: { n: '14' } } } },
          options,
        );
        assert.deepEqual([await outcome, await outputsOf(runId)], [plain, await outputsOf('plain-book')]);
        assert.equal(await leftOf(bench), 0);
      });

      it('tells notebooks with one file name apart, and says that a child is not followed', async () => {
        const common = (name: string): string => `# Databricks notebook source\ndef ${name}():\n    return 1\n`;
        await bench.write('a/common.py', common('of_a'));
        await bench.write('b/common.py', common('of_b'));
        await bench.write('child.py', '1\n');
        const runs = ['a', 'b'].map((folder) => `# MAGIC %run ./${folder}/common\n\n# COMMAND ----------\n\n`);
        const calls = 'of_a()\nof_b()\ndbutils.notebook.run("child", 60)\n';
        await bench.write('both.py', `# Databricks notebook source\n${runs.join('')}${calls}`);
        const { client, outcome } = await startBook('/both');
        const stops: unknown[] = [];
        let stopped = client.event('stopped');
        await client.begin({ [`${bench.root}/a/common.py`]: [3], [`${bench.root}/b/common.py`]: [3] });
        for (let stop = 0; stop < 2; stop += 1) {
          const message = await stopped;
          stops.push(placesOf(await client.frames(message))[0]);
          stopped = client.event('stopped');
          await client.ask('continue', { threadId: message.body.threadId });
        }
        assert.equal((await outcome).resultState, 'SUCCESS');
        assert.deepEqual(stops, [
          ['a/common.py', 3],
          ['b/common.py', 3],
        ]);
        const said = client.received.filter(({ event }) => event === 'output').map(({ body }) => body.output as string);
        assert.ok(said.includes('child runs without the debugger: its breakpoints are not met.\n'), said.join(''));
      });

      it('stops in the cells of an .ipynb notebook, steps between them, and pauses where one fails', async () => {
        const { client, runId, outcome } = await startBook('/cells');
        let stopped = client.event('stopped');
        const [own, other] = [`${bench.root}/cells.ipynb`, `${bench.root}/more.ipynb`];
        await client.begin({ [`${own}#cell 2`]: [2], [`${other}#cell 1`]: [2] }, ['uncaught']);
        const { threadId } = (await stopped).body;
        const stops = [];
        for (let stop = 0; stop < 3; stop += 1) {
          stops.push(placesOf(await client.frames(await stopped)));
          if (stop === 2) break;
          stopped = client.event('stopped');
          await client.ask('continue', { threadId });
        }
        stopped = client.event('stopped');
        await client.ask('continue', { threadId });
        assert.equal((await stopped).body.reason, 'exception');
        const failure = await client.frames(await stopped);
        stops.push(placesOf(failure));
        assert.equal((await client.ask('evaluate', { expression: 'number', frameId: failure[0]!.id })).result, "'no'");
        assert.deepEqual(stops, [
          [['cells.ipynb#cell 2', 2]],
          [
            ['more.ipynb#cell 1', 2],
            ['cells.ipynb#cell 4', 1],
          ],
          [
            ['more.ipynb#cell 1', 2],
            ['cells.ipynb#cell 4', 2],
          ],
          [
            ['more.ipynb#cell 1', 2],
            ['cells.ipynb#cell 4', 2],
          ],
        ]);
        await client.ask('continue', { threadId });
        const plain = await bench.run(
          { runId: 'plain-cells', task: { notebook_task: { notebook_path: '/cells' } } },
          options,
        );
        assert.deepEqual([await outcome, await outputsOf(runId)], [plain, await outputsOf('plain-cells')]);
      });

      it('can be canceled while paused, and leaves nothing', async () => {
        const { client, outcome, abort } = await startBook('/book');
        const stopped = client.event('stopped');
        await client.begin({ [`${bench.root}/book.py`]: [14] });
        await stopped;
        abort.abort();
        assert.equal((await outcome).resultState, 'CANCELED');
        await client.closed;
        assert.equal(await leftOf(bench), 0);
      });
    });
  }
});
