import type { Capabilities } from './capabilities.ts';

/** Fields that chats and completions share, and that are handled here for every server. */
const sharedFields = ['stream', 'temperature', 'top_p', 'top_k', 'max_tokens', 'stop', 'n', 'model', 'stream_options'];

/** The names of what is handled here of a chat or a completion. @param own what the other of the two does not have */
export function handledFields(...own: string[]): ReadonlySet<string> {
  return new Set([...sharedFields, ...own]);
}

/** What is not handled here is the server's own, and passed on as it came; a null is as good as nothing. */
export function otherFields(request: object, handled: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !handled.has(name) && value !== undefined && value !== null),
  );
}

/** The body of a request that is answered in pieces, with the tokens counted if the server can. */
export function streamedBody(body: object, { streamUsage }: Capabilities): Record<string, unknown> {
  return { ...body, stream: true, ...(streamUsage && { stream_options: { include_usage: true } }) };
}
