import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

let bundle: Promise<string> | undefined;

/** The local service as one file, and its threads as another, built once; starting it is then as quick as the packaged one. */
export function serviceBundle(): Promise<string> {
  bundle ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const source = join(import.meta.dirname, '../../../../src/service');
    await build({
      entryPoints: { millrace: join(source, 'main.ts'), worker: join(source, 'worker.ts') },
      outdir: folder,
      outExtension: { '.js': '.cjs' },
      bundle: true,
      platform: 'node',
      target: 'node22.19',
      format: 'cjs',
      logLevel: 'silent',
      mainFields: ['module', 'main'],
      define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    });
    // Programs in other languages stand beside the bundle, as esbuild.js has it.
    cpSync(join(source, 'python'), join(folder, 'python'), { recursive: true });
    cpSync(join(source, 'runners', 'scripts'), join(folder, 'scripts'), { recursive: true });
    return join(folder, 'millrace.cjs');
  })();
  return bundle;
}

export interface ServiceProcess {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** From the spawn to the line that says it is ready. */
  readonly startedInMs: number;
  /** What it wrote to standard error. */
  errors(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** `millrace serve` as a process of its own. Rejects with what it wrote if it does not get ready. */
export async function startServiceProcess(
  folder: string,
  more: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  const script = await serviceBundle();
  const startAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, 'serve', '--root', folder, '--data', folder, ...more],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    },
  );
  let [output, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('\n')) resolve(output.split('\n')[0]!);
    });
    child.once('exit', (code) =>
      reject(Object.assign(new Error(`The service ended with ${code}: ${errors}`), { exitCode: code })),
    );
  });
  return {
    ...(JSON.parse(line) as { url: string; token: string }),
    child,
    startedInMs: performance.now() - startAt,
    errors: () => errors,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

/** Asks a service with its token, by POST if there is a body, over a connection of its own. */
export function ask({ url, token }: ServiceProcess, path: string, body?: unknown): Promise<Response> {
  return fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
}

/**
 * Makes a folder before each test of a suite, and hands it over.
 * @returns the services to be killed after the test, before its folder is removed
 */
export function eachWithFolder(given: (folder: string) => void): Set<ServiceProcess> {
  const running = new Set<ServiceProcess>();
  let folder: string;
  beforeEach(() => given((folder = mkdtempSync(join(tmpdir(), 'millrace-process-')))));
  afterEach(async () => {
    for (const service of running) await service.kill();
    running.clear();
    rmSync(folder, { recursive: true, force: true });
  });
  return running;
}
