import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { makeFolder } from '../../shared/node/makeFolder.ts';
import { shortened } from '../../shared/text.ts';

export interface FileMapOptions {
  /** Absolute path of the workspace root. */
  readonly root: string;
  /** Absolute path of the service's data folder. */
  readonly dataFolder: string;
}

interface NotebookFile {
  readonly path: string;
  readonly format: 'source' | 'ipynb';
}

/** Maps the paths of the Jobs API to files of this machine. */
export interface FileMap {
  /**
   * Returns the file for a URI or workspace path, whether it exists or not.
   * @throws AppError `invalid` for an unknown form and for a path that leaves its folder
   */
  locate(uri: string): Promise<string>;
  /**
   * Like `locate`, for an existing file.
   * @throws AppError `notFound`; `invalid`
   */
  existingFile(uri: string, what: string): Promise<string>;
  /**
   * Returns the notebook of a workspace path, whose extension may be left out.
   * @throws AppError `notFound`; `invalid`
   */
  notebook(path: string): Promise<NotebookFile>;
  /**
   * Like `locate`, for a folder, which is created.
   * @throws AppError `invalid`; `unavailable` if it cannot be created
   */
  outputFolder(uri: string): Promise<string>;
}

/** In search order. The languages are those of source notebooks. */
const notebookExtensions = ['.py', '.ipynb', '.sql', '.scala', '.r', '.R'] as const;

const scheme = /^([a-z][a-z0-9+.-]+):(.*)$/is;

// Job files written for real workspaces use their provider's own schemes for the same two stores.
const fileSystemSchemes = new Set(['dfs', 'dbfs']);
const objectStorageSchemes = new Set(['objstore', 's3', 's3a', 's3n', 'gs', 'abfss', 'wasbs']);

/** Returns why the path cannot mean a file, whatever files exist, or `undefined` if it can. */
export function problemOfForm(uri: string): string | undefined {
  if (uri.includes('\0')) return 'it holds a NUL character';
  const name = scheme.exec(uri)?.[1]?.toLowerCase();
  // A single letter before the colon is a Windows drive, so the pattern asks for two.
  if (name === undefined) return uri.startsWith('/') ? undefined : 'a workspace path starts with a slash';
  return name === 'file' || fileSystemSchemes.has(name) || objectStorageSchemes.has(name)
    ? undefined
    : `the scheme ${name}: is not supported here`;
}

/** The allowed forms of paths. */
export const pathForms = 'Write /folder/file for the workspace, dfs:/file, objstore://bucket/file or file:/file.';

/**
 * Maps `dfs:/x` to `dfs/x` and `objstore://bucket/x` to `objstore/bucket/x` below the data folder, `file:/x` to the file of this machine,
 * and `/x` to the workspace root. No path leaves its folder, neither with `..` nor through a symbolic link. Percent signs are part of a
 * name and are never decoded.
 */
