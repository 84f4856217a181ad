/** Commands of the local service, after `millrace.service.`; the manifest leaves out `show`, which is the status item's. */
export const serviceCommandNames = [
  'start',
  'stop',
  'reset',
  'showLog',
  'copyUrl',
  'setMailPassword',
  'setSecret',
  'show',
] as const;
export type ServiceCommand = (typeof serviceCommandNames)[number];
