/** Every command that the handlers in this folder serve; the manifest lists the same. */
export const commandIds = [
  'millrace.jobFile.deploy',
  'millrace.jobFile.compare',
  'millrace.jobFile.new',
  'millrace.jobFile.fromJson',
  'millrace.job.runNow',
  'millrace.job.runNowWithParameters',
  'millrace.job.debug',
  'millrace.job.openAsFile',
  'millrace.job.cancelAllRuns',
  'millrace.job.delete',
  'millrace.job.copyId',
  'millrace.run.cancel',
  'millrace.run.showOutput',
  'millrace.run.openPage',
  'millrace.run.export',
  'millrace.run.delete',
  'millrace.run.repeat',
  'millrace.run.debugFailure',
  'millrace.run.askChat',
  'millrace.run.attachToChat',
  'millrace.run.copyId',
  'millrace.jobs.refresh',
  'millrace.jobs.loadMore',
] as const;

export type CommandId = (typeof commandIds)[number];
