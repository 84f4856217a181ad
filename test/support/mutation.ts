/**
 * Breaks the code on purpose, one small change at a time, and lists the changes that no nearest test notices: `npm run
 * test:mutation -- src/runs src/shared/json.ts`.
 * The work is Stryker's. It is installed when it is first wanted, since nothing else needs its hundred packages.
 */
import fs from 'node:fs';
import path from 'node:path';
import { out, root } from './paths.ts';
import { run, runOrThrow } from './processes.ts';
import type { Results } from './results.ts';

const packages = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/mocha-runner@9.6.1'];
/** Tests of nothing but time: code that Stryker has prepared is slower. */
const ofTime = /(?:Speed|Cost|bombs|sweep)\.test\.ts$/;
const reportFile = path.join(out, 'mutation.json');

interface MutationReport {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'CompileError' | 'Ignored' | 'Pending';
  mutatorName: string;
  replacement?: string;
  location: { start: Position; end: Position };
}

/** Both count from 1. */
interface Position {
  line: number;
  column: number;
}

/**
 * @param args files and folders below src/. `--fast` leaves out what is computed once when a module is loaded, which takes most of the time;
 * `--all-tests` asks every unit test and not only the nearest.
 */
export async function breakOnPurpose(args: readonly string[]): Promise<Results> {
  const sources = args.filter((arg) => !arg.startsWith('--')).flatMap(sourcesOf);
  if (sources.length === 0) throw new Error('Say what to break: files or folders below src/, such as src/runs.');
  const tests = args.includes('--all-tests')
    ? unitTests().map(({ file }) => file)
    : [...new Set(sources.flatMap(nearestTests))];
  if (tests.length === 0) throw new Error(`No unit test is near ${sources.join(', ')}: each would go unnoticed.`);
  await installStryker();
  const config = path.join(out, 'stryker.json');
  fs.mkdirSync(out, { recursive: true });
  fs.rmSync(reportFile, { force: true });
  fs.writeFileSync(config, JSON.stringify(configuration(sources, tests, args.includes('--fast')), undefined, 2));
  console.log(`Breaking ${sources.length} files; asking ${tests.length} test files.`);
  await run(path.join(root, 'node_modules', '.bin', 'stryker'), ['run', path.relative(root, config)], {
    cwd: root,
    echo: true,
  });
  if (!fs.existsSync(reportFile)) throw new Error('Stryker wrote no report; what it printed above says why.');
  return readReport(JSON.parse(fs.readFileSync(reportFile, 'utf8')) as MutationReport);
}

function sourcesOf(name: string): string[] {
  const file = path.join(root, name);
  if (!fs.existsSync(file)) throw new Error(`There is no ${name}.`);
  if (fs.statSync(file).isFile()) return [name];
  return fs.globSync('**/*.ts', { cwd: file }).map((found) => path.posix.join(name, found));
}

/** The test that mirrors a file's path, and those which name the file; where there is no mirror, all of its folder as well. */
function nearestTests(source: string): string[] {
  const mirror = source.replace(/^src\//, 'test/unit/').replace(/\.ts$/, '.test.ts');
  const naming = unitTests()
    .filter(({ text }) => text.includes(`/${source}'`))
    .map(({ file }) => file);
  if (fs.existsSync(path.join(root, mirror))) return [mirror, ...naming];
  const beside = fs.globSync(`${path.posix.dirname(mirror)}/*.test.ts`, { cwd: root });
  return [...new Set([...naming, ...beside.filter((file) => !ofTime.test(file))])];
}

let unitTestTexts: { file: string; text: string }[] | undefined;
function unitTests(): { file: string; text: string }[] {
  unitTestTexts ??= fs
    .globSync('test/unit/**/*.{test,part}.ts', { cwd: root })
    .filter((file) => !ofTime.test(file))
    .map((file) => ({ file, text: fs.readFileSync(path.join(root, file), 'utf8') }));
  return unitTestTexts;
}

async function installStryker(): Promise<void> {
  if (fs.existsSync(path.join(root, 'node_modules', '@stryker-mutator', 'mocha-runner'))) return;
  console.log(
    `Installing ${packages.join(' and ')} from npm into node_modules: they make the changes and run the tests.`,
  );
  await runOrThrow('npm', ['install', '--no-save', '--ignore-scripts', '--loglevel=error', ...packages], { cwd: root });
}

function configuration(sources: readonly string[], tests: readonly string[], fast: boolean): object {
  return {
    testRunner: 'mocha',
    mochaOptions: { spec: tests },
    coverageAnalysis: 'perTest',
    mutate: sources,
    ignoreStatic: fast,
    // Other words in a text are no other behaviour.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['.vscode-test', 'dist', 'out', '.cache'],
    tempDirName: '.cache/mutation',
    // Stryker reads it with an API that the compiler in use no longer has.
    tsconfigFile: 'none.json',
    concurrency: 2,
    timeoutMS: 4000,
    warnings: false,
    allowConsoleColors: false,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: reportFile },
  };
}

function readReport({ files }: MutationReport): Results {
  const failures: { title: string; error: string }[] = [];
  let passed = 0;
  for (const [file, { source, mutants }] of Object.entries(files)) {
    for (const mutant of mutants) {
      if (mutant.status === 'Killed' || mutant.status === 'Timeout') passed += 1;
      if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') continue;
      const title =
        `${file}:${mutant.location.start.line}:${mutant.location.start.column} ` +
        `${mutant.status === 'Survived' ? 'not noticed' : 'no test runs it'}: ${changeOf(source, mutant)}`;
      console.log(title);
      failures.push({ title, error: '' });
    }
  }
  return { passed, failed: failures.length, skipped: 0, failures, lines: [] };
}

function changeOf(source: string, { location: { start, end }, replacement, mutatorName }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const [first = ''] = lines;
  const before =
    lines.length === 1 ? first.slice(start.column - 1, end.column - 1) : `${first.slice(start.column - 1)} …`;
  const after = replacement ?? mutatorName;
  return `${shorten(before)}  →  ${shorten(after)}`;
}

function shorten(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}
