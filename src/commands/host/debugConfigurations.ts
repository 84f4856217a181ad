import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import type { DebugLaunch } from '../services.ts';

/** The `type` of our debug configurations. */
const debugType = 'millrace';

/** A debug configuration as it stands in launch.json, or, with the job's id, as a command starts it. */
interface JobConfiguration extends vscode.DebugConfiguration {
  /** Path of a job file. */
  readonly job?: string;
  readonly jobId?: string;
  readonly runId?: string;
  readonly submit?: object;
  readonly parameters?: object;
}

export interface DebugConfigurationNeeds {
  /** Deploys the job file. Undefined if the user gave up. */
  readonly prepare: (uri: vscode.Uri) => Promise<DebugLaunch | undefined>;
  readonly presentFailure: (error: unknown, what: string) => void;
}

/** F5: in a job file without any configuration, and from a launch.json, which is written by itself. */
export function registerDebugConfigurations(needs: DebugConfigurationNeeds): vscode.Disposable {
  return vscode.debug.registerDebugConfigurationProvider(debugType, {
    provideDebugConfigurations: () => [ownConfiguration()],
    resolveDebugConfiguration(_folder, configuration) {
      // Without a launch.json the editor hands over nothing but an empty object.
      if (configuration.type) return configuration;
      const { activeTextEditor } = vscode.window;
      return activeTextEditor?.document.languageId === 'millrace-job' ? ownConfiguration() : undefined;
    },
    async resolveDebugConfigurationWithSubstitutedVariables(folder, configuration: JobConfiguration) {
      const { jobId, runId, submit } = configuration;
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

/** Starts a session of a job that is known. */
export async function startDebugging(launch: DebugLaunch): Promise<void> {
  const configuration: JobConfiguration = { type: debugType, request: 'launch', ...launch };
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration);
}

function ownConfiguration(): JobConfiguration {
  return { type: debugType, request: 'launch', name: vscode.l10n.t('Debug This Job File'), job: '${file}' };
}

/** @throws if it names no file */
function jobFileOf(configuration: JobConfiguration, folder?: vscode.WorkspaceFolder): vscode.Uri {
  const { job } = configuration;
  if (typeof job !== 'string' || job === '')
    throw new AppError(
      'invalid',
      vscode.l10n.t('The debug configuration "{0}" names no job file.', configuration.name),
      {
        remedy: vscode.l10n.t('Give it "job": the path of a file that ends in .job.yml, such as ${file}.'),
      },
    );
  // What is shown may never have been saved, and then has a name and no path.
  const open = vscode.workspace.textDocuments.find((file) => file.uri.fsPath === job || file.uri.path === job);
  if (open) return open.uri;
  const base = folder?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const isAbsolute = job.startsWith('/') || /^[A-Za-z]:[\\/]/.test(job);
  return isAbsolute || !base ? vscode.Uri.file(job) : vscode.Uri.joinPath(base, job);
}
