/** The stages of `npm test` and of its parts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureChromium } from './chromium.ts';
import { ensurePython } from './debian.ts';
import { assembleEditor } from './editorAssembly.ts';
import { newestEditor, oldestEditor, type EditorVersion } from './editorRecipes.ts';
import { checkImports } from './importRules.ts';
import { compileIntegrationTests, runIntegrationTests } from './integration.ts';
import { type MochaOptions, runMocha } from './mocha.ts';
import { build, packageExtension } from './package.ts';
import { root, vsixFile } from './paths.ts';
import { run } from './processes.ts';
import { checkPython, runPythonTests } from './python.ts';
import type { Report } from './report.ts';
import { checked, type Results } from './results.ts';

type Args = readonly string[];

const editors: readonly EditorVersion[] = [newestEditor, oldestEditor];

/**
 * `npm test`. What waits for downloads runs beside what computes.
 * @param besideUnit further stages, which need the built program and run beside the unit tests
 */
export async function everything(report: Report, _: Args, besideUnit?: () => Promise<void>): Promise<void> {
  await report.stage('package', packageTwice);
  await Promise.all([lint(report), prepareWindows()]);
  await Promise.all([unit(report, []), besideUnit?.()]);
  await integration(report, []);
  await endToEnd(report, ['--packaged']);
}

/** What `.ci/run` runs: `npm test` in a bare Debian if one can be made, otherwise here, and the tests against real engines. */
export async function ci(report: Report): Promise<void> {
  const { makeBareMachine, testOnBareMachine } = await import('./bareMachine.ts');
  const testEngines = (): Promise<void> => engines(report, []);
  const reason = await makeBareMachine();
  if (reason === undefined) {
    await Promise.all([testOnBareMachine(report), testEngines()]);
    return;
  }
  console.log(`\nThere is no bare machine to run npm test on (${reason}); it runs on this one.`);
  await everything(report, [], testEngines);
}

/** Everything that is checked without running the product. */
export async function lint(report: Report): Promise<void> {
  // Several type checkers do much of the same work: one takes half of their processor time.
  await report.stage('types', () => command('tsc', '-p', '.', '--checkers', '1'));
  await report.stage('lint', () => command('oxlint', '--type-aware', '--deny-warnings', 'src', 'test', 'esbuild.js'));
  await report.stage('format', () => command('oxfmt', '--check', '.'));
  await report.stage('unused', () => command('knip'));
  await report.stage('Python', checkPython);
  await report.stage('import rules', async () => {
    const problems = await checkImports();
    for (const problem of problems) console.log(problem);
    return checked(problems);
  });
}

/**
 * `npm run test:unit -- test/unit/api -g title`: paths are folders or files, the rest goes to mocha. Without a path, and with
 * test/unit/python, the tests in Python run too.
 */
export async function unit(report: Report, args: Args): Promise<void> {
  const isPython = (arg: string): boolean => arg.startsWith('test/unit/python');
  if (args.length === 0 || args.some(isPython)) await report.stage('unit in Python', runPythonTests);
  if (args.length > 0 && args.every(isPython)) return;
  await ensurePython();
  const { files, rest } = split(
    args.filter((arg) => !isPython(arg)),
    'test/unit',
  );
  // Some tests start the built program.
  await buildOnce();
  // Many start processes, which a busy machine can hold up: each has a second try, and the report says so.
  const options = { name: 'unit', files, args: ['--retries', '1', ...rest], jobs: os.availableParallelism() + 1 };
  await report.stage('unit', () => runMocha(options));
}

