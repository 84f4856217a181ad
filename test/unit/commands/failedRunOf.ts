import assert from 'node:assert/strict';
import type { RunOutput, SubmitRequest } from '../../../src/api/schema/jobs/schemas.ts';
import { readFailure, type FailedRun } from '../../../src/commands/fix/failedRun.ts';
import { requestOfSettings } from '../../../src/commands/oneTimeRun.ts';
import type { WorkspaceFile } from '../../../src/commands/ui.ts';
import { createJobFileService } from '../../../src/jobfile/services/jobFileService.ts';
import { failingJobs } from '../../support/failingJobs/failingJobs.ts';

const { parse } = createJobFileService();

/** An ordinary job file for `jobs/etl.py`. */
export const plainJob = failingJobs.find(({ name }) => name === 'a colon is missing')?.files['etl.job.yml'] ?? '';

/** The output of a run whose program lacks a colon. */
export const missingColon = {
  error: "SyntaxError: expected ':'",
  error_trace: '  File "/w/jobs/etl.py", line 1\n    for n in range(3)\nSyntaxError: expected \':\'',
};

/** Returns the failure report of a run with this output, in a workspace with these files. */
export function failedRunOf(
  files: Readonly<Record<string, string>>,
  output: Record<string, string>,
): Promise<FailedRun> {
  const fileOf = (path: string): WorkspaceFile => {
    const text = files[path];
    assert.ok(text !== undefined, path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { path, name, uri: path, text, isJobFile: path.endsWith('.job.yml'), isDirty: false };
  };
  const { settings } = parse(files['etl.job.yml'] ?? '');
  const request: SubmitRequest = settings ? requestOfSettings(settings) : {};
  const { state_message: message = '', ...rest } = output;
  const jobFile = files['etl.job.yml'] === undefined ? undefined : { file: fileOf('etl.job.yml'), settings };
  return readFailure({ ...rest, metadata: { run_id: '1', state: { state_message: message } } } as RunOutput, {
    jobFile,
    request,
    files: Object.keys(files),
    read: async (path) => fileOf(path),
  });
}
