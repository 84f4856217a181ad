import { renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../shared/log.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';

/** Options of the local service of one data folder. */
export interface LocalServiceOptions {
  /** The Node that runs the service; requested at each start. */
  readonly executable: string | (() => Promise<string>);
  /** Absolute path of dist/millrace.js. */
  readonly script: string;
  readonly root: string;
  readonly dataFolder: string;
  readonly log: Logger;
  /** Read at each start. */
  readonly configuration: () => ServiceConfiguration | Promise<ServiceConfiguration>;
  /** Whether programs may run at all. */
  readonly isTrusted: () => boolean;
  readonly environment?: NodeJS.ProcessEnv;
  readonly idleInSeconds?: number;
}

/** Variables that only the editor's own processes use. */
const editorVariable = /^(vscode_|electron_|node_options$|node_channel|node_unique_id|chrome_)/i;

/** Removes the editor's variables. Tasks get even less of the environment. */
export function serviceEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(base)) if (!editorVariable.test(name)) result[name] = value;
  return { ...result, ELECTRON_RUN_AS_NODE: '1' };
}

/** The local service's log, which continues across starts. */
const logLimitBytes = 5 * 1024 * 1024;

/** Returns the log's path. A log that is too long is first renamed to `….old`. */
export function rotatedLog(path: string): string {
  try {
    if (statSync(path).size > logLimitBytes) renameSync(path, `${path}.old`);
  } catch {
    // There is no log yet.
  }
  return path;
}

/** How a Node program prints the error that ended it: name and message at the left margin, above the stack. */
const thrown = /^\w*(?:Error|Exception)\b.*:.*/;

/**
 * Returns the last message in the log without its full stop, or an empty string if there is no log. For a crashed program it is the error,
 * not what Node prints below it.
 */
export async function lastLogLine(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n');
  const last = lines.pop() ?? '';
  const isBroken = (line: string): boolean => line.startsWith('Node.js v');
  const ofThis = isBroken(last) ? lines.slice(lines.findLastIndex(isBroken) + 1) : [];
  const line = ofThis.findLast((one) => thrown.test(one)) ?? last;
  return line.replace(/(?<![.\s])[.\s]+$/, '');
}
