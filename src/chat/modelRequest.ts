import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../api/schema/inference/schemas.ts';

/** Request to an endpoint by task; without a task, a chat request. */
export type ModelRequest =
  | { readonly task?: undefined; readonly body: ChatRequest }
  | { readonly task: 'completion'; readonly body: CompletionRequest }
  | { readonly task: 'embedding'; readonly body: EmbeddingRequest };
