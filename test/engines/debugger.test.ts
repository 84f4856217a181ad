import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { DebugAddress } from '../../src/service/runners/debugDoor.ts';
import type { DebugProgress, RunOutcome, RunRequest } from '../../src/service/runners/runner.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { DebugClient } from '../support/debugClient.ts';
import { leftOf, openWorkbench, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

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

describe('a run under debugpy', function () {
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
  });
  after(async () => {
    await bench?.remove();
  });

  let count = 0;
  interface Debugged {
    client: DebugClient;
    runId: string;
    outcome: Promise<RunOutcome>;
    abort: AbortController;
    phases: string[];
  }

  async function start(file: string, more: Partial<RunRequest> = {}): Promise<Debugged> {
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
      { events: { onDebugging }, signal: abort.signal },
    );
    outcome.then((end) => ready.reject(new Error(JSON.stringify(end))), ready.reject);
    return { client: await DebugClient.enter(await ready.promise), runId, outcome, abort, phases };
  }

  it('stops at a breakpoint of an imported module, shows variables, evaluates, and ends as it would', async () => {
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
    assert.equal((await readRunOutput(bench.runFolder(runId))).text, "total 3 ['a', 'b c']\n");
    await client.ask('continue', { threadId: (await stopped).body.threadId });
    assert.deepEqual(await outcome, { resultState: 'SUCCESS' });
    await client.closed;
    assert.equal((await readRunOutput(bench.runFolder(runId))).text, "total 3 ['a', 'b c']\n6\n");
    assert.equal(await leftOf(bench), 0);
  });

  it('halts at the raising frame, and the run fails with the traceback that it has without the debugger', async () => {
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

  it('is cancelled while it is stopped, and leaves no process', async () => {
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
    it(`goes on when the editor leaves and ${how}`, async () => {
      const { client, runId, outcome, phases } = await start('/job.py');
      const stopped = client.event('stopped');
      await client.begin({ [`${bench.root}/job.py`]: [6] });
      await stopped;
      if (how === 'says so') await client.ask('disconnect', { terminateDebuggee: false });
      client.leave();
      assert.deepEqual(await outcome, { resultState: 'SUCCESS' });
      assert.deepEqual(phases, ['ready', 'left']);
      assert.match((await readRunOutput(bench.runFolder(runId))).text, /^total 3 .*\n6\n$/);
    });
  }

  it('shows the secrets to nobody: not in a command line, an environment, or a file that stays', async () => {
    const { client, runId, outcome } = await start('/job.py');
    await client.begin({});
    await outcome;
    await assert.rejects(readFile(`${bench.runFolder(runId)}/debug.json`), { code: 'ENOENT' });
  });
});
