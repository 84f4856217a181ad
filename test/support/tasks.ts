/** What the npm scripts do; started by `run.mjs`. Every task ends with a code that says whether all went well. */
import { build, packageExtension } from './package.ts';
import { endLeftovers } from './processes.ts';
import { Report } from './report.ts';
import * as stages from './stages.ts';
import { writeBundle } from './texts.ts';

const tasks: Record<string, (report: Report, args: readonly string[]) => Promise<void>> = {
  async build(_report, args) {
    await build(args);
  },
  async package() {
    console.log(await packageExtension());
  },
  async texts() {
    console.log(writeBundle());
    const { writeJsonSchema } = await import('./jsonSchemaFile.ts');
    console.log(writeJsonSchema());
  },
  async where(_report, args) {
    const { printSources } = await import('./where.ts');
    await printSources(args);
  },
  lint: stages.lint,
  'lint:patterns': stages.patterns,
  types: stages.types,
  'test:unit': stages.unit,
  'test:integration': stages.integration,
  'test:e2e': stages.endToEnd,
  'test:engines': stages.engines,
  'test:bare': stages.bareMachine,
  'test:long': stages.long,
  'test:mutation': stages.mutation,
  async test(report) {
    report.runsAgain = true;
    await stages.everything(report);
  },
  async ci(report) {
    report.runsAgain = true;
    await stages.everything(report, {
      besideUnit: () => stages.engines(report, []),
      afterUnit: () => stages.bareMachine(report),
    });
  },
  async bench(_report, args) {
    const { runBenches } = await import('./benches.ts');
    await runBenches(args);
  },
  async pictures() {
    await packageExtension();
    const { takePictures } = await import('./pictures.ts');
    await takePictures();
  },
  async start(_report, args) {
    const { startForUser } = await import('./start.ts');
    await startForUser(args);
  },
};

const counted = new Set([
  'lint',
  'lint:patterns',
  'types',
  'test',
  'ci',
  'test:unit',
  'test:integration',
  'test:e2e',
  'test:engines',
  'test:bare',
  'test:long',
  'test:mutation',
]);

// npm takes the dashes away that stand before what is for the task; whoever starts `run.mjs` itself writes them all the same.
const [name = '', ...args] = process.argv.slice(2).filter((arg) => arg !== '--');
const task = tasks[name];
if (task === undefined) {
  console.error(`There is no task “${name}”. Tasks: ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // `start` stops in its own way; everything else ends at once, its process groups with it.
  if (name !== 'start') process.on(signal, () => process.exit(130));
}
// Whatever happened to run.mjs, nothing is left running without it.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 500).unref();
const report = new Report();
try {
  await task(report, args);
} catch (error) {
  if (!counted.has(name)) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  report.crashed(name, error);
}
if (counted.has(name)) {
  const left = await endLeftovers();
  if (left.length > 0)
    report.add(
      'leftover processes',
      0,
      left.length,
      left.map((one) => `process ${one.pid} was still running: ${one.command}`),
    );
  report.close();
  process.exit(report.failed > 0 ? 1 : 0);
}
