import { AppError } from '../shared/errors.ts';
import { stringifyJson } from '../shared/json.ts';
import { namedJobFiles } from './check.ts';
import { exitCodes, type Invocation, nextCommand, parseParameters, serviceOptions, usageError } from './commandLine.ts';
import {
  deployPlanned,
  inTurn,
  isSent,
  planFile,
  planInWords,
  readJobFile,
  type JobFile,
  type PlannedDeploy,
} from './deployFile.ts';
import { openService, type OpenedService, type ServiceChoice } from './openService.ts';
import { confirmOnTerminal, output, plainLine } from './print.ts';
import { byWorkspaceRoot } from './workspaceRoot.ts';

/** Creates or updates the jobs of files; with `--plan`, only reports what would change. */
export async function deployCommand(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    plan: { type: 'boolean' },
    yes: { type: 'boolean' },
  });
  if (values.plan && values.yes) throw usageError('--plan deploys nothing, so --yes has no effect');
  const files: JobFile[] = [];
  // An error in one file also prevents deploying the others.
  for (const path of await namedJobFiles('deploy', positionals)) files.push(await readJobFile(path));
  let code: number = exitCodes.ok;
  for (const [root, ofRoot] of values.url === undefined ? byWorkspaceRoot(files) : [['', files] as const]) {
    const opened = await openService(values, invocation, () => root);
    try {
      if (await deployFiles(opened, ofRoot, values, invocation)) code = exitCodes.changes;
    } finally {
      await opened.close();
    }
  }
  return code;
}

/**
 * Deploys or plans the files.
 * @returns whether there are changes that were only planned
 */
async function deployFiles(
  opened: OpenedService,
  files: readonly JobFile[],
  values: ServiceChoice & { readonly plan?: boolean; readonly yes?: boolean; readonly json?: boolean },
  { signal }: Invocation,
): Promise<boolean> {
  const { plan: isPlan, yes, json } = values;
  let isAnyPlanned = false;
  for (const file of files) {
    if (isPlan) {
      const planned = await planFile(opened, file, signal);
      output.write(json ? planJson(planned, values) : `${planInWords(opened, planned)}\n`);
      isAnyPlanned ||= planned.plan.action !== 'none';
      continue;
    }
    await inTurn(opened, file, signal, async () => {
      const planned = await planFile(opened, file, signal);
      const jobId = await deployIfWanted(opened, planned, signal, yes === true);
      output.write(json ? planJson(planned, values, jobId) : `${doneInWords(opened, planned, jobId)}\n`);
    });
  }
  return isAnyPlanned;
}

/**
 * Deploys the plan after the necessary confirmation.
 * @throws AppError if it would overwrite somebody else's change and nobody confirmed that
 */
export async function deployIfWanted(
  opened: OpenedService,
  planned: PlannedDeploy,
  signal: AbortSignal,
  isSure: boolean,
): Promise<string> {
  const { plan, file } = planned;
  if (plan.lost.length > 0 && !isSure) {
    output.say(planInWords(opened, planned));
    if (!(await confirmOnTerminal('Deploy anyway?', signal))) {
      const why = plan.isLastDeployKnown
        ? 'somebody else changed the job since the last deploy from here'
        : 'the job has settings that were not deployed from here';
      throw new AppError('rejected', `${file.path} was not deployed: ${why}.`, {
        remedy: 'Take the changes into the file, or deploy with --yes.',
      });
    }
  }
  return deployPlanned(opened, planned, signal);
}

function doneInWords({ name }: OpenedService, { job, plan, file }: PlannedDeploy, jobId: string): string {
  const title = plainLine(file.settings.name ?? 'Untitled');
  if (!job) return `Deployed "${title}" to ${name} as job ${jobId}.`;
  if (!isSent(plan)) return `Job ${jobId} on ${name} already has the settings of "${title}".`;
  return `Deployed "${title}" to ${name}: job ${jobId} has the new settings.`;
}

function planJson({ plan, file }: PlannedDeploy, service: ServiceChoice, jobId?: string): string {
  const isNothing = jobId === undefined && plan.action === 'none';
  const next = nextCommand([jobId === undefined && !isNothing ? 'deploy' : 'run', file.path], service);
  return `${stringifyJson({
    file: file.path,
    action: plan.action,
    ...(jobId === undefined ? {} : { job_id: BigInt(jobId) }),
    changes: plan.changes.map(({ path, kind }) => ({ path, kind })),
    moved: plan.moved.map(({ path }) => ({ path })),
    next,
  })}\n`;
}
