import { createClient, type Auth, type Client } from '../../api/index.ts';
import type { Logger } from '../../shared/log.ts';
import type { Profile } from '../connection.ts';
import { nodeFetch } from './nodeFetch.ts';
import { runTokenCommand } from './tokenCommand.ts';

/** A client of a profile that is not saved yet. It does not wait for a service that is not well. */
export function draftClient(profile: Profile, secret: string, log: Logger): Client {
  return createClient({ baseUrl: profile.baseUrl ?? '', auth: draftAuth(profile, secret), logger: log, fetch: nodeFetch, retry: 'fail', limits: { headersInMs: 15_000, idleInMs: 15_000 } });
}

function draftAuth(profile: Profile, secret: string): Auth {
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
      return { kind: 'bearer', token: () => (token ??= runTokenCommand(profile.command ?? '')) };
    }
  }
}
