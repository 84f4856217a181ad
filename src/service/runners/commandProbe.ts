import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export interface ProbeResult {
  readonly ok: boolean;
  /** Standard output and error together. */
  readonly text: string;
}

/** Runs a short command for its output. Never rejects: a command that cannot run counts as missing. */
export function probeCommand(
  command: string,
  parameters: readonly string[],
  options: { environment?: NodeJS.ProcessEnv; signal?: AbortSignal; timeoutInMs?: number } = {},
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...parameters],
      {
        env: options.environment,
        signal: options.signal,
        timeout: options.timeoutInMs ?? 20_000,
        windowsHide: true,
        maxBuffer: 4 * 1024 * 1024,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => resolve({ ok: error === null, text: stdout + stderr }),
    );
  });
}

/** Returns the absolute path of a command on the PATH, or `undefined`. */
export async function findOnPath(
  name: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const folder of (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter)) {
    if (!folder) continue;
    for (const suffix of suffixes) {
      const path = join(folder, name + suffix);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
