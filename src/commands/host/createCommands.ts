import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChatPorts } from '../../chat/chatPorts.ts';
import type { AnswerCode } from '../../chat/namedFile.ts';
import type { ConnectionService } from '../../connection/connection.ts';
import { areAgentsOn } from '../../shared/agentsSetting.ts';
import type { AgentWindow } from '../../shared/agentWindow.ts';
import type { CommandId } from '../../shared/commandIds.ts';
import { AppError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import type { CommandServices, DebugLaunch, Deployments, DeployPreview } from '../services.ts';
import type { ProgramFiles } from '../ui.ts';
import { ComparedTexts } from './editorUi.ts';
import type { PresentFailure } from './presentFailure.ts';

export interface CommandHostOptions {
  readonly connections: ConnectionService;
  readonly runs: Pick<
    CommandServices,
    'arrangement' | 'refresh' | 'reload' | 'watch' | 'cancelling' | 'loadMoreRuns'
  > & {
    store: CommandServices['runs'];
    showOutput(profileId: string, runId: string, name: string): Promise<void>;
    /** The selected rows of the jobs view. */
    readonly selection: readonly unknown[];
    compareOutputs(profileId: string, runIds: readonly [string, string], title: string): Promise<void>;
  };
  readonly pages: {
    openRun(profileId: string, runId: string, name: string, taskKey?: string): Promise<void>;
    openJob(profileId: string, jobId: string, name: string): Promise<void>;
    /** The run or job whose page is in the active editor. */
    readonly active: { readonly kind: 'run' | 'job'; readonly profileId: string; readonly id: string } | undefined;
  };
  readonly deployments: Deployments;
  /** The workspace's storage. */
  readonly memento: vscode.Memento;
  readonly programs: ProgramFiles;
  storeModelKey(baseUrl: string, key: string): Promise<void>;
  readonly presentFailure: PresentFailure;
}

/** The commands as called by the editor. */
export interface Commands extends vscode.Disposable {
  /** Loads the tools for chat models and the commands of the prompt, with their dependencies. */
  loadChatTools(): Promise<Pick<ChatPorts, 'tools' | 'lookUps'>>;
  /** Loads what this window does for agents. */
  loadAgentWindow(): Promise<AgentWindow>;
  /** Shows how an answer's code would change its file, and applies the change if the user agrees. */
  applyCode(code: AnswerCode): Promise<void>;
  /**
   * Runs a command.
   * @param given the editor's arguments: a row and the selected rows, a file, or nothing
   * @returns the handler's result
   */
  run(id: CommandId, ...given: unknown[]): Promise<unknown>;
}

/** Creates the commands for jobs, runs and job files; the handlers and their dependencies are loaded on first use. */
export function createCommands(options: CommandHostOptions): Commands {
  const comparisons = new ComparedTexts();
  const registration = vscode.workspace.registerTextDocumentContentProvider('millrace-compare', comparisons);
  const load = lazy(async (): Promise<CommandServices> => {
    const [{ createEditorUi }, { SingleFlight }] = await Promise.all([
      import('./editorUi.ts'),
      import('../singleFlight.ts'),
    ]);
    const ui = createEditorUi({
      compareOutputs: (profileId, runIds, title) => options.runs.compareOutputs(profileId, runIds, title),
      openRun: (...run) => options.pages.openRun(...run),
      openJob: (profileId, jobId, name) => options.pages.openJob(profileId, jobId, name),
      showRunOutput: (profileId, runId, name) => options.runs.showOutput(profileId, runId, name),
      comparisons,
      programs: options.programs,
    });
    const services: CommandServices = {
      connections: options.connections,
      runs: options.runs.store,
      arrangement: options.runs.arrangement,
      refresh: () => options.runs.refresh(),
      reload: () => options.runs.reload(),
      watch: (profileId, runId, startedName) => options.runs.watch(profileId, runId, startedName),
      cancelling: (profileId, runIds) => options.runs.cancelling(profileId, runIds),
      mayInstallDebugger,
      debug: startDebugging,
      loadMoreRuns: (jobId) => options.runs.loadMoreRuns(jobId),
      deployments: options.deployments,
      replayPlaces: {
        of: (profileId) => options.memento.get(replayKey(profileId), {}),
        async set(profileId, servicePath, file) {
          const places = options.memento.get<Record<string, string>>(replayKey(profileId), {});
          await options.memento.update(replayKey(profileId), { ...places, [servicePath]: file });
        },
      },
      deployPreview: () => vscode.workspace.getConfiguration('millrace').get<DeployPreview>('deploy.preview', 'always'),
      fix: async (target) => (await import('../fix/fixRun.ts')).fixRun(services, target),
      storeModelKey: (baseUrl, key) => options.storeModelKey(baseUrl, key),
      singleFlight: new SingleFlight(),
      ui,
    };
    return services;
  });
  const debugging = registerDebugConfigurations({
    presentFailure: options.presentFailure,
    async prepare(uri) {
      const [services, { prepareDebug }] = await Promise.all([load(), import('../debugJob.ts')]);
      return prepareDebug(services, { uri: uri.toString() });
    },
  });
  return {
    async loadChatTools() {
      const [services, { createChatTools }, { createLookUps }, { createManual }] = await Promise.all([
        load(),
        import('../chatTools/createChatTools.ts'),
        import('../lookUps/createLookUps.ts'),
        import('./manual.ts'),
      ]);
      return { tools: createChatTools(services), lookUps: createLookUps(services, createManual()) };
    },
    async loadAgentWindow() {
      const [services, { createAgentWindow }] = await Promise.all([load(), import('../agentWindow.ts')]);
      return createAgentWindow(services, {
        isOn: () => areAgentsOn(vscode.workspace),
        digestOf: (text) => createHash('sha256').update(text).digest('hex'),
      });
    },
    async applyCode(code) {
      const [services, { applyCode }] = await Promise.all([load(), import('../fix/applyCode.ts')]);
      await applyCode(services, code);
    },
    async run(id, ...given) {
      const [argument, selected] = given;
      if (given.length > 0 && argument === undefined && /\.(job|run|rows)\./.test(id))
        throw new AppError('invalid', vscode.l10n.t('The rows were being reloaded. Choose it again.'));
      const [services, { handlers }, { targetOf }] = await Promise.all([
        load(),
        import('../handlers.ts'),
        import('../target.ts'),
      ]);
      if (isForSelection(argument)) {
        const rows = options.runs.selection;
        return handlers[id](services, targetOf(rows[0], rows));
      }
      const subject = given.length === 0 ? ofPage(id, options.pages.active) : argument;
      const file = isForActiveFile(argument) ? vscode.window.activeTextEditor?.document.uri : undefined;
      return handlers[id](services, targetOf(file ?? subject, selected));
    },
    dispose() {
      debugging.dispose();
      registration.dispose();
    },
  };
}

const replayKey = (profileId: string): string => `millrace.replayPlaces.${profileId}`;

/** Returns whether a command applies to the selected rows: a keyboard shortcut in the jobs view passes no argument. */
function isForSelection(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'selection' in argument;
}

/** Returns the run or job of the page in front if a command of the palette fits it. */
function ofPage(id: CommandId, page: CommandHostOptions['pages']['active']): object | undefined {
  if (page?.kind === 'run' && /\.(?:run\.|openRun$)/.test(id)) return { profileId: page.profileId, runId: page.id };
  if (page?.kind === 'job' && /\.(?:job\.|openJob$)/.test(id)) return { profileId: page.profileId, jobId: page.id };
  return undefined;
}

/** Returns whether a command applies to the active file: a keyboard shortcut in an editor passes no URI. */
function isForActiveFile(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'activeFile' in argument;
}

/** The `type` of Millrace's debug configurations. */
const debugType = 'millrace';

/** A debug configuration from launch.json, or one with a job ID from a command. */
interface JobConfiguration extends vscode.DebugConfiguration {
  /** Path of a job file. */
  readonly job?: string;
  readonly jobId?: string;
  readonly runId?: string;
  readonly submit?: object;
  readonly parameters?: object;
}

interface DebugConfigurationNeeds {
  /** Deploys the job file. Returns `undefined` if the user canceled. */
  readonly prepare: (uri: vscode.Uri) => Promise<DebugLaunch | undefined>;
  readonly presentFailure: (error: unknown, what: string) => void;
}

/** Registers F5 in a job file without a configuration, and from a launch.json, which is generated. */
export function registerDebugConfigurations(needs: DebugConfigurationNeeds): vscode.Disposable {
  return vscode.debug.registerDebugConfigurationProvider(debugType, {
    provideDebugConfigurations: () => [ownConfiguration()],
    resolveDebugConfiguration(_folder, configuration) {
      // Without a launch.json, the editor passes only an empty object.
      if (configuration.type) return configuration;
      const { languageId, fileName = '' } = vscode.window.activeTextEditor?.document ?? {};
      return languageId === 'millrace-job' || fileName.endsWith('.job.json') ? ownConfiguration() : undefined;
    },
    async resolveDebugConfigurationWithSubstitutedVariables(folder, configuration: JobConfiguration) {
      const { jobId, runId, submit } = configuration;
      // A run that waits for its session was started with the user's consent.
      if (runId === undefined && !(await mayInstallDebugger())) return undefined;
      if (jobId !== undefined || runId !== undefined || submit !== undefined) return configuration;
      try {
        const launch = await needs.prepare(jobFileOf(configuration, folder));
        if (!launch) return undefined;
        return { ...configuration, jobId: launch.jobId, parameters: configuration.parameters ?? launch.parameters };
      } catch (error) {
        needs.presentFailure(error, 'debug');
        return undefined;
      }
    },
  });
}

/** Asks before the first session, because the local service installs the debugger from PyPI. The answer is stored as a setting. */
async function mayInstallDebugger(): Promise<boolean> {
  const settings = vscode.workspace.getConfiguration('millrace');
  if (settings.get('local.installDebugger') === true) return true;
  const install = vscode.l10n.t('Install and Debug');
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t('Install the debugger for Python?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Debugging needs the package debugpy. The local service installs it with pip from PyPI, once, into its own folder.',
      ),
    },
    install,
  );
  if (choice !== install) return false;
  await settings.update('local.installDebugger', true, vscode.ConfigurationTarget.Global);
  return true;
}

