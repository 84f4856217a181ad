import { stringify } from 'yaml';
import type { JobSettings } from '../api/jobs/schemas.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { parseDocument } from './document.ts';
import { settingsType, type FieldType } from './fieldTree.ts';
import { nodeValue } from './nodeValue.ts';

const writing = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

export interface ToYamlOptions {
  /** Written as `job_id` at the top, so that the file stays with its job. */
  jobId?: string;
}

/**
 * Settings as a job file, in the document's order of fields; fields it does not know follow. INT64 values are written
 * with their exact digits, and texts that YAML 1.1 tools would misread (`yes`, `0123`) in quotes.
 */
export function toYaml(settings: JobSettings | Readonly<Record<string, unknown>>, options: ToYamlOptions = {}): string {
  const ordered = arrange(settings, settingsType) as Record<string, unknown>;
  const head = options.jobId === undefined ? {} : { job_id: BigInt(options.jobId) };
  return stringify({ ...head, ...ordered }, writing);
}

/** Any part of a job's settings as YAML. @param type what the place takes, for the order of its fields */
export function valueToYaml(value: unknown, type?: FieldType): string {
  return stringify(arrange(value, type), writing);
}

/** A value with its known fields first, in order, and its INT64 texts as integers. */
function arrange(value: unknown, type: FieldType | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => arrange(item, type?.kind === 'list' ? type.element : undefined));
  if (typeof value !== 'object' || value === null) {
    const isInt64 = type?.kind === 'leaf' && type.type === 'int64' && typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value);
    return isInt64 ? BigInt(value) : value;
  }
  const fields = type?.kind === 'object' ? type.fields : undefined;
  const names = Object.keys(value);
  const known = [...(fields?.keys() ?? [])].filter((name) => names.includes(name));
  const order = [...known, ...names.filter((name) => !known.includes(name))];
  const entries = order.map((name): [string, unknown] => [name, arrange((value as Record<string, unknown>)[name], fields?.get(name)?.type)]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/**
 * JSON settings, a create request, or a job as jobs/get answers it, as a job file. Comments and trailing commas in the
 * JSON are taken.
 * @throws AppError `invalid` where the text holds no settings
 */
export function jsonToYaml(text: string): string {
  const document = parseDocument(text);
  const [problem] = document.problems;
  const value = nodeValue(document.root).value;
  if (problem || !isFields(value)) {
    throw new AppError('invalid', problem ? l10n.t('The text is not the JSON of a job, so no job file was made: {0}', problem.message) : l10n.t('The text is not the JSON of a job, so no job file was made.'), { remedy: l10n.t('Give it the settings of a job as JSON: { "name": … }.') });
  }
  const wrapped = value['settings'] ?? value['new_settings'];
  const jobId = value['job_id'];
  const hasId = typeof jobId === 'bigint' || typeof jobId === 'number' || typeof jobId === 'string';
  const { job_id: _id, ...bare } = value;
  return toYaml(isFields(wrapped) ? wrapped : bare, hasId && /^[0-9]{1,19}$/.test(String(jobId)) ? { jobId: String(jobId) } : {});
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
