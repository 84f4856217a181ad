import * as z from 'zod';
import { field, int32, int64, maybe, millis, oneOf, text } from '../field.ts';
import { refineKnown, refineRunNow } from './rules.ts';
import { job, notebookOutput, run, runTypes, viewItem, viewsToExport } from './run.ts';
import { jobSettings, partialJobSettings, refineSubmit, submitFields } from './settings.ts';
import { runParameterFields } from './tasks.ts';

/** Requests and responses of the 15 operations (Jobs API 2.0, Endpoints). */

const idempotencyToken = field(
  z.string().optional(),
  'Makes the request safe to repeat: if a run with the token exists, its run_id is returned and no run is created. At most 64 characters.',
);
const jobId = () => field(int64(), 'Identifier of the job.', { refersTo: 'job' });
const runId = () => field(int64(), 'Identifier of the run.');

/** Response bodies that the document does not show: servers send `{}`, and anything is accepted. */
export const emptyResponse = z.looseObject({});

export const createRequest = jobSettings;
export type CreateRequest = z.output<typeof createRequest>;
export const createResponse = z.looseObject({ job_id: jobId() });

const pageToken = field(z.string().optional(), 'Token of the page to return, from the answer before it. Version 2.1.');
const expandTasks = field(z.boolean().optional(), 'Whether to return tasks and clusters too. Version 2.1.', {
  default: false,
});
const pageFields = { next_page_token: maybe(z.string()), prev_page_token: maybe(z.string()) };

export const listJobsRequest = z.looseObject({
  limit: field(
    int32().min(0).max(100).optional(),
    'Number of jobs to return, at most 100; 0 means the default. Version 2.1.',
    { default: 20 },
  ),
  offset: field(int32().min(0).optional(), 'Offset of the first job, relative to the most recent one. Version 2.1.', {
    default: 0,
  }),
  page_token: pageToken,
  expand_tasks: expandTasks,
  name: field(z.string().optional(), 'Only jobs with exactly this name, whatever its case. Version 2.1.'),
});
export type ListJobsRequest = z.output<typeof listJobsRequest>;
export const listJobsResponse = z.looseObject({
  jobs: maybe(z.array(job)),
  has_more: maybe(z.boolean()),
  ...pageFields,
});

export const jobIdRequest = z.looseObject({ job_id: jobId() });
export const runIdRequest = z.looseObject({ run_id: runId() });
export const getJobRequest = jobIdRequest.extend({ page_token: pageToken });
export const getRunRequest = runIdRequest.extend({
  include_history: field(z.boolean().optional(), 'Whether to return the repairs of the run. Version 2.1.', {
    default: false,
  }),
  include_resolved_values: field(
    z.boolean().optional(),
    'Whether to return parameters with their references resolved. Version 2.1.',
    { default: false },
  ),
  page_token: pageToken,
});
/** A changing request rejects unknown fields, which would be dropped; read requests may carry any fields. */
export const jobIdCommand = jobIdRequest.check(refineKnown('job_id'));
export const runIdCommand = runIdRequest.check(refineKnown('run_id'));

export const resetRequest = z
  .looseObject({
    job_id: jobId(),
    new_settings: field(jobSettings, 'The new settings; they replace the old ones completely.'),
  })
  .check(refineKnown('job_id', 'new_settings'));

export const updateRequest = z
  .looseObject({
    job_id: jobId(),
    new_settings: field(
      partialJobSettings.optional(),
      'Settings to add or change. Top-level fields other than arrays are replaced completely; arrays are merged by their key fields.',
    ),
    fields_to_remove: field(
      z.array(text().min(1)).max(1000).optional(),
      'Top-level fields to remove, such as `schedule`; entries of the arrays tasks and job_clusters as `tasks/<task_key>`.',
    ),
  })
  .check(refineKnown('job_id', 'new_settings', 'fields_to_remove'));
export type UpdateRequest = z.output<typeof updateRequest>;

export const runNowRequest = z
  .looseObject({
    job_id: jobId(),
    ...runParameterFields,
    python_named_params: field(
      z.record(z.string(), z.string()).optional(),
      'Named parameters of Python wheel tasks; they override those of the job settings. Version 2.1.',
    ),
    job_parameters: field(
      z.record(z.string(), z.string()).optional(),
      'Values of the parameters in `parameters` of the job, by name. Version 2.1.',
    ),
    only: field(z.array(text()).optional(), 'Keys of the tasks to run; the others are left out. Version 2.1.', {
      default: 'all tasks',
    }),
    idempotency_token: idempotencyToken,
  })
  .check(refineRunNow);
