import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { createEditorUi } = await import('../../../../src/commands/host/editorUi.ts');

const { previewHtml } = await import('../../../../src/commands/host/editorUi.ts');

const { readFileText, replaceText, save } = await import('../../../../src/commands/host/editorFiles.ts');

const { Reviews } = await import('../../../../src/commands/host/editorUi.ts');

const { createFailurePresenter } = await import('../../../../src/commands/host/presentFailure.ts');

const { createCommands, registerDebugConfigurations } = await import('../../../../src/commands/host/createCommands.ts');

const compared: string[][] = [];

const programs = {
  pythonFiles: async () => [],
  createFile: async (name: string) => `/${name}`,
  createJobFile: async () => undefined,
  programFiles: async () => [],
  readProgram: async () => '',
  pathOf: () => undefined,
  userName: () => '',
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

describe('the user interface of the commands', () => {
  beforeEach(() => editor.reset());

  it('shows no link from a server in a message', async () => {
    await ui.info('see [x](command:y)');
    await ui.warn('see [x](command:y)', 'Go');
    const texts = shownTexts();
    assert.ok(
      texts.every((text) => !text.includes('](')),
      texts.join(),
    );
    assert.match(texts[1] ?? '', /^warning: .*\[Go\]$/);
  });

  it('accepts only the button itself as a yes', async () => {
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

  it('hides secrets, validates the input and keeps the box open', async () => {
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

  it('previews HTML of a server without scripts and file access', () => {
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

describe('a text of the workspace that a command rewrites', () => {
  beforeEach(() => editor.reset());

  it('is replaced as one undo step', async () => {
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

  it('is left alone when it changed meanwhile', async () => {
    editor.documents = [textFile('file:///work/etl.job.yml', 'name: c\n')] as never;
    await assert.rejects(
      replaceText('file:///work/etl.job.yml', 'name: a\n', 'name: b\n'),
      /etl\.job\.yml was not changed, because its content has changed/,
    );
    assert.deepEqual([editor.edits, editor.shownDocuments], [[], []]);
  });
});

describe('the editor behind the commands', () => {
  const asked: unknown[][] = [];
  beforeEach(() => {
    editor.reset();
    asked.length = 0;
    Object.assign(standIn.window.tabGroups, {
      all: [],
      close: async (tabs: unknown) => void asked.push(['close', tabs]),
    });
  });

  it('reads an open file from the editor, otherwise from the disk', async () => {
    editor.contents.set('/work/a.py', 'on disk');
    assert.equal(await readFileText('file:///work/a.py'), 'on disk');
    standIn.workspace.textDocuments = [textFile('file:///work/b.py', 'b'), textFile('file:///work/a.py', 'typed')];
    assert.equal(await readFileText('file:///work/a.py'), 'typed');
    assert.deepEqual(editor.opened, []);
    const { readFile } = standIn.workspace.fs;
    try {
      standIn.workspace.fs.readFile = () => Promise.reject(new Error('gone'));
      assert.equal(await readFileText('file:///work/c.py'), undefined);
    } finally {
      standIn.workspace.fs.readFile = readFile;
    }
  });

  it('saves an open file, and leaves an untitled one alone', async () => {
    let saves = 0;
    const open = (name: string, isSaved: boolean, isDirty = true) =>
      Object.assign(textFile(name, ''), { isDirty, save: async () => ((saves += 1), isSaved) });
    standIn.workspace.textDocuments = [
      open('file:///work/a.py', true),
      open('file:///work/b.py', false),
      open('untitled:Untitled-1', false),
      open('file:///work/savedByTheEditor.py', false, false),
    ];
    assert.deepEqual([await save('file:///work/a.py'), await save('file:///work/b.py'), saves], [true, false, 2]);
    assert.deepEqual([await save('untitled:Untitled-1'), await save('file:///work/none.py'), saves], [true, true, 2]);
    assert.equal(await save('file:///work/savedByTheEditor.py'), true);
  });
});

describe('a change under review', () => {
  const now = standIn.Uri.parse('file:///work/a.py');
  const after = standIn.Uri.parse('millrace-compare:/review/1/a.py');
  const changed = new Emitter<{ closed: unknown[] }>();
  let closed: unknown[];
  let reviews: InstanceType<typeof Reviews>;

  beforeEach(() => {
    editor.reset();
    closed = [];
    const input = new standIn.TabInputTextDiff(now, after);
    Object.assign(standIn.window.tabGroups, {
      all: [{ tabs: [{ input }, { input: {} }] }],
      onDidChangeTabs: changed.event,
      close: async (tabs: unknown[]) => void closed.push(...tabs),
    });
    reviews = new Reviews();
  });
  const ask = (): Promise<string | undefined> =>
    reviews.ask([now, after] as never, 'title', 'Really?', ['Apply and Run Again', 'Other']);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is accepted from its message, which closes its tab', async () => {
    editor.answer = () => 'Other';
    assert.equal(await ask(), 'Other');
    assert.equal(closed.length, 1);
    editor.answer = () => 'Discard';
    assert.equal(await ask(), undefined);
    assert.deepEqual(editor.executed[0], ['vscode.diff', now, after, 'title', { preview: false }]);
  });

  it('reports a message that is answered after the tab was closed', async () => {
    const late = Promise.withResolvers<string>();
    editor.answer = () => late.promise as never;
    const asked = ask();
    await turn();
    changed.fire({ closed: [{ input: new standIn.TabInputTextDiff(now, after) }] });
    assert.equal(await asked, undefined);
    late.resolve('Apply and Run Again');
    await turn();
    await turn();
    assert.match(editor.shown.at(-1)?.text ?? '', /already applied or discarded/);
  });

  it('stays open when the message is dismissed', async () => {
    for (const [act, expected] of [
      [() => reviews.settle(String(after), true), 'Apply and Run Again'],
      [() => reviews.settle(String(after), false), undefined],
      [() => changed.fire({ closed: [{ input: new standIn.TabInputTextDiff(now, after) }] }), undefined],
    ] as const) {
      let answer: string | undefined | null = null;
      void ask().then((given) => (answer = given));
      await turn();
      reviews.settle('millrace-compare:/review/2/a.py', true);
      changed.fire({ closed: [{ input: {} }] });
      await turn();
      assert.equal(answer, null);
      act();
      await turn();
      assert.equal(answer, expected);
      assert.equal(changed.hasListeners, false);
    }
  });
});

describe('the message of a failed command', () => {
  let logged: string[];
  let logShown: number;
  const present = (error: unknown): void =>
    createFailurePresenter({ ...silentLogger, error: (text) => logged.push(text), show: () => (logShown += 1) })(
      error,
      'millrace.x',
    );
  beforeEach(() => {
    editor.reset();
    [logged, logShown] = [[], 0];
  });

  it('is not shown after a cancellation', () => {
    present(new AppError('aborted', 'Stopped.'));
    present(new DOMException('Stopped.', 'AbortError'));
    assert.deepEqual([shownTexts(), logged], [[], []]);
  });

  it('has the remedy and a button for the log', async () => {
    editor.answer = ({ actions }) => actions.at(-1);
    present(new AppError('rejected', 'It was refused.', { remedy: 'Mend it.' }));
    await nextTurn();
    assert.deepEqual(shownTexts(), ['error: It was refused. Mend it. [Show Log]']);
    assert.deepEqual(logged, ['millrace.x: It was refused.']);
    assert.equal(logShown, 1);
  });

  for (const [command, title, kinds] of [
    ['millrace.profile.diagnose', 'Diagnose Connection', ['network', 'tls', 'timeout', 'unauthenticated']],
    ['workbench.trust.manage', 'Manage Workspace Trust', ['untrusted']],
  ] as const) {
    for (const kind of kinds) {
      it(`offers "${title}" after a failure of the kind ${kind}`, async () => {
        present(new AppError(kind, 'It failed.'));
        await nextTurn();
        assert.deepEqual(
          [shownTexts(), logShown, editor.executed],
          [[`error: It failed. [${title} | Show Log]`], 0, []],
        );
        editor.answer = ({ actions }) => actions[0];
        present(new AppError(kind, 'It failed.'));
        await nextTurn();
        assert.deepEqual([logShown, editor.executed], [0, [[command]]]);
      });
    }
  }
});

type Configuration = Record<string, unknown>;

interface Provider {
  provideDebugConfigurations(): Configuration[];
  resolveDebugConfiguration(folder: unknown, configuration: Configuration): Configuration | undefined;
  resolveDebugConfigurationWithSubstitutedVariables(
    folder: unknown,
    configuration: Configuration,
  ): Promise<Configuration | undefined>;
}

const own = { type: 'millrace', request: 'launch', name: 'Debug This Job File', job: '${file}' };

const launch = { name: 'Debug x on Local', jobId: '9007199254740993', parameters: {}, haltAtFailure: false };

describe('debug configurations', () => {
  let provider: Provider;
  let prepared: string[];
  let failures: string[];
  let result: (() => Promise<typeof launch | undefined>) | undefined;

  beforeEach(() => {
    editor.reset();
    editor.settings['millrace.local.installDebugger'] = true;
    [prepared, failures, result] = [[], [], undefined];
    registerDebugConfigurations({
      async prepare(uri) {
        prepared.push(uri.toString());
        return result ? result() : launch;
      },
      presentFailure: (error, what) => void failures.push(`${what}: ${(error as Error).message}`),
    });
    provider = editor.providers['debugConfigurations'] as unknown as Provider;
  });

  const resolve = (configuration: Configuration): Promise<Configuration | undefined> =>
    provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, { ...own, ...configuration });

  it('deploy their job file and receive its job and parameters', async () => {
    const resolved = await resolve({ job: '/w/jobs/x.job.yml', parameters: { python_params: ['a'] } });
    assert.deepEqual(prepared, ['file:///w/jobs/x.job.yml']);
    assert.deepEqual([resolved?.['jobId'], resolved?.['parameters']], ['9007199254740993', { python_params: ['a'] }]);
    assert.deepEqual((await resolve({ job: '/w/x.job.yml' }))?.['parameters'], {});
  });

  it('ask once before the debugger is installed', async () => {
    delete editor.settings['millrace.local.installDebugger'];
    assert.equal(await resolve({ jobId: '1' }), undefined);
    editor.answer = ({ actions }) => actions[0];
    assert.ok(await resolve({ jobId: '1' }));
    assert.ok(await resolve({ jobId: '1' }));
    assert.equal(editor.shown.length, 2);
    assert.equal(editor.settings['millrace.local.installDebugger'], true);
  });

  it('start nothing after a cancellation, and report failures', async () => {
    result = async () => undefined;
    assert.equal(await resolve({ job: '/x.job.yml' }), undefined);
    assert.deepEqual(failures, []);
    result = async () => {
      throw new Error('No service.');
    };
    assert.equal(await resolve({ job: '/x.job.yml' }), undefined);
    assert.equal(await resolve({ job: '' }), undefined);
    assert.deepEqual(failures, [
      'debug: No service.',
      'debug: The debug configuration "Debug This Job File" names no job file.',
    ]);
  });

  it('find their file by its whole path on any system', async () => {
    const folder = { uri: standIn.Uri.file('/w') };
    standIn.workspace.textDocuments = [
      { uri: standIn.Uri.parse('vscode-vfs://host/w/open.job.yml') },
      { uri: standIn.Uri.file('/w/other.job.yml') },
    ] as never;
    const found = async (job: unknown): Promise<string | undefined> => {
      prepared.length = 0;
      await provider.resolveDebugConfigurationWithSubstitutedVariables(folder, { ...own, job: job as string });
      return prepared[0];
    };
    assert.equal(await found('/w/open.job.yml'), 'vscode-vfs://host/w/open.job.yml');
    assert.equal(await found('/x/a.job.yml'), 'file:///x/a.job.yml');
    assert.match((await found('C:\\x\\a.job.yml')) ?? '', /^file:\/\/.*C:.*a\.job\.yml$/);
    assert.doesNotMatch((await found('D:/x/a.job.yml')) ?? '', /\/w\//);
    assert.equal(await found('sub/C:/a.job.yml'), 'file:///w/sub/C:/a.job.yml');
    standIn.workspace.textDocuments = [];
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/first') }];
    await resolve({ job: 'a.job.yml' });
    assert.equal(prepared.at(-1), 'file:///first/a.job.yml', 'of the first folder where none is given');
    failures.length = 0;
    for (const job of ['', 7, undefined]) assert.equal(await found(job), undefined);
    assert.equal(failures.length, 3);
    assert.match(failures[0] ?? '', /The debug configuration "Debug This Job File" names no job file\.$/);
  });
});

describe('commands without a row', () => {
  const connections = new FakeConnections();
  const opened: string[] = [];
  let active: { kind: 'run' | 'job'; profileId: string; id: string } | undefined;
  const commands = () =>
    createCommands({
      connections,
      runs: { store: new RunStore(), selection: [] },
      pages: {
        openRun: async (_profileId: string, runId: string) => void opened.push(runId),
        get active() {
          return active;
        },
      },
      memento: memento(),
    } as never);
  beforeEach(() => {
    editor.reset();
    [connections.calls.length, opened.length, active] = [0, 0, undefined];
  });

  it('run the job file in front, after the shortcut, without asking for a job', async () => {
    const file = textFile('file:///w/x.job.yml', 'name: [');
    editor.documents.push(file as never);
    standIn.window.activeTextEditor = { document: file };
    await commands().run('millrace.job.runNow', { activeFile: true });
    assert.match(shownTexts()[0] ?? '', /x\.job\.yml/);
    assert.deepEqual(connections.calls, []);
  });

  it('apply to the run whose page is in front', async () => {
    connections.client = { jobs: { getRun: async (id: string) => ({ run_id: id }) } };
    active = { kind: 'run', profileId: 'local', id: '7' };
    await commands().run('millrace.openRun');
    assert.deepEqual(opened, ['7']);
  });
});
