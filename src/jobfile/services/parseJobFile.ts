import * as z from 'zod';
import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { jobSettingsShape, type JobSettings } from '../../api/schema/jobs/schemas.ts';
import { encodeChecked } from '../../api/schema/problems.ts';
import { isFields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { withoutNullFields } from '../../shared/withoutNullFields.ts';
import { isBundle, settingsPath } from '../model/settingsRoot.ts';
import { entryOf, findPath, parseDocument, type JobDocument } from '../yaml/document.ts';
import { resolved, type Problem } from '../yaml/jobDocument.ts';
import { nodeValue } from '../yaml/nodeValue.ts';
import { jsonProblem } from '../yaml/strictJson.ts';
import { validate } from './validate.ts';

export interface ParsedJobFile {
  readonly document: JobDocument;
  /** All problems, suppressed or not: suppressing a problem does not make the service accept the file. */
  readonly problems: readonly Problem[];
  /** Set only if no problem is an error. Fields that the document does not define are kept unchanged. */
  readonly settings?: JobSettings;
  /** `job_id` at the top of the file: the job to which it belongs, on any profile. */
  readonly jobId?: string;
}

/**
 * Parses a job file: the settings of one job (Jobs API 2.0, JobSettings) as YAML or JSON, with an optional `job_id` that is not one of
 * them. Never throws.
 * @param name the file's name; if it ends in `.json`, YAML is an error
 */
export function parseJobFile(text: string, name = ''): ParsedJobFile {
  const document = parseDocument(text);
  if (isBundle(document.root)) {
    const message = l10n.t(
      'This file belongs to a bundle, so it is not the settings of one job. Deploy it with the command line of its bundle.',
    );
    const { start, end } = document.root ?? { start: 0, end: 1 };
    return { document, problems: [{ code: 'bundleFile', message, start, end, severity: 'error' }] };
  }
  const notJson = name.endsWith('.json') && document.problems.length === 0 ? jsonProblem(document) : undefined;
  const problems = [...(notJson ? [notJson] : []), ...validate(document, { ignoreSuppression: true })];
  const jobId = jobIdOf(document);
  const parsed = { document, problems, ...(jobId === undefined ? {} : { jobId }) };
  if (problems.some((problem) => problem.severity === 'error')) return parsed;
  if (document.root === null) {
    return {
      ...parsed,
      problems: [
        {
          code: 'noTask',
          message: l10n.t('The file is empty. Write the settings of a job, such as "name: my job".'),
          start: 0,
          end: 0,
          severity: 'error',
        },
      ],
    };
  }
  const base = settingsPath(document.root);
  const { settings, problems: refused } = settingsOf(writtenSettings(document));
  if (settings) return { ...parsed, settings };
  return {
    ...parsed,
    problems: [
      ...problems,
      ...refused.map(({ path, message }) =>
        schemaProblem(document, [...base, ...path] as (string | number)[], message),
      ),
    ],
  };
}

/** Returns the settings as the client would send them, or what it would refuse. */
export function settingsOf(written: unknown): {
  readonly settings?: JobSettings;
  readonly problems: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
} {
  const decoded = z.safeDecode(jobSettingsShape, written as z.input<typeof jobSettingsShape>);
  if (!decoded.success) return { problems: decoded.error.issues };
  // The client would refuse to send what breaks a rule between fields.
  const sent = encodeChecked(jobsRoutes.create.request, decoded.data);
  return sent.ok ? { settings: decoded.data, problems: [] } : { problems: sent.problems };
}

/** Returns the settings in the file, right or wrong; empty if they are not a mapping. */
export function writtenSettings({ root }: JobDocument): Record<string, unknown> {
  const base = settingsPath(root);
  // A key without a value counts as absent; the editor has already warned about it.
  const value = withoutNullFields(nodeValue(findPath(root, base)?.node ?? null).value);
  if (!isFields(value)) return {};
  // As in other YAML formats, names that start with x- hold shared anchors; they are not settings.
  const isAside = (name: string): boolean => name.startsWith('x-') || (base.length === 0 && name === 'job_id');
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isAside(name)));
}

function jobIdOf(document: JobDocument): string | undefined {
  const node = resolved(entryOf(document.root, 'job_id')?.value);
  if (node?.kind !== 'scalar' || node.value === null || typeof node.value === 'boolean') return undefined;
  const text = String(node.value);
  return /^[0-9]{1,19}$/.test(text) ? text : undefined;
}

/** Returns a problem reported by the schema, which has the last word in case the editor's own walk missed something. */
function schemaProblem(document: JobDocument, path: readonly (string | number)[], message: string): Problem {
  for (let length = path.length; length >= 0; length--) {
    const found = findPath(document.root, path.slice(0, length));
    const place = found?.key ?? found?.node;
    if (place && place.end > place.start)
      return {
        code: 'schema',
        message: `${path.join('.')}: ${message}`,
        start: place.start,
        end: place.end,
        severity: 'error',
      };
  }
  return { code: 'schema', message: `${path.join('.')}: ${message}`, start: 0, end: 1, severity: 'error' };
}
