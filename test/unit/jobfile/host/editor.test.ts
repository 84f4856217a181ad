import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { localProfile } from '../../../../src/connection/connection.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { createJobFileFeatures } = await import('../../../../src/jobfile/host/jobFileFeatures.ts');
const { registerTaskLenses } = await import('../../../../src/jobfile/host/taskLenses.ts');
const { LanguageLoader } = await import('../../../../src/jobfile/host/languageLoader.ts');
const { registerInlayHints } = await import('../../../../src/jobfile/host/jobFileFeatures.ts');
const { WorkspaceValues } = await import('../../../../src/jobfile/host/workspaceValues.ts');
const { createFile, createJobFile } = await import('../../../../src/jobfile/host/programFiles.ts');

type Mark = Record<'code' | 'message' | 'source', string> & { severity: number; range: standIn.Range };

const log = { ...silentLogger } as never;

const drawn: { title: string; keys: string[]; shown?: string }[] = [];
const chosen = new Emitter<string>();
/** Stands for the tab that draws the tasks of a job file. */
const graph = {
  isOpen: false,
  onDidChoose: chosen.event,
  dispose: () => undefined,
  show(title: string, { tasks, shown }: { tasks: readonly { key: string }[]; shown?: string }): void {
    graph.isOpen = true;
    drawn.push({ title, keys: tasks.map(({ key }) => key), shown });
  },
};

const wrong = '# mine\n---\nname: a\nmax_retires: 1\nspark_python_task:\n  python_file: /gone.py\n';

