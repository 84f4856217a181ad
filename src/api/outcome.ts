/** What each operation would have done, so that an error can say that it was not. */
const outcomes: Readonly<Record<string, string>> = {
  'jobs/create': 'the job was created',
  'jobs/list': 'the jobs were read',
  'jobs/delete': 'the job was deleted',
  'jobs/get': 'the job was read',
  'jobs/reset': 'the settings were replaced',
  'jobs/update': 'the settings were changed',
  'jobs/run-now': 'the run was started',
  'jobs/runs/submit': 'the run was submitted',
  'jobs/runs/list': 'the runs were read',
  'jobs/runs/get': 'the run was read',
  'jobs/runs/export': 'the run was exported',
  'jobs/runs/cancel': 'the run was cancelled',
  'jobs/runs/cancel-all': 'the runs were cancelled',
  'jobs/runs/get-output': 'the output was read',
  'jobs/runs/delete': 'the run was deleted',
  'clusters/spark-versions': 'the Spark versions were read',
  'clusters/list-node-types': 'the node types were read',
  'clusters/list-zones': 'the zones were read',
  'serving-endpoints/list': 'the endpoints were read',
  'serving-endpoints/create': 'the endpoint was created',
  chat: 'the answer was completed',
  completion: 'the completion was completed',
  embedding: 'the embedding was computed',
};

function outcomeOf(operation: string): string {
  return outcomes[operation] ?? 'the request was carried out';
}

/** "The job was not created." */
export function notDone(operation: string): string {
  const text = outcomeOf(operation).replace(/ (was|were) /, ' $1 not ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** "It is not known whether the job was created." */
export function notKnown(operation: string): string {
  return `It is not known whether ${outcomeOf(operation)}.`;
}
