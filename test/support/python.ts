/** The checks and the tests of what is written in Python. */
import fs from 'node:fs';
import path from 'node:path';
import { ensurePython } from './debian.ts';
import { out, root } from './paths.ts';
import { run } from './processes.ts';
import { added, checked, readResults, type Results, skipped } from './results.ts';

/** The linter and the formatter of Python. Another version finds other problems and formats otherwise. */
const ruffVersion = '0.17.6';

/** `ruff check` and `ruff format --check` over all Python of the repository; skipped, saying why, if there is no ruff to be had. */
export async function checkPython(): Promise<Results> {
  const ruff = await ensureRuff();
  if (ruff === undefined) return skipped('ruff could not be installed.');
  const results = [];
  for (const args of [['check'], ['format', '--check']]) {
    const { code } = await run(ruff, [...args, '.'], { cwd: root, echo: true });
    results.push(checked(code === 0 ? [] : [`ruff ${args.join(' ')} exited with code ${code}`]));
  }
  return added(results);
}

/** The unit tests of src/service/python, by Python's own unittest. */
export async function runPythonTests(): Promise<Results> {
  await ensurePython();
  if ((await run('python3', ['--version'])).code !== 0) return skipped('there is no python3 on this machine.');
  const file = path.join(out, 'python.json');
  fs.rmSync(file, { force: true });
  const { code } = await run('python3', ['test/support/unittestResults.py', 'test/unit/python', file], {
    cwd: root,
    echo: true,
    // Nothing compiled is left among the sources.
    env: { ...process.env, PYTHONPATH: path.join('src', 'service', 'python'), PYTHONDONTWRITEBYTECODE: '1' },
  });
  return readResults(file, `unittest wrote no results and ended with code ${code}.`);
}

/** The path of a ruff of the right version, put into .cache once; undefined if it cannot be had, which is then said. */
async function ensureRuff(): Promise<string | undefined> {
  const [bin, name] = process.platform === 'win32' ? ['Scripts', 'ruff.exe'] : ['bin', 'ruff'];
  const folder = path.join(root, '.cache', `ruff-${ruffVersion}`);
  const ruff = path.join(folder, name);
  if (fs.existsSync(ruff)) return ruff;
  await ensurePython();
  console.log(`Installing ruff ${ruffVersion} from PyPI into .cache: it lints and formats the Python of the service …`);
  const environment = path.join(root, '.cache', `ruff-making-${process.pid}`);
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '2',
    `ruff==${ruffVersion}`,
  ];
  try {
    for (const [command, args] of [
      ['python3', ['-m', 'venv', environment]],
      [path.join(environment, bin, 'python'), install],
    ] as const) {
      const { code, stdout, stderr } = await run(command, args);
      if (code === 0) continue;
      const reason = `${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? '';
      console.log(`ruff could not be installed (${reason}).`);
      return undefined;
    }
    // The program alone is all of it; moved in one step, so that it is there whole or not at all.
    fs.mkdirSync(folder, { recursive: true });
    fs.renameSync(path.join(environment, bin, name), ruff);
    return ruff;
  } finally {
    fs.rmSync(environment, { recursive: true, force: true });
  }
}
