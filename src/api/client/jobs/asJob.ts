import * as z from 'zod';
import { job, type Job } from '../../schema/jobs/run.ts';

type Loose = Record<string, unknown>;

/** Ids in settings that are INT64 on the wire, by task. */
function needsText(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}

/**
 * One job as the `job` schema reads it (Jobs API 2.0, Job), in place and without the schema if everything is as the
 * document says: a list holds 12,000 of them.
 * @returns undefined if it is no job
 */
export function asJob(value: unknown): Job | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Loose;
  if (isPlain(fields)) return fields as Job;
  const decoded = z.safeDecode(job, fields as z.input<typeof job>);
  return decoded.success ? decoded.data : undefined;
}

/** Whether every field is as the document says; the id is made text then. */
function isPlain(fields: Loose): boolean {
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
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return false;
  const fields = settings as Loose;
  for (const name in fields) if (fields[name] === null || name === '__proto__') return false;
  const runJob = fields['run_job_task'];
  if (typeof runJob === 'object' && runJob !== null && needsText((runJob as Loose)['job_id'])) return false;
  const notebook = fields['notebook_task'];
  if (typeof notebook !== 'object' || notebook === null) return true;
  return (
    !needsText((notebook as Loose)['revision_timestamp']) && !Array.isArray((notebook as Loose)['base_parameters'])
  );
}
