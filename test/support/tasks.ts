/** The npm scripts that set something up first or count what passed; started by `run.mjs`. Each exits with a code that says whether all went well. */
import { endLeftovers } from './processes.ts';
import { Report } from './report.ts';
import * as stages from './stages.ts';

/** Scripts that end with the count of what passed and failed. */
const counted: Readonly<Record<string, (report: Report, args: readonly string[]) => Promise<unknown>>> = {
  lint: stages.lint,
  test: stages.everything,
  ci: stages.ci,
  'test:unit': stages.unit,
  'test:integration': stages.integration,
  'test:e2e': stages.endToEnd,
  'test:engines': stages.engines,
  'test:long': stages.long,
};

const others: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  start: async (args) => (await import('./start.ts')).startForUser(args),
  bench: async (args) => (await import('./benches.ts')).runBenches(args),
  pictures: async () => (await import('./pictures.ts')).takePictures(),
};

// npm strips the dashes that separate a script's own arguments; a direct call of `run.mjs` may still have them.
const [name = '', ...args] = process.argv.slice(2).filter((arg) => arg !== '--');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // `start` stops in its own way. Every other task exits at once, and its process groups with it.
  if (name !== 'start') process.on(signal, () => process.exit(130));
}
// If run.mjs is killed, nothing keeps running without it.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 500).unref();

const task = counted[name];
if (task !== undefined) await runCounted(task);
else await runOther();

async function runCounted(action: (report: Report, args: readonly string[]) => Promise<unknown>): Promise<void> {
  const report = new Report();
  try {
    await action(report, args);
  } catch (error) {
    report.crashed(name, error);
  }
  const left = await endLeftovers();
  if (left.length > 0)
    report.add(
      'leftover processes',
      left.map((one) => `process ${one.pid} was still running: ${one.command}`),
    );
  report.close();
  process.exit(report.failed > 0 ? 1 : 0);
}

async function runOther(): Promise<void> {
  const action = others[name];
  if (action === undefined) {
    console.error(`Unknown task “${name}”. Tasks: ${Object.keys({ ...counted, ...others }).join(', ')}.`);
    process.exit(2);
  }
  try {
    await action(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
