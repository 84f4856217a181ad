import type { ChatTools, ToolOutcome } from '../../chat/chatTools.ts';
import { jobName } from '../../runs/jobNames.ts';
import { AppError } from '../../shared/errors.ts';
import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { beginningAndEnd } from '../askChat.ts';
import type { CommandServices } from '../services.ts';
import { chatToolList } from './chatToolList.ts';
import { findJob, getJob, listJobs, runJob } from './jobTools.ts';
import { getRun, listRuns } from './runTools.ts';
import { onDidChangeSuggestions, openRunOf, suggest } from './suggestions.ts';
import { type CallContext, type Given, isToolName, type ToolName, readArguments } from './toolCall.ts';

const handlers: { [N in ToolName]: (given: Given<N>, call: CallContext) => Promise<ToolOutcome> } = {
  list_jobs: listJobs,
  get_job: getJob,
  list_runs: listRuns,
  get_run: getRun,
  list_files: listFiles,
  read_file: readFile,
  run_job: runJob,
};

/** What models may call, done with the current profile. All but `run_job` only read. */
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