describe('Job file language', () => {
  let connections: FakeConnections;
  let features: ReturnType<typeof createJobFileFeatures>;
  const deployed = new Emitter<void>();
  const listed = new Emitter<void>();
  let state: object | undefined;
  const file = textFile('file:///work/a.job.yml', wrong);
  const marks = (): Mark[] => (editor.diagnostics.get(file.uri.toString()) ?? []) as Mark[];

  beforeEach(async () => {
    editor.reset();
    state = undefined;
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    connections = new FakeConnections();
    features = createJobFileFeatures({
      connections,
      log,
      graph,
      deployments: {
        stateOf: () => state as never,
        files: () => (state ? [file.uri.toString()] : []),
        mayHaveMoved: () => true,
        firstSeen: () => ({ ms: 77, age: '3 min ago' }),
        onDidChange: deployed.event,
        onDidListJobs: listed.event,
      },
    });
    standIn.workspace.textDocuments = [file];
    editor.events.opened.fire(file);
    for (let round = 0; round < 200 && !marks().some(({ code }) => code === 'missingFile'); round += 1) await pause(10);
  });
  afterEach(() => features.dispose());

  it('marks problems and missing files', () => {
    const missing = marks().find(({ code }) => code === 'missingFile');
    assert.deepEqual([missing?.severity, missing?.source, missing?.range.start.line], [1, 'Millrace', 5]);
    assert.ok(marks().some(({ range }) => range.start.line === 3));
    assert.ok(marks().some(({ severity }) => severity === 0));
  });

  it('updates missing-file marks when files change, on the local service only', async () => {
    editor.files.add('/work/gone.py');
    editor.events.filesCreated.fire();
    await pause(400);
    assert.equal(
      marks().some(({ code }) => code === 'missingFile'),
      false,
    );
    editor.files.clear();
    editor.events.filesDeleted.fire();
    await pause(400);
    assert.equal(
      marks().some(({ code }) => code === 'missingFile'),
      true,
    );
    connections.change(staging);
    await pause(400);
    assert.equal(
      marks().some(({ code }) => code === 'missingFile'),
      false,
    );
  });

  it('removes the marks of a closed file and marks no other language', async () => {
    const other = textFile('file:///work/b.yml', wrong, 'yaml');
    editor.events.opened.fire(other);
    editor.events.changed.fire({ document: file });
    editor.events.closed.fire(file);
    await pause(100);
    assert.deepEqual([...editor.diagnostics.keys()], []);
  });

  it('offers the quick fixes of a mark', async () => {
    const provider = editor.providers['actions'] as unknown as {
      provideCodeActions(
        file: unknown,
        range: unknown,
        context: unknown,
      ): Promise<{ kind: string; edit: { edits: unknown[][] }; diagnostics: unknown[]; isPreferred: boolean }[]>;
    };
    const mark = marks().find(({ range }) => range.start.line === 3);
    const actions = await provider.provideCodeActions(file, new standIn.Range(0, 0, 0, 0), { diagnostics: [mark] });
    assert.ok(actions.length > 0);
    assert.deepEqual(
      [actions[0]?.kind, actions[0]?.diagnostics, String(actions[0]?.edit.edits[0]?.[0])],
      ['quickfix', [mark], file.uri.toString()],
    );
    assert.deepEqual(
      await provider.provideCodeActions(file, new standIn.Range(0, 0, 0, 0), {
        diagnostics: [{ ...mark, code: 'other' }],
      }),
      [],
    );
    const gone = marks().find(({ code }) => code === 'missingFile');
    const [creation] = await provider.provideCodeActions(file, new standIn.Range(0, 0, 0, 0), { diagnostics: [gone] });
    assert.equal(String(creation?.edit.edits[0]?.[0]), 'file:///work/gone.py');
  });

  it('offers the other form of a job of one task', async () => {
    const text = 'tasks:\n  - task_key: a\n    pipeline_task: {pipeline_id: p}\n';
    const provider = editor.providers['actions'] as unknown as {
      provideCodeActions(...args: unknown[]): Promise<{ kind: string }[]>;
    };
    const file = textFile('file:///work/t.job.yml', text);
    const actions = await provider.provideCodeActions(file, new standIn.Range(0, 0, 0, 0), { diagnostics: [] });
    assert.deepEqual(
      actions.map(({ kind }) => kind),
      ['refactor.rewrite'],
    );
  });

  const several = textFile(
    'file:///work/several.job.yml',
    'tasks:\n  - task_key: a\n    notebook_task: {notebook_path: /n}\n  - task_key: b\n    pipeline_task: {pipeline_id: p}\n',
  );

  it('offers the graph of several tasks, and each task alone on the local service', async () => {
    registerTaskLenses(new LanguageLoader(), connections);
    const provider = editor.providers['lenses'] as unknown as {
      provideCodeLenses(of: unknown): Promise<{ command: { command: string; arguments: { taskKey?: string }[] } }[]>;
    };
    const commands = async (): Promise<string[]> =>
      (await provider.provideCodeLenses(several)).map(({ command }) =>
        [command.command, command.arguments[0]?.taskKey].filter((part) => part !== undefined).join(' '),
      );
    assert.deepEqual(await commands(), [
      'millrace.jobFile.showGraph',
      'millrace.job.runNow a',
      'millrace.job.debug a',
      'millrace.job.runNow b',
    ]);
    connections.change(staging);
    assert.deepEqual(await commands(), ['millrace.jobFile.showGraph']);
  });

  it('draws the tasks as a graph that follows the cursor, and moves the cursor to a chosen task', async () => {
    const shown = { document: several, viewColumn: 1, selection: { active: new standIn.Position(0, 0) } };
    standIn.window.visibleTextEditors = [shown];
    await editor.commands.get('millrace.jobFile.showGraph')?.(several.uri, 0);
    assert.deepEqual([drawn.at(-1)?.keys, drawn.at(-1)?.shown], [['a', 'b'], undefined]);
    shown.selection = { active: new standIn.Position(4, 8) };
    editor.events.textSelection.fire({ textEditor: shown });
    await pause(10);
    assert.equal(drawn.at(-1)?.shown, 'b');
    chosen.fire('a');
    await pause(10);
    const [, options] = editor.shownDocuments.at(-1) as [unknown, { selection: standIn.Range }];
    assert.equal(options.selection.start.line, 1);
  });

  it('renames a task everywhere in the file, and nothing that is no name', async () => {
    const task = (key: string, more: string) => `  - task_key: ${key}\n    pipeline_task: {pipeline_id: p}\n${more}`;
    const tasks = textFile(
      'file:///work/t.job.yml',
      `tasks:\n${task('a', '')}${task('b', '    depends_on: [{task_key: a}]\n')}`,
    );
    const provider = editor.providers['rename'] as unknown as {
      prepareRename(...args: unknown[]): Promise<standIn.Range>;
      provideRenameEdits(...args: unknown[]): Promise<{ edits: unknown[][] }>;
    };
    const key = new standIn.Position(1, 14);
    assert.deepEqual(await provider.prepareRename(tasks, key), new standIn.Range(1, 14, 1, 15));
    assert.equal((await provider.provideRenameEdits(tasks, key, 'read')).edits.length, 2);
    await assert.rejects(provider.provideRenameEdits(tasks, key, 'read it'));
    await assert.rejects(provider.prepareRename(tasks, new standIn.Position(0, 1)));
  });

  it('provides completions, hovers and symbols', async () => {
    const { token } = cancellation();
    const partial = textFile('file:///work/c.job.yml', 'name: a\nmax_r');
    const completion = editor.providers['completion'] as unknown as {
      provideCompletionItems(
        file: unknown,
        position: unknown,
        token: unknown,
      ): Promise<{ items: Record<string, unknown>[]; isIncomplete: boolean }>;
    };
    const { items, isIncomplete } = await completion.provideCompletionItems(partial, new standIn.Position(1, 5), token);
    assert.equal(isIncomplete, false);
    const whole = textFile('file:///work/v.job.yml', 'schedule:\n  pause_status: PAUSED');
    assert.equal(
      (await completion.provideCompletionItems(whole, new standIn.Position(1, 22), token)).isIncomplete,
      true,
    );
    const item = items.find(({ label }) => label === 'max_retries');
    assert.deepEqual(
      [item?.['kind'], item?.['sortText']?.toString().length, item?.['range']],
      [9, 5, { inserting: new standIn.Range(1, 0, 1, 5), replacing: new standIn.Range(1, 0, 1, 5) }],
    );
    assert.match((item?.['insertText'] as { value: string } | undefined)?.value ?? '', /^max_retries: /);
    const hover = editor.providers['hover'] as unknown as {
      provideHover(
        file: unknown,
        position: unknown,
        token: unknown,
      ): Promise<{ contents: { value: string }; range: standIn.Range } | undefined>;
    };
    const found = await hover.provideHover(file, new standIn.Position(2, 1), token);
    assert.deepEqual([found?.range.start.line, (found?.contents.value.length ?? 0) > 10], [2, true]);
    const symbols = editor.providers['symbols'] as unknown as {
      provideDocumentSymbols(
        file: unknown,
      ): Promise<{ name: string; kind: number; children: { name: string; kind: number }[] }[]>;
    };
    const outline = await symbols.provideDocumentSymbols(file);
    assert.deepEqual(
      outline.map(({ name, kind }) => [name, kind]),
      [
        ['name', 14],
        ['max_retires', 15],
        ['spark_python_task', 18],
      ],
    );
    assert.deepEqual(
      outline[2]?.children.map(({ name, kind }) => [name, kind]),
      [['python_file', 14]],
    );
  });

  it('gives JSON the same faces as YAML, beside those of the editor', async () => {
    const text =
      '{\n  "name": 5, // c\n  "schedule": {"quartz_cron_expression": "0 0 8 * * ?", "timezone_id": "UTC"},\n' +
      '  "spark_python_task": {"python_file": "/a.py"}\n}\n';
    const json = textFile('file:///work/j.job.json', text, 'jsonc');
    editor.events.opened.fire(json);
    const codes = (): string[] =>
      ((editor.diagnostics.get(json.uri.toString()) ?? []) as Mark[]).map(({ code }) => code);
    for (let round = 0; round < 500 && codes().length < 2; round += 1) await pause(10);
    assert.deepEqual(codes().toSorted(), ['missingFile', 'noCluster'], 'the editor reports the wrong type itself');
    const { token } = cancellation();
    const all = editor.providers as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>;
    const hints = await all['hints']?.['provideInlayHints']?.(json, new standIn.Range(0, 0, 9, 0), token);
    assert.equal((hints as unknown[]).length, 1);
    assert.ok(await all['hover']?.['provideHover']?.(json, new standIn.Position(2, 6), token));
    const lenses = (await all['lenses']?.['provideCodeLenses']?.(json)) as { command: { command: string } }[];
    assert.ok(lenses.some(({ command }) => command.command === 'millrace.jobFile.deploy'));
  });

  it('formats with the indentation of the settings, unless turned off', async () => {
    const provider = editor.providers['formatting'] as unknown as {
      provideDocumentFormattingEdits(file: unknown, options: object, token: unknown): Promise<unknown[]>;
    };
    const wide = textFile('file:///work/f.job.yml', 'schedule:\n      timezone_id: UTC\n');
    const format = (token = cancellation().token) =>
      provider.provideDocumentFormattingEdits(wide, { tabSize: 6 }, token);
    assert.deepEqual(await format(), [{ range: new standIn.Range(1, 0, 1, 6), newText: '  ' }]);
    editor.settings['editor.tabSize'] = 3;
    assert.deepEqual(await format(), [{ range: new standIn.Range(1, 0, 1, 6), newText: '   ' }]);
    const stopped = cancellation();
    stopped.cancel();
    assert.deepEqual(await format(stopped.token), []);
    editor.settings['millrace.jobFile.format'] = false;
    assert.deepEqual(await format(), []);
  });

  it('shows schedule hints in the visible range, unless turned off', async () => {
    const provider = editor.providers['hints'] as unknown as {
      onDidChangeInlayHints(listener: () => void): unknown;
      provideInlayHints(file: unknown, range: unknown, token: unknown): Promise<Record<string, unknown>[]>;
    };
    const text = 'schedule:\n  quartz_cron_expression: 0 0 8 * * ?\n  timezone_id: UTC\n  pause_status: PAUSED\n';
    const scheduled = textFile('file:///work/s.job.yml', text);
    const hints = (from: number, to: number, token = cancellation().token) =>
      provider.provideInlayHints(scheduled, new standIn.Range(from, 0, to, 0), token);
    assert.deepEqual(
      (await hints(0, 4)).map(({ position, label, paddingLeft }) => [position, label, paddingLeft]),
      [[new standIn.Position(1, 37), 'At 08:00 every day · paused', true]],
    );
    assert.deepEqual(await hints(2, 4), []);
    const stopped = cancellation();
    stopped.cancel();
    assert.deepEqual(await hints(0, 4, stopped.token), []);
    let changes = 0;
    provider.onDidChangeInlayHints(() => (changes += 1));
    editor.settings['millrace.jobFile.inlayHints'] = false;
    for (const changed of ['millrace.jobFile.inlayHints', 'editor.fontSize'])
      editor.events.settings.fire({ affectsConfiguration: (name) => name === changed });
    assert.deepEqual([await hints(0, 4), changes], [[], 1]);
  });

  it('links paths to existing files and aliases to anchors', async () => {
    const text = 'x: &a 5\ntimeout_seconds: *a\nnotebook_task:\n  notebook_path: /n\n';
    const linked = textFile('file:///work/l.job.yml', text);
    const links = async (): Promise<unknown[]> => {
      const provider = editor.providers['links'] as unknown as {
        provideDocumentLinks(file: unknown): Promise<{ range: standIn.Range; target: standIn.Uri }[]>;
      };
      return (await provider.provideDocumentLinks(linked)).map(({ range, target }) => [range, target.path]);
    };
    const definition = async (line: number, character: number): Promise<unknown> => {
      const provider = editor.providers['definition'] as unknown as {
        provideDefinition(
          file: unknown,
          position: unknown,
        ): Promise<{ uri: standIn.Uri; range: standIn.Range } | undefined>;
      };
      const found = await provider.provideDefinition(linked, new standIn.Position(line, character));
      return found && [found.uri.path, found.range.start];
    };
    assert.deepEqual([await links(), await definition(3, 18)], [[], undefined]);
    editor.files.add('/work/n.ipynb');
    assert.deepEqual(await links(), [[new standIn.Range(3, 17, 3, 19), '/work/n.ipynb']]);
    assert.deepEqual(await definition(3, 18), ['/work/n.ipynb', new standIn.Position(0, 0)]);
    assert.deepEqual(await definition(1, 18), ['/work/l.job.yml', new standIn.Position(0, 6)]);
    for (const column of [17, 19])
      assert.deepEqual(await definition(3, column), ['/work/n.ipynb', new standIn.Position(0, 0)]);
    assert.equal(await definition(3, 16), undefined);
    assert.equal(await definition(2, 3), undefined);
    // In JSON, too, which the editor checks by the schema.
    for (const kind of ['links', 'definition', 'lenses', 'hover', 'hints', 'actions', 'completion'])
      assert.match(JSON.stringify(editor.selectors[kind]), /millrace-job.*\.job\.json/, kind);
    const json = textFile('file:///work/l.job.json', '{"notebook_task": {"notebook_path": "/n"}}');
    const provider = editor.providers['links'] as unknown as { provideDocumentLinks(of: unknown): Promise<unknown[]> };
    assert.equal((await provider.provideDocumentLinks(json)).length, 1);
    connections.change(staging);
    assert.deepEqual([await links(), await definition(3, 18)], [[], undefined]);
    assert.deepEqual(await definition(1, 18), ['/work/l.job.yml', new standIn.Position(0, 6)]);
    standIn.workspace.workspaceFolders = undefined;
    connections.change(localProfile);
    assert.deepEqual(await links(), []);
  });

  it('shows lenses above the first content line, with the last run', () => {
    const provider = editor.providers['lenses'] as unknown as {
      provideCodeLenses(
        file: unknown,
      ): { range: standIn.Range; command: { command: string; arguments: unknown[]; title: string } }[];
    };
    const lenses = provider.provideCodeLenses(file);
    assert.deepEqual(
      lenses.map(({ command, range }) => [command.command, range.start.line]),
      [
        ['millrace.jobFile.deploy', 2],
        ['millrace.job.runNow', 2],
        ['millrace.job.debug', 2],
        ['millrace.jobFile.compare', 2],
        ['millrace.jobFile.more', 2],
      ],
    );
    assert.deepEqual(lenses[0]?.command.arguments, [file.uri]);
    connections.current = staging;
    assert.ok(
      !provider.provideCodeLenses(file).some(({ command }) => command.command === 'millrace.job.debug'),
      'runs of another service are not debugged',
    );
    state = { profileId: 'local', jobId: '1', lastRun: { runId: '5', text: 'Succeeded' } };
    const last = provider
      .provideCodeLenses(file)
      .find(({ command }) => command.command === 'millrace.openRun')?.command;
    assert.deepEqual(
      [last?.command, last?.title, last?.arguments],
      ['millrace.openRun', 'Last run: Succeeded', [{ profileId: 'local', jobId: '1', runId: '5' }]],
    );
    assert.deepEqual(provider.provideCodeLenses(textFile('file:///work/d.job.yml', '# only\n')), []);
    const [start, ...more] = provider.provideCodeLenses(textFile('file:///work/d.job.yml', '\n'));
    assert.deepEqual([start?.command.command, start?.range.start.line, more], ['editor.action.triggerSuggest', 0, []]);
  });

  it('disposes all providers and marks', () => {
    features.dispose();
    assert.deepEqual([editor.providers, editor.events.changed.isHeard, editor.diagnostics.size], [{}, false, 0]);
  });
});

