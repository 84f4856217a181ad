/** The stages of `npm test` and of its parts. */
import fs from 'node:fs';
import path from 'node:path';
import { ensureChromium } from './chromium.ts';
import { ensurePython } from './debian.ts';
import { assembleEditor } from './editorAssembly.ts';
import { newestEditor, oldestEditor, type EditorVersion } from './editorRecipes.ts';
import { FileQueue } from './fileQueue.ts';
import { checkImports } from './importRules.ts';
import { compileIntegrationTests, runIntegrationTests } from './integration.ts';
import { type MochaOptions, runMocha } from './mocha.ts';
import { build, packageExtension } from './package.ts';
import { out, root, vsixFile } from './paths.ts';
import { run } from './processes.ts';
import { checkPython, runPythonTests } from './python.ts';
import type { Report } from './report.ts';
import { added, filesToRunAgain, type Results, withSecondRun } from './results.ts';

type Args = readonly string[];

const editors: readonly EditorVersion[] = [newestEditor, oldestEditor];
/** What fails twice is wrong; what fails once, and another test of its file the next time, has a second chance each. */
const maxRoundsAgain = 2;

/** What CI runs more than `npm test`, in the two rows of stages that wait a good deal and so run beside each other. */
interface Further {
  besideUnit(): Promise<void>;
  afterUnit(): Promise<void>;
}

/**
 * `npm test`, and what is run further. Everything waits a good deal, for processes, windows and pages: three rows of stages keep two
 * processors busy, and each drives windows once the rest of its row is through.
 */
export async function everything(report: Report, further?: Further): Promise<void> {
  const sources = Promise.all([lint(report), types(report)]).then(() => patterns(report));
  // Tests of the built program take what is made here, and nobody builds while they run.
  await Promise.all([report.stage('package', packageTwice), prepareWindows()]);
  process.env['MILLRACE_IS_BUILT'] = '1';
  // Some fifty processes load the same tests' modules: what the first has compiled serves the others.
  const compiled = path.join(out, 'compiled');
  fs.rmSync(compiled, { recursive: true, force: true });
  process.env['NODE_COMPILE_CACHE'] = compiled;
  const windows = new FileQueue(windowTests(['test/e2e/**/*.test.ts']));
  const rows = [
    async () => {
      await unit(report, []);
      await further?.afterUnit();
      await integration(report, []);
    },
    async () => further?.besideUnit(),
    () => sources,
  ].map(async (stages) => {
    await stages();
    await windows.work();
  });
  await report.stage('end to end', async () => {
    const ends = await Promise.allSettled(rows);
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return againByFile(report, windowTests([]), windows.results);
  });
}

export async function lint(report: Report): Promise<void> {
  const folders = ['src', 'test', '.build', 'esbuild.js'].filter((name) => fs.existsSync(path.join(root, name)));
  await report.stage('lint', () => command(['oxlint', '--type-aware', '--deny-warnings', ...folders]));
  await report.stage('format', () => command(['oxfmt', '--check', '.']));
  await report.stage('unused', () => command(['knip']));
  await report.stage('ruff', checkPython);
  await report.stage('import rules', async () => {
    const problems = await checkImports();
    for (const problem of problems) console.log(problem);
    return counts(problems);
  });
}

/**
 * Every regular expression of the product takes time in proportion to its text. Slow for those that nobody has examined, so a stage of its
 * own; with MILLRACE_APPROVE=1 the others are written down. What is written down is examined again all the same, a sixteenth with each commit.
 */
export async function patterns(report: Report): Promise<void> {
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: root });
  const digit = /^[0-9a-f]/.exec(stdout)?.[0];
  if (digit !== undefined) process.env['MILLRACE_PATTERNS'] = digit;
  await report.stage('patterns', () => command(['oxlint', '-c', 'test/support/patterns.oxlintrc.json', 'src']));
}

export async function types(report: Report): Promise<void> {
  // Several checkers look at much of the same: one takes half of their processor time, and other stages have what it leaves.
  await report.stage('types', () => command(['tsc', '-p', '.', '--checkers', '1']));
}

/**
 * `npm run test:unit -- test/unit/api -g title`: paths are folders or files, the rest goes to mocha. If all tests are asked for, or
 * those of test/unit/python, the tests in Python run too.
 */
