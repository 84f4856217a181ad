/** Commands that the handlers in `commands` serve; the manifest lists the same. */
export const commandIds = [
  'millrace.jobFile.deploy',
  'millrace.jobFile.compare',
  'millrace.jobFile.new',
  'millrace.jobFile.fromJson',
  'millrace.jobFile.jsonSchema',
  'millrace.job.runNow',
  'millrace.job.runNowWithParameters',
  'millrace.job.debug',
  'millrace.job.openAsFile',
  'millrace.job.pull',
  'millrace.job.cancelAllRuns',
  'millrace.job.delete',
  'millrace.job.copyId',
  'millrace.openJob',
  'millrace.openRun',
  'millrace.run.compare',
  'millrace.run.cancel',
  'millrace.run.showOutput',
  'millrace.run.openPage',
  'millrace.run.export',
  'millrace.run.showCells',
  'millrace.run.delete',
  'millrace.run.repeat',
  'millrace.run.debugFailure',
  'millrace.run.replay',
  'millrace.run.fix',
  'millrace.change.apply',
  'millrace.change.discard',
  'millrace.run.askChat',
  'millrace.run.attachToChat',
  'millrace.run.attachLine',
  'millrace.job.attachToChat',
  'millrace.run.copyId',
  'millrace.jobs.refresh',
  'millrace.jobs.loadMore',
  'millrace.jobs.filter',
  'millrace.jobs.editFilter',
  'millrace.jobs.filterByText',
  'millrace.jobs.clearFilter',
  'millrace.jobs.sort',
  'millrace.jobs.showByTime',
  'millrace.jobs.showByJob',
  'millrace.job.pin',
  'millrace.job.unpin',
  'millrace.job.pauseSchedule',
  'millrace.job.resumeSchedule',
  'millrace.rows.run',
  'millrace.rows.cancel',
  'millrace.rows.delete',
  'millrace.job.copyAsCurl',
  'millrace.run.copyAsCurl',
  'millrace.run.repeatWithChanges',
  'millrace.run.repair',
  'millrace.jobFile.submit',
  'millrace.endpoint.addModel',
  'millrace.endpoint.setKey',
  'millrace.endpoint.compare',
  'millrace.endpoint.create',
  'millrace.endpoint.delete',
] as const;

/** Commands of rows, notifications and drops: a view registers them while it exists, and the manifest does not list them. */
export const internalCommands = {
  retryNow: 'millrace.connection.retryNow',
  openRow: 'millrace.jobs.openRow',
  moreActions: 'millrace.jobFile.more',
  showGraph: 'millrace.jobFile.showGraph',
  attachDragged: 'millrace.run.attachDragged',
} as const;

export type CommandId = (typeof commandIds)[number];

/** Commands of profiles, after `millrace.profile.`. */
export const profileCommandNames = ['choose', 'add', 'edit', 'remove', 'signIn', 'diagnose'] as const;
export type ProfileCommand = (typeof profileCommandNames)[number];

/** Commands of the local service, after `millrace.service.`. The manifest leaves out `show`, which belongs to the status item. */
export const serviceCommandNames = [
  'start',
  'stop',
  'reset',
  'showLog',
  'copyUrl',
  'setMailPassword',
  'setSecret',
  'setUpForAgents',
  'show',
] as const;
export type ServiceCommand = (typeof serviceCommandNames)[number];
