import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDebugRun } from '../../src/service/host/debugRun.ts';
import { markPrefix } from '../../src/service/runners/childEnvironment.ts';
import { createRunners } from '../../src/service/runners/createRunners.ts';
import { listProcesses } from '../../src/service/runners/processTree.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { cases } from '../support/counts.ts';
import { DebugClient } from '../support/debugClient.ts';
import { startTestService, testToken, type TestService } from '../unit/service/support/testService.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

const program =
  'import subprocess, sys\n\nchild = subprocess.Popen(["sleep", "600"])\ntotal = 42\nprint(total)\nchild.kill()\nchild.wait()\n';
const notebook = `# Databricks notebook source\n\n# COMMAND ----------\n\n${program}`;

describe('Many debugged runs', function () {
  this.timeout(3_600_000);
  let folder: string;
  let service: TestService;
  before(async function () {
    const download = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', '.cache/engines/downloads', 'debugpy'];
    if (!(await commandWorks('python3', download))) skipBecause(this, 'PyPI cannot be reached from this machine');
    folder = await mkdtemp(join(tmpdir(), 'millrace-debugged-'));
    const [root, dataFolder] = [join(folder, 'root'), join(folder, 'data')];
    for (const each of [root, dataFolder]) await mkdir(each);
    await writeFile(join(root, 'task.py'), program);
    await writeFile(join(root, 'book.py'), notebook);
    const runners = createRunners({ root, dataFolder, notebookEngine: 'builtin' }) as never;
    service = await startTestService({ root, dataFolder, runners, clock: systemClock });
  });
  after(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const left = async (): Promise<number> =>
    (await listProcesses(true)).filter((each) => each.mark?.startsWith(markPrefix(join(folder, 'data')))).length;

  it('end correctly, half of them canceled while paused, and leave no process', async () => {
    const count = cases(100, 4);
    const jobs = [
      { id: await service.createJob(), file: 'task.py', line: 5 },
      {
        id: await service.createJob({ spark_python_task: undefined, notebook_task: { notebook_path: '/book' } }),
        file: 'book.py',
        line: 9,
      },
    ];
    const [stops, cancels]: [number[], number[]] = [[], []];
    for (let index = 0; index < count; index += 1) {
      const { id, file, line } = jobs[index % 2]!;
      const isCancelled = index % 4 < 2;
      const begin = performance.now();
      const address = { url: service.service.url, token: testToken };
      const run = await startDebugRun(address, { jobId: String(id), parameters: {} });
      const client = await DebugClient.enter(
        await run.ready({ signal: new AbortController().signal, onInstalling: () => undefined }),
      );
      const stopped = client.event('stopped');
      await client.begin({ [join(folder, 'root', file)]: [line] });
      const { body } = await stopped;
      stops.push(performance.now() - begin);
      const going = await service.getRun(Number(run.runId));
      assert.equal(going.state.life_cycle_state, 'RUNNING');
      if (isCancelled) {
        const asked = performance.now();
        await run.cancel();
        cancels.push(performance.now() - asked);
      } else {
        await client.ask('continue', { threadId: body.threadId });
        await client.closed;
      }
      const ended = await service.untilState(Number(run.runId), 'TERMINATED');
      assert.equal(ended.state.result_state, isCancelled ? 'CANCELED' : 'SUCCESS', `run ${index}`);
      client.leave();
    }
    assert.equal(await left(), 0);
    const [stop, cancel] = [stops, cancels].map((times) => times.toSorted((a, b) => a - b));
    const shown = (times: number[] = []): string =>
      `first ${Math.round(stops[0]!)}, median ${Math.round(times[times.length >> 1]!)}, most ${Math.round(times.at(-1)!)} ms`;
    console.log(`      to the breakpoint: ${shown(stop)}; cancelled: ${shown(cancel)}`);
  });
});
