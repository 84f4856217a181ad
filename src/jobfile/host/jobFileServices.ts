import type * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import type { DeploymentStates } from './lenses.ts';

export interface JobFileServices {
  connections: ConnectionService;
  log: vscode.LogOutputChannel;
  /** What became of a deployed file, for its lenses. */
  deployments?: DeploymentStates;
}
