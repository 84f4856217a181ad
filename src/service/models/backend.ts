import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../../api/schema/inference/schemas.ts';
import type { Answer } from './modelTypes.ts';

/** What a backend gets beside the request. */
export interface Call {
  signal?: AbortSignal;
}

interface Backend<Task extends string, Request> {
  readonly task: Task;
  /** The model's own name, which responses carry. */
  readonly model: string;
  /** Answers a request that has passed the schema and the endpoint's rules. */
  answer(request: Request, call: Call): Promise<Answer>;
}

export type ChatBackend = Backend<'chat', ChatRequest>;
export type CompletionBackend = Backend<'completion', CompletionRequest>;
export type EmbeddingBackend = Backend<'embedding', EmbeddingRequest>;

/** One served model in one of the three tasks. */
export type ModelBackend = ChatBackend | CompletionBackend | EmbeddingBackend;
