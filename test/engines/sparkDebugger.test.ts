import assert from 'node:assert/strict';
import type { DebugAddress } from '../../src/service/runners/debugDoor.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { DebugClient } from '../support/debugClient.ts';
import { leftOf, openWorkbench, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';
import { sparkEnvironment } from './sparkEnvironment.ts';

describe('A Spark driver under debugpy', function () {
  this.timeout(300_000);
  let bench: Workbench;
  let python: string;

  before(async function () {
    if (!(await commandWorks('java', ['-version']))) skipBecause(this, 'there is no Java on this machine');
    const environment = await sparkEnvironment();
    if ('reason' in environment) skipBecause(this, environment.reason);
    python = environment.python;
    bench = await openWorkbench();
  });
  after(() => bench?.remove());

  it('stops at breakpoints in the functions that it calls', async function () {
    const download = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', '.cache/engines/downloads', 'debugpy'];
    if (!(await commandWorks('python3', download))) skipBecause(this, 'PyPI cannot be reached from this machine');
    const called = 'def label(frame):\n    first = frame.first()\n    return "total %d" % first[0]\n';
    await bench.write('called.py', called);
    const driver = [
      'from pyspark.sql import SparkSession',
      'from called import label',
      'spark = SparkSession.builder.getOrCreate()',
      'frame = spark.range(5).selectExpr("sum(id)")',
      'print(label(frame))',
      '',
    ].join('\n');
    await bench.write('driver.py', driver);
    const ready = Promise.withResolvers<DebugAddress>();
    const outcome = bench.run(
      { runId: 'debugged', task: { spark_python_task: { python_file: '/driver.py' } }, debug: true },
      {
        python,
        events: { onDebugging: (progress) => progress.phase === 'ready' && ready.resolve(progress.address) },
      },
    );
    outcome.then((end) => ready.reject(new Error(JSON.stringify(end))), ready.reject);
    const client = await DebugClient.enter(await ready.promise);
    const stopped = client.event('stopped');
    await client.begin({ [`${bench.root}/called.py`]: [3] });
    const { threadId } = (await stopped).body;
    const frames = await client.frames(await stopped);
    assert.deepEqual(
      frames.map(({ line, path }) => [path.slice(bench.root.length), line]),
      [
        ['/called.py', 3],
        ['/driver.py', 5],
      ],
    );
    assert.equal((await client.ask('evaluate', { expression: 'first[0]', frameId: frames[0]!.id })).result, '10');
    await client.ask('continue', { threadId });
    assert.deepEqual(await outcome, { resultState: 'SUCCESS' });
    assert.match((await readRunOutput(bench.runFolder('debugged'))).text, /^total 10$/m);
    assert.equal(await leftOf(bench), 0);
  });
});