describe('Pasting JSON', () => {
  let features: ReturnType<typeof createJobFileFeatures>;
  beforeEach(() => {
    editor.reset();
    const never = new Emitter<void>().event;
    features = createJobFileFeatures({
      connections: new FakeConnections(),
      log: { ...silentLogger } as never,
      graph,
      deployments: {
        stateOf: () => undefined,
        files: () => [],
        mayHaveMoved: () => false,
        firstSeen: () => undefined,
        onDidChange: never,
        onDidListJobs: never,
      } as never,
    });
    standIn.workspace.textDocuments = [];
  });
  afterEach(() => features.dispose());

  it('inserts YAML for JSON at a single cursor only', async () => {
    const provider = editor.providers['paste'] as unknown as {
      provideDocumentPasteEdits(...args: unknown[]): Promise<{ insertText: unknown }[] | undefined>;
    };
    const empty = textFile('file:///work/e.job.yml', '');
    const range = (line: number): standIn.Range[] => [new standIn.Range(line, 0, line, 0)];
    const paste = (text: string | undefined, ranges = range(0), token = cancellation().token, into = empty) => {
      const transfer = { get: () => (text === undefined ? undefined : { asString: async () => text }) };
      return provider.provideDocumentPasteEdits(into, ranges, transfer, {}, token);
    };
    assert.match(String((await paste('{"name":"$a"}'))?.[0]?.insertText), /^name: \$a/);
    const filled = textFile('file:///work/f.job.yml', 'timeout_seconds: 1\n');
    const inFilled = await paste('{"name":"b","max_retries":1}', range(1), undefined, filled);
    assert.equal(String(inFilled?.[0]?.insertText).trimEnd(), 'name: b\nmax_retries: 1');
    const over = [new standIn.Range(0, 0, 0, 18)];
    const instead = await paste(
      '{"name":"b"}',
      over,
      undefined,
      textFile('file:///work/g.job.yml', 'timeout_seconds: 1\n'),
    );
    assert.equal(String(instead?.[0]?.insertText).trimEnd(), 'name: b', 'what is selected makes way');
    const kept = textFile('file:///work/h.job.yml', '# json: {\nname: x\n# }\n');
    assert.match(
      String((await paste('{"max_retries":1}', range(3), undefined, kept))?.[0]?.insertText),
      /^max_retries: 1/,
    );
    assert.equal(await paste('{"name":"a"}', [...range(0), ...range(0)]), undefined, 'one text for each cursor');
    const stopped = cancellation();
    stopped.cancel();
    for (const nothing of [
      paste('name: a'),
      paste(undefined),
      paste('{"name":"a"}', []),
      paste('{"name":"a"}', undefined, stopped.token),
    ])
      assert.equal(await nothing, undefined);
  });
});

