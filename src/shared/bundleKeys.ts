/** The top of a bundle's files, some of which are named *.job.yml too: a job has none of these. */
export const bundleKeys: readonly string[] = [
  'resources',
  'bundle',
  'targets',
  'variables',
  'include',
  'workspace',
  'artifacts',
  'sync',
];
