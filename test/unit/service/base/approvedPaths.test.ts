import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFileMap, problemOfForm, type FileMap } from '../../../../src/service/base/fileMap.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { assertApproved } from '../../../support/approved.ts';

const present = [
  ...[
    'root/x.py',
    'root/dir/book.ipynb',
    'root/dir/both.py',
    'root/dir/both.ipynb',
    'root/q.sql',
    'root/s.scala',
    'root/r.r',
  ],
  ...[
    'root/R.R',
    'root/Upper.IPYNB',
    'root/plain',
    'root/Workspace2/x.py',
    'data/dfs/a/b.jar',
    'data/objstore/bucket/a.whl',
  ],
  ...['out/x.py', 'out/notebook.py'],
];
const links: Record<string, string> = {
  'root/out': '../out',
  'root/in': 'dir',
  'root/lost': 'nowhere',
  'root/far.py': '../out/x.py',
  'data/dfs/root': '../../root',
  'root/loop': 'loop',
};
const paths = [
  ...[
    '',
    '/',
    '/x.py',
    '//x.py',
    '///dir//both.py',
    '/dir',
    '/dir/',
    '/dir/../x.py',
    '/../out/x.py',
    '/dir/../../out/x.py',
    '/..',
    '/...',
  ],
  ...[
    '/..x',
    '/none',
    '/none/deep/x.py',
    '/out/x.py',
    '/out/none.py',
    '/in/both.py',
    '/in/none',
    '/lost',
    '/far.py',
    '/far',
    '/loop',
    '/loop/x',
  ],
  ...[
    '/x.py/below',
    '/dir/book',
    '/dir/both',
    '/dir/both.py',
    '/q',
    '/s',
    '/r',
    '/R',
    '/Upper',
    '/plain',
    '/a%2Fb',
    '/a\0b',
    '/a\nb',
    'x.py',
  ],
  ...[
    '/Workspace/x.py',
    '/Workspace',
    '/Workspace/',
    '/Workspace//dir/both',
    '/Workspace2/x.py',
    '/Workspace/../x.py',
    '/a/Workspace/x.py',
  ],
  ...[
    'dfs:/a/b.jar',
    'dfs:///a/b.jar',
    'dfs:a/b.jar',
    'DBFS:/a/b.jar',
    'dbfs:/a/../a/b.jar',
    'dfs:/../objstore/bucket/a.whl',
    'dfs:/root/x.py',
  ],
  ...[
    'dfs:',
    'dfs:/',
    'objstore://bucket/a.whl',
    'objstore:/bucket/a.whl',
    'objstore://bucket',
    'objstore://',
    'objstore:///',
    'objstore://./a',
  ],
  ...[
    'objstore://../a',
    'objstore://bucket/../other/a',
    's3://bucket/a.whl',
    's3a://b/x',
    's3n://b/x',
    'gs://b/x',
    'abfss://b/x',
    'wasbs://b/x',
  ],
  ...[
    'file:<folder>/out/x.py',
    'file://<folder>/out/x.py',
    'file:///<folder>/out/x.py',
    'file:x.py',
    'file:/C:/x.py',
    'file:c:\\x.py',
  ],
  ...['ftp://h/x', 'c:/x', 'C:\\x', 'http:x', `/${'long'.repeat(80)}`],
];

describe('the paths of the Jobs API', () => {
  let folder: string;
  let files: FileMap;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-paths-')));
    for (const path of present) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), 'x');
    }
    for (const [path, target] of Object.entries(links)) await symlink(target, join(folder, path));
    files = createFileMap({ root: join(folder, 'root'), dataFolder: join(folder, 'data') });
  });
  after(() => rm(folder ?? '', { recursive: true, force: true }));

  const told = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      return JSON.stringify(await work());
    } catch (error) {
      const { kind, message, remedy } = error as AppError;
      return `${kind}: ${message}${remedy === undefined ? '' : ` (${remedy})`}`;
    }
  };

  it('stand for files as approved', async () => {
    const lines: string[] = [];
    for (const path of paths) {
      const uri = path.replace('<folder>', folder);
      lines.push(JSON.stringify(path.slice(0, 60)), `  form: ${problemOfForm(uri) ?? 'fine'}`);
      lines.push(`  locate: ${await told(() => files.locate(uri))}`);
      lines.push(`  file: ${await told(() => files.existingFile(uri, 'File'))}`);
      lines.push(`  notebook: ${await told(() => files.notebook(uri))}`);
    }
    for (const uri of ['dfs:/logs/new', 'dfs:/a/b.jar/x', '/../x'])
      lines.push(`folder ${uri}: ${await told(() => files.outputFolder(uri))}`);
    const inData = createFileMap({ root: join(folder, 'data', 'empty'), dataFolder: join(folder, 'data') });
    for (const uri of ['/x.py', 'dfs:/x.py'])
      lines.push(`no folder, ${uri}: ${await told(() => inData.existingFile(uri, 'File'))}`);
    assertApproved('paths', `${lines.join('\n').replaceAll(folder, '<folder>')}\n`);
  });
});
