import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJobFile } from '../../../src/cli/deployFile.ts';
import { projectFolder } from '../../../src/cli/openService.ts';
import { byWorkspaceRoot, workspaceRootOf } from '../../../src/cli/workspaceRoot.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';

describe('the folder that the paths of a job file are taken from', () => {
  const before = process.cwd();
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-root-')));
    mkdirSync(join(folder, 'project', '.git'), { recursive: true });
    mkdirSync(join(folder, 'project', 'deep', 'jobs'), { recursive: true });
    process.chdir(join(folder, 'project'));
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  const write = (path: string, text = ''): void => writeFileSync(join(folder, path), text);
  const rootOf = async (path: string, file = '/main.py'): Promise<string> => {
    write(path, `name: x\nexisting_cluster_id: c\nspark_python_task: {python_file: "${file}"}\n`);
    return workspaceRootOf(await readJobFile(join(folder, path)));
  };

  it('is the nearest above it in which they are found', async () => {
    write('project/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project'));
    write('project/deep/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep'));
    write('project/deep/jobs/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep', 'jobs'));
  });

  it('is one in which all of them are found, wherever each of them may be', async () => {
    const both =
      'name: x\nexisting_cluster_id: c\nspark_python_task: {python_file: /main.py}\nnotebook_task: {notebook_path: /book}\n';
    const document = parseDocument(both);
    const root = (): string =>
      workspaceRootOf({ path: join(folder, 'project', 'deep', 'jobs', 'a.job.yml'), document, settings: {} });
    write('project/deep/jobs/main.py');
    assert.equal(root(), join(folder, 'project'), 'the current one');
    write('project/deep/main.py');
    write('project/deep/book.ipynb');
    assert.equal(root(), join(folder, 'project', 'deep'));
  });

  it('is that of the file where it stands beside the current one', async () => {
    mkdirSync(join(folder, 'project..'));
    mkdirSync(join(folder, 'beside'));
    assert.equal(await rootOf('beside/a.job.yml'), join(folder, 'beside'));
    assert.equal(await rootOf('project../a.job.yml'), join(folder, 'project..'));
  });

  it('is none outside of its project, however well that fits', async () => {
    write('main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project'));
    mkdirSync(join(folder, 'project', 'deep', '.git'));
    write('project/main.py');
    process.chdir(join(folder, 'project', 'deep', 'jobs'));
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep', 'jobs'));
  });

  it('is the current one where nothing is found or looked for, and that of a file elsewhere', async () => {
    assert.equal(await rootOf('project/deep/a.job.yml'), join(folder, 'project'));
    write('project/deep/main.py');
    assert.equal(await rootOf('project/deep/a.job.yml', 'dfs:/main.py'), join(folder, 'project'));
    process.chdir(join(folder, 'project', 'deep', 'jobs'));
    assert.equal(await rootOf('project/a.job.yml', 'dfs:/main.py'), join(folder, 'project'));
  });

  it('is that of each of several files', async () => {
    mkdirSync(join(folder, 'other'));
    write('other/main.py');
    write('project/main.py');
    for (const path of ['project/deep/a.job.yml', 'project/b.job.yml', 'other/c.job.yml']) await rootOf(path);
    const files = ['project/deep/a', 'other/c', 'project/b'].map((path) =>
      readJobFile(join(folder, `${path}.job.yml`)),
    );
    assert.deepEqual(
      [...byWorkspaceRoot(await Promise.all(files))].map(([root, ofRoot]) => [root, ofRoot.length]),
      [
        [join(folder, 'project'), 2],
        [join(folder, 'other'), 1],
      ],
    );
  });

  it('is in the project of the repository that it is in', () => {
    assert.equal(projectFolder(join(folder, 'project', 'deep', 'jobs')), join(folder, 'project'));
    assert.equal(projectFolder(), join(folder, 'project'));
  });
});