const file = textFile('file:///work/a.job.yml', 'schedule: x\npython_file: /a.py\n');

describe('Inlay hints', () => {
  let hints: { offset: number; label: string; validUntilMs?: number }[];
  let references: { end: number }[];
  let changes: number;
  let registered: { dispose(): void };
  let connections: FakeConnections;
  type Provider = {
    onDidChangeInlayHints(listener: () => void): unknown;
    provideInlayHints(file: unknown, range: unknown, token: unknown): Promise<Record<string, unknown>[]>;
  };
  const provider = (): Provider => editor.providers['hints'] as unknown as Provider;
  const shown = async (lines = 9, token = cancellation().token): Promise<unknown[]> =>
    (await provider().provideInlayHints(file, new standIn.Range(0, 0, lines, 0), token)).map(({ label }) => label);

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
    hints = [];
    references = [];
    changes = 0;
    connections = new FakeConnections();
    const language = { inlayHints: () => hints, fileReferences: () => references };
    registered = registerInlayHints({ load: async () => language, parsed: () => 'tree' } as never, connections);
    provider().onDidChangeInlayHints(() => (changes += 1));
  });
  afterEach(() => {
    registered.dispose();
    mock.reset();
  });
  /** How often it was told after each of these times. */
  const toldAfter = (...times: number[]): number[] => {
    let nowMs = 0;
    return times.map((time) => (mock.timers.tick(time - nowMs), (nowMs = time), changes));
  };

  it('refresh once when the first one expires', async () => {
    hints = [5000, 3000, 4000].map((validUntilMs) => ({ offset: 3, label: String(validUntilMs), validUntilMs }));
    assert.deepEqual(await shown(), ['5000', '3000', '4000']);
    assert.deepEqual(toldAfter(2999, 3000, 10_000), [0, 1, 1]);
    hints = [{ offset: 3, label: 'later', validUntilMs: 14_000 }];
    await shown();
    mock.timers.tick(4000);
    assert.equal(changes, 2);
  });
});

