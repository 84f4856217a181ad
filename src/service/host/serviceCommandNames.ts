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
