import { commandNames } from './commandNames.ts';

/**
 * The program `millrace`. What a command needs is loaded when it is asked for: checking a file starts no service, and serving loads
 * no job files.
 */
const [first = 'help'] = process.argv.slice(2);
if (first === 'serve') void import('../service/main.ts');
else void import('./runCommand.ts').then(({ runCommand }) => runCommand(process.argv.slice(2), commandNames));
