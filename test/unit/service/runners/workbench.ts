import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
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
  const create = (more: Partial<RunnersOptions> = {}) =>
    createRunners({ root, dataFolder, notebookEngine: 'builtin', graceInMs: 500, ...more });
  /** Of all runs without options of their own: as in a service, the machine is examined once. */
  let usual: ReturnType<typeof create> | undefined;
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
      const isUsual = Object.keys(rest).length === 0;
      return (isUsual ? (usual ??= create()) : create(rest))
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

/** A wheel or a zip with these files, made by Python's own zipfile. */
export function zip(path: string, files: Record<string, string>): void {
  const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, text in json.loads(sys.argv[2]).items():
        archive.writestr(name, text)
`;
  execFileSync('python3', ['-c', script, path, JSON.stringify(files)]);
}

/** A wheel of version 1.0 that holds one module. */
export function wheel(path: string, name: string, code: string): void {
  const info = `${name}-1.0.dist-info`;
  zip(path, {
    [`${name}.py`]: code,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  });
}