/** `npm run test:integration -- 1.105 chat/host -g title`: a version, a path below test/integration, a title. */
export async function integration(report: Report, args: Args): Promise<void> {
  const title = args.indexOf('-g');
  const grep = title === -1 ? undefined : args[title + 1];
  const names = args.filter((_, index) => title === -1 || (index !== title && index !== title + 1));
  const versions = editors.filter((version) => names.includes(version));
  const only = names
    .filter((name) => !/^1\.\d+$/.test(name))
    .map((name) => name.replace(/^test\/integration\//, '').replace(/\.ts$/, ''));
  await buildOnce();
  await compileIntegrationTests();
  await ensureChromium();
  await ensurePython();
  // Each runs in an editor with a folder, a profile and a port of its own.
  await Promise.all(
    (versions.length > 0 ? versions : editors).map((version) =>
      report.stage(`integration in VS Code ${version}`, async () => {
        const results = await runIntegrationTests({ version, only, grep });
        for (const line of results.lines) console.log(line);
        return results;
      }),
    ),
  );
}

/** `npm run test:e2e -- test/e2e/x.test.ts -g title`; packs first unless it gets `--packaged`. */
export async function endToEnd(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(
    args.filter((arg) => arg !== '--packaged'),
    'test/e2e',
  );
  if (!args.includes('--packaged') || !fs.existsSync(vsixFile)) console.log(await packageExtension());
  await prepareWindows();
  const options: MochaOptions = {
    name: 'e2e',
    files,
    // A slow moment of a shared machine is no fault of the product: each test has a second try, and the report says so.
    args: ['--require', 'test/support/windowHooks.ts', '--retries', '1', ...rest],
    timeoutInMs: 300_000,
    // A window keeps a processor busy: with more of them, tests time out.
    jobs: os.availableParallelism(),
  };
  await report.stage('end to end', () => runMocha(options));
}

/** A browser, Python for the jobs, and the editors. */
async function prepareWindows(): Promise<void> {
  await ensureChromium();
  await ensurePython();
  await Promise.all(editors.map((version) => assembleEditor(version)));
}

/** Tests against real engines and clients (Jupyter, Spark, language models, SDKs). Each sets up what it needs from PyPI, npm and Maven. */
export async function engines(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(args, 'test/engines');
  // For many short-lived JVMs: little compiling and a simple collector take half of the processor time.
  const environment = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };
  await buildOnce();
  await report.stage('engines', () =>
    runMocha({
      name: 'engines',
      files,
      args: rest,
      timeoutInMs: 900_000,
      environment,
      jobs: os.availableParallelism(),
    }),
  );
}

/** The long forms of tests that `npm test` and the engine tests run with smaller counts: they read MILLRACE_LONG. */
export async function long(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(args, 'test/{unit,engines}');
  await ensurePython();
  await buildOnce();
  await report.stage('long', () =>
    runMocha({ name: 'long', files, args: rest, timeoutInMs: 3_600_000, environment: { MILLRACE_LONG: '1' } }),
  );
}

/** Builds dist/ unless this run has built it already. Tests that start the built program find MILLRACE_IS_BUILT. */
async function buildOnce(): Promise<void> {
  if (process.env['MILLRACE_IS_BUILT'] !== '1') await build(['--production']);
  process.env['MILLRACE_IS_BUILT'] = '1';
}

/** Packs twice, because the same sources must give the same bytes. */
async function packageTwice(): Promise<Results> {
  const first = await packageExtension();
  const second = await packageExtension();
  process.env['MILLRACE_IS_BUILT'] = '1';
  console.log(second);
  return checked(first === second ? [] : [`Two builds of the same sources differ: ${first}; ${second}.`]);
}

/** A command that prints its own problems: one passed or one failed. */
async function command(name: string, ...args: string[]): Promise<Results> {
  const bin = path.join(root, 'node_modules', '.bin', name);
  const { code } = await run(bin, args, { cwd: root, echo: true, shell: process.platform === 'win32' });
  return checked(code === 0 ? [] : [`${[name, ...args].join(' ')} exited with code ${code}`]);
}

/** Paths of tests and the other arguments. Without a path, all tests of the folder. */
function split(args: Args, folder: string): { files: string[]; rest: string[] } {
  const paths = args.filter((arg) => arg.startsWith('test/'));
  const files =
    paths.length === 0
      ? [`${folder}/**/*.test.ts`]
      : paths.map((arg) => (arg.endsWith('.ts') ? arg : `${arg.replace(/\/$/, '')}/**/*.test.ts`));
  return { files, rest: args.filter((arg) => !arg.startsWith('test/')) };
}
