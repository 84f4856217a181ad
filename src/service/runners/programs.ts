import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lazy } from '../../shared/lazy.ts';

/** Returns the folder of programs in other languages; esbuild.js copies `python` and `scripts` next to the bundle. */
function folderOf(name: 'python' | 'scripts'): string {
  const beside = join(import.meta.dirname, name);
  return existsSync(beside) ? beside : join(import.meta.dirname, '..', name);
}

/** Returns the path of a file of src/service/python. */
export function pythonFile(name: string): string {
  return join(folderOf('python'), name);
}

/** Returns the path of a file of src/service/runners/scripts. */
export function scriptFile(name: string): string {
  return join(folderOf('scripts'), name);
}

export interface Programs {
  /** Runs another program, and the same under the debugger. Both write what ended it. */
  readonly program: string;
  readonly debugged: string;
  readonly notebook: string;
  readonly jupyter: string;
  readonly pip: string;
  readonly wheelhouse: string;
  /** Calls an entry point of a package. */
  readonly wheel: string;
  /** Log settings for Spark 3.3 and newer (log4j2) and for older versions (log4j1). */
  readonly log4j2: string;
  readonly log4j1: string;
}

/**
 * Copies our Python programs and their files into a folder of the data folder named by their digest: an active run keeps its programs, and
 * an environment its pip, when another version of the service takes over.
 */
export async function installPrograms(dataFolder: string): Promise<Programs> {
  const { files, digest } = await readPrograms();
  const parent = join(dataFolder, 'tools');
  const folder = join(parent, digest);
  if (!(await isFolder(folder))) {
    await mkdir(parent, { recursive: true });
    const draft = await mkdtemp(join(parent, 'draft-'));
    for (const [name, content] of files) {
      await mkdir(dirname(join(draft, name)), { recursive: true });
      await writeFile(join(draft, name), content, { mode: 0o600 });
    }
    try {
      await rename(draft, folder);
    } catch (error) {
      // Another run was faster.
      await rm(draft, { recursive: true, force: true });
      if (!(await isFolder(folder))) throw error;
    }
  }
  return {
    program: join(folder, 'run_program.py'),
    debugged: join(folder, 'run_debugged.py'),
    notebook: join(folder, 'run_notebook.py'),
    jupyter: join(folder, 'run_jupyter.py'),
    pip: join(folder, 'run_pip.py'),
    wheelhouse: join(folder, 'install_wheelhouse.py'),
    wheel: join(folder, 'run_wheel.py'),
    log4j2: join(folder, 'log4j2.properties'),
    log4j1: join(folder, 'log4j.properties'),
  };
}

/** Reads the files by their paths below the programs' folder, and a digest of all. */
const readPrograms = lazy(async (): Promise<{ files: [string, string][]; digest: string }> => {
  const python = await readdir(folderOf('python'), { recursive: true });
  const paths = [
    // Python's compiled files are there too when it runs from the sources.
    ...python.filter((name) => /\.(?:py|R)$/.test(name)).map((name) => [name, pythonFile(name)] as const),
    ...['log4j2.properties', 'log4j.properties'].map((name) => [name, scriptFile(name)] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const files = await Promise.all(
    paths.map(async ([name, path]): Promise<[string, string]> => [name, await readFile(path, 'utf8')]),
  );
  return { files, digest: createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16) };
});

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (state) => state.isDirectory(),
    () => false,
  );
}
