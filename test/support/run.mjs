// Entry of every npm script: `node test/support/run.mjs <task> [arguments]`. Plain JavaScript that any Node from 18 runs. It installs the
// project's dependencies if they are missing or do not match the lock file, then runs the task with a Node that is new enough.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const windows = process.platform === 'win32';
/** The editor of the minimum engine embeds Node 22.19: what works there is what the project may use. */
const oldestNode = [22, 19];

const missing = missingPackages();
if (missing !== undefined) installDependencies(missing);
const node = findNode();
const args = [
  '--disable-warning=ExperimentalWarning',
  path.join(root, 'test', 'support', 'tasks.ts'),
  ...process.argv.slice(2),
];
const bin = path.join(root, 'node_modules', '.bin');
const child = spawn(node, args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
});
// The task itself decides how it ends; a terminal's Ctrl+C reaches it by itself too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm ends without passing a signal on if it runs the script in a shell: being orphaned is taken as the wish to stop.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));

/** Why the dependencies must be installed, or undefined if node_modules holds what the lock file says. */
function missingPackages() {
  const wanted = readJson(path.join(root, 'package-lock.json'));
  const present = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined) return undefined;
  if (present === undefined) return 'node_modules is missing';
  for (const [name, entry] of Object.entries(wanted.packages)) {
    const found = present.packages[name];
    if (name === '' || (found === undefined && entry.optional) || entry.link) continue;
    if (found?.version !== entry.version)
      return `${name} is ${found === undefined ? 'missing' : `${found.version} instead of ${entry.version}`}`;
  }
  return undefined;
}

function installDependencies(reason) {
  console.log(
    `Installing the development dependencies of package-lock.json with npm ci (${reason}): the compiler, bundler, linter, test tools and Node 24.`,
  );
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name.toLowerCase() !== 'npm_config_ignore_scripts' && name !== 'NODE_ENV',
    ),
  );
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env, shell: windows };
  const common = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  if (spawnSync('npm', ['ci', ...common], options).status === 0) return;
  // A registry that lacks optional packages for other platforms leaves holes in the lock file, which only npm ci minds.
  console.log('npm ci did not succeed; trying npm install, which leaves the lock file as it is.');
  const { status, error } = spawnSync('npm', ['install', '--no-save', ...common], options);
  if (status === 0) return;
  console.error(
    `The dependencies could not be installed${error ? ` (${error.message})` : ''}; nothing else was done. ` +
      'Check the connection to the npm registry and try again.',
  );
  process.exit(1);
}

function findNode() {
  const installed = path.join(
    root,
    'node_modules',
    `node-${windows ? 'win' : process.platform}-${process.arch}`,
    'bin',
    windows ? 'node.exe' : 'node',
  );
  for (const candidate of [installed, process.execPath]) {
    if (fs.existsSync(candidate) && isNewEnough(candidate)) return candidate;
  }
  console.error(
    `Node ${oldestNode.join('.')} or newer is needed, and this is ${process.version}; nothing was run. Install Node 24 and try again.`,
  );
  process.exit(1);
}

function isNewEnough(executable) {
  const { stdout } = spawnSync(executable, ['--version'], { encoding: 'utf8' });
  const [major = 0, minor = 0] = (stdout ?? '').replace('v', '').split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
