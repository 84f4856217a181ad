import { answerFailure } from './answerFailure.ts';
import type { ChatPorts } from './chatPorts.ts';
import { visibleTurns } from './conversation.ts';
import { nextOf } from './draft.ts';
import { isLookUpEndpoint } from './lookUps.ts';
import type { OpenConversations } from './openConversations.ts';
import { acceptedParameters } from './playground.ts';
import type { ViewState } from './protocol.ts';
import type { Recipient } from './recipient.ts';
import type { ToolCalls } from './toolCalls.ts';

/** Number of earlier conversations that an empty view offers. */
const recentCount = 4;

/** Returns everything that the view shows besides the conversation itself. */
export function viewStateOf(
  ports: ChatPorts,
  conversations: OpenConversations,
  recipient: Recipient,
  toolCalls: ToolCalls,
  own: Pick<ViewState, 'revision' | 'endpoints' | 'notice' | 'suggestions'>,
): ViewState {
  const { backend, room } = ports;
  const { id: _id, ...profile } = backend.profile;
  const { draft } = conversations;
  const store = conversations.current;
  const wait = store?.wait;
  const { task, parameters = {} } = store?.conversation ?? draft;
  const fields = [...ports.parameterFields(task)];
  const next = store && nextOf(draft, store.conversation);
  const last = store && visibleTurns(store.conversation).at(-1);
  return {
    ...own,
    profile,
    otherProfile: store && recipient.otherProfile(store.conversation),
    endpoint: recipient.endpointOf(store),
    ...(!task && isLookUpEndpoint(ports, recipient.endpointOf(store) ?? '') && { isLookUp: true }),
    task,
    parameterFields: fields,
    offersRoom: room.isOffered,
    parameters: acceptedParameters(parameters, fields),
    attachments: draft.attachments.map(({ label, text }) => ({ label, size: text.length })),
    ...(ports.whileAnswering() === 'stop' && { nextStops: true }),
    queue: draft.queue.map(({ id, text, attachments }) => ({
      id,
      text,
      labels: attachments.map(({ label }) => label),
      isNext: id === next?.id,
    })),
    recent: conversations.recent.slice(0, recentCount).map(({ id, title, updatedAtMs }) => ({
      id,
      title,
      updatedAtMs,
      isWriting: conversations.get(id)?.isStreaming === true,
      isUnread: conversations.isUnread(id),
    })),
    tools: toolCalls.state(
      task,
      store,
      store ? store.conversation.tools : draft.tools,
      last?.role === 'assistant' ? last : undefined,
      recipient.endpointOf(store) ?? '',
    ),
    wait: wait && {
      failure: answerFailure(wait.reason, { endpoint: recipient.endpointOf(store) ?? '', profile: backend.profile }),
      attempt: wait.attempt,
      waitUntilMs: wait.waitUntil,
      giveUpAtMs: wait.giveUpAt,
    },
  };
}
