/** What the service sends, exactly as the Inference API's tables have it; the schemas of api/ are what clients read. */

export interface WireUsage {
  /** Absent from embedding responses. */
  completion_tokens?: number;
  prompt_tokens: number;
  total_tokens: number;
}

export interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface WireMessage {
  role?: 'assistant';
  content?: string | null;
  tool_calls?: WireToolCall[];
}

interface WireTokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: { token: string; logprob: number; bytes: number[] | null }[];
}

export interface WireLogprobs {
  content: WireTokenLogprob[] | null;
}

export interface WireChatChoice {
  index: number;
  message: WireMessage;
  finish_reason: string;
  logprobs?: WireLogprobs | null;
}

export interface WireChat {
  id: string;
  object: 'chat.completions';
  created: number;
  model: string;
  choices: WireChatChoice[];
  usage: WireUsage;
}

export interface WireDelta {
  role?: 'assistant';
  content?: string | null;
  tool_calls?: { index: number; id?: string; type?: 'function'; function: { name?: string; arguments?: string } }[];
}

export interface WireChatChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: { index: number; delta: WireDelta; finish_reason: string | null; logprobs?: WireLogprobs | null }[];
  usage?: WireUsage;
}

/** A completion, and each chunk of a streamed one. */
export interface WireCompletion {
  id: string;
  object: 'text_completion';
  created: number;
  model: string;
  choices: { index: number; text: string; finish_reason: string | null }[];
  usage?: WireUsage;
}

export interface WireEmbeddings {
  id: string;
  object: 'list';
  model: string;
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  usage: WireUsage;
}

/** An identifier such as `chatcmpl-…`. */
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