describe('Program files', () => {
  const window = { ...standIn.window };
  afterEach(() => {
    Object.assign(standIn.window, { showWorkspaceFolderPick: undefined, showSaveDialog: window.showSaveDialog });
  });
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
  });

  it('are created under a free name', async () => {
    editor.files = new Set(['/work/a.py', '/work/a-2.py']);
    assert.equal(await createFile('a.py', 'print()'), '/a-3.py');
    const [uri, options] = editor.edits[0] as [standIn.Uri, { overwrite: boolean; contents: Uint8Array }];
    assert.deepEqual(
      [uri.path, options.overwrite, new TextDecoder().decode(options.contents)],
      ['/work/a-3.py', false, 'print()'],
    );
  });

  it('include job files, which keep the ending .job.yml', async () => {
    editor.files = new Set(['/work/etl.job.yml']);
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), 'file:///work/etl-2.job.yml');
    assert.equal(editor.edits.length, 1);
    assert.equal(String(editor.shownDocuments[0]), 'file:///work/etl-2.job.yml');
  });

  it('are created in the folder that the user picks', async () => {
    const folder = (path: string) => ({ uri: standIn.Uri.file(path), name: path });
    standIn.workspace.workspaceFolders = [folder('/work'), folder('/other')];
    const picked: unknown[] = [];
    const choices = [folder('/other'), undefined];
    Object.assign(standIn.window, {
      showWorkspaceFolderPick: async (options: unknown) => (picked.push(options), choices.shift()),
      showSaveDialog: async ({ defaultUri }: { defaultUri: standIn.Uri }) => defaultUri,
    });
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), 'file:///other/etl.job.yml');
    assert.equal(await createJobFile('etl.job.yml', 'name: etl'), undefined);
    assert.equal(picked.length, 2);
    standIn.workspace.workspaceFolders = undefined;
    assert.match((await createJobFile('etl.job.yml', 'name: etl')) ?? '', /\/etl\.job\.yml$/);
    assert.equal((editor.written[0] as unknown[])[1], 'name: etl');
  });
});

