import type { ChatRequest, CompletionRequest, EmbeddingRequest } from '../../api/schema/inference/schemas.ts';
import type { ModelAnswer } from './modelTypes.ts';

/** What a backend gets besides the request. */
export interface ModelCall {
  readonly signal?: AbortSignal;
}

interface Backend<Task extends string, Request> {
  readonly task: Task;
  /** The model's own name, which responses contain. */
  readonly model: string;
  /** Answers a request that has passed the schema and the endpoint's rules. */
  answer(request: Request, call: ModelCall): Promise<ModelAnswer>;
}

export type ChatModelBackend = Backend<'chat', ChatRequest>;
export type CompletionBackend = Backend<'completion', CompletionRequest>;
export type EmbeddingBackend = Backend<'embedding', EmbeddingRequest>;

/** A served model for one of the three tasks. */
export type ModelBackend = ChatModelBackend | CompletionBackend | EmbeddingBackend;
