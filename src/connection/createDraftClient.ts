import { createClient, type Auth, type Client, type Fetch } from '../api/client/index.ts';
import type { Logger } from '../shared/log.ts';
import type { Profile } from './connection.ts';

export interface DraftClientOptions {
  readonly log: Logger;
  readonly fetch: Fetch;
  /** Runs the profile's command and returns the token that it printed. */
  runCommand(command: string): Promise<string>;
}

/** The user is waiting at a step of the wizard, so give up soon. */
const limitInMs = 15_000;

/** Creates a client of an unsaved profile. It does not wait for an unhealthy service. */
export function createDraftClient(profile: Profile, secret: string, options: DraftClientOptions): Client {
  return createClient({
    baseUrl: profile.baseUrl ?? '',
    auth: authOf(profile, secret, options),
    logger: options.log,
    fetch: options.fetch,
    retry: 'fail',
    limits: { headersInMs: limitInMs, idleInMs: limitInMs },
  });
}

function authOf(profile: Profile, secret: string, options: DraftClientOptions): Auth {
  switch (profile.authKind) {
    case 'none':
      return { kind: 'none' };
    case 'bearer':
      return { kind: 'bearer', token: secret };
    case 'basic':
      return { kind: 'basic', userName: profile.userName ?? '', password: secret };
    case 'header':
      return { kind: 'header', name: profile.headerName ?? '', value: secret };
    case 'command': {
      let token: Promise<string> | undefined;
      return { kind: 'bearer', token: () => (token ??= options.runCommand(profile.command ?? '')) };
    }
  }
}
