/** The part of the editor's workspace that says whether agents are served. */
interface Workspace {
  readonly isTrusted: boolean;
  getConfiguration(section: string): { inspect(name: string): Values | undefined };
}

interface Values {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/**
 * Returns whether agents are served: in a trusted workspace, unless the setting is off anywhere. A workspace can turn off what the user has
 * on, but cannot turn on what the user has off.
 */
export function areAgentsOn(workspace: Workspace): boolean {
  const values = workspace.getConfiguration('millrace').inspect('agents.enabled');
  const isOff = [values?.globalValue, values?.workspaceValue, values?.workspaceFolderValue].includes(false);
  return workspace.isTrusted && !isOff;
}
