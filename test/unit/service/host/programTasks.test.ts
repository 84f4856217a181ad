import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerProgramTasks } = await import('../../../../src/service/host/programTasks.ts');
const { localFolders } = await import('../../../../src/service/host/localFolders.ts');

interface MadeTask {
  definition: object;
  scope: unknown;
  name: string;
  source: string;
  execution: { process: string; args: string[]; options: { cwd?: string; env: Record<string, string> } };
  problemMatchers: string;
  group?: string;
}

const context = { extensionPath: '/ext', globalStorageUri: { fsPath: '/store' } } as never;
const digest = createHash('sha256').update('/work').digest('hex').slice(0, 12);

describe('tasks of the editor for job files', () => {
  const folder = { uri: standIn.Uri.file('/work'), name: 'work' };
  let provider: { provideTasks(): Promise<MadeTask[]>; resolveTask(task: unknown): MadeTask | undefined };
  beforeEach(() => {
    editor.reset();
    standIn.workspace.workspaceFolders = [folder];
    standIn.workspace.getWorkspaceFolder = (uri) => (String(uri).includes('/outside/') ? undefined : folder);
    registerProgramTasks(context);
    provider = editor.providers['tasks'] as never;
  });
  after(() => (standIn.workspace.getWorkspaceFolder = () => undefined));

  it('check the folder, and deploy and run each file of it, in their order', async () => {
    editor.files = new Set(['/work/b.job.yml', '/work/a.job.yaml', '/outside/c.job.yml']);
    const tasks = await provider.provideTasks();
    assert.deepEqual(
      tasks.map(({ name, definition }) => [name, definition]),
      [
        ['check', { type: 'millrace', command: 'check' }],
        ['deploy a.job.yaml', { type: 'millrace', command: 'deploy', file: 'a.job.yaml' }],
        ['run a.job.yaml', { type: 'millrace', command: 'run', file: 'a.job.yaml' }],
        ['deploy b.job.yml', { type: 'millrace', command: 'deploy', file: 'b.job.yml' }],
        ['run b.job.yml', { type: 'millrace', command: 'run', file: 'b.job.yml' }],
      ],
    );
    assert.deepEqual(editor.asked, [['**/*.job.{yml,yaml}', '**/node_modules/**', 20]]);
    const [check, deploy, run] = tasks;
    assert.deepEqual([check?.execution.args, check?.group], [['/ext/dist/millrace.js', 'check', '.'], 'build']);
    assert.deepEqual(
      [deploy?.execution.args, deploy?.group],
      [['/ext/dist/millrace.js', 'deploy', 'a.job.yaml'], undefined],
    );
    assert.deepEqual(run?.execution.args, ['/ext/dist/millrace.js', 'run', 'a.job.yaml']);
    assert.deepEqual(
      [run?.execution.process, run?.scope, run?.source, run?.problemMatchers],
      [process.execPath, folder, 'millrace', '$millrace'],
    );
    assert.deepEqual(run?.execution.options, {
      cwd: '/work',
      env: { ELECTRON_RUN_AS_NODE: '1', MILLRACE_DATA: `/store/local/work-${digest}`, MILLRACE_ROOT: '/work' },
    });
  });

  it('are none where there is no job file', async () => {
    assert.deepEqual(await provider.provideTasks(), []);
  });

  it('of tasks.json are what is written there, with the very definition', () => {
    const definition = {
      type: 'millrace',
      command: 'run',
      file: 'a.job.yml',
      args: ['--wait', '--set', 'a=1'],
      label: 'mine',
    };
    const task = provider.resolveTask({ definition, scope: folder });
    assert.equal(task?.definition, definition, 'with a like one the editor refuses the task');
    assert.equal(task.name, 'run a.job.yml');
    assert.deepEqual(task.execution.args.slice(1), ['run', 'a.job.yml', '--wait', '--set', 'a=1']);
    const without = provider.resolveTask({ definition: { type: 'millrace', command: 'deploy' } });
    assert.deepEqual(
      [without?.scope, without?.execution.args.slice(1), without?.execution.options.cwd],
      [2, ['deploy'], undefined],
    );
    assert.equal(provider.resolveTask({ definition: { type: 'millrace' } }), undefined);
  });

  it('share the data of the window, which each folder has its own of', () => {
    assert.deepEqual(localFolders(context), {
      dataFolder: `/store/local/work-${digest}`,
      root: '/work',
      hasFolder: true,
    });
    standIn.workspace.workspaceFolders = undefined;
    assert.deepEqual(localFolders(context), {
      dataFolder: '/store/local/no-folder',
      root: '/store/local/no-folder/empty',
      hasFolder: false,
    });
    standIn.workspace.workspaceFolders = [
      { uri: standIn.Uri.parse('vscode-remote://x/r') },
      { uri: standIn.Uri.file(`/w/ä b ${'x'.repeat(60)}`) },
    ];
    assert.match(localFolders(context).dataFolder, /^\/store\/local\/-b-x{37}-[0-9a-f]{12}$/);
  });
});
