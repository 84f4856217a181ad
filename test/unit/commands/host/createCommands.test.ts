import assert from 'node:assert/strict';
import type { Commands } from '../../../../src/commands/host/createCommands.ts';
import type { CommandServices } from '../../../../src/commands/services.ts';
import type { Ui } from '../../../../src/commands/ui.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { plainArrangement } from '../../../../src/runs/tree/arrangement.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { createCommands } = await import('../../../../src/commands/host/createCommands.ts');
// The questions and files of the commands are nearest to here as well.
const { createEditorUi } = await import('../../../../src/commands/host/editorUi.ts');
const { readFileText, save } = await import('../../../../src/commands/host/editorFiles.ts');

type Tab = { input: unknown };

describe('what the commands are given', () => {
  holdTrail(import.meta.url);
  let calls: unknown[][];
  let kept: ReturnType<typeof memento>;
  let store: RunStore;
  let commands: Commands;
  const running = { run_id: '7', job_id: '1', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } };
  const noted =
    (name: string, answer?: unknown) =>
    async (...args: unknown[]): Promise<never> => {
      calls.push([name, ...args]);
      return answer as never;
    };
  const programs = {
    pythonFiles: noted('pythonFiles', []),
    programFiles: noted('programFiles', []),
    readProgram: noted('readProgram', ''),
    createFile: noted('createFile', '/main.py'),
    createJobFile: noted('createJobFile'),
  };

  beforeEach(() => {
    editor.reset();
    calls = [];
    store = new RunStore();
    kept = memento();
    commands = createCommands({
      connections: Object.assign(
        new FakeConnections({
          jobs: {
            get: noted('get', { job_id: '1', settings: { name: 'etl' } }),
            getRun: noted('getRun', running),
            list: noted('list', []),
            runNow: noted('runNow', { run_id: '9', number_in_job: '2' }),
            cancelRun: noted('cancelRun'),
          },
        }),
        { confirmMutation: async () => true },
      ),
      runs: {
        store,
        arrangement: { current: plainArrangement } as never,
        selection: [],
        refresh: noted('refresh'),
        reload: noted('reload'),
        watch: (...args: unknown[]) => void calls.push(['watch', ...args]),
        cancelling: (...args: unknown[]) => (calls.push(['cancelling', ...args]), () => calls.push(['not cancelled'])),
        loadMoreRuns: noted('loadMore'),
        showOutput: noted('showOutput'),
        compareOutputs: noted('compareOutputs'),
      } as never,
      pages: { openRun: noted('openRun'), openJob: noted('openJob') },
      deployments: {
        jobIdOf: () => undefined,
        lastDeployOf: () => undefined,
        filesOf: () => [],
        set: noted('set'),
      } as never,
      memento: kept,
      programs,
      presentFailure: () => undefined,
    });
  });
  afterEach(() => commands.dispose());
  const names = (): unknown[] => calls.map(([name]) => name);

  it('opens the page of a job, and compares the outputs of runs', async () => {
    await commands.run('millrace.openJob', { jobId: '1', profileId: 'local' });
    const ended = { ...running, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
    store.mergeRuns([ended, { ...ended, run_id: '8' }], Date.now());
    const rows = ['7', '8'].map((runId) => ({ node: { runId, jobId: '1', profileId: 'local' } }));
    await commands.run('millrace.run.compare', rows[0], rows);
    assert.deepEqual(
      calls.slice(-2).map(([name, ...args]) => [name, ...args.slice(0, 2)]),
      [
        ['openJob', 'local', '1'],
        ['compareOutputs', 'local', ['7', '8']],
      ],
    );
  });

  it('watches what it has started, by its name, and looks again', async () => {
    await commands.run('millrace.job.runNow', { jobId: '1', profileId: 'local' });
    assert.deepEqual(
      calls.filter(([name]) => name !== 'get'),
      [
        ['runNow', ...(calls.find(([name]) => name === 'runNow') ?? []).slice(1)],
        ['watch', 'local', '9', 'etl #2'],
        ['refresh'],
      ],
    );
  });

  it('tells of runs that the user ends himself before they end', async () => {
    await commands.run('millrace.run.cancel', { runId: '7', profileId: 'local' });
    assert.deepEqual(names().slice(0, 3), ['getRun', 'cancelling', 'cancelRun']);
    assert.deepEqual(
      calls.find(([name]) => name === 'cancelling'),
      ['cancelling', 'local', ['7']],
    );
  });

  it('asks for the run where the palette names none', async () => {
    await assert.rejects(commands.run('millrace.run.cancel'), /listRuns/);
    await assert.rejects(commands.run('millrace.run.cancel', undefined), /rows were being read again/);
  });

  it('makes a job file of a program of the workspace', async () => {
    await commands.run('millrace.jobFile.new', undefined);
    assert.deepEqual(names(), ['pythonFiles', 'createFile']);
    assert.match(JSON.stringify(editor.shownDocuments), /"language":"millrace-job".*main\.py/);
  });

  it('keeps where programs of a service are here for each profile, beside those that are known', async () => {
    kept.values['millrace.replayPlaces.other'] = { '/x': 'x.py' };
    kept.get = ((name: string, otherwise: unknown) => kept.values[name] ?? otherwise) as never;
    const all: unknown = (await import('../../../../src/commands/handlers.ts')).handlers;
    const handlers = all as Record<string, (services: CommandServices) => Promise<unknown>>;
    const id = 'millrace.run.replay';
    const handler = handlers[id] as (typeof handlers)[string];
    const seen: unknown[] = [];
    try {
      handlers[id] = async ({ replayPlaces, deployPreview }) => {
        seen.push(replayPlaces.of('local'));
        await replayPlaces.set('local', '/a', 'a.py');
        await replayPlaces.set('local', '/b', 'b.py');
        seen.push(replayPlaces.of('local'), replayPlaces.of('other'), deployPreview());
        editor.settings['millrace.deploy.preview'] = 'never';
        seen.push(deployPreview());
      };
      await commands.run(id, { runId: '7', profileId: 'local' });
    } finally {
      handlers[id] = handler;
    }
    assert.deepEqual(seen, [{}, { '/a': 'a.py', '/b': 'b.py' }, { '/x': 'x.py' }, 'always', 'never']);
  });

  it('loads what models of the chat may call, and applies the code of an answer', async () => {
    const tools = await commands.loadChatTools();
    assert.ok(tools);
    standIn.workspace.isTrusted = false;
    await assert.rejects(commands.applyCode({ text: 'x', language: 'py' }), /is not trusted/);
  });

  it('prepares what is debugged by its job file', async () => {
    const configurations = editor.providers['debugConfigurations'] as unknown as {
      resolveDebugConfigurationWithSubstitutedVariables(folder: undefined, configuration: object): Promise<unknown>;
    };
    editor.documents = [textFile('file:///work/deep/odd.job.yml', 'nonsense: 1\n')] as never;
    const configuration = { type: 'millrace', name: 'Debug It', job: '/work/deep/odd.job.yml' };
    const resolved = configurations.resolveDebugConfigurationWithSubstitutedVariables(undefined, configuration);
    assert.equal(await resolved, undefined);
    assert.match(shownTexts()[0] ?? '', /^warning: odd\.job\.yml has a problem and was not sent/);
    commands.dispose();
    assert.deepEqual(editor.providers, {});
  });
});

