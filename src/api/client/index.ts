/** The one API client of this extension; see client.ts for its operations. */
export {
  type Auth,
  type CallOptions,
  type Client,
  type ClustersClient,
  type InferenceClient,
  type JobsClient,
  type WorkspaceClient,
} from './client.ts';
export { createClient, type ClientOptions } from './createClient.ts';
export type { Fetch, HttpRequest, HttpResponse } from './http.ts';
export { type ClientLimits, defaultLimits } from '../schema/limits.ts';
export { contentText } from '../schema/inference/messageText.ts';
export {
  type AnswerDelta,
  AnswerReader,
  type ChoiceDelta,
  completeWithoutReason,
  join,
  type TokenLogprob,
  type ToolCallDelta,
  type UsageCounts,
} from '../schema/inference/answer.ts';
export {
  decodeChecked,
  encodeChecked,
  formatPath,
  formatProblem,
  formatProblems,
  problemsOf,
  type Checked,
  type Problem,
} from '../schema/problems.ts';
export { shutdownReason, type Intent, type IntentStore, type ResumedIntent } from './intents.ts';
export type { RetryWait } from './retry.ts';
