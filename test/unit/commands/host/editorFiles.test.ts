import assert from 'node:assert/strict';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { replaceText } = await import('../../../../src/commands/host/editorFiles.ts');

describe('a text of the workspace that a command writes anew', () => {
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
