import type { JobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { Bench } from './commandSetup.ts';

const jobId = '9007199254740993';

/** Deploys a file and then changes its job with `change`. */
export async function deployedThen(change: (settings: JobSettings) => JobSettings): Promise<Bench> {
  const bench = new Bench();
  await handlers['millrace.jobFile.deploy'](bench.services, { uri: 'file:///w/nightly.job.yml' });
  bench.trail = [];
  bench.remote.set(jobId, change(bench.remote.get(jobId) ?? {}));
  return bench;
}

export const alerted = (settings: JobSettings): JobSettings => ({
  ...settings,
  timeout_seconds: 99,
  email_notifications: { on_failure: ['ops@example.com'] },
});
