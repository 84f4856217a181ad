import { isBuiltin } from 'node:module';
import { commandNames } from './commandLine.ts';

/**
 * The program `millrace`. The modules of a command are loaded on demand: checking a file starts no service, and serving loads no job files.
 */
const line = process.argv.slice(2);
void start();

async function start(): Promise<void> {
  if (needsLocalService(line) && !isBuiltin('node:sqlite')) {
    const { runInNewerNode } = await import('./runInNewerNode.ts');
    if (await runInNewerNode(line)) return;
  }
  if (line[0] === 'serve') await import('../service/main.ts');
  else await (await import('./runCommand.ts')).runCommand(line, commandNames);
}

/**
 * Returns whether the command needs the local service, judged from the arguments alone; if no newer Node is found, the command itself
 * reports what is missing.
 */
function needsLocalService([name = 'help', ...parameters]: readonly string[]): boolean {
  if (parameters.some((one) => one === '--help' || one === '-h' || one === '--url' || one.startsWith('--url=')))
    return false;
  return Object.hasOwn(commandNames, name) && name !== 'check' && name !== 'schema';
}
