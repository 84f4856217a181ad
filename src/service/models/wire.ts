// Responses of the service, exactly as in the tables of the Inference API. The schemas of api/ accept more: other servers leave fields out
// and add others.

export interface WireUsage {
  /** Absent from embedding responses. */
  readonly completion_tokens?: number;
  readonly prompt_tokens: number;
  readonly total_tokens: number;
}

export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}

interface WireMessage {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly tool_calls?: WireToolCall[];
}

interface WireTokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: number[] | null;
  readonly top_logprobs: { token: string; logprob: number; bytes: number[] | null }[];
}

export interface WireLogprobs {
  readonly content: WireTokenLogprob[] | null;
}

export interface WireChatChoice {
  readonly index: number;
  readonly message: WireMessage;
  readonly finish_reason: string;
  readonly logprobs?: WireLogprobs | null;
}

export interface WireChat {
  readonly id: string;
  readonly object: 'chat.completions';
  readonly created: number;
  readonly model: string;
  readonly choices: WireChatChoice[];
  readonly usage: WireUsage;
}

export interface WireDelta {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly tool_calls?: {
    index: number;
    id?: string;
    type?: 'function';
    function: { name?: string; arguments?: string };
  }[];
}

export interface WireChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: { index: number; delta: WireDelta; finish_reason: string | null; logprobs?: WireLogprobs | null }[];
  readonly usage?: WireUsage;
}

/** A completion, and each chunk of a streamed one. */
export interface WireCompletion {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
  readonly choices: { index: number; text: string; finish_reason: string | null }[];
  readonly usage?: WireUsage;
}

export interface WireEmbeddings {
  readonly id: string;
  readonly object: 'list';
  readonly model: string;
  readonly data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  readonly usage: WireUsage;
}

/** Returns a new identifier such as `chatcmpl-…`. */
export function newId(prefix: 'chatcmpl' | 'cmpl' | 'embd' | 'call'): string {
  return `${prefix}-${crypto.randomUUID().replaceAll('-', '')}`;
}

export function usageOf(promptTokens: number, completionTokens: number): WireUsage {
  return {
    completion_tokens: completionTokens,
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
