import * as z from 'zod';
import type { Connection, Profile } from '../connection/connection.ts';
import { agentReads, type AgentWindow } from '../shared/agentWindow.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { deployJobFile } from './deploy.ts';
import { readDeployable } from './deployableFile.ts';
import type { CommandServices } from './services.ts';

const id = z.string().regex(/^[0-9]{1,19}$/);
const profileName = z.string().min(1).max(200);
// The agent's end is another program, so nothing that it sends is trusted.
const reads = z.enum(agentReads);
const runsRequest = z.object({ limit: z.int().min(1).max(100), offset: z.int().min(0), job_id: id.optional() });
const orders = z.object({
  profile: profileName,
  path: z.string().min(1).max(1000),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * Creates what this window does for agents: reading from any profile, and deploying to one that is neither production nor read-only, after a
 * click of the user.
 * @param isOn whether agents are served at the moment
 * @param digestOf returns the SHA-256 of a text as hexadecimal digits
 */
export function createAgentWindow(
  services: CommandServices,
  { isOn, digestOf }: { isOn: () => boolean; digestOf: (text: string) => string },
): AgentWindow {
  /** Deploys that the user declined, so that nobody is asked until they give in. */
  const declined = new Set<string>();
  const find = (given: unknown): Profile => {
    if (!isOn())
      throw new AppError('unavailable', l10n.t('Agents are turned off in this window; nothing was done.'), {
        remedy: l10n.t('The user can turn them on with the setting millrace.agents.enabled in a trusted workspace.'),
      });
    const name = parsed(profileName, given);
    const { profiles } = services.connections;
    const found = profiles.find((profile) => profile.id === name || profile.name === name);
    if (found) return found;
    throw new AppError('notFound', l10n.t('There is no profile "{0}"; nothing was done.', name), {
      remedy: l10n.t('Profiles: {0}.', profiles.map((profile) => profile.name).join(', ')),
    });
  };
  const connect = async (profile: Profile, signal: AbortSignal): Promise<Connection> => {
    const connection = await services.connections.connectTo(profile.id, { signal, byUser: true });
    if (connection) return connection;
    throw new AppError('notFound', l10n.t('There is no profile "{0}"; nothing was done.', profile.name));
  };
  return {
    async read(name, operation, argument, signal) {
      const profile = find(name);
      const { jobs } = (await connect(profile, signal)).client;
      const read = parsed(reads, operation);
      if (read === 'list') return jobs.list({ signal });
      if (read === 'listRuns') return jobs.listRuns(parsed(runsRequest, argument), { signal });
      return jobs[read](parsed(id, argument), { signal });
    },
    async target(name, signal) {
      const profile = find(name);
      requireOpen(profile);
      const { client } = await connect(profile, signal);
      return { name: profile.name, baseUrl: client.baseUrl };
    },
    async deploy(order, signal) {
      const { profile: name, path, digest } = parsed(orders, order);
      const profile = find(name);
      requireOpen(profile);
      const { uri, text } = await services.ui.workspaceFile(path);
      if (digestOf(text) !== digest)
        throw new AppError('rejected', l10n.t('{0} has changed since the plan; nothing was deployed.', path), {
          remedy: l10n.t('Save the file and plan again.'),
        });
      const proposal = `${profile.id} ${uri} ${digest}`;
      if (declined.has(proposal))
        throw new AppError('rejected', l10n.t('The user has declined this deploy before; nothing was deployed.'));
      const deployable = await readDeployable(services, { uri });
      if (deployable?.file.text !== text)
        throw new AppError('invalid', l10n.t('{0} has a problem; nothing was deployed.', path));
      const connection = await connect(profile, signal);
      let isDismissed = false;
      const ui: CommandServices['ui'] = {
        ...services.ui,
        async decide(...question) {
          const choice = await services.ui.decide(...question);
          signal.throwIfAborted();
          isDismissed = choice === undefined;
          return choice;
        },
      };
      const deployed = await deployJobFile({ ...services, ui }, connection, deployable, { isAskedByAgent: true });
      if (isDismissed) declined.add(proposal);
      return deployed
        ? l10n.t('The user deployed {0} to {1}: job {2}.', path, profile.name, deployed.jobId)
        : l10n.t('The user did not deploy {0} to {1}. Ask before you propose it again.', path, profile.name);
    },
  };
}

/** @throws AppError `readOnly` if agents may not propose a deploy to the profile */
function requireOpen(profile: Profile): void {
  if (!profile.production && !profile.readOnly) return;
  throw new AppError(
    'readOnly',
    profile.production
      ? l10n.t('The profile "{0}" is production; agents cannot deploy there. Nothing was done.', profile.name)
      : l10n.t('The profile "{0}" is read-only; nothing was done.', profile.name),
    { remedy: l10n.t('A person deploys there: prepare the file and say that it is ready.') },
  );
}

/** @throws AppError `invalid` if the value does not match */
function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('invalid', l10n.t('The agent asked for something unknown; nothing was done.'), {
    cause: result.error,
  });
}
