import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileMap, type FileMap } from '../../../../src/service/base/fileMap.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';

describe('File map', () => {
  let folder: string;
  let root: string;
  let data: string;
  let files: FileMap;

  eachWithTempFolder((one) => (folder = one));
  beforeEach(async () => {
    root = join(folder, 'root');
    data = join(folder, 'data');
    await mkdir(join(root, 'dir'), { recursive: true });
    await mkdir(join(data, 'dfs'), { recursive: true });
    await writeFile(join(root, 'x.py'), '');
    await writeFile(join(root, 'dir', 'source.py'), '');
    await writeFile(join(root, 'dir', 'book.ipynb'), '{}');
    await writeFile(join(folder, 'outside.py'), '');
    files = createFileMap({ root, dataFolder: data });
  });

  it('takes each URI scheme from its own folder', async () => {
    assert.equal(await files.locate('/x.py'), join(root, 'x.py'));
    assert.equal(await files.locate('dfs:/a/b.jar'), join(data, 'dfs', 'a', 'b.jar'));
    assert.equal(await files.locate('dfs:///a/b.jar'), join(data, 'dfs', 'a', 'b.jar'));
    assert.equal(await files.locate('dbfs:/a/b.jar'), join(data, 'dfs', 'a', 'b.jar'));
    assert.equal(await files.locate('objstore://bucket/a.whl'), join(data, 'objstore', 'bucket', 'a.whl'));
    assert.equal(await files.locate('s3://bucket/a.whl'), join(data, 'objstore', 'bucket', 'a.whl'));
    assert.equal(await files.locate(`file:${join(folder, 'outside.py')}`), join(folder, 'outside.py'));
    assert.equal(await files.locate(`file://${join(folder, 'outside.py')}`), join(folder, 'outside.py'));
    assert.equal(await files.locate('/Workspace/x.py'), join(root, 'x.py'));
  });

  it('accepts every name of the two stores and refuses what is no path', async () => {
    for (const name of ['s3a', 's3n', 'gs', 'abfss', 'wasbs', 'OBJSTORE'])
      assert.equal(await files.locate(`${name}://bucket/a`), join(data, 'objstore', 'bucket', 'a'), name);
    assert.equal(await files.locate('dfs:/a%2Fb'), join(data, 'dfs', 'a%2Fb'));
    const refused: [uri: string, words: RegExp][] = [
      ['x.py', /a workspace path starts with a slash/],
      ['ftp://h/x', /the scheme ftp: is not supported here/],
      ['/a\0b', /"?\/a\?b.* it holds a NUL character/],
      ['objstore://', /the bucket is missing/],
      ['objstore://../x', /the bucket is missing/],
      ['objstore://./x', /the bucket is missing/],
      ['file:x.py', /a file: path is absolute/],
    ];
    for (const [uri, words] of refused) {
      await assert.rejects(
        files.locate(uri),
        (error) =>
          isAppError(error) &&
          error.kind === 'invalid' &&
          words.test(error.message) &&
          error.remedy?.startsWith('Write /folder/file') === true,
        uri,
      );
    }
    for (const [length, end] of [
      [196, ' was'],
      [197, '… was'],
    ] as const)
      await assert.rejects(files.locate(`ftp:${'x'.repeat(length)}`), (error: Error) =>
        error.message.includes(`ftp:${'x'.repeat(196)}${end}`),
      );
  });

  it('prefers an existing folder named Workspace', async () => {
    await mkdir(join(root, 'Workspace'));
    assert.equal(await files.locate('/Workspace/x.py'), join(root, 'Workspace', 'x.py'));
  });

  it('finds existing files and makes folders for output', async () => {
    assert.equal(await files.existingFile('/x.py', 'File'), join(root, 'x.py'));
    await assert.rejects(files.existingFile('/dir', 'File'), {
      kind: 'invalid',
      message: /^File \/dir is not a file/,
    });
    const made = await files.outputFolder('dfs:/logs/deep');
    assert.equal(made, join(data, 'dfs', 'logs', 'deep'));
    await writeFile(join(made, 'log'), '');
    await assert.rejects(files.outputFolder('dfs:/logs/deep/log'), {
      kind: 'unavailable',
      remedy: 'Choose another destination, or free some disk space.',
    });
  });

  it('says where a missing file belongs, and to open a folder where none is open', async () => {
    const remedyOf = async (map: FileMap, uri: string): Promise<string | undefined> =>
      map.existingFile(uri, 'File').then(
        () => undefined,
        (error: unknown) => (isAppError(error) && error.kind === 'notFound' ? error.remedy : String(error)),
      );
    assert.equal(
      await remedyOf(files, '/main.py'),
      `Put it at ${join(root, 'main.py')}, or correct the path in the task.`,
    );
    await mkdir(join(data, 'empty'));
    const folderless = createFileMap({ root: join(data, 'empty'), dataFolder: data });
    assert.match(
      (await remedyOf(folderless, '/main.py')) ?? '',
      /^No folder is open.* Open the folder that contains the file, then deploy and run the job there/,
    );
    await assert.rejects(
      folderless.notebook('/main'),
      (error) => isAppError(error) && error.remedy?.startsWith('No folder is open') === true,
    );
    assert.equal(
      await remedyOf(folderless, 'dfs:/main.py'),
      `Put it at ${join(data, 'dfs', 'main.py')}, or correct the path in the task.`,
    );
  });

  it('never leaves a folder, neither by dots nor by links', async () => {
    await symlink(folder, join(root, 'link'));
    await symlink(join(folder, 'outside.py'), join(root, 'linked.py'));
    await symlink(join(folder, 'outside.py'), join(data, 'dfs', 'linked.py'));
    await mkdir(join(data, 'objstore'), { recursive: true });
    await symlink(folder, join(data, 'objstore', 'linked'));
    const paths = [
      '/../outside.py',
      '/dir/../../outside.py',
      '//../outside.py',
      '/link/outside.py',
      '/link/new.py',
      '/linked.py',
      '/linked',
      'dfs:/../../outside.py',
      'dfs:/linked.py',
      'dfs:../x',
      'objstore://../x',
      'objstore://b/../../x',
      'objstore://b/../c/x',
      'objstore://linked/outside.py',
      'objstore:///',
      'objstore://./x',
      'x.py',
      '',
      '../x.py',
      'http://example.org/x.py',
      'file:relative.py',
      '/x\0.py',
    ];
    for (const path of paths) {
      await assert.rejects(files.notebook(path), { kind: 'invalid', remedy: /./ }, path);
    }
  });

  it('treats an encoded dot as part of a name', async () => {
    assert.equal(await files.locate('dfs:/%2e%2e/x'), join(data, 'dfs', '%2e%2e', 'x'));
    await assert.rejects(files.existingFile('/%2e%2e/outside.py', 'Python file'), { kind: 'notFound' });
  });

  it('finds a notebook by its languages in order and follows no link out of the folder', async () => {
    const place = join(root, 'many');
    await mkdir(join(place, 'book.R'), { recursive: true });
    const found: string[] = [];
    const extensions = ['.py', '.ipynb', '.sql', '.scala', '.r'];
    for (const extension of extensions) await writeFile(join(place, `book${extension}`), '');
    for (const extension of extensions) {
      const { path, format } = await files.notebook('/many/book');
      found.push(`${path.slice(place.length)} ${format}`);
      await rm(join(place, `book${extension}`));
    }
    assert.deepEqual(found, [
      '/book.py source',
      '/book.ipynb ipynb',
      '/book.sql source',
      '/book.scala source',
      '/book.r source',
    ]);
    await rm(join(place, 'book.R'), { recursive: true, force: true });
    await writeFile(join(place, 'book.R'), '');
    assert.deepEqual(await files.notebook('/many/book'), { path: join(place, 'book.R'), format: 'source' });
    await writeFile(join(place, 'LOUD.IPYNB'), '');
    assert.equal((await files.notebook('/many/LOUD.IPYNB')).format, 'ipynb');
    await assert.rejects(files.notebook('/many/none\n'), (error) => {
      assert.ok(isAppError(error));
      assert.deepEqual(
        [error.kind, error.message, error.remedy],
        [
          'notFound',
          'Notebook /many/none? was not found; nothing was run.',
          `Put it at ${join(place, 'none\n')}(.py, .ipynb, .sql, .scala, .r, .R), or correct the path in the task.`,
        ],
      );
      return true;
    });
  });
});
