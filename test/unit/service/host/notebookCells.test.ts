import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { notebookCells } = await import('../../../../src/service/host/debugSessions.ts');

describe('cells of notebooks, between the editor and the debugger of a run', () => {
  const cell = (id: string, languageId = 'python'): object => ({
    document: { languageId, uri: standIn.Uri.parse(`vscode-notebook-cell:/w/a.ipynb#${id}`) },
  });
  beforeEach(() => {
    editor.reset();
    const cells = [cell('one'), cell('raw', 'raw'), cell('two', 'markdown'), cell('three')];
    standIn.workspace.notebookDocuments = [{ uri: standIn.Uri.file('/w/a.ipynb'), getCells: () => cells }];
  });

  it('are counted as a run counts them: raw ones not', () => {
    const named = ['one', 'two', 'three', 'raw', 'gone'].map((id) =>
      notebookCells.toDebugger(standIn.Uri.parse(`vscode-notebook-cell:/w/a.ipynb#${id}`).toString()),
    );
    assert.deepEqual(named.slice(0, 3), ['/w/a.ipynb#cell 1', '/w/a.ipynb#cell 2', '/w/a.ipynb#cell 3']);
    assert.match(named[3] ?? '', /^vscode-notebook-cell:/);
    assert.match(named[4] ?? '', /^vscode-notebook-cell:/);
    assert.equal(notebookCells.toDebugger('/w/b.py'), '/w/b.py');
  });

  it('are found again by their number', () => {
    assert.match(notebookCells.toEditor('/w/a.ipynb#cell 3'), /^vscode-notebook-cell:.*three$/);
    for (const path of ['/w/a.ipynb#cell 4', '/w/other.ipynb#cell 1', '/w/b.py', '/w/a.ipynb#cell x'])
      assert.equal(notebookCells.toEditor(path), path);
  });

  it('of notebooks that are not open are opened, each once', async () => {
    await notebookCells.open(['/w/a.ipynb#cell 1', '/w/b.ipynb#cell 1', '/w/b.ipynb#cell 2', '/w/c.py']);
    assert.deepEqual(editor.opened.map(String), ['file:///w/b.ipynb']);
  });
});
