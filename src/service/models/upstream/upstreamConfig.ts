import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { endpointTasks } from '../../../api/schema/inference/schemas.ts';
import { AppError } from '../../../shared/errors.ts';
import { parseJson, stringifyJson } from '../../../shared/json.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { upstreamKinds } from './capabilities.ts';

const endpointName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, {
  error: 'must start with a letter or digit and hold at most 63 letters, digits, "-", "_" and "."',
});

/** A model of an upstream: its name, or its name with details that cannot be guessed. */
const upstreamModel = z.union([
  z.string().min(1),
  z.strictObject({
    /** The upstream's own name of the model. */
    model: z.string().min(1),
    /** Name of our endpoint. Default: made from the model's name. */
    endpoint: endpointName.optional(),
    task: z.enum(endpointTasks).optional(),
    /** How `instruction` and input become one text, such as `Instruct: {instruction}\nQuery: {input}`. */
    instructionTemplate: z.string().includes('{input}').optional(),
  }),
]);
export type UpstreamModel = z.output<typeof upstreamModel>;

const upstreamSettings = z.strictObject({
  name: endpointName,
  kind: z.enum(upstreamKinds).default('generic'),
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https URL such as http://127.0.0.1:11434/v1' }),
  /** Environment variable that holds the API key. */
  apiKeyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })
    .optional(),
  /** Only from the command line or a host, never from the file. */
  apiKey: z.string().min(1).optional(),
  models: z.union([z.literal('all'), z.array(upstreamModel).min(1)]).default('all'),
  /** How long nothing may arrive before a request times out, in seconds. */
  timeoutInSeconds: z.number().positive().max(3600).default(300),
});
export type UpstreamSettings = z.output<typeof upstreamSettings>;

const modelsFile = z.strictObject({
  $schema: z.string().optional(),
  /** Whether to look for model servers on this machine's usual ports. */
  discover: z.boolean().optional(),
  upstreams: z.array(upstreamSettings).default([]),
});
export type ModelsFile = z.output<typeof modelsFile>;

function modelsFileOf(dataFolder: string): string {
  return path.join(dataFolder, 'models.json');
}

/** Returns a text that changes whenever `models.json` is written. */
export async function modelsFileState(dataFolder: string): Promise<string> {
  return await stat(modelsFileOf(dataFolder)).then(
    ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
    () => '',
  );
}

/**
 * Reads `models.json` of the data folder. A missing file counts as empty.
 * @throws AppError that names the file and the place
 */
export async function readModelsFile(dataFolder: string): Promise<ModelsFile> {
  const file = modelsFileOf(dataFolder);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { upstreams: [] };
    throw error;
  }
  const refuse = (reason: string, cause?: unknown): AppError =>
    new AppError('invalid', `${file} was not used: ${reason}`, {
      cause,
      status: 500,
      errorCode: 'INTERNAL_ERROR',
      remedy: 'Correct it; it is read again at the next request.',
    });
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw refuse('it is not JSON.', error);
  }
  const result = modelsFile.safeParse(value);
  if (!result.success) throw refuse(describeIssue(result.error));
  const keyed = result.data.upstreams.find((upstream) => upstream.apiKey !== undefined);
  if (keyed)
    throw refuse(
      `it holds the API key of "${keyed.name}" itself. Put the key into an environment variable and name that in apiKeyVariable.`,
    );
  return result.data;
}

/** @throws AppError with the place of the first problem */
export function parseUpstreams(values: readonly unknown[]): UpstreamSettings[] {
  const result = z.array(upstreamSettings).safeParse(values);
  if (result.success) return result.data;
  throw new AppError('invalid', `The upstreams were not used: ${describeIssue(result.error)}`, {
    status: 500,
    errorCode: 'INTERNAL_ERROR',
  });
}

/** @throws AppError 400 with the first problem of an entry */
export function parseUpstream(value: unknown): UpstreamSettings {
  const result = upstreamSettings.safeParse(value);
  if (result.success) return result.data;
  throw invalidModelParameter(`The model server was not used: ${describeIssue(result.error)}`);
}

/** Returns an upstream's address without trailing slashes. Its API key is stored under it. */
export function addressOf(baseUrl: string): string {
  return baseUrl.replace(/(?<!\/)\/+$/, '');
}

/** Adds an entry to `models.json`, or its models to the entry with the same address. Everything else in the file stays. */
export async function addToModelsFile(dataFolder: string, added: UpstreamSettings): Promise<void> {
  await readModelsFile(dataFolder); // Never change a file that is damaged.
  const file = modelsFileOf(dataFolder);
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const value = parseJson(text) as {
    upstreams?: { name: string; baseUrl: string; models?: 'all' | UpstreamModel[] }[];
  };
  const { upstreams = [] } = value;
  const { name, kind, baseUrl, models } = added;
  const known = upstreams.find((each) => addressOf(each.baseUrl) === addressOf(baseUrl));
  if (!known) {
    const names = new Set(upstreams.map((each) => each.name));
    let free = name;
    for (let number = 2; names.has(free); number += 1) free = `${name}-${number}`;
    upstreams.push({ name: free, kind, baseUrl, models } as (typeof upstreams)[number]);
  } else if (Array.isArray(known.models) && models !== 'all') {
    const listed = known.models.map((each) => (typeof each === 'string' ? each : each.model));
    known.models.push(...models.filter((each) => !listed.includes(typeof each === 'string' ? each : each.model)));
  }
  await mkdir(dataFolder, { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${stringifyJson({ ...value, upstreams }, 2)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.map(String).join('.')} ${issue.message}` : 'it does not have the expected form.';
}
