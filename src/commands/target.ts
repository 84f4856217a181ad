/** The argument that a menu, a lens or the palette passes to a handler: a tree element, a URI, an ID, or nothing. */
export interface Target {
  readonly jobId?: string;
  readonly runId?: string;
  readonly uri?: string;
  /** The task of the run to show, or of the job file to run. */
  readonly taskKey?: string;
  /** The job of a bundle's file. */
  readonly jobKey?: string;
  /** Name of a serving endpoint. */
  readonly endpoint?: string;
  /** The profile of the IDs, if the caller knows it: on another profile they are a different job and run. */
  readonly profileId?: string;
  /** All selected rows including this one, if the command was chosen for several. */
  readonly all?: readonly Target[];
}

/**
 * Parses the arguments of a command from any caller.
 * @param selected the selected rows, as passed by a tree
 */
export function targetOf(argument: unknown, selected?: unknown): Target {
  const target = single(argument);
  if (!Array.isArray(selected) || selected.length < 2) return target;
  return { ...target, all: selected.map(single) };
}

function single(argument: unknown): Target {
  if (typeof argument === 'string') return { uri: argument };
  if (typeof argument !== 'object' || argument === null) return {};
  const fields = argument as {
    node?: Target;
    jobId?: unknown;
    runId?: unknown;
    profileId?: unknown;
    uri?: unknown;
    taskKey?: unknown;
    jobKey?: unknown;
    endpoint?: unknown;
    scheme?: unknown;
  };
  if (fields.node) {
    const { jobId, runId, profileId, taskKey } = fields.node;
    return { jobId, runId, profileId, ...(taskKey === undefined ? {} : { taskKey }) };
  }
  if (typeof fields.scheme === 'string') return { uri: String(argument) };
  return {
    jobId: typeof fields.jobId === 'string' ? fields.jobId : undefined,
    runId: typeof fields.runId === 'string' ? fields.runId : undefined,
    uri: fields.uri === undefined || fields.uri === null ? undefined : String(fields.uri),
    ...(typeof fields.taskKey === 'string' ? { taskKey: fields.taskKey } : {}),
    ...(typeof fields.jobKey === 'string' ? { jobKey: fields.jobKey } : {}),
    ...(typeof fields.endpoint === 'string' ? { endpoint: fields.endpoint } : {}),
    profileId: typeof fields.profileId === 'string' ? fields.profileId : undefined,
  };
}
