import assert from 'node:assert/strict';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerFormatting } = await import('../../../../src/jobfile/host/formatting.ts');

describe('Format Document in a job file', () => {
  const file = textFile('file:///work/a.job.yml', 'tasks:\n    - a\n');
  const { getConfiguration } = standIn.workspace;
  let asked: unknown[][];
  let scopes: unknown[][];
  let loads: number;
  let onLoad: () => void;
  let registered: { dispose(): void };
  beforeEach(() => {
    editor.reset();
    [asked, scopes, loads, onLoad] = [[], [], 0, () => undefined];
    standIn.workspace.getConfiguration = ((...args: unknown[]) => (
      scopes.push(args),
      getConfiguration(String(args[0]))
    )) as never;
    const language = {
      format: (...args: unknown[]) => (
        asked.push(args),
        [
          { start: 7, end: 11, text: '  ' },
          { start: 14, end: 14, text: '\n' },
        ]
      ),
    };
    registered = registerFormatting({
      load: async () => ((loads += 1), onLoad(), language),
      parsed: (of: unknown, { uri }: typeof file) => `tree of ${uri.path}${of === language ? '' : ' by another'}`,
    } as never);
  });
  afterEach(() => {
    registered.dispose();
    standIn.workspace.getConfiguration = getConfiguration;
  });
  const edits = (token = cancellation().token): Promise<unknown> => {
    const provider = editor.providers['formatting'] as unknown as {
      provideDocumentFormattingEdits(...args: unknown[]): Promise<unknown>;
    };
    return provider.provideDocumentFormattingEdits(file, { tabSize: 8, insertSpaces: true }, token);
  };

  it('changes what the language says, in its place', async () => {
    assert.deepEqual(await edits(), [
      { range: new standIn.Range(1, 0, 1, 4), newText: '  ' },
      { range: new standIn.Range(1, 7, 1, 7), newText: '\n' },
    ]);
    assert.deepEqual(asked, [['tree of /work/a.job.yml', { indent: 2 }]]);
  });

  it('indents as the user has it for this file, and not as the editor guessed from it', async () => {
    editor.settings['editor.tabSize'] = 4;
    editor.settings['editor.indentSize'] = 6;
    await edits();
    assert.deepEqual(asked, [['tree of /work/a.job.yml', { indent: 4 }]]);
    assert.deepEqual(scopes, [
      ['millrace.jobFile', file],
      ['editor', file],
    ]);
  });

  it('does nothing where it is turned off, and does not even load the language', async () => {
    editor.settings['millrace.jobFile.format'] = false;
    assert.deepEqual([await edits(), loads], [[], 0]);
    editor.settings = { 'millrace.jobFile.inlayHints': false };
    assert.equal(((await edits()) as unknown[]).length, 2);
  });

  it('does nothing where nobody waits any more', async () => {
    const { token, cancel } = cancellation();
    onLoad = cancel;
    assert.deepEqual([await edits(token), asked], [[], []]);
  });

  it('is there for job files alone, until it is over', () => {
    assert.deepEqual(editor.selectors, { formatting: 'millrace-job' });
    registered.dispose();
    assert.deepEqual(editor.providers, {});
  });
});
