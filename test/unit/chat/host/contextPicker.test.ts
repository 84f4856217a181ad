import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/chat/conversationEvent.ts';
import { editor, shownTexts, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { droppedAttachments, fileAttachment, pickContext } = await import('../../../../src/chat/host/contextPicker.ts');

interface Offered {
  label: string;
  description?: string;
  kind?: number;
  uri?: unknown;
}

describe('what goes with a message', () => {
  let offered: Offered[];
  beforeEach(() => {
    editor.reset();
    offered = [];
  });

  /** Chooses the first entry that begins so. */
  const choose = async (...beginnings: string[]): Promise<Attachment[]> => {
    editor.pick = async (items) => {
      offered = [...(await (items as unknown as Promise<Offered[]>))];
      const beginning = beginnings.shift() ?? '';
      const found = offered.filter(({ label, kind }) => kind === undefined && label.startsWith(beginning));
      return beginnings.length === 0 && found[0]?.uri !== undefined ? found : found[0];
    };
    return pickContext();
  };
  const openFile = (...range: [number, number, number, number]): void => {
    const document = textFile('file:///work/rates.py', 'a = 1\nb = 2\nc = 3\n', 'python');
    standIn.window.activeTextEditor = { document, selection: new standIn.Range(...range) };
  };

  it('is the selection, the file or its problems, each with its size', async () => {
    openFile(1, 0, 2, 5);
    editor.diagnostics.set('file:///work/rates.py', [
      { message: 'b is not used', range: new standIn.Range(1, 0, 1, 1), severity: standIn.DiagnosticSeverity.Warning },
      { message: 'no', range: new standIn.Range(2, 0, 2, 1), severity: standIn.DiagnosticSeverity.Error },
    ]);
    assert.deepEqual(await choose('Selection in rates.py, lines 2 to 3'), [
      { label: 'rates.py:2-3', language: 'python', text: 'b = 2\nc = 3' },
    ]);
    assert.deepEqual(offered.map(({ label, description }) => [label, description]).slice(0, 4), [
      ['Here', undefined],
      ['Selection in rates.py, lines 2 to 3', '0.1 KB'],
      ['Open file rates.py', '0.1 KB'],
      ['Problems of rates.py: 2', '0.1 KB'],
    ]);
    assert.equal((await choose('Open file'))[0]?.text, 'a = 1\nb = 2\nc = 3\n');
    const { activeTextEditor } = standIn.window;
    standIn.window.activeTextEditor = {
      document: textFile('file:///work/a.job.yml', 'name: a\n', 'millrace-job'),
      selection: new standIn.Range(0, 0, 0, 0),
    };
    assert.deepEqual(await choose('Open file'), [{ label: 'a.job.yml', language: 'yaml', text: 'name: a\n' }]);
    standIn.window.activeTextEditor = activeTextEditor;
    assert.deepEqual(await choose('Problems'), [
      { label: 'Problems of rates.py', text: 'rates.py:2: warning: b is not used\nrates.py:3: error: no' },
    ]);
  });

  it('is a run, its failing line or a job, which its own command reads', async () => {
    for (const beginning of ['Run with its output', 'Failing line', 'Job…'])
      assert.deepEqual(await choose(beginning), []);
    assert.deepEqual(editor.executed, [
      ['millrace.run.attachToChat'],
      ['millrace.run.attachLine'],
      ['millrace.job.attachToChat'],
    ]);
  });

  it('is one problem of any file with the lines around it, where there is one', async () => {
    editor.diagnostics.set('file:///work/clean.py', []);
    await choose('nothing');
    assert.equal(
      offered.some(({ label }) => label === 'Problem…'),
      false,
    );
    const text = Array.from({ length: 9 }, (_, line) => `line ${line + 1}`).join('\n');
    const { openTextDocument } = standIn.workspace;
    standIn.workspace.openTextDocument = async () => textFile('file:///work/rates.py', text, 'python') as never;
    const problem = {
      message: 'b is not used',
      range: new standIn.Range(4, 0, 4, 1),
      severity: standIn.DiagnosticSeverity.Warning,
    };
    editor.diagnostics.set('file:///work/rates.py', [problem]).set('file:///work/b.py', []);
    assert.deepEqual(await choose('Problem…', 'b is'), [
      {
        label: 'rates.py:5',
        language: 'python',
        text: 'rates.py:5: warning: b is not used\n\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8',
      },
    ]);
    assert.deepEqual(
      offered.map(({ label, description }) => [label, description]),
      [['b is not used', 'rates.py:5']],
    );
    standIn.workspace.openTextDocument = openTextDocument;
  });

  it('is no file that a model cannot read', async () => {
    const uri = standIn.Uri.file('/work/big.csv') as never;
    editor.files.add('/work/big.csv');
    editor.contents.set('/work/big.csv', 'x'.repeat(400_001));
    await assert.rejects(fileAttachment(uri), /big\.csv has 400 KB, more than a model reads; it was not attached/);
    editor.contents.set('/work/big.csv', 'x'.repeat(400_000));
    assert.equal((await fileAttachment(uri)).text.length, 400_000);
    editor.contents.set('/work/big.csv', 'a\0b');
    await assert.rejects(fileAttachment(uri), /not a text file/);
    const { stat } = standIn.workspace.fs;
    try {
      standIn.workspace.fs.stat = async () => ({ type: standIn.FileType.Directory, size: 1 });
      editor.files = new Set();
      await assert.rejects(fileAttachment(uri), /is empty; nothing was attached/);
      editor.files = new Set(['/w/b.py', '/w/a.py']);
      const { label, text } = await fileAttachment(uri);
      assert.match(label, /^Files of /);
      assert.match(text, /a\.py\n.*b\.py$/);
    } finally {
      standIn.workspace.fs.stat = stat;
    }
  });

  it('is what was dropped: files of this host, what is open as it stands in the editor, or rows of the jobs', async () => {
    editor.files.add('/work/a.sql').add('/work/b.sql');
    editor.contents.set('/work/a.sql', 'select 1').set('/work/b.sql', 'select 2');
    const open = textFile('file:///work/rates.py', 'not saved\n', 'python');
    standIn.workspace.textDocuments = [open];
    assert.deepEqual(
      await droppedAttachments(['vscode-remote://ssh/work/a.sql', 'file:///work/b.sql', 'file:///work/rates.py']),
      [
        { label: 'a.sql', language: 'sql', text: 'select 1' },
        { label: 'b.sql', language: 'sql', text: 'select 2' },
        { label: 'rates.py', language: 'python', text: 'not saved\n' },
      ],
    );
    assert.deepEqual(editor.executed, []);
    assert.deepEqual(await droppedAttachments([]), []);
    assert.deepEqual(editor.executed, [['millrace.run.attachDragged']]);
  });

  it('is what can be read of several files, and of the others it is told', async () => {
    editor.files.add('/work/a.sql').add('/work/b.bin');
    editor.contents.set('/work/a.sql', 'select 1').set('/work/b.bin', 'a\0b');
    standIn.workspace.textDocuments = [textFile('file:///work/long.py', 'x'.repeat(400_001), 'python')];
    const dropped = await droppedAttachments(['file:///work/b.bin', 'file:///work/a.sql', 'file:///work/long.py']);
    assert.deepEqual(
      dropped.map(({ label }) => label),
      ['a.sql'],
    );
    assert.match(shownTexts().join('\n'), /b\.bin is not a text file.*long\.py has 400 KB/);
    await assert.rejects(droppedAttachments(['file:///work/b.bin']), /not a text file/);
    const files = Array.from({ length: 101 }, () => 'file:///work/a.sql');
    assert.equal((await droppedAttachments(files.slice(1))).length, 100);
    await assert.rejects(droppedAttachments(files), /At most 100 files/);
    assert.equal(shownTexts().length, 1);
  });
});
