import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { WorkspacePlaces } = await import('../../../../src/runs/host/workspacePlaces.ts');

describe('a file that an output names, in the workspace', () => {
  let run: Run | undefined;
  let places: InstanceType<typeof WorkspacePlaces>;
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }, { uri: standIn.Uri.file('/second') }];
    run = undefined;
    places = new WorkspacePlaces(() => run);
  });
  const { openNotebookDocument } = standIn.workspace;
  afterEach(() => void Object.assign(standIn.workspace, { openNotebookDocument }));
  /** A raw cell, text, an empty cell and two of code. */
  const book = (): void => {
    const cells = [
      ['raw', 2, 'x'],
      ['markdown', 1, '# x'],
      ['python', 2, ' '],
      ['python', 2, 'a = 1'],
      ['python', 2, 'b = 2\nc = 3'],
      ['python', 2, '\n  \nd = 4\ne = 5'],
    ].map(([languageId, kind, text], index) => ({
      index,
      kind,
      document: { languageId, getText: () => text, uri: `cell-${index}` },
    }));
    const opened = { getCells: () => cells, cellAt: (index: number) => cells[index] };
    Object.assign(standIn.workspace, { openNotebookDocument: async () => opened });
  };
  const has = (...paths: string[]): void => paths.forEach((path) => editor.files.add(path));
  const fileOf = async (name: string): Promise<string | undefined> => (await places.file(name))?.path;

  it('is found by its path in a folder, and by the longest end of it', async () => {
    has('/work/jobs/etl.py', '/work/etl.py', '/second/lib/own.py');
    assert.equal(await fileOf('/work/jobs/etl.py'), '/work/jobs/etl.py');
    assert.equal(await fileOf('/Workspace/Repos/me/jobs/etl.py'), '/work/jobs/etl.py', 'the longest end');
    assert.equal(await fileOf('/Workspace/other/etl.py'), '/work/etl.py');
    assert.equal(await fileOf('C:\\runs\\lib\\own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('dbfs:/lib/own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('file:///work/jobs/etl.py'), '/work/jobs/etl.py');
    assert.equal(await fileOf('./lib/own.py'), '/second/lib/own.py');
    assert.equal(await fileOf('~/lib/own.py'), '/second/lib/own.py');
    assert.deepEqual(editor.asked, [], 'nothing was searched for');
  });

  it('is none where a library or Python itself is named, or what leads out of the folder', async () => {
    has('/work/x.py', '/work/site-packages/x.py', '/work/lib/python3.11/x.py', '/work/<frozen x>', '/x.py');
    for (const name of [
      '/work/site-packages/x.py',
      '/usr/dist-packages/x.py',
      '/work/lib/python3.11/x.py',
      '/opt/spark/python/x.py',
      '<frozen x>',
      '../x.py',
      '/',
      Array.from({ length: 41 }, () => 'a').join('/'),
    ])
      assert.equal(await fileOf(name), undefined, name);
  });

  it('is searched for by its last three names where no folder has it at its top, and taken where it is the only one', async () => {
    const deep = '/work/deep/a/b/c.py';
    has(deep);
    assert.equal(await fileOf('/w/z/a/b/c.py'), deep);
    assert.deepEqual(editor.asked, [['**/a/b/c.py', '**/{node_modules,.git,.venv,venv,__pycache__}/**', 2]]);
    has('/work/other/a/b/c.py');
    assert.equal(await fileOf('/w/z/a/b/c.py'), deep, 'it is remembered');
    places.forget();
    assert.equal(await fileOf('/w/z/a/b/c.py'), undefined, 'either may be meant');
    editor.asked.length = 0;
    await fileOf('a[1]{2}*?.py');
    assert.deepEqual(editor.asked, [['**/a?1??2???.py', '**/{node_modules,.git,.venv,venv,__pycache__}/**', 2]]);
  });

  it('is found where the folder is a link, by where it really is; a file beside the folder is no other of its name', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-places-')));
    const [link, real] = [join(folder, 'link'), join(folder, 'real')];
    try {
      rmSync(real, { recursive: true, force: true });
      symlinkSync(folder, link);
      writeFileSync(join(folder, 'etl.py'), '');
      standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file(link) }];
      // Two of its name: only where it really is tells which one.
      has(`${folder}/etl.py`, `${link}/etl.py`, `${link}/jobs/etl.py`);
      assert.equal(await fileOf(`${folder}/etl.py`), `${link}/etl.py`);
      standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
      places.forget();
      has('/elsewhere/etl.py', '/work/etl.py');
      assert.equal(await fileOf('/elsewhere/etl.py'), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has its line, or the cell of a notebook with the line in it', async () => {
    has('/work/etl.py', '/work/book.ipynb');
    book();
    const text = '# Databricks notebook source\na = 1\n\n# COMMAND ----------\n\nb = 2\nc = 3\n';
    editor.documents.push(textFile('file:///work/etl.py', text, 'python') as never);
    const place = async (name: string, line: number): Promise<unknown> => {
      const found = await places.place(name, line);
      return found && { ...found, uri: found.uri.path };
    };
    assert.deepEqual(await place('/work/etl.py', 7), { uri: '/work/etl.py', line: 6 });
    assert.deepEqual(await place('/work/book.ipynb', 3), { uri: '/work/book.ipynb', line: 2, cell: 0 });
    assert.deepEqual(
      await place('<cell 4 of /book.ipynb>', 2),
      { uri: '/work/book.ipynb', line: 1, cell: 4 },
      'raw ones are none',
    );
    assert.equal(await place('<cell 6 of /book.ipynb>', 2), undefined);
    run = { run_id: '1', task: { notebook_task: { notebook_path: '/book' } } };
    assert.deepEqual(
      await place('In[2]', 2),
      { uri: '/work/book.ipynb', line: 1, cell: 4 },
      'of what IPython is given',
    );
    assert.deepEqual(
      await place('In[3]', 2),
      { uri: '/work/book.ipynb', line: 3, cell: 5 },
      'which begins with the first line that is not empty',
    );
    assert.deepEqual(await place('<cell 5 of /book.ipynb>', 3), { uri: '/work/book.ipynb', line: 2, cell: 5 });
    assert.deepEqual(await place('<cell 2 of /etl.py>', 2), { uri: '/work/etl.py', line: 6 });
    assert.equal(await place('<cell 9 of /etl.py>', 1), undefined);
    assert.equal(await place('/work/gone.py', 1), undefined);
  });
});
