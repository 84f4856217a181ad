import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../api/schema/inference/schemas.ts';

/** What an endpoint is asked, by its task; without one it chats. */
export type ModelRequest =
  | { readonly task?: undefined; readonly body: ChatRequest }
  | { readonly task: 'completion'; readonly body: CompletionRequest }
  | { readonly task: 'embedding'; readonly body: EmbeddingRequest };
