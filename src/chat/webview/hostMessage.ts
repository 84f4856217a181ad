import { isFields, type Fields } from '../../shared/fields.ts';
import type { HostMessage } from '../protocol.ts';

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isView = (value: unknown): boolean => isFields(value) && isNumber(value['revision']) && isFields(value['tools']);

function isSnapshot(value: unknown): boolean {
  if (!isFields(value) || !isNumber(value['sequence']) || !isView(value['view'])) return false;
  const { conversation, draft } = value;
  return (
    isFields(draft) &&
    isText(draft['id']) &&
    (conversation === null || (isFields(conversation) && Array.isArray(conversation['turns'])))
  );
}

const kinds: Readonly<Record<HostMessage['type'], (message: Fields) => boolean>> = {
  reply: ({ id, failure, snapshot }) =>
    (id === null || isNumber(id)) &&
    (failure === undefined || (isFields(failure) && isText(failure['message']))) &&
    (snapshot === undefined || isSnapshot(snapshot)),
  snapshot: ({ snapshot }) => isSnapshot(snapshot),
  event: ({ conversationId, sequence, event }) =>
    isText(conversationId) && isNumber(sequence) && isFields(event) && isText(event['type']),
  view: ({ view }) => isView(view),
  focusPrompt: () => true,
  find: () => true,
  codeColours: ({ colours }) => isFields(colours),
  draft: ({ text }) => isText(text),
};

/**
 * The message, or undefined if the view does not know it. Only the host of the same package can send one, so
 * what it is made of is looked at as far as the view would stumble over it, and no library is loaded for that.
 */
export function readHostMessage(value: unknown): HostMessage | undefined {
  if (!isFields(value) || !isText(value['type']) || !Object.hasOwn(kinds, value['type'])) return undefined;
  return kinds[value['type'] as HostMessage['type']](value) ? (value as unknown as HostMessage) : undefined;
}
