import type { Client } from '../../api/client/index.ts';
import type { Logger } from '../../shared/log.ts';
import type { Profile } from '../connection.ts';
import { createDraftClient } from '../createDraftClient.ts';
import { nodeFetch } from './nodeFetch.ts';
import { runTokenCommand } from './tokenCommand.ts';

/** A client of a profile that is not saved yet, over the editor's transport. */
export function draftClient(profile: Profile, secret: string, log: Logger): Client {
  return createDraftClient(profile, secret, { log, fetch: nodeFetch, runCommand: runTokenCommand });
}
