/**
 * What windows and the command line ask the local service about itself, with bodies that need no schema, so that a window asks
 * before the schemas are loaded. What the client asks is in `api/schema/localServiceRoutes.ts`.
 */
export const localControlRoutes = {
  /** Version, process, and what is going on. */
  health: { method: 'GET', path: '/api/millrace/health' },
  engines: { method: 'GET', path: '/api/millrace/engines' },
  /** `{pid}`: a window that uses the service from now on, which then goes on; answers as `health`. */
  attach: { method: 'POST', path: '/api/millrace/attach' },
  leave: { method: 'POST', path: '/api/millrace/leave' },
  stop: { method: 'POST', path: '/api/millrace/stop' },
  /** As jobs/run-now and jobs/runs/submit, for a run that waits for the editor's debugger. */
  debugRun: { method: 'POST', path: '/api/millrace/debug-run' },
  debugSubmit: { method: 'POST', path: '/api/millrace/debug-submit' },
  /** By `run_id`: how far the program of such a run is. */
  debugState: { method: 'GET', path: '/api/millrace/debug-state' },
} as const;

/** What `debugState` answers: how far the program of a run is that waits for the editor's debugger, or stands in it. */
export type DebugState =
  | { readonly phase: 'none' | 'waiting' | 'installing' | 'held' | 'going' | 'left' }
  /** The program waits at this port of 127.0.0.1 for who knows the secret. */
  | { readonly phase: 'ready'; readonly port: number; readonly secret: string }
  | { readonly phase: 'over'; readonly message: string };
