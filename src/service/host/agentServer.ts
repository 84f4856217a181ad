import { join } from 'node:path';
import * as vscode from 'vscode';
import { areAgentsOn } from '../../shared/agentsSetting.ts';
import type { PipeInvitation } from '../../shared/node/agentPipe.ts';
import { localFolders } from './localFolders.ts';

/** Versions of the editor that start every server with the window, also where no agent is used. */
const startsServersUnasked = /^1\.10[5-9]\./;

/**
 * Offers the tools for agents to the editor's chat: the command `millrace mcp`, with this window's local service. The editor starts it when
 * a tool is used. In Restricted Mode no server is offered, because it runs programs of the workspace.
 * @param options.invite returns what lets one server reach this window, which reads other services for it
 */
export function registerAgentServer(
  context: vscode.ExtensionContext,
  { invite }: { invite: () => Promise<PipeInvitation> },
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    vscode.lm.registerMcpServerDefinitionProvider('millrace', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions() {
        const { dataFolder, root, hasFolder } = localFolders(context);
        if (!hasFolder || !areAgentsOn(vscode.workspace) || startsServersUnasked.test(vscode.version)) return [];
        const { version } = context.extension.packageJSON as { version: string };
        const program = join(context.extensionPath, 'dist', 'millrace.js');
        const environment = { ELECTRON_RUN_AS_NODE: '1', MILLRACE_DATA: dataFolder, MILLRACE_ROOT: root };
        const label = vscode.l10n.t('Millrace on this machine');
        const server = new vscode.McpStdioServerDefinition(
          label,
          process.execPath,
          [program, 'mcp'],
          environment,
          version,
        );
        server.cwd = vscode.Uri.file(root);
        return [server];
      },
      async resolveMcpServerDefinition(server: vscode.McpStdioServerDefinition) {
        const { address, key } = await invite();
        server.env = { ...server.env, MILLRACE_WINDOW: address, MILLRACE_WINDOW_KEY: key };
        return server;
      },
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('millrace.agents.enabled')) changed.fire();
    }),
  );
}
