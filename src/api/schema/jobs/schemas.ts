/** Every schema of the Jobs API 2.0 document, by its own name. */
export * from './cluster.ts';
export * from './library.ts';
export * from './notifications.ts';
export * from './operations.ts';
export * from './run.ts';
export * from './settings.ts';
export * from './taskGraph.ts';
export * from './taskKinds.ts';
export * from './taskList.ts';
export * from './tasks.ts';
export { checkJobSettings, checkRunNow, checkSubmit, isGiven } from './rules.ts';
