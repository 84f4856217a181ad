import * as z from 'zod';
import { jobsRoutes } from '../../api/jobs/routes.ts';
import { jobSettingsFields, runParameterKinds, type RunParameterKind } from '../../api/jobs/schemas.ts';
import { parseJson } from '../../shared/json.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import { mergeSettings } from '../engine/mergeSettings.ts';
import type { StoredJob } from '../store/jobStore.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import { withoutNulls } from '../withoutNulls.ts';
import { endpoint, type Endpoint } from './handler.ts';
import { RawJson } from './reply.ts';
import { decodeRequest } from './validate.ts';

/**
 * Settings of a job that the document does not name for runs/submit. Clients send them all the same, and they are carried
 * out, so they keep the same rules.
 */
const furtherSubmitFields = z.looseObject({
  name: jobSettingsFields.name,
  email_notifications: jobSettingsFields.email_notifications,
  health: jobSettingsFields.health,
});

/** Jobs API 2.0, Endpoints: those that deal with jobs and start their runs. */
export function jobEndpoints(catalog: JobCatalog): Endpoint[] {
  return [
    endpoint(jobsRoutes.create, (_request, { text }) => new RawJson(`{"job_id":${catalog.create(text)}}`)),
    endpoint(jobsRoutes.list, () => new RawJson(catalog.listJson())),
    endpoint(jobsRoutes.get, (request) => new RawJson(jobToJson(catalog.get(request.job_id)))),
    endpoint(jobsRoutes.delete, (request) => {
      catalog.delete(request.job_id);
      return {};
    }),
    endpoint(jobsRoutes.reset, (request, { text }) => {
      catalog.change(request.job_id, () => rawMembers(text).get('new_settings')!);
      return {};
    }),
    endpoint(jobsRoutes.update, (request, { text }) => {
      catalog.change(request.job_id, (current) => {
        const merged = mergeSettings(current, rawMembers(text).get('new_settings') ?? '{}', request.fields_to_remove ?? []);
        decodeRequest(jobsRoutes.create.request, withoutNulls(parseJson(merged)));
        return merged;
      });
      return {};
    }),
    endpoint(jobsRoutes.runNow, (request, { text }) => {
      const run = catalog.runNow(request.job_id, parametersOf(text), request.idempotency_token);
      return new RawJson(`{"run_id":${run.runId},"number_in_job":${run.numberInJob}}`);
    }),
    endpoint(jobsRoutes.submit, (request, { text }) => {
      decodeRequest(furtherSubmitFields, request);
      const members = rawMembers(text);
      members.delete('idempotency_token');
      return new RawJson(`{"run_id":${catalog.submit(joinMembers(members), request.idempotency_token).runId}}`);
    }),
  ];
}

function jobToJson(job: StoredJob): string {
  const user = JSON.stringify(job.creator);
  return `{"job_id":${job.jobId},"creator_user_name":${user},"run_as":${user},"settings":${job.settings},"created_time":${job.createdAt}}`;
}

function parametersOf(text: string): Map<RunParameterKind, string> {
  const members = rawMembers(text);
  return new Map(runParameterKinds.flatMap((kind) => {
    const value = members.get(kind);
    return value === undefined || value === 'null' ? [] : [[kind, value] as const];
  }));
}
