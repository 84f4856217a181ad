import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, shownTexts, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { createEditorUi } = await import('../../../../src/commands/host/editorUi.ts');
const { createCommands } = await import('../../../../src/commands/host/createCommands.ts');
const { previewHtml } = await import('../../../../src/commands/host/editorUi.ts');

const compared: string[][] = [];
const programs = {
  pythonFiles: async () => [],
  createFile: async (name: string) => `/${name}`,
  createJobFile: async () => undefined,
  programFiles: async () => [],
  readProgram: async () => '',
};
const ui = createEditorUi({
  programs,
  openRun: async () => undefined,
  openJob: async () => undefined,
  compareOutputs: async () => undefined,
  showRunOutput: async () => undefined,
  comparisons: {
    add: (text, name) => (compared.push([text, name]), standIn.Uri.parse('millrace-compare:/1/x') as never),
  },
});

describe('questions and answers of the commands through the editor', () => {
  holdTrail(import.meta.url);
  beforeEach(() => editor.reset());

  it('shows no link that a server has put into a message', async () => {
    await ui.info('see [x](command:y)');
    await ui.warn('see [x](command:y)', 'Go');
    const texts = shownTexts();
    assert.ok(
      texts.every((text) => !text.includes('](')),
      texts.join(),
    );
    assert.match(texts[1] ?? '', /^warning: .*\[Go\]$/);
  });

  it('hands each question on with its answer, and each wish to who fulfils it', async () => {
    const asked: unknown[][] = [];
    const noted =
      (name: string, answer: unknown) =>
      async (...args: unknown[]): Promise<never> => (asked.push([name, ...args]), answer as never);
    const own = createEditorUi({
      programs: {
        pythonFiles: noted('pythonFiles', [1]),
        programFiles: noted('programFiles', ['/a.py']),
        readProgram: noted('readProgram', 'text'),
        createFile: noted('createFile', '/b.py'),
        createJobFile: noted('createJobFile', 'file:///c'),
      },
      openRun: noted('openRun', undefined),
      openJob: noted('openJob', undefined),
      compareOutputs: noted('compareOutputs', undefined),
      showRunOutput: noted('showRunOutput', undefined),
      comparisons: {
        add: (text, name, folder) => (
          asked.push(['add', text, name, folder]),
          standIn.Uri.parse('millrace-compare:/1') as never
        ),
      },
    });
    editor.answer = ({ actions }) => actions.at(-1);
    assert.deepEqual(
      [
        await own.info('i', 'One'),
        await own.warn('w', 'Two'),
        await own.decide('d', 'more', ['A', 'B']),
        await own.pythonFiles(),
        await own.programFiles(),
        await own.readProgram('/a.py'),
        await own.createFile('b.py', 'x'),
        await own.createJobFile('c', 'y'),
      ],
      ['One', 'Two', 'B', [1], ['/a.py'], 'text', '/b.py', 'file:///c'],
    );
    assert.deepEqual(asked.splice(0), [
      ['pythonFiles'],
      ['programFiles'],
      ['readProgram', '/a.py'],
      ['createFile', 'b.py', 'x'],
      ['createJobFile', 'c', 'y'],
    ]);
    const close = await own.previewText('file:///w/a.job.yml', 'after', 'Preview');
    assert.deepEqual(asked.splice(0), [['add', 'after', 'a.job.yml', undefined]]);
    assert.deepEqual(editor.executed.at(-1)?.slice(3), ['Preview', { preview: true }]);
    const onDidChangeTabs = (): object => ({ dispose: () => undefined });
    standIn.window.tabGroups = { all: [], close: noted('close tabs', true), onDidChangeTabs };
    await close();
    asked.length = 0;
    editor.answer = () => 'Apply';
    const reviewed = own.review('file:///w/a.py', 'new', 'Title', 'Message', ['Apply']);
    assert.deepEqual(asked[0], ['add', 'new', 'a.py', '/review']);
    assert.equal(await reviewed, 'Apply');
    await own.copy('copied');
    await own.askChat('why', [{ label: 'l', text: 't' }]);
    await own.attachToChat([{ label: 'm', text: 't' }]);
    await own.openExternal('https://a.example/');
    await own.previewHtml('Title', '<p>');
    assert.deepEqual([editor.clipboard, editor.external], ['copied', ['https://a.example/']]);
    assert.deepEqual(editor.executed.slice(-2), [
      ['millrace.chat.ask', { prompt: 'why', attachments: [{ label: 'l', text: 't' }] }],
      ['millrace.chat.attach', { attachments: [{ label: 'm', text: 't' }] }],
    ]);
    assert.equal(editor.panels.length, 1);
  });

  it('takes nothing for a yes but the button itself, in a dialog that stops the work', async () => {
    assert.equal(await ui.confirm('Delete?', 'For ever.', 'Delete'), false);
    editor.answer = () => 'Delete';
    assert.equal(await ui.confirm('Delete?', 'For ever.', 'Delete'), true);
    assert.equal(await ui.decide('Which?', 'One.', ['Delete', 'Keep']), 'Delete');
    assert.ok(
      editor.shown.every(
        ({ options, kind }) => options?.modal === true && options.detail !== undefined && kind === 'warning',
      ),
    );
  });

  it('gives the value of what is picked, and nothing where nothing is', async () => {
    const items = [
      { label: 'head', separator: true, value: 0 },
      { label: 'a', description: 'd', detail: 'e', value: 1 },
    ];
    assert.equal(await ui.pick('T', 'P', items), undefined);
    let seen: { kind: number; label: string; description?: string; detail?: string }[] = [];
    editor.pick = (all) => (seen = all as typeof seen)[1];
    assert.equal(await ui.pick('T', 'P', items), 1);
    assert.deepEqual(
      seen.map(({ kind, description, detail }) => [kind, description, detail]),
      [
        [-1, undefined, undefined],
        [0, 'd', 'e'],
      ],
    );
    assert.deepEqual(editor.asked[0], {
      title: 'T',
      placeHolder: 'P',
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
  });

  it('hides what is secret, checks what is typed, and keeps the box while the user looks elsewhere', async () => {
    await ui.input({
      title: 'T',
      prompt: 'P',
      password: true,
      value: 'v',
      validate: (text) => (text === '' ? 'empty' : undefined),
    });
    const [box] = editor.asked as {
      password: boolean;
      ignoreFocusOut: boolean;
      value: string;
      validateInput(text: string): unknown;
    }[];
    assert.deepEqual(
      [box?.password, box?.ignoreFocusOut, box?.value, box?.validateInput(''), box?.validateInput('x')],
      [true, true, 'v', 'empty', undefined],
    );
  });

  it('shows no progress of what is done at once, and lets go of what lasts', async () => {
    assert.equal(await ui.progress('Quick', async () => 7), 7);
    await assert.rejects(
      ui.progress('Quick', () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(editor.progress.length, 0);
    let signal: AbortSignal | undefined;
    const lasting = ui.progress('Long', (given) => {
      signal = given;
      return new Promise<string>((resolve) => given.addEventListener('abort', () => resolve('stopped')));
    });
    await pause(300);
    assert.equal(editor.progress.length, 0);
    await pause(500);
    assert.deepEqual(editor.progress[0]?.options, { location: 15, title: 'Long', cancellable: true });
    assert.equal(signal?.aborted, false);
    editor.progress[0]?.cancel();
    assert.equal(await lasting, 'stopped');
    assert.equal(signal?.aborted, true);
  });

  it('leaves no timer of what was done at once, and hears no wish to stop what has ended', async () => {
    const [set, clear] = [mock.method(globalThis, 'setTimeout'), mock.method(globalThis, 'clearTimeout')];
    try {
      await ui.progress('Quick', async () => 7);
      const started = set.mock.calls.filter(({ arguments: [, delay] }) => delay === 600).map(({ result }) => result);
      assert.equal(started.length, 1);
      assert.ok(clear.mock.calls.some(({ arguments: [timer] }) => timer === started[0]));
    } finally {
      // Not only restored: whoever resets all mocks later would bring back what stood here now.
      mock.reset();
    }
    let signal: AbortSignal | undefined;
    const { promise, resolve } = Promise.withResolvers<string>();
    const lasting = ui.progress('Long [x](command:y)', (given) => ((signal = given), promise));
    await pause(700);
    assert.equal(editor.progress[0]?.options['title'], 'Long [x] (command:y)');
    resolve('done');
    assert.equal(await lasting, 'done');
    editor.progress[0]?.cancel();
    assert.equal(signal?.aborted, false);
  });

  it('sets names apart that are written from right to left', async () => {
    let labels: string[] = [];
    editor.pick = (all) => void (labels = all.map((each) => (each as { label: string }).label));
    await ui.pick('T', 'P', [
      { label: 'שלום', value: 1 },
      { label: 'a', value: 2 },
    ]);
    assert.deepEqual(labels, ['\u2068שלום\u2069', 'a']);
  });

  it('reads the file that is shown, or the one that is named', async () => {
    assert.equal(await ui.file(), undefined);
    standIn.window.activeTextEditor = { document: textFile('file:///work/etl.job.yml', 'name: a') };
    assert.deepEqual(await ui.file(), {
      uri: 'file:///work/etl.job.yml',
      name: 'etl.job.yml',
      text: 'name: a',
      isJobFile: true,
    });
    editor.documents = [textFile('file:///work/b.json', '{}', 'json') as never];
    assert.deepEqual(await ui.file('file:///work/b.json'), {
      uri: 'file:///work/b.json',
      name: 'b.json',
      text: '{}',
      isJobFile: false,
    });
  });

  it('finds job files in their order, without those of packages', async () => {
    editor.files = new Set(['/work/b.job.yml', '/work/a/a.job.yaml']);
    assert.deepEqual(await ui.jobFiles(), [
      { uri: 'file:///work/a/a.job.yaml', name: 'a/a.job.yaml' },
      { uri: 'file:///work/b.job.yml', name: 'b.job.yml' },
    ]);
    assert.deepEqual(editor.asked, [['**/*.job.{yml,yaml}', '**/node_modules/**', 500]]);
  });

  it('goes to the place of a problem', async () => {
    editor.documents = [textFile('file:///work/a.job.yml', 'a: 1\nb: 2') as never];
    await ui.showProblem('file:///work/a.job.yml', 5);
    assert.deepEqual(editor.shownDocuments[0]?.[1], { selection: new standIn.Range(1, 0, 1, 0) });
    assert.deepEqual(editor.executed, [['workbench.actions.view.problems']]);
  });

  it('asks for one folder, beginning with the workspace', async () => {
    assert.equal(await ui.chooseFolder('T'), undefined);
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    editor.saveTo = standIn.Uri.file('/out');
    assert.equal(await ui.chooseFolder('T'), '/out');
    const { canSelectFiles, canSelectFolders, canSelectMany, defaultUri } = editor.asked[1] as Record<string, unknown>;
    assert.deepEqual(
      [canSelectFiles, canSelectFolders, canSelectMany, String(defaultUri)],
      [false, true, false, 'file:///work'],
    );
  });

  it('hands over to the browser, the clipboard, the chat and a new file', async () => {
    await ui.openExternal('https://example.com/a');
    await assert.rejects(ui.openExternal('no address'));
    await ui.copy('text');
    await ui.askChat('why', [{ label: 'l', language: 'x', text: 't' }]);
    await ui.attachToChat([{ label: 'm', text: 'u' }]);
    await ui.openUntitled('yaml', 'a: 1');
    assert.deepEqual([editor.external, editor.clipboard], [['https://example.com/a'], 'text']);
    assert.deepEqual(editor.executed, [
      ['millrace.chat.ask', { prompt: 'why', attachments: [{ label: 'l', language: 'x', text: 't' }] }],
      ['millrace.chat.attach', { attachments: [{ label: 'm', text: 'u' }] }],
    ]);
    assert.deepEqual(editor.shownDocuments, [[{ language: 'yaml', content: 'a: 1' }]]);
  });

  it('knows whether the workspace is trusted, as it is at that moment', () => {
    assert.equal(ui.workspaceTrusted, true);
    standIn.workspace.isTrusted = false;
    assert.equal(ui.workspaceTrusted, false);
  });

  it('shows HTML of a server in a panel that runs nothing and reads no file', () => {
    previewHtml('T', '<script>x</script>');
    const [panel] = editor.panels as { call: unknown[]; webview: { html: string } }[];
    assert.deepEqual(panel?.call, [
      'millrace.preview',
      'T',
      -1,
      { enableScripts: false, enableForms: false, enableCommandUris: false, localResourceRoots: [] },
    ]);
    assert.match(panel?.webview.html ?? '', /<iframe sandbox /);
    assert.doesNotMatch(panel?.webview.html ?? '', /<script>/);
  });
});

describe('the commands on jobs and runs', () => {
  holdTrail(import.meta.url, '-2');
  beforeEach(() => editor.reset());

  it('run their handler with what the editor hands over, and keep the last 20 comparisons', async () => {
    const calls: unknown[] = [];
    const noted =
      (name: string) =>
      async (...args: unknown[]): Promise<void> =>
        void calls.push([name, ...args]);
    const runs = {
      store: new RunStore(),
      arrangement: {} as never,
      selection: [{ node: { jobId: '1', runId: '6', profileId: 'local' } }],
      refresh: noted('refresh'),
      reload: noted('reload'),
      watch: noted('watch') as never,
      cancelling: noted('cancelling') as never,
      loadMoreRuns: noted('loadMore'),
      showOutput: noted('showOutput'),
      compareOutputs: noted('compareOutputs'),
    };
    const commands = createCommands({
      connections: new FakeConnections({ jobs: { getRun: async () => ({ run_id: '5' }) } }),
      runs,
      pages: { openRun: noted('openRun'), openJob: noted('openJob') },
      deployments: {} as never,
      memento: {} as never,
      programs,
      presentFailure: () => undefined,
    });
    await commands.run('millrace.jobs.refresh', undefined);
    await commands.run('millrace.jobs.loadMore', { node: { jobId: '1', profileId: 'local' } });
    await commands.run('millrace.run.showOutput', { runId: '5', profileId: 'local' });
    await commands.run('millrace.run.showOutput', { selection: true });
    await commands.run('millrace.openRun', { runId: '5', profileId: 'local' });
    // A row that the editor does not know for a moment is not the same as none.
    const lost = commands.run('millrace.run.cancel', undefined, [undefined]);
    await assert.rejects(lost, /rows were being read again/);
    assert.deepEqual(calls, [
      ['reload'],
      ['loadMore', '1'],
      ['showOutput', 'local', '5', 'Untitled'],
      ['showOutput', 'local', '5', 'Untitled'],
      ['openRun', 'local', '5', 'Untitled'],
    ]);
    const comparisons = editor.providers['millrace-compare'] as unknown as {
      add(text: string, name: string): standIn.Uri;
      provideTextDocumentContent(uri: standIn.Uri): string;
    };
    const uris = Array.from({ length: 21 }, (_, index) => comparisons.add(`text ${index}`, 'a.yml'));
    assert.equal(new Set(uris.map(String)).size, 21);
    assert.deepEqual(
      uris.slice(1).map((uri) => comparisons.provideTextDocumentContent(uri)),
      uris.slice(1).map((_, index) => `text ${index + 1}`),
    );
    assert.match(comparisons.provideTextDocumentContent(uris[0] as standIn.Uri), /no longer kept. Compare again/);
    commands.dispose();
    assert.equal(editor.providers['millrace-compare'], undefined);
  });
});
