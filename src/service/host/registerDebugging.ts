import * as vscode from 'vscode';
import { DebuggedRuns, type DebugSessionServices } from './debugSessions.ts';

/** Debug sessions of this window. */
export interface EditorDebugging extends vscode.Disposable {
  readonly debuggedRuns: DebuggedRuns;
}

/** Registers debug sessions of the type `millrace`: each starts a run of the local service. Their code loads with the first session. */
export function registerDebugging(services: Omit<DebugSessionServices, 'debuggedRuns'>): EditorDebugging {
  const debuggedRuns = new DebuggedRuns();
  const factory = vscode.debug.registerDebugAdapterDescriptorFactory('millrace', {
    createDebugAdapterDescriptor: async (session) =>
      (await import('./debugSessions.ts')).createDebugAdapter({ ...services, debuggedRuns }, session),
  });
  return { debuggedRuns, dispose: () => factory.dispose() };
}
