import type { ChatChunk, ChatRequest } from '../api/schema/inference/schemas.ts';
import type { Endpoint } from './protocol.ts';

/** The editor's own language models. */
export interface EditorModels {
  /** Returns them as endpoints; none if the editor has none. */
  list(): Promise<readonly Endpoint[]>;
  /** Streams an answer. The editor asks for the user's consent at the first request. */
  chat(endpoint: string, request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;
}

/** The ID of a model and the extension that provides it, such as `copilot`. */
type EditorModel = Readonly<Record<'id' | 'vendor', string>>;

/** Returns the name of an editor's model among the endpoints, such as `gpt-4o@copilot`. No endpoint of a service has an `@`. */
export function nameOfEditorModel({ id, vendor }: EditorModel): string {
  return `${id}@${vendor}`;
}

/** Returns the editor's model with this name, or `undefined` if the name is that of a service's endpoint. */
export function editorModelOf(name: string): EditorModel | undefined {
  const at = name.lastIndexOf('@');
  return at > 0 ? { id: name.slice(0, at), vendor: name.slice(at + 1) } : undefined;
}
