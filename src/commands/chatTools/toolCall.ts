import * as z from 'zod';
import type { Connection } from '../../connection/connection.ts';
import { AppError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import type { CommandServices } from '../services.ts';

/** Runs per page of the service, and the maximum that one call returns. */
export const pageSize = 100;

/** Ids are digits, which models also write as numbers. */
const word = z.union([z.string(), z.number(), z.bigint()]).transform(String);
const schemas = {
  list_jobs: z.object({}),
  get_job: z.object({ job: word }),
  list_runs: z.object({
    job: word.nullish(),
    state: z.enum(['any', 'active', 'failed', 'succeeded']).nullish(),
    since: z.enum(['any', 'today', 'yesterday', 'week']).nullish(),
    limit: z.coerce.number().int().min(1).max(pageSize).nullish(),
  }),
  get_run: z.object({ run_id: word }),
  list_files: z.object({ folder: z.string().nullish() }),
  read_file: z.object({ path: z.string() }),
  compare_runs: z.object({ run_id: word, other_run_id: word }),
  run_job: z.object({ job: word }),
  cancel_run: z.object({ run_id: word }),
  pause_job: z.object({ job: word }),
  resume_job: z.object({ job: word }),
} as const;

export type ToolName = keyof typeof schemas;
export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(schemas, name);
}
export type Given<N extends ToolName> = z.output<(typeof schemas)[N]>;

/** Argument schema of each function. */
const argumentsOf: { [N in ToolName]: z.ZodType<Given<N>> } = schemas;

/** Context in which a function is called. */
export interface CallContext {
  readonly services: CommandServices;
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/**
 * Parses a function's arguments.
 * @throws AppError `invalid` with a message for the model, which may try again
 */
export function readArguments<N extends ToolName>(name: N, given: string): Given<N> {
  let value: unknown;
  try {
    value = parseJson(given.trim() === '' ? '{}' : given);
  } catch {
    throw new AppError('invalid', `The arguments of ${name} are no JSON.`);
  }
  const result = argumentsOf[name].safeParse(value);
  if (!result.success)
    throw new AppError('invalid', `The arguments of ${name} are wrong: ${z.prettifyError(result.error)}`);
  return result.data;
}