/** Starts a debug session for a known job. */
async function startDebugging(launch: DebugLaunch): Promise<void> {
  const configuration: JobConfiguration = { type: debugType, request: 'launch', ...launch };
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration);
}

function ownConfiguration(): JobConfiguration {
  return { type: debugType, request: 'launch', name: vscode.l10n.t('Debug This Job File'), job: '${file}' };
}

/**
 * Returns the URI of the configuration's job file.
 * @throws an error if the configuration names no file
 */
function jobFileOf(configuration: JobConfiguration, folder?: vscode.WorkspaceFolder): vscode.Uri {
  const { job } = configuration;
  if (typeof job !== 'string' || job === '')
    throw new AppError(
      'invalid',
      vscode.l10n.t('The debug configuration "{0}" names no job file.', configuration.name),
      {
        remedy: vscode.l10n.t('Set "job" to the path of a file that ends in .job.yml, such as ${file}.'),
      },
    );
  // The shown file may never have been saved; it then has a name but no path.
  const open = vscode.workspace.textDocuments.find((file) => file.uri.fsPath === job || file.uri.path === job);
  if (open) return open.uri;
  const base = folder?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const isAbsolute = job.startsWith('/') || /^[A-Za-z]:[\\/]/.test(job);
  return isAbsolute || !base ? vscode.Uri.file(job) : vscode.Uri.joinPath(base, job);
}
