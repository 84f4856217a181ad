import { renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../shared/log.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';

/** What the local service of one data folder is started with. */
export interface LocalServiceOptions {
  /** The Node that runs it; asked for at each start. */
  readonly executable: string | (() => Promise<string>);
  /** Absolute path of dist/millrace.js. */
  readonly script: string;
  readonly root: string;
  readonly dataFolder: string;
  readonly log: Logger;
  /** Read at each start. */
  readonly configuration: () => ServiceConfiguration | Promise<ServiceConfiguration>;
  /** Whether programs may be run at all. */
  readonly isTrusted: () => boolean;
  readonly environment?: NodeJS.ProcessEnv;
  readonly idleInSeconds?: number;
}

/** These mean something to the editor's own processes only. */
const editorVariable = /^(vscode_|electron_|node_options$|node_channel|node_unique_id|chrome_)/i;

/** Without what belongs to the editor; tasks get still less of it. */
export function serviceEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(base)) if (!editorVariable.test(name)) result[name] = value;
  return { ...result, ELECTRON_RUN_AS_NODE: '1' };
}

/** The local service's log, which each start goes on with. */
const logLimitBytes = 5 * 1024 * 1024;

/** The log's path, once one that is too long was set aside as `….old`. */
export function rotatedLog(path: string): string {
  try {
    if (statSync(path).size > logLimitBytes) renameSync(path, `${path}.old`);
  } catch {
    // There is none yet.
  }
  return path;
}

/** What a program of Node says of the error that ended it: its name and message stand at the left margin, above its stack. */
const thrown = /^\w*(?:Error|Exception)\b.*:.*/;

/**
 * What was said last in it, without the full stop, as it stands in a sentence; empty if there is no log. Of a program that broke
 * off that is the error, not what Node writes below it.
 */
export async function lastLogLine(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n');
  const last = lines.pop() ?? '';
  const isBroken = (line: string): boolean => line.startsWith('Node.js v');
  const ofThis = isBroken(last) ? lines.slice(lines.findLastIndex(isBroken) + 1) : [];
  const line = ofThis.findLast((one) => thrown.test(one)) ?? last;
  return line.replace(/(?<![.\s])[.\s]+$/, '');
}