export function createFileMap(options: FileMapOptions): FileMap {
  const folders = {
    root: resolve(options.root),
    dfs: resolve(options.dataFolder, 'dfs'),
    objstore: resolve(options.dataFolder, 'objstore'),
  };

  async function locate(uri: string): Promise<string> {
    const problem = problemOfForm(uri);
    if (problem !== undefined) throw invalid(uri, problem);
    const [, written, rest] = scheme.exec(uri) ?? [];
    if (written === undefined || rest === undefined) return inWorkspace(folders.root, uri);
    const name = written.toLowerCase();
    if (fileSystemSchemes.has(name)) return inside(folders.dfs, rest.replace(/^\/+/, ''), uri);
    return objectStorageSchemes.has(name) ? inObjectStorage(folders.objstore, rest, uri) : machineFile(rest, uri);
  }

  async function existingFile(uri: string, what: string): Promise<string> {
    const path = await locate(uri);
    if (await isFile(path)) return path;
    if (await exists(path))
      throw new AppError('invalid', `${what} ${quoted(uri)} is not a file; nothing was run.`, {
        remedy: `${path} is a folder or a device. Name the file itself.`,
      });
    throw missing(what, uri, path);
  }

  // A window without a folder has an empty root inside the data folder, where nobody puts files.
  const isFolderless = contains(resolve(options.dataFolder), folders.root);

  function missing(what: string, uri: string, path: string): AppError {
    const remedy =
      isFolderless && uri.startsWith('/')
        ? 'No folder is open. Open the folder that contains the file, then deploy and run the job there, or name the file with file:/.'
        : `Put it at ${path}, or correct the path in the task.`;
    return new AppError('notFound', `${what} ${quoted(uri)} was not found; nothing was run.`, { remedy });
  }

  return {
    locate,
    existingFile,
    async notebook(uri) {
      const path = await locate(uri);
      for (const candidate of ['', ...notebookExtensions].map((extension) => path + extension)) {
        if (!(await isFile(candidate))) continue;
        // The suffix may lead through a link that the bare path does not have.
        const checked = candidate === path ? path : await locate(`${uri}${candidate.slice(path.length)}`);
        return { path: checked, format: checked.toLowerCase().endsWith('.ipynb') ? 'ipynb' : 'source' };
      }
      throw missing('Notebook', uri, `${path}(${notebookExtensions.join(', ')})`);
    },
    async outputFolder(uri) {
      const path = await locate(uri);
      try {
        makeFolder(path);
      } catch (error) {
        throw new AppError('unavailable', `The folder ${path} for ${uri} cannot be created: ${messageOf(error)}`, {
          cause: error,
          remedy: 'Choose another destination, or free some disk space.',
        });
      }
      return path;
    },
  };
}

async function inWorkspace(root: string, uri: string): Promise<string> {
  const path = await inside(root, uri.replace(/^\/+/, ''), uri);
  // Real workspaces also write `/Users/…` as `/Workspace/Users/…`.
  const short = /^\/Workspace(\/.*)$/.exec(uri)?.[1];
  if (short && !(await exists(join(root, 'Workspace')))) return inside(root, short.replace(/^\/+/, ''), uri);
  return path;
}

async function inObjectStorage(folder: string, rest: string, uri: string): Promise<string> {
  const [bucket, ...path] = rest.replace(/^\/+/, '').split('/');
  if (!bucket || bucket === '.' || bucket === '..') throw invalid(uri, 'the bucket is missing');
  const target = await inside(folder, [bucket, ...path].join('/'), uri);
  if (!contains(join(folder, bucket), target)) throw outside(uri, join(folder, bucket));
  return target;
}

function machineFile(rest: string, uri: string): string {
  const path = rest.replace(/^\/+/, '/').replace(/^\/(?=[a-z]:[\\/])/i, '');
  if (!isAbsolute(path)) throw invalid(uri, 'a file: path is absolute');
  return resolve(path);
}

async function inside(folder: string, path: string, uri: string): Promise<string> {
  // On Windows, a backslash is a separator and a colon opens a stream or a drive. No path of the API contains them.
  if (process.platform === 'win32' && /[\\:]/.test(path)) throw invalid(uri, 'it contains a backslash or a colon');
  const target = resolve(folder, path);
  if (!contains(folder, target)) throw outside(uri, folder);
  if (!contains(await realPathOf(folder), await realPathOf(target))) throw outside(uri, folder);
  return target;
}

function contains(folder: string, path: string): boolean {
  const step = relative(folder, path);
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}

/** Returns the real path. Its last parts may not exist yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) {
      throw new AppError('invalid', `The path ${path} cannot be resolved: ${messageOf(error)}`, { cause: error });
    }
    return join(await realPathOf(parent), basename(path));
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}

function invalid(uri: string, reason: string): AppError {
  return new AppError('invalid', `The path ${quoted(uri)} was not used: ${reason}.`, {
    remedy: pathForms,
  });
}

function outside(uri: string, folder: string): AppError {
  return new AppError('invalid', `The path ${quoted(uri)} was not used: it is outside of ${folder}.`, {
    remedy: 'Put the file into that folder, or name it with file:/.',
  });
}

function quoted(text: string): string {
  return shortened(text, 200).replace(/[\0-\x1f\x7f]/g, '?');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
