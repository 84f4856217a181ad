import type { BuiltInTool, ChatTools, ToolOutcome } from '../../chat/chatTools.ts';
import { editorModelOf } from '../../chat/editorModel.ts';
import type { Connection } from '../../connection/connection.ts';
import { jobName } from '../../runs/jobNames.ts';
import { AppError } from '../../shared/errors.ts';
import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { beginningAndEnd } from '../askChat.ts';
import type { CommandServices } from '../services.ts';
import { findJob, getJob, listJobs, runJob, setPaused } from './jobTools.ts';
import { cancelRunTool, compareRuns, getRun, listRuns, nameOfRun } from './runTools.ts';
import { onDidChangeSuggestions, openRunOf, suggest } from './suggestions.ts';
import { type CallContext, type Given, isToolName, readArguments, type ToolName } from './toolCall.ts';

const handlers: { [N in ToolName]: (given: Given<N>, call: CallContext) => Promise<ToolOutcome> } = {
  list_jobs: listJobs,
  get_job: getJob,
  list_runs: listRuns,
  get_run: getRun,
  list_files: listFiles,
  read_file: readFile,
  compare_runs: compareRuns,
  run_job: runJob,
  cancel_run: cancelRunTool,
  pause_job: (given, call) => setPaused(given, call, true),
  resume_job: (given, call) => setPaused(given, call, false),
};

/** Creates the functions that models may call, for the current profile. */
export function createChatTools(services: CommandServices, now: () => number = Date.now): ChatTools {
  return {
    tools: chatTools(),
    async describe(name, given, endpoint) {
      const connection = await services.connections.connect();
      if (name === 'read_file') {
        const { path } = readArguments(name, given);
        const what = editorModelOf(endpoint)
          ? l10n.t('Read {0} and send it to {1}, a model of the editor.', path, endpoint)
          : l10n.t('Read {0} and send it to {1} of {2}.', path, endpoint, connection.profile.name);
        return `${what} ${l10n.t('It may then read other files in this conversation without asking.')}`;
      }
      return describeChange(name, given, connection);
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
const asked = 'The user is asked first.';
const runId = { type: 'string', description: 'Id of the run, as list_runs gives it.' };

/** Names what a change applies to: a job or run with its ID, and the profile. */
async function describeChange(name: string, given: string, connection: Connection): Promise<string> {
  const { signal } = new AbortController();
  const profile = connection.profile.name;
  if (name === 'cancel_run') {
    const { run_id: id } = readArguments(name, given);
    return l10n.t('Cancel run {0} ({1}) on {2}', await nameOfRun(connection, id, signal), id, profile);
  }
  if (name !== 'run_job' && name !== 'pause_job' && name !== 'resume_job')
    throw new AppError('invalid', `There is no function ${name}.`);
  const found = await findJob(connection, readArguments(name, given).job, signal);
  const [title, id] = [jobName(found), found.job_id];
  if (name === 'run_job') return l10n.t('Run job "{0}" ({1}) on {2}', title, id, profile);
  return name === 'pause_job'
    ? l10n.t('Pause the schedule of job "{0}" ({1}) on {2}', title, id, profile)
    : l10n.t('Resume the schedule of job "{0}" ({1}) on {2}', title, id, profile);
}

/** Returns the functions with their names for users; the descriptions are for models, in their language. */
export function chatTools(): BuiltInTool[] {
  return [
    tool(
      'list_jobs',
      l10n.t('List jobs'),
      'Lists the jobs of the current profile: id, name, schedule, next start.',
      {},
    ),
    tool('get_job', l10n.t('Read a job'), 'Gives the settings of one job as a job file in YAML.', { job }, ['job']),
    tool('list_runs', l10n.t('List runs'), 'Lists runs, the newest first: id, job, state, start, duration, error.', {
      job,
      state: {
        type: 'string',
        enum: ['any', 'active', 'failed', 'succeeded'],
        description: 'Which runs. Default any.',
      },
      since: {
        type: 'string',
        enum: ['any', 'today', 'yesterday', 'week'],
        description: 'From which day on they started, in the time zone of the user. Default any.',
      },
      limit: { type: 'integer', description: 'How many at most. Default 20, at most 100.' },
    }),
    tool(
      'get_run',
      l10n.t('Read a run with its parameters, error and output'),
      'Gives the state, the parameters, the error and the output of one run.',
      { run_id: runId },
      ['run_id'],
    ),
    tool(
      'compare_runs',
      l10n.t('Compare two runs with their outputs'),
      'Compares two runs: state, duration, error, and a diff of their outputs.',
      { run_id: runId, other_run_id: runId },
      ['run_id', 'other_run_id'],
    ),
    tool('list_files', l10n.t('List the files of the workspace'), 'Lists the files of the workspace.', {
      folder: { type: 'string', description: 'Only below this folder.' },
    }),
    tool(
      'read_file',
      l10n.t('Read files of the workspace'),
      'Reads a text file of the workspace.',
      { path: { type: 'string', description: 'Path in the workspace, as list_files gives it.' } },
      ['path'],
      'first',
    ),
    tool(
      'run_job',
      l10n.t('Run a job'),
      `Starts a run of a job on the current profile. ${asked}`,
      { job },
      ['job'],
      'always',
    ),
    tool(
      'cancel_run',
      l10n.t('Cancel a run'),
      `Cancels an active run. ${asked}`,
      { run_id: runId },
      ['run_id'],
      'always',
    ),
    tool('pause_job', l10n.t('Pause a schedule'), `Pauses the schedule of a job. ${asked}`, { job }, ['job'], 'always'),
    tool(
      'resume_job',
      l10n.t('Resume a schedule'),
      `Resumes the schedule of a job. ${asked}`,
      { job },
      ['job'],
      'always',
    ),
  ];
}

function tool(
  name: ToolName,
  title: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
  asks?: BuiltInTool['asks'],
): BuiltInTool {
  const parameters = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const definition = { type: 'function' as const, function: { name, description, parameters } };
  return { definition, title, ...(asks && { asks }) };
}
