import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import * as z from 'zod';
import { memoryOf } from '../../deployments/deployFolders.ts';
import { DeployMemory } from '../../deployments/deployMemory.ts';
import { isTriedAgain } from '../../runs/attempts.ts';
import { runStatus } from '../../runs/runState.ts';
import { delay } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { deployPlanned, inTurn, isSent, planFile, planInWords, type PlannedDeploy } from '../deployFile.ts';
import { parametersOf } from '../runFile.ts';
import { reportRun } from '../runReport.ts';
import {
  deployable,
  jobsOf,
  path,
  profile,
  remoteOf,
  requireWindow,
  runnable,
  tool,
  type ToolContext,
} from './agentTool.ts';

const maxWaitInSeconds = 600;
const gapInMs = 250;
/** Plans that are kept; an older one must be made again. */
const maxPlans = 20;

/** The tools that deploy: to the local service, or by a person's click in the editor's window. */
export const deployTools = {
  run_job: tool({
    description:
      'Deploys a job file to the local service, runs it on this machine and reports the run. It never runs anything on a remote service.',
    input: z.object({
      path,
      job: z.string().max(200).optional().describe("Key of a job, for a bundle's file"),
      parameters: z
        .array(z.string().max(10_000))
        .max(100)
        .optional()
        .describe('NAME=VALUE for jobs with parameters and for notebooks, else arguments'),
      wait_seconds: z.int().min(0).max(maxWaitInSeconds).optional().describe('Default 40'),
    }),
    readOnly: false,
    async call({ path: name, job, parameters = [], wait_seconds: wait = 40 }, { root, service, signal }) {
      const end = performance.now() + wait * 1000;
      const file = await runnable(root, name, job);
      const opened = await service();
      const given = parametersOf(file, parameters);
      const jobId = await inTurn(opened, file, signal, async () =>
        deployHere(opened, await planFile(opened, file, signal), signal),
      );
      const { jobs } = opened.client;
      const { run_id: runId } = await jobs.runNow({ job_id: jobId, ...given }, { signal });
      for (;;) {
        const run = await jobs.getRun(runId, { signal });
        if (runStatus(run).terminal) {
          const report = await reportRun(jobs, run, signal);
          return isTriedAgain(run, file.settings) ? `${report}\nIt is tried again; call list_runs.` : report;
        }
        if (performance.now() >= end)
          return `Run ${runId} of job ${jobId} is still active: ${runStatus(run).label}. Call get_run with run_id ${runId} later to see the result.`;
        await delay(gapInMs, { signal });
      }
    },
  }),
  plan_deploy: tool({
    description: 'Says what a deploy of a job file would change, and gives the id of the plan. Changes nothing.',
    input: z.object({ path, profile }),
    readOnly: true,
    async call({ path: name, profile: given }, context) {
      const { root, signal, plans } = context;
      const named = remoteOf(given);
      const { digest, ...file } = await deployable(root, name);
      const target = named === undefined ? await context.service() : await targetOf(context, named);
      const planned = await planFile(target, file, signal);
      const words = planInWords(target, planned);
      if (planned.job && !isSent(planned.plan)) return words;
      const id = randomUUID().slice(0, 8);
      const shown = relative(await realpath(root), file.path);
      plans.set(id, { path: shown, digest, to: named === undefined ? planned : { profile: named } });
      for (const old of [...plans.keys()].slice(0, -maxPlans)) plans.delete(old);
      const next = named === undefined ? '' : ', which asks the user in the editor';
      return `${words}\nPlan ${id}. To deploy it, call apply_plan with it${next}.`;
    },
  }),
  apply_plan: tool({
    description:
      'Deploys a plan of plan_deploy. Except on this machine, the user has to click in the editor first. Never to production.',
    input: z.object({ plan_id: z.string().min(1).max(100) }),
    readOnly: false,
    async call({ plan_id: id }, context) {
      const { root, plans, signal } = context;
      const plan = plans.get(id);
      // A plan is good for one try, so that nobody is asked twice about the same.
      plans.delete(id);
      if (!plan)
        throw new AppError('notFound', 'There is no such plan, or it was applied; nothing was deployed.', {
          remedy: 'Call plan_deploy, then apply_plan with the id that it gives.',
        });
      const { path: name, digest, to } = plan;
      if ('profile' in to) return requireWindow(context, to.profile).deploy({ ...to, path: name, digest }, signal);
      const file = await deployable(root, name);
      if (file.digest !== digest)
        throw new AppError('rejected', `${name} has changed since the plan; nothing was deployed.`, {
          remedy: 'Call plan_deploy again.',
        });
      const opened = await context.service();
      const jobId = await inTurn(opened, file, signal, async () => {
        if (!to.job && (await planFile(opened, file, signal)).job)
          throw new AppError('rejected', 'The job exists by now; nothing was deployed.', {
            remedy: 'Call plan_deploy again.',
          });
        return deployHere(opened, to, signal);
      });
      return `Deployed ${name} to ${opened.name}: job ${jobId}.`;
    },
  }),
};

/** Returns the service of a profile, for a plan. @throws AppError if agents may not deploy there */
async function targetOf(context: ToolContext, named: string): Promise<Parameters<typeof planFile>[0]> {
  const { name, baseUrl } = await requireWindow(context, named).target(named, context.signal);
  return { client: { jobs: await jobsOf(context, named) }, name, memory: new DeployMemory(memoryOf(baseUrl)) };
}

/**
 * Deploys to the local service.
 * @returns the id of the job
 * @throws AppError if the deploy would undo what was not deployed from here
 */
function deployHere(
  opened: Awaited<ReturnType<ToolContext['service']>>,
  planned: PlannedDeploy,
  signal: AbortSignal,
): Promise<string> {
  if (planned.plan.lost.length === 0) return deployPlanned(opened, planned, signal);
  throw new AppError('rejected', `${planInWords(opened, planned)}\nNothing was deployed.`, {
    remedy: 'Ask the user, who can deploy the file in the editor or pull the changes.',
  });
}
