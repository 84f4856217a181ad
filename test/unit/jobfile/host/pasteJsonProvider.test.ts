import assert from 'node:assert/strict';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerPasteJson } = await import('../../../../src/jobfile/host/pasteJsonProvider.ts');

const file = textFile('file:///work/a.job.yml', 'one\ntwo\nthree\n');

describe('a text that is pasted into a job file', () => {
  let asked: unknown[][];
  let made: string | undefined;
  let registration: unknown[];
  let registered: { dispose(): void };
  beforeEach(() => {
    editor.reset();
    asked = [];
    made = 'name: a';
    const { registerDocumentPasteEditProvider: register } = standIn.languages;
    Object.assign(standIn.languages, {
      registerDocumentPasteEditProvider: (of: unknown, provider: never, about: unknown) => (
        (registration = [of, about]),
        register(of, provider)
      ),
    });
    const language = { pasteJson: (...args: unknown[]) => (asked.push(args), made) };
    registered = registerPasteJson({ load: async () => language } as never);
    Object.assign(standIn.languages, { registerDocumentPasteEditProvider: register });
  });
  afterEach(() => registered.dispose());

  type Edit = { insertText: string; title: string; kind: unknown };
  const paste = (
    ranges: readonly object[],
    text: string | undefined = '{}',
    { token } = cancellation(),
  ): Promise<Edit[] | undefined> => {
    const data = {
      get: (type: string) => (type === 'text/plain' && text !== 'nothing' ? { asString: async () => text } : undefined),
    };
    const provider = editor.providers['paste'] as unknown as {
      provideDocumentPasteEdits(...args: unknown[]): Promise<Edit[] | undefined>;
    };
    return provider.provideDocumentPasteEdits(file, ranges, data, {}, token);
  };
  const selected = new standIn.Range(0, 1, 1, 2);
  const kind = standIn.DocumentDropOrPasteEditKind.Text.append('yaml', 'fromJson');

  it('takes the place of what is selected, as plain text under a name of its own', async () => {
    const edits = await paste([selected], '{"name": "a"}');
    assert.deepEqual(
      edits?.map((edit) => ({ ...edit })),
      [{ insertText: 'name: a', title: 'Insert JSON as YAML', kind }],
    );
    assert.deepEqual(asked, [['{"name": "a"}', 'oo\nthree\n', 1]]);
  });

  it('is left to the editor where it is no JSON, or for several cursors, or when nobody waits any more', async () => {
    const stopped = cancellation();
    stopped.cancel();
    const answers = [
      await paste([selected, selected]),
      await paste([]),
      await paste([selected], '{}', stopped),
      await paste([selected], 'nothing'),
    ];
    assert.deepEqual([answers, asked], [[undefined, undefined, undefined, undefined], []]);
    made = undefined;
    assert.equal(await paste([selected]), undefined);
    assert.equal(asked.length, 1);
  });

  it('is looked at in job files, if it is a text, until it is over', () => {
    assert.deepEqual(registration, [
      'millrace-job',
      { providedPasteEditKinds: [kind], pasteMimeTypes: ['text/plain'] },
    ]);
    registered.dispose();
    assert.deepEqual(editor.providers, {});
  });
});
