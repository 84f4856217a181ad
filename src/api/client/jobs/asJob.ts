import * as z from 'zod';
import { isFields, type Fields, type WritableFields } from '../../../shared/fields.ts';
import { job, type Job } from '../../schema/jobs/run.ts';

/** Whether an id came as a number: in the code, INT64 ids are decimal strings. */
function needsText(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}

/**
 * One job as the `job` schema reads it (Jobs API 2.0, Job), in place and without the schema if everything is as the
 * document says: a list holds 12,000 of them.
 * @returns undefined if it is not a job
 */
export function asJob(value: unknown): Job | undefined {
  if (!isFields(value)) return undefined;
  if (isPlain(value)) return value as Job;
  const decoded = z.safeDecode(job, value as z.input<typeof job>);
  return decoded.success ? decoded.data : undefined;
}

/** Whether every field is as the document says; the id is made text then. */
function isPlain(fields: WritableFields): boolean {
  const { job_id: id, creator_user_name: creator, run_as: runAs, created_time: created, settings } = fields;
  if (typeof id === 'number' ? !Number.isSafeInteger(id) : typeof id !== 'bigint' || BigInt.asIntN(64, id) !== id)
    return false;
  if (creator !== undefined && typeof creator !== 'string') return false;
  if (runAs !== undefined && typeof runAs !== 'string') return false;
  if (created !== undefined && !Number.isSafeInteger(created)) return false;
  if (settings !== undefined && !arePlainSettings(settings)) return false;
  if (Object.hasOwn(fields, '__proto__')) return false;
  fields['job_id'] = String(id);
  return true;
}

function arePlainSettings(settings: unknown): boolean {
  if (!isFields(settings)) return false;
  for (const name in settings) if (settings[name] === null || name === '__proto__') return false;
  const runJob = settings['run_job_task'];
  if (typeof runJob === 'object' && runJob !== null && needsText((runJob as Fields)['job_id'])) return false;
  const notebook = settings['notebook_task'];
  if (typeof notebook !== 'object' || notebook === null) return true;
  return (
    !needsText((notebook as Fields)['revision_timestamp']) && !Array.isArray((notebook as Fields)['base_parameters'])
  );
}