export async function unit(report: Report, args: Args): Promise<void> {
  const isPython = (arg: string): boolean => arg.startsWith('test/unit/python');
  const { files, rest } = split(
    args.filter((arg) => !isPython(arg)),
    'test/unit',
  );
  if (args.length === 0 || args.some(isPython)) await report.stage('unit in Python', runPythonTests);
  if (args.length > 0 && args.every(isPython)) return;
  await ensurePython();
  await report.stage('unit', async () => {
    const options: MochaOptions = { name: 'unit', files, args: rest };
    return againByFile(report, options, await runInParts(options, ['test/unit/service/runners', 'test/unit/service']));
  });
}

/**
 * Runs the tests of each folder, and then the others, in a process of their own. To start a process takes longer the more memory its parent
 * has, and with all tests in one it has a lot: those that start hundreds would take twice the processor time.
 */
async function runInParts(options: MochaOptions, folders: readonly string[]): Promise<Results> {
  const left = new Set(options.files.flatMap((file) => fs.globSync(file, { cwd: root })));
  const results: Results[] = [];
  for (const folder of [...folders, '']) {
    const files = [...left].filter((file) => file.startsWith(path.join(folder, path.sep)) || folder === '');
    for (const file of files) left.delete(file);
    if (files.length > 0) results.push(await runMocha({ ...options, files }));
  }
  return added(results);
}

/** `npm run test:integration -- 1.105 chat/host -g title`: a version, a path below test/integration, a title. */
export async function integration(report: Report, args: Args): Promise<void> {
  const versions = editors.filter((version) => !args.some((arg) => /^1\.\d+$/.test(arg)) || args.includes(version));
  const title = args.indexOf('-g');
  const grep = title === -1 ? undefined : args[title + 1];
  const only = args
    .find((arg, index) => !/^1\.\d+$/.test(arg) && arg !== '-g' && (title === -1 || index !== title + 1))
    ?.replace(/^test\/integration\//, '')
    .replace(/\.ts$/, '');
  if (!fs.existsSync(path.join(root, 'dist', 'extension.js'))) await build();
  const count = await compileIntegrationTests();
  if (count === 0) {
    console.log('\nThere are no integration tests.');
    return;
  }
  await ensureChromium();
  await ensurePython();
  // Each in an editor with a folder, a profile and a port of its own.
  await Promise.all(
    versions.map((version) =>
      report.stage(`integration in VS Code ${version}`, async () => {
        const runFiles = (files: readonly string[]): Promise<Results> =>
          runIntegrationTests({ version, only: files, grep });
        const asked = only === undefined ? [] : [only];
        const first = await runFiles(asked);
        const results = first.failures.some(({ file }) => file === undefined)
          ? await againAsAWhole(report, first, () => runFiles(asked))
          : await again(report, first, runFiles);
        for (const line of results.lines) console.log(line);
        return results;
      }),
    ),
  );
}

/** `npm run test:e2e -- test/e2e/x.test.ts -g title`; packs first unless told `--packaged`. */
export async function endToEnd(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(
    args.filter((arg) => arg !== '--packaged'),
    'test/e2e',
  );
  if (!args.includes('--packaged') || !fs.existsSync(vsixFile)) console.log(await packageExtension());
  await prepareWindows(files.length > 1 || files[0]?.includes('*') === true ? editors : []);
  // A window waits for its editor, and the editor for its window: two of them use what one leaves idle.
  await report.stage('end to end', () => runTests(report, { ...windowTests(files, rest), jobs: 2 }));
}

/** What drives a window needs a browser, Python for the jobs, and the editors: two files that need the same one would each put it together. */
async function prepareWindows(versions = editors): Promise<void> {
  await ensureChromium();
  await ensurePython();
  await Promise.all(versions.map((version) => assembleEditor(version)));
}

function windowTests(files: readonly string[], rest: Args = []): MochaOptions {
  return {
    name: 'e2e',
    files,
    args: ['--require', 'test/support/windowHooks.ts', ...rest],
    timeoutInMs: 300_000,
  };
}

/** Tests against real engines and clients (Jupyter, Spark, language models, SDKs); each sets up what it needs from PyPI, npm and Maven. */
export async function engines(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(args, 'test/engines');
  if (fs.globSync(files, { cwd: root }).length === 0) {
    console.log('\nThere are no engine tests.');
    return;
  }
  // Some thirty short-lived JVMs: compiling little and collecting simply takes half of their processor time.
  const environment = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };
  await report.stage('engines', () =>
    runTests(report, { name: 'engines', files, args: rest, timeoutInMs: 900_000, environment }),
  );
}

