import type { JobSettings } from '../api/schema/jobs/schemas.ts';
import { createJobFileService } from '../jobfile/services/jobFileService.ts';

/**
 * What a deploy made of a job's settings: what the service has now. Where a setting that was sent is another one already, or a
 * known one came from nowhere, somebody else was there in the moment between: it stays as it was sent, so that the next deploy
 * finds the change. What a service adds inside a setting, or under names that the document does not know, is its own.
 */
export function storedSettings(sent: JobSettings, stored: JobSettings): JobSettings {
  const { differences, isSetting } = createJobFileService();
  const result: Record<string, unknown> = { ...stored };
  for (const { path, file } of differences(sent, stored)) {
    const [name = path] = path.split(/[.[]/, 1);
    const isAddition = file === undefined && path !== name;
    if (!isSetting(name) || isAddition) continue;
    if (Object.hasOwn(sent, name)) result[name] = sent[name as keyof JobSettings];
    else delete result[name];
  }
  return result;
}
