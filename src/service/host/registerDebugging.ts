import * as vscode from 'vscode';
import type { DebugSessionServices } from './debugSessions.ts';

/** Debug sessions of the type `millrace`: each starts a run of the local service. Loaded with the first one. */
export function registerDebugging(services: DebugSessionServices): vscode.Disposable {
  return vscode.debug.registerDebugAdapterDescriptorFactory('millrace', {
    createDebugAdapterDescriptor: async (session) =>
      (await import('./debugSessions.ts')).createDebugAdapter(services, session),
  });
}
