import { join } from 'node:path';
import * as vscode from 'vscode';
import { localFolders } from './localFolders.ts';

const taskType = 'millrace';

/** A task in `tasks.json`. */
interface ProgramTask extends vscode.TaskDefinition {
  readonly command: string;
  /** A job file; for `check` also a folder. Default, for `check` only: the workspace folder. */
  readonly file?: string;
  readonly args?: readonly string[];
}

/** Maximum number of files with a task of their own. For more, tasks are written in `tasks.json`. */
const maxFiles = 20;

/**
 * Registers tasks that check, deploy and run job files with the extension's program. Problems in their output are marked, and a launch
 * configuration can wait for a task.
 */
export function registerProgramTasks(context: vscode.ExtensionContext): vscode.Disposable {
  return vscode.tasks.registerTaskProvider(taskType, {
    async provideTasks() {
      const found = await vscode.workspace.findFiles('**/*.job.{yml,yaml}', '**/node_modules/**', maxFiles);
      const files = found.sort((one, other) => (one.path < other.path ? -1 : 1));
      const ofFiles = files.flatMap((uri) => {
        const folder = vscode.workspace.getWorkspaceFolder(uri);
        const file = vscode.workspace.asRelativePath(uri, false);
        return folder ? ['deploy', 'run'].map((command) => taskOf(context, folder, { command, file })) : [];
      });
      const folders = files.length === 0 ? [] : (vscode.workspace.workspaceFolders ?? []);
      return [...folders.map((folder) => taskOf(context, folder, { command: 'check' })), ...ofFiles];
    },
    resolveTask({ definition, scope }) {
      const { command, file, args } = definition as ProgramTask;
      if (typeof command !== 'string') return undefined;
      return taskOf(context, scope ?? vscode.TaskScope.Workspace, { command, file, args }, definition);
    },
  });
}

type Parts = Pick<ProgramTask, 'command' | 'file' | 'args'>;

/** @param definition for a task of `tasks.json` this very object; otherwise the editor does not recognize the task */
function taskOf(
  context: vscode.ExtensionContext,
  scope: vscode.WorkspaceFolder | vscode.TaskScope,
  parts: Parts,
  definition: vscode.TaskDefinition = { type: taskType, ...parts },
): vscode.Task {
  const { command, file, args = [] } = parts;
  const { dataFolder, root } = localFolders(context);
  const execution = new vscode.ProcessExecution(
    process.execPath,
    [
      join(context.extensionPath, 'dist', 'millrace.js'),
      command,
      ...(file === undefined ? (command === 'check' ? ['.'] : []) : [file]),
      ...args,
    ],
    {
      ...(typeof scope === 'object' ? { cwd: scope.uri.fsPath } : {}),
      env: { ELECTRON_RUN_AS_NODE: '1', MILLRACE_DATA: dataFolder, MILLRACE_ROOT: root },
    },
  );
  const name = file === undefined ? command : `${command} ${file}`;
  const task = new vscode.Task(definition, scope, name, taskType, execution, '$millrace');
  if (command === 'check') task.group = vscode.TaskGroup.Build;
  return task;
}