/** The set-up and the tests of libraries on a system on which nothing else is installed. */
export async function bareMachine(report: Report): Promise<void> {
  const { testOnBareMachine } = await import('./bareMachine.ts');
  await report.stage('bare machine', async () => againAsAWhole(report, await testOnBareMachine(), testOnBareMachine));
}

/** The long forms of tests that `npm test` runs with smaller counts: they read MILLRACE_LONG. */
export async function long(report: Report, args: Args): Promise<void> {
  const { files, rest } = split(args, 'test/unit');
  await report.stage('long', () =>
    runMocha({ name: 'long', files, args: rest, timeoutInMs: 3_600_000, environment: { MILLRACE_LONG: '1' } }),
  );
}

/** `npm run test:mutation -- src/runs`: breaks the code on purpose and counts what no test noticed as failed. */
export async function mutation(report: Report, args: Args): Promise<void> {
  const { breakOnPurpose } = await import('./mutation.ts');
  await report.stage('mutation', () => breakOnPurpose(args));
}

/** Runs tests with mocha; the files of a few failures once more if the report allows it. */
async function runTests(report: Report, options: MochaOptions): Promise<Results> {
  return againByFile(report, options, await runMocha(options));
}

async function againByFile(report: Report, options: MochaOptions, first: Results): Promise<Results> {
  return again(report, first, (files) =>
    runMocha({ ...options, jobs: 2, files: files.map((file) => path.relative(root, file)) }),
  );
}

/** Runs the files of a few failures once more, and those of what failed only then a last time. */
async function again(
  report: Report,
  first: Results,
  runFiles: (files: readonly string[]) => Promise<Results>,
): Promise<Results> {
  let results = first;
  for (let round = 0; round < maxRoundsAgain; round++) {
    const files = report.runsAgain ? filesToRunAgain(results) : undefined;
    if (files === undefined) break;
    for (const { title, error } of results.failures) console.log(`\n${title}\n${error}`);
    console.log(`\nRunning again what failed: ${files.map((file) => path.basename(file)).join(', ')}`);
    const next = withSecondRun(results, await runFiles(files));
    const failedBefore = new Set(results.failures.map(({ title }) => title));
    results = next;
    if (next.failures.some(({ title }) => failedBefore.has(title))) break;
  }
  return results;
}

/** Runs once more as a whole what cannot be run by file, or crashed. */
async function againAsAWhole(report: Report, first: Results, action: () => Promise<Results>): Promise<Results> {
  if (first.failed === 0 || !report.runsAgain) return first;
  for (const { title, error } of first.failures) console.log(`\n${title}\n${error}`);
  console.log('\nRunning that again.');
  const second = await action();
  const left = new Set(second.failures.map((failure) => failure.title));
  return { ...second, passedAgain: first.failures.filter(({ title }) => !left.has(title)) };
}

async function packageTwice(): Promise<Results> {
  const first = await packageExtension();
  const second = await packageExtension();
  console.log(second);
  return counts(first === second ? [] : [`Two builds of the same sources differ: ${first}; ${second}.`]);
}

/** The linter and the compiler are short-lived Go programs: collecting seldom saves a fifth of their processor time. */
const seldomCollecting = { GOGC: '400', GOMEMLIMIT: '2GiB' };

/** A command that prints its own problems: one passed or one failed. */
async function command(args: Args): Promise<Results> {
  const [name = '', ...rest] = args;
  const bin = path.join(root, 'node_modules', '.bin', name);
  const env = { ...seldomCollecting, ...process.env };
  const { code } = await run(bin, rest, { cwd: root, echo: true, env, shell: process.platform === 'win32' });
  return counts(code === 0 ? [] : [`${args.join(' ')} ended with code ${code}`]);
}

function counts(problems: readonly string[]): Results {
  const failures = problems.map((title) => ({ title, error: '' }));
  return { passed: problems.length === 0 ? 1 : 0, failed: problems.length, skipped: 0, failures, lines: [] };
}

/** Paths of tests and the other arguments; without a path, all tests of the folder. */
function split(args: Args, folder: string): { files: string[]; rest: string[] } {
  const paths = args.filter((arg) => arg.startsWith('test/'));
  const files =
    paths.length === 0
      ? [`${folder}/**/*.test.ts`]
      : paths.map((arg) => (arg.endsWith('.ts') ? arg : `${arg.replace(/\/$/, '')}/**/*.test.ts`));
  return { files, rest: args.filter((arg) => !arg.startsWith('test/')) };
}
