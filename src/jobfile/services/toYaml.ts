import { stringify } from 'yaml';
import type { JobSettings } from '../../api/schema/jobs/schemas.ts';
import { AppError } from '../../shared/errors.ts';
import { isFields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { readJsonc } from '../../shared/readJsonc.ts';
import { settingsType, type FieldType } from '../model/fieldTree.ts';
import { settingsPath } from '../model/settingsRoot.ts';
import { findPath, parseDocument } from '../yaml/document.ts';
import { nodeValue } from '../yaml/nodeValue.ts';

const writing = { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

export interface ToYamlOptions {
  /** Written as `job_id` at the top, so that the file stays linked to its job. */
  readonly jobId?: string;
  /** A job file whose field order is used, so that the two texts can be compared line by line. */
  readonly like?: string;
}

/**
 * Converts settings to a job file, in the document's order of fields, followed by fields that it does not define. INT64 values are written
 * with their exact digits, and texts that YAML 1.1 tools would misread (`yes`, `0123`) in quotes.
 */
export function toYaml(settings: JobSettings | Readonly<Record<string, unknown>>, options: ToYamlOptions = {}): string {
  const ordered = arrange(
    settings,
    settingsType,
    options.like === undefined ? undefined : writtenSettings(options.like),
  ) as Record<string, unknown>;
  const head = options.jobId === undefined ? {} : { job_id: BigInt(options.jobId) };
  return stringify({ ...head, ...ordered }, writing);
}

/**
 * Converts any part of a job's settings to YAML.
 * @param type type of the place, for the order of its fields
 */
export function valueToYaml(value: unknown, type?: FieldType): string {
  return stringify(arrange(value, type, undefined), writing);
}

function writtenSettings(text: string): unknown {
  const { root } = parseDocument(text);
  return nodeValue(findPath(root, settingsPath(root))?.node ?? null).value;
}

/** Returns a value with its INT64 texts as integers, and its fields in the order of `like`, then of the document. */
function arrange(value: unknown, type: FieldType | undefined, like: unknown): unknown {
  if (Array.isArray(value)) {
    const element = type?.kind === 'list' ? type.element : undefined;
    return value.map((item, index) => arrange(item, element, Array.isArray(like) ? like[index] : undefined));
  }
  if (!isFields(value)) {
    const isInt64 =
      type?.kind === 'leaf' && type.type === 'int64' && typeof value === 'string' && /^-?[0-9]{1,19}$/.test(value);
    return isInt64 ? BigInt(value) : value;
  }
  const model = isFields(like) ? like : {};
  const fields = type?.kind === 'object' ? type.fields : undefined;
  const order = new Set([...Object.keys(model), ...(fields?.keys() ?? []), ...Object.keys(value)]);
  const entries = [...order].filter((name) => Object.hasOwn(value, name) && value[name] !== undefined);
  return Object.fromEntries(entries.map((name) => [name, arrange(value[name], fields?.get(name)?.type, model[name])]));
}

/**
 * Converts JSON settings, a create request, or a job as jobs/get returns it to a job file. The JSON may have comments and trailing commas.
 * @throws AppError `invalid` if the text holds no settings
 */
export function jsonToYaml(text: string): string {
  const { value, problem } = readJson(text);
  if (!isFields(value)) {
    const message =
      problem === undefined
        ? l10n.t("The text is not a job's JSON, so no job file was created.")
        : l10n.t("The text is not a job's JSON, so no job file was created: {0}", problem);
    throw new AppError('invalid', message, { remedy: l10n.t('Enter job settings as JSON: { "name": … }.') });
  }
  const wrapped = value['settings'] ?? value['new_settings'];
  const jobId = value['job_id'];
  const hasId = typeof jobId === 'bigint' || typeof jobId === 'number' || typeof jobId === 'string';
  const { job_id: _id, ...bare } = value;
  return toYaml(
    isFields(wrapped) ? wrapped : bare,
    hasId && /^[0-9]{1,19}$/.test(String(jobId)) ? { jobId: String(jobId) } : {},
  );
}

/** Parses JSON, or otherwise YAML, whose errors are clearer about the cause and the position. */
function readJson(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: readJsonc(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const document = parseDocument(text);
    const [problem] = document.problems;
    return problem ? { problem: problem.message } : { value: nodeValue(document.root).value };
  }
}
