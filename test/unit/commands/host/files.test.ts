import assert from 'node:assert/strict';
import fs from 'node:fs';
import os, { tmpdir } from 'node:os';
import path, { dirname, join } from 'node:path';
import { writeExport } from '../../../../src/commands/host/editorUi.ts';
import { previewPage } from '../../../../src/commands/host/previewPage.ts';
import { exportFileNames } from '../../../../src/runs/exportNames.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { hostileNames } from '../../../support/hostileNames.ts';

const { activeFile, readWorkspaceText, workspaceFile } =
  await import('../../../../src/commands/host/workspaceTexts.ts');

describe('files that models may read', () => {
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

  it('are text files in the workspace', async () => {
    put('jobs/etl.py', 'import x');
    assert.equal(await readWorkspaceText('jobs/etl.py'), 'import x');
    assert.equal(await readWorkspaceText('./jobs\\etl.py'), 'import x');
    await assert.rejects(readWorkspaceText('jobs/none.py'), /There is no file jobs\/none\.py/);
  });

  it('are never hidden, linked or outside the workspace', async () => {
    fs.writeFileSync(path.join(outside, 'secret'), 'token');
    editor.files.add(path.join(outside, 'secret'));
    for (const name of ['../secret', 'jobs/../../secret', '.env', 'jobs/.git/config', 'C:\\secret'])
      await assert.rejects(readWorkspaceText(name), /is hidden or outside of the workspace/, name);
    fs.symlinkSync(path.join(outside, 'secret'), path.join(folder, 'link'));
    editor.files.add(path.join(folder, 'link'));
    editor.contents.set(path.join(folder, 'link'), 'token');
    await assert.rejects(readWorkspaceText('link'), /is hidden or outside of the workspace/);
  });

  it('include unsaved changes of the editor', async () => {
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

  it('are neither binary nor too large', async () => {
    put('a.bin', 'a\0b');
    await assert.rejects(readWorkspaceText('a.bin'), /is not a text file/);
    put('big.csv', 'x'.repeat(200_001));
    await assert.rejects(readWorkspaceText('big.csv'), /too much to read/);
  });

  it('are read up to 200 kB', async () => {
    put('big.csv', 'x'.repeat(200_000));
    assert.equal((await readWorkspaceText('big.csv')).length, 200_000);
  });

  it('start with the name of their folder when there are several', async () => {
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
});

describe('writing exports', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = fs.mkdtempSync(join(tmpdir(), 'millrace-export-'));
    folder = join(parent, 'deep', 'folder');
    fs.mkdirSync(folder, { recursive: true });
  });
  afterEach(() => fs.rmSync(parent, { recursive: true, force: true }));

  it('keeps 200 hostile names in the folder and overwrites nothing (P21)', async () => {
    const views = Array.from({ length: 200 }, (_, index) => ({
      name: hostileNames[index % hostileNames.length] ?? '',
      type: 'NOTEBOOK',
    }));
    const written: string[] = [];
    for (const round of ['first', 'second']) {
      for (const [index, name] of exportFileNames('7', views).entries())
        written.push(await writeExport(folder, name, `${round} ${index}`));
    }
    assert.equal(new Set(written).size, 400);
    assert.deepEqual([...new Set(written.map((file) => dirname(file)))], [folder]);
    assert.deepEqual(fs.readdirSync(parent), ['deep']);
    assert.deepEqual(fs.readdirSync(join(parent, 'deep')), ['folder']);
    assert.deepEqual(
      written.map((file) => fs.readFileSync(file, 'utf8')),
      ['first', 'second'].flatMap((round) => views.map((_, index) => `${round} ${index}`)),
    );
  });

  it('keeps path-like names in the folder and follows no link (P21)', async () => {
    fs.writeFileSync(join(parent, 'outside.html'), 'mine');
    fs.symlinkSync(join(parent, 'outside.html'), join(folder, 'link.html'));
    fs.symlinkSync(join(parent, 'new.html'), join(folder, 'dangling.html'));
    for (const name of [
      '../outside.html',
      '../../outside.html',
      join(parent, 'outside.html'),
      'link.html',
      'dangling.html',
    ]) {
      const file = await writeExport(folder, name, 'theirs');
      assert.equal(dirname(file), folder);
      assert.ok(fs.lstatSync(file).isFile(), name);
    }
    assert.equal(fs.readFileSync(join(parent, 'outside.html'), 'utf8'), 'mine');
    assert.deepEqual(fs.readdirSync(parent).sort(), ['deep', 'outside.html']);
  });

  it('numbers a name that is taken, up to 999', async () => {
    const nameOf = (count: number): string => (count === 1 ? 'a.html' : `a (${count}).html`);
    for (let count = 1; count < 999; count += 1) fs.writeFileSync(join(folder, nameOf(count)), '');
    assert.equal(await writeExport(folder, 'a.html', 'x'), join(folder, 'a (999).html'));
    await assert.rejects(writeExport(folder, 'a.html', 'x'), {
      message: `${folder} already has 1,000 files named like a.html, so nothing was written.`,
      remedy: 'Choose another folder.',
    });
    assert.equal(fs.readdirSync(folder).length, 999);
  });

  it('reports what could not be written and leaves nothing of it', async () => {
    await assert.rejects(writeExport(join(folder, 'none'), 'a.html', 'x'), /Could not write.*incomplete/);
    await assert.rejects(writeExport(folder, 'half.html', 5 as never), /Could not write .*half\.html.*incomplete/);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});

describe('the page of an exported run', () => {
  const html = previewPage('run "7"', '<script>alert(1)</script><p title="x">kept</p>');
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self' data: blob:";

  it('loads nothing from outside (P20)', () => {
    assert.equal(/Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1], policy);
  });

  it('shows the run in a sandboxed frame under the same policy (P20)', () => {
    const frame = /<iframe sandbox title="run &quot;7&quot;" srcdoc="([^"]*)"><\/iframe>/.exec(html)?.[1] ?? '';
    const inner = frame
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
    assert.equal(
      inner,
      `<meta http-equiv="Content-Security-Policy" content="${policy}"><script>alert(1)</script><p title="x">kept</p>`,
    );
    assert.equal(html.includes('<script'), false);
  });
});
