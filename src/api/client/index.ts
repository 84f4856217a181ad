/** The only API client of this extension; see client.ts for its operations. */
export { type Auth, type Client, type WorkspaceClient } from './client.ts';
export { createClient, type ClientOptions } from './createClient.ts';
export type { Fetch, HttpRequest, HttpResponse } from './transport.ts';
export { shutdownReason, type Intent, type IntentStore, type ResumedIntent } from './intents.ts';
export type { RetryMode, RetryWait } from './retry.ts';