describe('WorkspaceValues', () => {
  beforeEach(() => editor.reset());

  it('caches the lists of each profile', async () => {
    let lists = 0;
    const connections = new FakeConnections({
      jobs: {
        list: async () => (
          (lists += 1),
          [
            { job_id: '7', settings: { name: 'etl', existing_cluster_id: 'c1' } },
            { job_id: '8', settings: {} },
            { job_id: '9' },
          ]
        ),
      },
      clusters: {
        sparkVersions: async () => ({ versions: [{ key: '3.5', name: 'Spark' }] }),
        listNodeTypes: async () => ({ node_types: [{ node_type_id: 'n', description: 'big' }] }),
        listZones: async () => ({ zones: ['a', 'b'], default_zone: 'b' }),
      },
    });
    const values = new WorkspaceValues(connections, log);
    assert.deepEqual(await values.list('job'), [
      { value: '7', label: 'etl' },
      { value: '8', label: 'Untitled' },
      { value: '9', label: 'Untitled' },
    ]);
    await values.list('job');
    assert.deepEqual([lists, connections.calls.map(({ how }) => how)], [1, ['look']]);
    assert.deepEqual(await values.list('cluster'), [{ value: 'local' }, { value: 'c1' }]);
    connections.change(staging);
    assert.deepEqual(await values.list('cluster'), [{ value: 'c1' }]);
    assert.deepEqual(await values.list('sparkVersion'), [{ value: '3.5', detail: 'Spark' }]);
    assert.deepEqual(await values.list('nodeType'), [{ value: 'n', detail: 'big' }]);
    assert.deepEqual(await values.list('zone'), [
      { value: 'auto', detail: undefined },
      { value: 'a', detail: undefined },
      { value: 'b', detail: 'default' },
    ]);
    assert.ok(connections.calls.every(({ signal }) => signal?.aborted === false));
  });

  it('lists the files of the first local folder, notebooks first', async () => {
    const values = new WorkspaceValues(new FakeConnections(), log);
    editor.files = new Set(['/work/b.py', '/work/n.ipynb', '/work/a.py']);
    assert.deepEqual(await new WorkspaceValues(new FakeConnections(), log).list('pythonFile'), []);
    standIn.workspace.workspaceFolders = [
      { uri: standIn.Uri.parse('other://x/y') },
      { uri: standIn.Uri.file('/work') },
    ];
    assert.deepEqual(await values.list('notebook'), [
      { value: '/n', detail: '.ipynb' },
      { value: '/a', detail: '.py' },
      { value: '/b', detail: '.py' },
    ]);
    assert.deepEqual(
      (await values.list('pythonFile')).map(({ value }) => value),
      ['/a.py', '/b.py'],
    );
    const remote = new FakeConnections();
    remote.change(staging);
    assert.deepEqual(await new WorkspaceValues(remote, log).list('pythonFile'), []);
  });
});
