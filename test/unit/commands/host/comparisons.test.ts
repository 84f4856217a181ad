import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { ComparedTexts } = await import('../../../../src/commands/host/editorUi.ts');
const { comparisonsOf } = await import('../../../../src/commands/host/editorUi.ts');

describe('a comparison in the editor', () => {
  holdTrail(import.meta.url);
  const texts = new ComparedTexts();
  const { compare, compareTexts } = comparisonsOf(texts);
  beforeEach(() => editor.reset());
  const shown = (): unknown[] =>
    (editor.executed.at(-1) ?? []).map((each) => (each instanceof standIn.Uri ? read(each) : each));
  const read = (uri: standIn.Uri): string =>
    uri.scheme === 'millrace-compare' ? texts.provideTextDocumentContent(uri as never) : String(uri);

  it('has the text of before on the left', async () => {
    await compareTexts('before', 'after', 'T');
    assert.deepEqual(shown(), ['vscode.diff', 'before', 'after', 'T']);
  });

  it('has what is deployed on the left of the file, under its name', async () => {
    await compare('file:///work/a.job.yml', 'name: b', 'T');
    assert.deepEqual(shown(), ['vscode.diff', 'name: b', 'file:///work/a.job.yml', 'T']);
    assert.match(String(editor.executed.at(-1)?.[1]), /\/a\.job\.yml$/);
  });
});
