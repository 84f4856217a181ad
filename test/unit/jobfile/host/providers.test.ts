import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { Completion, JobSymbol, QuickFix } from '../../../../src/jobfile/services/jobFileService.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerProviders } = await import('../../../../src/jobfile/host/providers.ts');

type Provider = Record<string, (...args: unknown[]) => Promise<never>>;
const text = 'name: a\nmax_r: 12\ntasks: []\n';
const file = textFile('file:///work/a.job.yml', text);
const at = (line: number, character: number) => new standIn.Position(line, character);
const range = (...places: [number, number, number, number]) => new standIn.Range(...places);

/** What the language answers, and what it was asked with. */
const language = {
  asked: [] as unknown[][],
  completions: [] as Completion[],
  hovered: undefined as unknown,
  outline: [] as JobSymbol[],
  fixes: [] as QuickFix[],
  complete: async (...args: unknown[]) => (language.asked.push(args), language.completions),
  hover: async (...args: unknown[]) => (language.asked.push(args), language.hovered),
  symbols: (document: unknown) => (language.asked.push([document]), language.outline),
  quickFixes: (...args: unknown[]) => (language.asked.push(args), language.fixes),
};

describe('what the language tells the editor', () => {
  let problems: { diagnostic: unknown; problem: Partial<Problem> }[] = [];
  let triggers: string[] = [];
  let metadata: unknown;
  let registered: { dispose(): void };
  const provider = (name: string): Provider => editor.providers[name] as unknown as Provider;

  beforeEach(() => {
    editor.reset();
    language.asked = [];
    problems = [];
    const { registerCompletionItemProvider: completion, registerCodeActionsProvider: actions } = standIn.languages;
    Object.assign(standIn.languages, {
      registerCompletionItemProvider: (of: unknown, made: never, ...keys: string[]) => (
        (triggers = keys),
        completion(of, made)
      ),
      registerCodeActionsProvider: (of: unknown, made: never, about: unknown) => (
        (metadata = about),
        actions(of, made)
      ),
    });
    const loader = {
      load: async () => language,
      parsed: (_language: unknown, { uri }: TextDocument) => `tree of ${uri.path}`,
    };
    const marks = { problemsOf: (of: unknown, asked: unknown) => (language.asked.push([of, asked]), problems) };
    registered = registerProviders(loader as never, marks as never);
    Object.assign(standIn.languages, {
      registerCompletionItemProvider: completion,
      registerCodeActionsProvider: actions,
    });
  });
  afterEach(() => registered.dispose());

  const completed = async (more: Partial<Completion>, line = 1, character = 3): Promise<Record<string, unknown>> => {
    const plain = {
      label: 'max_retries',
      kind: 'field',
      start: 8,
      end: 13,
      detail: 'integer',
      snippet: 'max_retries: ',
      filter: 'max',
      order: 7,
    };
    language.completions = [{ ...plain, ...more } as Completion];
    const list: { items: Record<string, unknown>[] } = await provider('completion')['provideCompletionItems']!(
      file,
      at(line, character),
      cancellation().token,
    );
    return list.items[0] ?? {};
  };

  it('is registered for job files alone, and asked for at the marks of YAML', () => {
    assert.deepEqual(editor.selectors, {
      completion: 'millrace-job',
      hover: 'millrace-job',
      symbols: 'millrace-job',
      actions: 'millrace-job',
    });
    assert.deepEqual([triggers, metadata], [[' ', ':', '"', '/', '-'], { providedCodeActionKinds: ['quickfix'] }]);
    registered.dispose();
    assert.deepEqual(editor.providers, {});
  });

  it('completes the text as it is, in the order of the language and in the place that it names', async () => {
    assert.deepEqual(
      { ...(await completed({})) },
      {
        label: 'max_retries',
        kind: 9,
        detail: 'integer',
        insertText: new standIn.SnippetString('max_retries: '),
        range: { inserting: range(1, 0, 1, 3), replacing: range(1, 0, 1, 5) },
        filterText: 'max',
        sortText: '00007',
      },
    );
    const [asked] = language.asked as [string, number, { signal: AbortSignal }][];
    assert.deepEqual(asked?.slice(0, 2), [text, 11]);
    assert.equal(asked?.[2].signal.aborted, false);
    assert.equal((await completed({ deprecated: false }))['tags'], undefined);
    const rich = await completed({ documentation: '*what*', deprecated: true, suggestsMore: true, order: 12_345 });
    assert.deepEqual(
      [rich['documentation'], rich['tags'], rich['command'], rich['sortText']],
      [new standIn.MarkdownString('*what*'), [1], { command: 'editor.action.triggerSuggest', title: '' }, '12345'],
    );
  });

  it('keeps what is inserted and what is replaced around the cursor', async () => {
    // Behind what is replaced, and before it.
    assert.deepEqual((await completed({ start: 8, end: 11 }, 1, 5))['range'], {
      inserting: range(1, 0, 1, 5),
      replacing: range(1, 0, 1, 5),
    });
    assert.deepEqual((await completed({ start: 13, end: 16 }, 1, 3))['range'], {
      inserting: range(1, 5, 1, 5),
      replacing: range(1, 5, 1, 8),
    });
  });

  it('draws each kind as what it is', async () => {
    const kinds = [];
    for (const kind of ['field', 'value', 'reference', 'file', 'template'] as const)
      kinds.push((await completed({ kind }))['kind']);
    assert.deepEqual(kinds, [9, 11, 17, 16, 14]);
  });

  it('is asked again with the next key where one item is only a part of what there is', async () => {
    const isIncomplete = async (...parts: (boolean | undefined)[]): Promise<unknown> => {
      language.completions = parts.map(
        (isPartial) =>
          ({ label: 'a', kind: 'field', start: 0, end: 0, snippet: '', filter: '', order: 0, isPartial }) as never,
      );
      const list: object = await provider('completion')['provideCompletionItems']!(
        file,
        at(0, 0),
        cancellation().token,
      );
      return (list as { isIncomplete: unknown }).isIncomplete;
    };
    assert.deepEqual(
      [await isIncomplete(undefined, true), await isIncomplete(undefined, false), await isIncomplete()],
      [true, false, false],
    );
  });

  it('explains what stands below the cursor, in its place, as long as somebody waits', async () => {
    const { token, cancel } = cancellation();
    language.hovered = { text: '**max**', start: 8, end: 13 };
    assert.deepEqual(
      await provider('hover')['provideHover']!(file, at(1, 2), token),
      new standIn.Hover(new standIn.MarkdownString('**max**'), range(1, 0, 1, 5)),
    );
    const [[tree, offset, options]] = language.asked as [[unknown, number, { signal: AbortSignal }]];
    assert.deepEqual([tree, offset, options.signal.aborted], ['tree of /work/a.job.yml', 10, false]);
    cancel();
    assert.equal(options.signal.aborted, true);
    language.hovered = undefined;
    assert.equal(await provider('hover')['provideHover']!(file, at(1, 2), token), undefined);
  });

  it('outlines the file: whole ranges, with the names to be shown in them', async () => {
    const leaf = (name: string, kind: JobSymbol['kind']) =>
      ({ name, detail: 'd', kind, start: 8, end: 17, nameStart: 8, nameEnd: 13, children: [] }) as JobSymbol;
    const kinds = ['mapping', 'list', 'text', 'number', 'boolean', 'empty'] as const;
    language.outline = [
      {
        ...leaf('all', 'mapping'),
        start: 0,
        end: 27,
        nameStart: 0,
        nameEnd: 4,
        children: kinds.map((kind) => leaf(kind, kind)),
      },
    ];
    const [all] = (await provider('symbols')['provideDocumentSymbols']!(file)) as unknown as Record<string, unknown>[];
    assert.deepEqual(
      [all?.['name'], all?.['detail'], all?.['range'], all?.['selectionRange']],
      ['all', 'd', range(0, 0, 2, 9), range(0, 0, 0, 4)],
    );
    const children = all?.['children'] as { name: string; kind: number; range: unknown; selectionRange: unknown }[];
    assert.deepEqual(
      children.map(({ name, kind }) => [name, kind]),
      [
        ['mapping', 18],
        ['list', 17],
        ['text', 14],
        ['number', 15],
        ['boolean', 16],
        ['empty', 20],
      ],
    );
    assert.deepEqual([children[0]?.range, children[0]?.selectionRange], [range(1, 0, 1, 9), range(1, 0, 1, 5)]);
  });

  type Action = {
    title: string;
    kind: string;
    isPreferred?: boolean;
    diagnostics: unknown[];
    edit: { edits: unknown[][] };
  };
  const actions = async (of = file): Promise<Action[]> => {
    const context = { diagnostics: ['mark'] };
    return provider('actions')['provideCodeActions']!(of, undefined, context);
  };

  it('mends a mark with each of its fixes, and no other mark', async () => {
    problems = [{ diagnostic: 'mark', problem: { code: 'x' } }];
    language.fixes = [
      {
        title: 'One',
        isPreferred: true,
        changes: [
          { start: 8, end: 13, text: 'max' },
          { start: 0, end: 0, text: '#' },
        ],
      } as unknown as QuickFix,
      { title: 'Two', changes: [] } as unknown as QuickFix,
    ];
    const [one, two, ...more] = await actions();
    assert.deepEqual(
      [one?.title, one?.kind, one?.isPreferred, one?.diagnostics, one?.edit.edits],
      [
        'One',
        'quickfix',
        true,
        ['mark'],
        [
          [file.uri, range(1, 0, 1, 5), 'max'],
          [file.uri, range(0, 0, 0, 0), '#'],
        ],
      ],
    );
    assert.deepEqual([two?.title, two?.isPreferred, two?.edit.edits, more], ['Two', undefined, [], []]);
    assert.deepEqual(language.asked, [
      [file, ['mark']],
      [{ code: 'x' }, 'tree of /work/a.job.yml'],
    ]);
  });

  it('makes the file that is missing before anything else, where there is a folder for it', async () => {
    problems = [{ diagnostic: 'mark', problem: { data: { newFile: '/jobs/a.py' } } }];
    language.fixes = [{ title: 'Other', changes: [] } as unknown as QuickFix];
    const titles = async (): Promise<string[]> => (await actions()).map(({ title }) => title);
    assert.deepEqual(await titles(), ['Other']);
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    const [missing] = problems;
    for (const problem of [{}, { data: {} }]) {
      problems = [{ diagnostic: 'mark', problem }];
      assert.deepEqual(await titles(), ['Other'], 'no file is missing');
    }
    problems = [missing ?? { diagnostic: 'mark', problem: {} }];
    const [create, other] = await actions();
    assert.deepEqual([create?.title, create?.isPreferred, other?.title], ['Create /jobs/a.py', true, 'Other']);
    const [uri, options] = (create as Action).edit.edits[0] as [
      standIn.Uri,
      { overwrite: boolean; contents: Uint8Array },
    ];
    assert.deepEqual(
      [uri.path, options.overwrite, new TextDecoder().decode(options.contents)],
      ['/work/jobs/a.py', false, 'print("Hello from Millrace")\n'],
    );
  });

  it('names files that it makes after the one beside them and what is in them', async () => {
    problems = [{ diagnostic: 'mark', problem: {} }];
    const newFiles = [{ name: 'b/ c ü_1-x', text: 'name: b\n' }];
    language.fixes = [{ title: 'Split', changes: [], newFiles } as unknown as QuickFix];
    for (const [path, wanted] of [
      ['/work/a.job.yml', '/work/a-b-c-ü_1-x.job.yml'],
      ['/work/a.job.yaml', '/work/a-b-c-ü_1-x.job.yml'],
      ['/work/a.yml', '/work/a-b-c-ü_1-x.job.yml'],
      ['/work/a.job', '/work/a.job-b-c-ü_1-x.job.yml'],
      ['/work/a.yml.old', '/work/a.yml.old-b-c-ü_1-x.job.yml'],
    ]) {
      const [split] = await actions(textFile(`file://${path}`, text));
      const [uri, options] = (split as Action).edit.edits[0] as [
        standIn.Uri,
        { overwrite: boolean; contents: Uint8Array },
      ];
      assert.deepEqual(
        [uri.path, options.overwrite, new TextDecoder().decode(options.contents)],
        [wanted, false, 'name: b\n'],
      );
    }
    const untitled = textFile('untitled:Untitled-1', text);
    assert.deepEqual(await actions(untitled), []);
    // What makes no files is mended there, too.
    for (const none of [undefined, []]) {
      language.fixes = [{ title: 'Mend', changes: [], newFiles: none } as unknown as QuickFix];
      assert.deepEqual(
        (await actions(untitled)).map(({ title }) => title),
        ['Mend'],
      );
    }
  });
});
