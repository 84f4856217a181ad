/**
 * Routes of windows and the command line for controlling the local service. Their bodies need no schema, so that a window can call them
 * before the schemas load. The client's routes are in `api/schema/localServiceRoutes.ts`.
 */
export const localControlRoutes = {
  /** Version, process and activity. */
  health: { method: 'GET', path: '/api/millrace/health' },
  engines: { method: 'GET', path: '/api/millrace/engines' },
  /** `{pid}`: registers a window that uses the service, which then keeps running; answers like `health`. */
  attach: { method: 'POST', path: '/api/millrace/attach' },
  leave: { method: 'POST', path: '/api/millrace/leave' },
  stop: { method: 'POST', path: '/api/millrace/stop' },
  /** Like jobs/run-now and jobs/runs/submit, for a run that waits for the editor's debugger. */
  debugRun: { method: 'POST', path: '/api/millrace/debug-run' },
  debugSubmit: { method: 'POST', path: '/api/millrace/debug-submit' },
  /** By `run_id`: progress of such a run's program. */
  debugState: { method: 'GET', path: '/api/millrace/debug-state' },
} as const;

/** Response of `debugState`: progress of a program that waits for the editor's debugger, or is paused in it. */
export type DebugState =
  | { readonly phase: 'none' | 'waiting' | 'installing' | 'held' | 'going' | 'left' }
  /** The program waits at this port of 127.0.0.1 for a client with the secret. */
  | { readonly phase: 'ready'; readonly port: number; readonly secret: string }
  | { readonly phase: 'over'; readonly message: string };
