import assert from 'node:assert/strict';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { file, jobFiles, readFileText, replaceText } = await import('../../../../src/commands/host/editorFiles.ts');

describe('a text of the workspace that a command writes anew', () => {
  holdTrail(import.meta.url);
  beforeEach(() => editor.reset());

  it('is replaced as a whole, so that it can be undone, and shown', async () => {
    editor.documents = [textFile('file:///work/etl.job.yml', 'name: a\nmax_retries: 1\n')] as never;
    await replaceText('file:///work/etl.job.yml', 'name: a\nmax_retries: 1\n', 'name: b\n');
    assert.deepEqual(
      editor.edits.map(([uri, range, text]) => [String(uri), range, text]),
      [
        [
          'file:///work/etl.job.yml',
          new standIn.Range(new standIn.Position(0, 0), new standIn.Position(2, 0)),
          'name: b\n',
        ],
      ],
    );
    assert.equal(editor.shownDocuments.length, 1);
  });

  it('is left as it is where it says something else by now', async () => {
    editor.documents = [textFile('file:///work/etl.job.yml', 'name: c\n')] as never;
    await assert.rejects(
      replaceText('file:///work/etl.job.yml', 'name: a\n', 'name: b\n'),
      /etl\.job\.yml was not changed: it says something else by now/,
    );
    assert.deepEqual([editor.edits, editor.shownDocuments], [[], []]);
  });
});

describe('a file that a command is about', () => {
  holdTrail(import.meta.url, '-2');
  beforeEach(() => editor.reset());

  it('has the name that people know it by, its text, and whether it is a job file', async () => {
    editor.documents = [
      textFile('file:///work/deep/etl.job.yml', 'name: a\n'),
      textFile('file:///work/deep/b.py', 'x', 'python'),
    ] as never;
    assert.deepEqual(await file('file:///work/deep/etl.job.yml'), {
      uri: 'file:///work/deep/etl.job.yml',
      name: 'etl.job.yml',
      text: 'name: a\n',
      isJobFile: true,
    });
    assert.deepEqual((await file('file:///work/deep/b.py'))?.isJobFile, false);
    assert.equal(await file(), undefined, 'no editor is active');
    editor.documents = [
      textFile('untitled:Untitled-1', 'name: a\n'),
      textFile('file:///work/plain.job.yml', 'name: a\n', 'yaml'),
    ] as never;
    const isJobFile = async (uri: string): Promise<boolean | undefined> => (await file(uri))?.isJobFile;
    assert.deepEqual(
      [await isJobFile('untitled:Untitled-1'), await isJobFile('file:///work/plain.job.yml')],
      [true, false],
      'the language that the user chose counts',
    );
  });

  it('is read as the editor has it, else as it is stored, and is nothing where it is gone', async () => {
    const { readFile } = standIn.workspace.fs;
    standIn.workspace.fs.readFile = async ({ path }) => {
      if (path.endsWith('gone.py')) throw new Error('gone');
      return new TextEncoder().encode('stored');
    };
    standIn.workspace.textDocuments = [textFile('file:///work/a.py', 'not saved yet', 'python')];
    try {
      assert.deepEqual(
        await Promise.all(['a.py', 'b.py', 'gone.py'].map((name) => readFileText(`file:///work/${name}`))),
        ['not saved yet', 'stored', undefined],
      );
    } finally {
      standIn.workspace.fs.readFile = readFile;
      standIn.workspace.textDocuments = [];
    }
  });

  it('may be chosen of the job files in the order of their names, without those of packages, and of 500 at most', async () => {
    editor.files = new Set(['/work/b.job.yml', '/work/a/a.job.yaml', '/work/c.job.yml']);
    assert.deepEqual(
      (await jobFiles()).map(({ name }) => name),
      ['a/a.job.yaml', 'b.job.yml', 'c.job.yml'],
    );
    assert.deepEqual(editor.asked, [['**/*.job.{yml,yaml}', '**/node_modules/**', 500]]);
  });
});
