import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jupyterScript } from './jupyterScript.ts';
import { magicsScript } from './magicsScript.ts';
import { notebookScript } from './notebookScript.ts';
import { pipScript } from './pipScript.ts';
import { rScript } from './rScript.ts';
import { runtimeScript } from './runtimeScript.ts';
import { sparkLogging } from './sparkLogging.ts';

const scripts: Record<string, string> = {
  'millrace_notebook.py': notebookScript,
  'millrace_jupyter.py': jupyterScript,
  'millrace_magics.py': magicsScript,
  'millrace_pip.py': pipScript,
  'millrace_r.py': rScript,
  'millrace_runtime.py': runtimeScript,
  'log4j2.properties': sparkLogging.log4j2,
  'log4j.properties': sparkLogging.log4j1,
};

export interface PythonScripts {
  notebook: string;
  jupyter: string;
  pip: string;
  /** What a Spark of this version, and of those before 3.3, is to log. */
  log4j2: string;
  log4j1: string;
}

/**
 * Writes our Python programs and what belongs to them into the data folder, into a folder named by their digest: another version of the service
 * has its own, and a run going on keeps the one it was started with.
 */
export async function writePythonScripts(dataFolder: string): Promise<PythonScripts> {
  const digest = createHash('sha256').update(JSON.stringify(scripts)).digest('hex').slice(0, 16);
  const parent = join(dataFolder, 'tools');
  const folder = join(parent, digest);
  if (!(await isFolder(folder))) {
    await mkdir(parent, { recursive: true });
    const draft = await mkdtemp(join(parent, 'draft-'));
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(draft, name), text, { mode: 0o600 });
    try {
      await rename(draft, folder);
    } catch (error) {
      // Another run was faster.
      await rm(draft, { recursive: true, force: true });
      if (!(await isFolder(folder))) throw error;
    }
  }
  return {
    notebook: join(folder, 'millrace_notebook.py'),
    jupyter: join(folder, 'millrace_jupyter.py'),
    pip: join(folder, 'millrace_pip.py'),
    log4j2: join(folder, 'log4j2.properties'),
    log4j1: join(folder, 'log4j.properties'),
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (state) => state.isDirectory(),
    () => false,
  );
}
