import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { exitCodes, isUsageError, type Command } from '../../../src/cli/commandLine.ts';
import { output } from '../../../src/cli/print.ts';
import { describeError } from '../../../src/shared/errors.ts';
import { startJobsServer, type JobsServer } from '../../support/jobsServer.ts';
import type { Ended } from './program.ts';

/** Runs a command of the program in this process. It is loaded only then, since it reads the environment. */
export async function runCommand(
  name: string,
  parameters: readonly string[],
  signal = new AbortController().signal,
): Promise<number> {
  const module = ['printRuns', 'showLogs'].includes(name) ? 'runsAndLogs' : name;
  const { [name]: command } = (await import(`../../../src/cli/${module}.ts`)) as Record<string, Command>;
  if (!command) throw new Error(`There is no command ${name}.`);
  return command({ parameters: [...parameters], token: undefined, signal });
}

/** What each test of a suite finds: an empty current folder, a service, and nothing printed. */
interface OwnPlace {
  folder: string;
  server: JobsServer;
  /** What is for programs, and what is for people. */
  readonly written: string[];
  readonly said: string[];
}

/**
 * Gives each test of the suite around it a current folder, a memory of deploys and a service of its own. What its commands print is
 * kept and not shown.
 */
export function ownPlace(): OwnPlace {
  const [written, said]: [string[], string[]] = [[], []];
  const place = { written, said } as unknown as OwnPlace;
  const before = process.cwd();
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  beforeEach(async () => {
    place.folder = mkdtempSync(join(tmpdir(), 'millrace-command-'));
    process.chdir(place.folder);
    process.env['XDG_STATE_HOME'] = process.env['LOCALAPPDATA'] = join(place.folder, 'state');
    written.length = said.length = 0;
    mock.method(output, 'write', (text: string) => written.push(text));
    mock.method(output, 'say', (text: string) => said.push(text));
    place.server = await startJobsServer();
  });
  afterEach(async () => {
    mock.reset();
    await place.server.close();
    process.chdir(before);
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, LOCALAPPDATA }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(place.folder, { recursive: true, force: true });
  });
  return place;
}

/** Runs a command in this process. @returns how it ends and what it prints, as the program does */
export async function runInPlace({ written, said }: OwnPlace, name: string, parameters: string[]): Promise<Ended> {
  written.length = said.length = 0;
  const code = await runCommand(name, parameters).catch((error: unknown) => {
    output.say(describeError(error));
    return isUsageError(error) ? exitCodes.usage : exitCodes.failed;
  });
  return { code, out: written.join(''), err: said.map((line) => `${line}\n`).join('') };
}