describe('the editor as the commands use it', () => {
  holdTrail(import.meta.url, '-2');
  const asked: unknown[][] = [];
  const note =
    (name: string) =>
    async (...args: unknown[]): Promise<never> => {
      asked.push([name, ...args]);
      return name as never;
    };
  const added: unknown[][] = [];
  const ui: Ui = createEditorUi({
    programs: {
      pythonFiles: note('pythonFiles'),
      programFiles: note('programFiles'),
      readProgram: note('readProgram'),
      createFile: note('createFile'),
      createJobFile: note('createJobFile'),
    },
    openRun: note('openRun'),
    openJob: note('openJob'),
    compareOutputs: note('compareOutputs'),
    showRunOutput: note('showRunOutput'),
    comparisons: {
      add: (...args) => (added.push(args), standIn.Uri.parse(`millrace-compare:/${added.length}/x`) as never),
    },
  });
  beforeEach(() => {
    editor.reset();
    asked.length = added.length = 0;
    Object.assign(standIn.window.tabGroups, {
      all: [],
      close: async (tabs: unknown) => void asked.push(['close', tabs]),
    });
  });

  it('asks the workspace for its programs, each as it was asked', async () => {
    assert.equal(await ui.pythonFiles(), 'pythonFiles' as never);
    await ui.programFiles();
    await ui.readProgram('/a.py');
    await ui.createFile('a.py', 'x');
    await ui.createJobFile('a.job.yml', 'y');
    await ui.openRun('p', 'r', 'n');
    await ui.openJob('p', 'j', 'n');
    await ui.showRunOutput('p', 'r', 'n');
    await ui.compareOutputs('p', ['1', '2'], 't');
    assert.deepEqual(asked, [
      ['pythonFiles'],
      ['programFiles'],
      ['readProgram', '/a.py'],
      ['createFile', 'a.py', 'x'],
      ['createJobFile', 'a.job.yml', 'y'],
      ['openRun', 'p', 'r', 'n'],
      ['openJob', 'p', 'j', 'n'],
      ['showRunOutput', 'p', 'r', 'n'],
      ['compareOutputs', 'p', ['1', '2'], 't'],
    ]);
  });

  it('opens a file by its address', async () => {
    await ui.openFile('vscode-vfs://host/work/a.py');
    const [[uri]] = editor.shownDocuments as [[standIn.Uri]];
    assert.equal(String(uri), 'vscode-vfs://host/work/a.py');
  });

  it('shows a text beside what is there, and takes it away again', async () => {
    const close = await ui.previewText('file:///work/jobs/a.job.yml', 'name: b', 'T');
    assert.deepEqual(added, [['name: b', 'a.job.yml']]);
    const [[command, now, after, title, options]] = editor.executed as [
      [string, standIn.Uri, standIn.Uri, string, object],
    ];
    assert.deepEqual(
      [command, String(now), String(after), title, options],
      ['vscode.diff', 'file:///work/jobs/a.job.yml', 'millrace-compare:///1/x', 'T', { preview: true }],
    );
    const tab: Tab = { input: new standIn.TabInputTextDiff(now, after) };
    const other: Tab = { input: new standIn.TabInputTextDiff(now, now) };
    Object.assign(standIn.window.tabGroups, { all: [{ tabs: [other, tab] }] });
    await close();
    assert.deepEqual(JSON.stringify(asked).includes('close'), true);
    assert.deepEqual(asked.at(-1)?.flat(), ['close', tab]);
  });

  it('lets several be picked, with those checked that are to be, and gives none where it was given up', async () => {
    let seen: { picked?: boolean; label: string }[] = [];
    const items = [
      { label: 'a', value: 1, picked: true },
      { label: 'b', value: 2 },
    ];
    assert.equal(await ui.pickMany('T', 'P', items), undefined);
    editor.pick = (all) => ((seen = all as typeof seen), [...all].reverse());
    assert.deepEqual(await ui.pickMany('T', 'P', items), [2, 1]);
    assert.deepEqual(
      seen.map(({ label, picked }) => [label, picked]),
      [
        ['a', true],
        ['b', undefined],
      ],
    );
    assert.deepEqual(editor.asked.at(-1), {
      title: 'T',
      placeHolder: 'P',
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
      canPickMany: true,
    });
  });

  it('shows where a problem is', async () => {
    editor.documents = [textFile('file:///work/a.job.yml', 'a: 1\nb: 2') as never];
    await ui.showProblem('file:///work/a.job.yml', 7);
    assert.deepEqual(editor.shownDocuments[0]?.[1], { selection: new standIn.Range(1, 2, 1, 2) });
    assert.deepEqual(editor.executed, [['workbench.actions.view.problems']]);
  });

  it('reads a file as it is open, else from the disk, and past the editor', async () => {
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

  it('saves a file that is open, and leaves one alone that was never saved', async () => {
    let saves = 0;
    const open = (name: string, isSaved: boolean) =>
      Object.assign(textFile(name, ''), { save: async () => ((saves += 1), isSaved) });
    standIn.workspace.textDocuments = [
      open('file:///work/a.py', true),
      open('file:///work/b.py', false),
      open('untitled:Untitled-1', false),
    ];
    assert.deepEqual([await save('file:///work/a.py'), await save('file:///work/b.py'), saves], [true, false, 2]);
    assert.deepEqual([await save('untitled:Untitled-1'), await save('file:///work/none.py'), saves], [true, true, 2]);
  });
});