export type RunNowRequest = z.output<typeof runNowRequest>;
export const runNowResponse = z.looseObject({ run_id: runId(), number_in_job: maybe(int64()) });
export type RunNowResponse = z.output<typeof runNowResponse>;

export const submitRequest = z
  .looseObject({ ...submitFields, idempotency_token: idempotencyToken })
  .check(refineSubmit);
export type SubmitRequest = z.output<typeof submitRequest>;
export const submitResponse = z.looseObject({ run_id: runId() });

export const listRunsRequest = z
  .looseObject({
    active_only: field(
      z.boolean().optional(),
      'Only active runs: PENDING, RUNNING, TERMINATING. Not together with `completed_only`.',
    ),
    completed_only: field(z.boolean().optional(), 'Only completed runs. Not together with `active_only`.'),
    job_id: field(int64().optional(), 'Only runs of this job; left out, runs of all jobs.'),
    offset: field(int32().min(0).optional(), 'Offset of the first run, relative to the most recent one.', {
      default: 0,
    }),
    limit: field(
      int32().min(0).max(999, { error: 'must be less than 1000; 0 means the maximum' }).optional(),
      'Number of runs to return: greater than 0 and less than 1000; 0 uses the maximum.',
      { default: 20 },
    ),
    run_type: field(oneOf(runTypes).optional(), 'Only runs of this type.'),
    page_token: pageToken,
    expand_tasks: expandTasks,
    start_time_from: field(millis().optional(), 'Only runs that started at or after this time. Version 2.1.', {
      unit: 'ms',
    }),
    start_time_to: field(millis().optional(), 'Only runs that started at or before this time. Version 2.1.', {
      unit: 'ms',
    }),
  })
  .superRefine((request, context) => {
    if (request.active_only === true && request.completed_only === true) {
      context.addIssue({
        code: 'custom',
        path: ['completed_only'],
        message: 'active_only and completed_only cannot both be true. Leave one out.',
      });
    }
  });
export type ListRunsRequest = z.output<typeof listRunsRequest>;
export const listRunsResponse = z.looseObject({
  runs: maybe(z.array(run)),
  has_more: maybe(z.boolean()),
  ...pageFields,
});

/** Jobs API 2.1, runs/repair. */
export const repairRequest = z.looseObject({
  run_id: runId(),
  rerun_tasks: field(z.array(text()).optional(), 'Keys of the tasks to run again.'),
  rerun_all_failed_tasks: field(z.boolean().optional(), 'Whether to run again all tasks that did not succeed.', {
    default: false,
  }),
  rerun_dependent_tasks: field(
    z.boolean().optional(),
    'Whether to run again also the tasks that depend on `rerun_tasks`, even if they succeeded.',
    { default: false },
  ),
  latest_repair_id: field(
    int64().optional(),
    'Identifier of the latest repair of the run. Required from the second repair on, so that no repair is made twice.',
  ),
  ...runParameterFields,
  job_parameters: field(
    z.record(z.string(), z.string()).optional(),
    'Values of the parameters of the job for the tasks that run again, by name.',
  ),
});
export type RepairRequest = z.output<typeof repairRequest>;
export const repairResponse = z.looseObject({ repair_id: field(int64(), 'Identifier of the repair.') });

export const exportRequest = z.looseObject({
  run_id: runId(),
  views_to_export: field(oneOf(viewsToExport).optional(), 'Which views to export.', { default: 'CODE' }),
});
export type ExportRequest = z.output<typeof exportRequest>;
export const exportResponse = z.looseObject({ views: maybe(z.array(viewItem)) });

export const getOutputResponse = z.looseObject({
  metadata: maybe(field(run, 'The run without its output.')),
  notebook_output: maybe(field(notebookOutput, 'Output of a notebook task.')),
  error: maybe(field(z.string(), 'Why output is unavailable; unstructured, its format may change.')),
});
export type RunOutput = z.output<typeof getOutputResponse>;
