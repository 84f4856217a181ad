import * as vscode from 'vscode';
import { registerLanguageModels } from './chat/host/languageModels.ts';
import { type Chat, registerChat } from './chat/host/registerChat.ts';
import { registerLanguageModelTools } from './cli/host/languageModelTools.ts';
import { type Commands, createCommands } from './commands/host/createCommands.ts';
import { FileDeployments } from './commands/host/fileDeployments.ts';
import { createFailurePresenter, type PresentFailure } from './commands/host/presentFailure.ts';
import { SharedDeploys } from './commands/host/sharedDeploys.ts';
import { localProfile } from './connection/connection.ts';
import { EditorConnections } from './connection/host/editorConnections.ts';
import { localMemoryOf, memoryOf } from './deployments/deployFolders.ts';
import * as programs from './jobfile/host/programFiles.ts';
import { type JobFileLanguage, registerJobFile } from './jobfile/host/registerJobFile.ts';
import { type Pages, registerPages } from './runs/host/registerPages.ts';
import { registerRuns, type Runs } from './runs/host/registerRuns.ts';
import { RunStore } from './runs/store/runStore.ts';
import { registerAgentServer } from './service/host/agentServer.ts';
import { registerCliOnPath } from './service/host/cliOnPath.ts';
import { localFolders } from './service/host/localFolders.ts';
import { registerProgramTasks } from './service/host/programTasks.ts';
import { registerDebugging } from './service/host/registerDebugging.ts';
import { type RegisteredLocalService, registerLocalService } from './service/host/registerLocalService.ts';
import { isolated } from './shared/fields.ts';
import { l10n } from './shared/l10n.ts';
import { lazy } from './shared/lazy.ts';
import { DisposableStore } from './shared/lifecycle.ts';
import { isProcessAlive } from './shared/node/isProcessAlive.ts';

/** Handlers of the editor's commands. */
export interface Features {
  readonly commands: Commands;
  readonly connections: EditorConnections;
  readonly chat: Chat;
  readonly jobFile: JobFileLanguage;
  readonly localService: RegisteredLocalService;
  readonly presentFailure: PresentFailure;
  readonly runDocuments: Runs['documents'];
}

/**
 * Builds the object graph, owned by the extension's subscriptions. Nothing heavy is loaded and no service is called before first use. If
 * building fails, everything built so far is disposed, so that this can be called again.
 */
export function createFeatures(context: vscode.ExtensionContext): Features {
  const disposables = new DisposableStore();
  try {
    const features = build(context, disposables);
    context.subscriptions.push(disposables);
    return features;
  } catch (error) {
    disposables.dispose();
    throw error;
  }
}

function build(context: vscode.ExtensionContext, disposables: DisposableStore): Features {
  l10n.use((message, ...values) => vscode.l10n.t(message, ...values.map((value) => isolated(String(value)))));
  const log = disposables.add(vscode.window.createOutputChannel('Millrace', { log: true }));
  const presentFailure = createFailurePresenter(log);
  const localService = disposables.add(registerLocalService(context, { log }));
  const connections = disposables.add(
    new EditorConnections(context, {
      log,
      launcher: localService.launcher,
      hasLocalData: localService.hasData,
      isProcessAlive,
    }),
  );
  const { debuggedRuns } = disposables.add(
    registerDebugging({
      launcher: localService.launcher,
      log,
      onStarted(runId) {
        runs.watch(localProfile.id, runId);
        runs.pollSoon();
      },
      onCanceling: (runId) => void runs.cancelling(localProfile.id, [runId]),
    }),
  );
  const store = disposables.add(new RunStore());
  const shared = new SharedDeploys(connections, ({ baseUrl }) =>
    baseUrl === undefined ? localMemoryOf(localFolders(context).dataFolder) : memoryOf(baseUrl),
  );
  const deployments = disposables.add(new FileDeployments(context.workspaceState, connections, store, shared));
  const jobFile = disposables.add(
    registerJobFile({
      connections,
      log,
      deployments,
      loadGraph: async () => new (await import('./runs/host/graphTab.ts')).GraphTab(context),
    }),
  );
  const runs = disposables.add(
    registerRuns(connections, {
      log,
      store,
      memento: context.workspaceState,
      debuggedRuns,
      changesElsewhere: jobFile.changesElsewhere,
      causeOf: (profile, finished) => pages.causeOf(profile, finished),
      presentFailure,
    }),
  );
  disposables.add(localService.onDidChange(() => runs.pollSoon()));
  const pages: Pages = disposables.add(
    registerPages(context, {
      connections,
      runs,
      log,
      presentFailure,
      jobFilesOf: (profileId, jobId) => deployments.filesOf(profileId, jobId),
      syncOf: (profileId, jobId, uri) => deployments.syncOf(profileId, jobId, uri),
    }),
  );
  const commands = disposables.add(
    createCommands({
      connections,
      runs,
      pages,
      deployments,
      memento: context.workspaceState,
      programs,
      storeModelKey: (baseUrl, key) => localService.storeModelKey(baseUrl, key),
      presentFailure,
    }),
  );
  disposables.add(registerCliOnPath(context, { log }));
  const agentPipe = lazy(async () => {
    const { AgentPipe } = await import('./shared/node/agentPipe.ts');
    return new AgentPipe(await commands.loadAgentWindow(), (line) => log.info(line));
  });
  disposables.add({ dispose: () => void agentPipe.begun?.then((pipe) => pipe.dispose()) });
  disposables.add(
    registerLanguageModelTools(context, {
      log,
      async load() {
        const [window, { DeployMemory }] = await Promise.all([
          commands.loadAgentWindow(),
          import('./deployments/deployMemory.ts'),
        ]);
        const { root, dataFolder } = localFolders(context);
        const memory = new DeployMemory(localMemoryOf(dataFolder));
        const service = async () => {
          const { client } = await connections.connectLocal();
          return { client, memory, name: localProfile.name };
        };
        return { root, window, service };
      },
    }),
  );
  disposables.add(registerLanguageModels({ connections }));
  disposables.add(registerAgentServer(context, { invite: async () => (await agentPipe()).invite() }));
  disposables.add(registerProgramTasks(context));
  const chat = disposables.add(
    registerChat(context, {
      connections,
      log,
      presentFailure,
      jobsShown: () => runs.shown(),
      loadTools: () => commands.loadChatTools(),
      isProcessAlive,
      applyCode: (code) => commands.applyCode(code),
    }),
  );
  return { commands, connections, chat, jobFile, localService, presentFailure, runDocuments: runs.documents };
}
