import type { BuiltInTool } from '../../chat/chatTools.ts';

const job = { type: 'string', description: 'Name or id of the job.' };
const runId = { type: 'string', description: 'Id of the run, as list_runs gives it.' };

/** The functions as models are told of them, in their own language: no text for people. */
export const chatToolList: readonly BuiltInTool[] = [
  tool('list_jobs', 'Lists the jobs of the current profile: id, name, schedule, next start.', {}),
  tool('get_job', 'Gives the settings of one job as a job file in YAML.', { job }, ['job']),
  tool('list_runs', 'Lists runs, the newest first: id, job, state, start, duration, error.', {
    job,
    state: { type: 'string', enum: ['any', 'active', 'failed', 'succeeded'], description: 'Which runs. Default any.' },
    since: {
      type: 'string',
      enum: ['any', 'today', 'yesterday', 'week'],
      description: 'From which day on they started, in the time zone of the user. Default any.',
    },
    limit: { type: 'integer', description: 'How many at most. Default 20, at most 100.' },
  }),
  tool('get_run', 'Gives the state, the parameters, the error and the output of one run.', { run_id: runId }, [
    'run_id',
  ]),
  tool('list_files', 'Lists the files of the workspace.', {
    folder: { type: 'string', description: 'Only below this folder.' },
  }),
  tool(
    'read_file',
    'Reads a text file of the workspace.',
    { path: { type: 'string', description: 'Path in the workspace, as list_files gives it.' } },
    ['path'],
  ),
  tool('run_job', 'Starts a run of a job on the current profile. The user is asked first.', { job }, ['job'], true),
];

function tool(
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
  isChange = false,
): BuiltInTool {
  const parameters = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return { definition: { type: 'function', function: { name, description, parameters } }, isChange };
}
