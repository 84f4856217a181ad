import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context } from 'mocha';
import { markPrefix } from '../../../../src/service/runners/childEnvironment.ts';
import { createRunners } from '../../../../src/service/runners/createRunners.ts';
import type { ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { listProcesses } from '../../../../src/service/runners/processTree.ts';
import type { RunnerEvents, RunOutcome, RunRequest, RunnersOptions } from '../../../../src/service/runners/runner.ts';

/** A workspace and a data folder of a test's own. */
export interface Workbench {
  folder: string;
  root: string;
  dataFolder: string;
  write(path: string, text: string): Promise<string>;
  /** The folder of the run with this id. */
  runFolder(runId: string): string;
  request(request: Partial<RunRequest> & Pick<RunRequest, 'task'>): RunRequest;
  run(
    request: Partial<RunRequest> & Pick<RunRequest, 'task'>,
    options?: Partial<RunnersOptions> & { signal?: AbortSignal; events?: Partial<RunnerEvents> },
  ): Promise<RunOutcome>;
  remove(): Promise<void>;
}

export async function openWorkbench(): Promise<Workbench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-runners-')));
  const root = join(folder, 'root');
  const dataFolder = join(folder, 'data');
  await mkdir(root);
  const bench: Workbench = {
    folder,
    root,
    dataFolder,
    async write(path, text) {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      return target;
    },
    runFolder: (runId) => join(dataFolder, 'runs', runId),
    request: (request) => ({
      runId: '1',
      runName: 'Untitled',
      attemptNumber: 0,
      clusterSpec: { existing_cluster_id: 'local' },
      clusterId: 'local',
      parameters: {},
      dynamicValues: {},
      folder: bench.runFolder(request.runId ?? '1'),
      ...request,
    }),
    run(request, options = {}) {
      const { signal = new AbortController().signal, events, ...rest } = options;
      const runners = createRunners({ root, dataFolder, notebookEngine: 'builtin', graceInMs: 500, ...rest });
      return runners
        .forTask(request.task)
        .run(bench.request(request), { onStarted: () => undefined, ...events }, { signal });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  return bench;
}

/** How a process ended that did what it should, unless it is changed. */
export const ended = (change: Partial<ProcessEnd> = {}): ProcessEnd => ({
  exitCode: 0,
  wasStopped: false,
  left: [],
  isOutputHeld: false,
  outputTail: '',
  errorTail: '',
  ...change,
});

/** How many processes of any run of this workbench are alive. */
export async function leftOf(bench: Workbench): Promise<number> {
  return (await listProcesses(true)).filter((each) => each.mark?.startsWith(markPrefix(bench.dataFolder))).length;
}

/** The files below a folder that this process holds open; none where that cannot be seen, elsewhere than on Linux. */
export async function openBelow(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(descriptors.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

/** Skips the suite, saying why, if this machine has no Python. */
export function needsPython(context: Context): void {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
  } catch {
    console.log('      skipped: there is no python3 on this machine');
    context.skip();
  }
}

/** Resolves once the condition holds; the test's own time-out ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** For the tests of a suite that need Python: hands each a workbench of its own, which is removed after it. */
export function eachWithWorkbench(take: (bench: Workbench) => void): void {
  let bench: Workbench;
  before(function () {
    needsPython(this);
  });
  beforeEach(async () => {
    bench = await openWorkbench();
    take(bench);
  });
  afterEach(() => bench.remove());
}
