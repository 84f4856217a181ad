import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { activeFile, listWorkspaceFiles, readWorkspaceText, workspaceFile } =
  await import('../../../../src/commands/host/workspaceTexts.ts');

describe('the files that models may read', () => {
  holdTrail(import.meta.url);
  let outside: string;
  let folder: string;
  const put = (name: string, text: string): void => {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    editor.files.add(file);
    editor.contents.set(file, text);
  };
  beforeEach(() => {
    editor.reset();
    outside = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-files-'));
    folder = path.join(outside, 'work');
    fs.mkdirSync(folder);
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file(folder), name: 'work' }];
  });
  afterEach(() => fs.rmSync(outside, { recursive: true, force: true }));

  it('are texts of the workspace by their paths in it', async () => {
    put('jobs/etl.py', 'import x');
    assert.equal(await readWorkspaceText('jobs/etl.py'), 'import x');
    assert.equal(await readWorkspaceText('./jobs\\etl.py'), 'import x');
    await assert.rejects(readWorkspaceText('jobs/none.py'), /There is no file jobs\/none\.py/);
  });

  it('are none outside of it, none that are hidden, and nothing that a link leads to', async () => {
    fs.writeFileSync(path.join(outside, 'secret'), 'token');
    editor.files.add(path.join(outside, 'secret'));
    for (const name of ['../secret', 'jobs/../../secret', '.env', 'jobs/.git/config', 'C:\\secret'])
      await assert.rejects(readWorkspaceText(name), /is hidden or outside of the workspace/, name);
    fs.symlinkSync(path.join(outside, 'secret'), path.join(folder, 'link'));
    editor.files.add(path.join(folder, 'link'));
    editor.contents.set(path.join(folder, 'link'), 'token');
    await assert.rejects(readWorkspaceText('link'), /is hidden or outside of the workspace/);
  });

  it('may be changed as the editor has them, and nothing outside may, also where the active editor shows it', async () => {
    put('jobs/etl.py', 'import x');
    editor.documents.push(textFile(`file://${folder}/jobs/etl.py`, 'import y', 'python') as never);
    const file = await workspaceFile('jobs/etl.py');
    assert.deepEqual([file.path, file.text, file.name], ['jobs/etl.py', 'import y', 'etl.py']);
    for (const isDirty of [true, false]) {
      Object.assign(editor.documents[0] ?? {}, { isDirty });
      assert.equal((await workspaceFile('jobs/etl.py')).isDirty, isDirty);
    }
    await assert.rejects(workspaceFile('../secret'), /is hidden or outside of the workspace/);
    standIn.window.activeTextEditor = { document: textFile('file:///elsewhere/a.py', 'x') };
    assert.equal(await activeFile(), undefined);
  });

  it('are no folders, and may be on no disk of this machine', async () => {
    put('jobs/etl.py', 'import x');
    const { stat } = standIn.workspace.fs;
    try {
      standIn.workspace.fs.stat = async () => ({ type: standIn.FileType.Directory, size: 0 });
      await assert.rejects(readWorkspaceText('jobs'), /There is no file jobs in the workspace/);
    } finally {
      standIn.workspace.fs.stat = stat;
    }
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.parse('vscode-vfs://host/far'), name: 'far' }];
    editor.files.add('/far/a.py');
    editor.contents.set('/far/a.py', 'from afar');
    assert.equal(await readWorkspaceText('a.py'), 'from afar');
  });

  it('are changed only where they could be read as texts', async () => {
    put('a.bin', 'a\0b');
    editor.documents.push(textFile(`file://${folder}/a.bin`, 'a\0b') as never);
    await assert.rejects(workspaceFile('a.bin'), /is not a text file/);
  });

  it('are no programs, and none that are too large', async () => {
    put('a.bin', 'a\0b');
    await assert.rejects(readWorkspaceText('a.bin'), /is not a text file/);
    put('big.csv', 'x'.repeat(200_001));
    await assert.rejects(readWorkspaceText('big.csv'), /too much to be read/);
  });

  it('are listed without hidden ones', async () => {
    editor.files.add('/work/b.py').add('/work/.env').add('/work/a.py');
    assert.deepEqual(await listWorkspaceFiles(''), ['a.py', 'b.py']);
    await listWorkspaceFiles('jobs/');
    assert.equal((editor.asked.at(-1) as unknown[])[0], 'jobs/**/*');
    await assert.rejects(listWorkspaceFiles('../..'), /outside of the workspace/);
  });

  it('are read up to 200 kB', async () => {
    put('big.csv', 'x'.repeat(200_000));
    assert.equal((await readWorkspaceText('big.csv')).length, 200_000);
  });

  it('begin with the name of their folder where there are several, and may where there is one', async () => {
    const other = path.join(outside, 'other');
    fs.mkdirSync(other);
    const folders = [
      { uri: standIn.Uri.file(folder), name: 'work' },
      { uri: standIn.Uri.file(other), name: 'other' },
    ];
    put('a.py', 'of work');
    put('work/b.py', 'below');
    fs.writeFileSync(path.join(other, 'c.py'), '');
    editor.files.add(path.join(other, 'c.py'));
    editor.contents.set(path.join(other, 'c.py'), 'of other');
    const readIn = async (all: typeof folders, name: string): Promise<string> => {
      standIn.workspace.workspaceFolders = all;
      return readWorkspaceText(name).catch((error: Error) => error.message);
    };
    assert.equal(await readIn(folders, 'work/a.py'), 'of work');
    assert.equal(await readIn(folders, 'a.py'), 'of work');
    assert.equal(await readIn(folders, 'other/c.py'), 'of other');
    assert.equal(await readIn(folders, 'c.py'), 'of other');
    assert.equal(await readIn(folders, 'other/a.py'), 'There is no file other/a.py in the workspace.');
    assert.equal(await readIn(folders.slice(0, 1), 'work/b.py'), 'below');
    assert.equal(await readIn(folders.slice(0, 1), 'work/a.py'), 'There is no file work/a.py in the workspace.');
    assert.equal(await readIn(folders.slice(0, 1), 'other/c.py'), 'There is no file other/c.py in the workspace.');
  });

  it('is the one of the active editor where none is named and it is one of the workspace', async () => {
    put('jobs/etl.py', 'import x');
    const document = textFile(`file://${folder}/jobs/etl.py`, 'import y', 'python');
    editor.documents.push(document as never);
    standIn.window.activeTextEditor = { document };
    const { asRelativePath, getWorkspaceFolder } = standIn.workspace;
    try {
      standIn.workspace.getWorkspaceFolder = () => ({});
      standIn.workspace.asRelativePath = () => 'jobs/etl.py';
      assert.deepEqual([(await activeFile())?.path, (await activeFile())?.text], ['jobs/etl.py', 'import y']);
      standIn.window.activeTextEditor = undefined;
      assert.equal(await activeFile(), undefined);
    } finally {
      Object.assign(standIn.workspace, { asRelativePath, getWorkspaceFolder });
    }
  });
});
