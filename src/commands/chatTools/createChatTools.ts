import type { BuiltInTool, ChatTools, ToolOutcome } from '../../chat/chatTools.ts';
import { jobName } from '../../runs/jobNames.ts';
import { AppError } from '../../shared/errors.ts';
import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { beginningAndEnd } from '../askChat.ts';
import type { CommandServices } from '../services.ts';
import { findJob, getJob, listJobs, runJob } from './jobTools.ts';
import { getRun, listRuns } from './runTools.ts';
import { onDidChangeSuggestions, openRunOf, suggest } from './suggestions.ts';
import { type CallContext, type Given, isToolName, readArguments, type ToolName } from './toolCall.ts';

const handlers: { [N in ToolName]: (given: Given<N>, call: CallContext) => Promise<ToolOutcome> } = {
  list_jobs: listJobs,
  get_job: getJob,
  list_runs: listRuns,
  get_run: getRun,
  list_files: listFiles,
  read_file: readFile,
  run_job: runJob,
};

/** Creates the functions that models may call, for the current profile. All but `run_job` only read. */
export function createChatTools(services: CommandServices, now: () => number = Date.now): ChatTools {
  return {
    tools: chatToolList,
    async describe(_name, given) {
      const connection = await services.connections.connect();
      const { job } = readArguments('run_job', given);
      const found = await findJob(connection, job, new AbortController().signal);
      return l10n.t('Run job "{0}" ({1}) on {2}', jobName(found), found.job_id, connection.profile.name);
    },
    async run(name, given, signal) {
      if (!isToolName(name)) throw new AppError('invalid', `There is no function ${name}.`);
      return runNamed(name, given, { services, signal, nowMs: now() });
    },
    suggest: () => suggest(services, now()),
    onDidChangeSuggestions: (listener) => onDidChangeSuggestions(services, () => listener(undefined)),
    openRun: (run) => openRunOf(services, run),
  };
}

async function runNamed<N extends ToolName>(
  name: N,
  given: string,
  call: Omit<CallContext, 'connection'>,
): Promise<ToolOutcome> {
  const parsed = readArguments(name, given);
  const connection = await call.services.connections.connect({ signal: call.signal });
  return handlers[name](parsed, { ...call, connection });
}

async function listFiles({ folder }: Given<'list_files'>, { services }: CallContext): Promise<ToolOutcome> {
  return { content: stringifyJson({ files: await services.ui.workspaceFiles(folder ?? '') }) };
}

async function readFile({ path }: Given<'read_file'>, { services }: CallContext): Promise<ToolOutcome> {
  return { content: stringifyJson({ path, text: beginningAndEnd(await services.ui.workspaceText(path)) }) };
}

const job = { type: 'string', description: 'Name or id of the job.' };
const runId = { type: 'string', description: 'Id of the run, as list_runs gives it.' };

/** The functions as described to models, in the models' language; not shown to people. */
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
