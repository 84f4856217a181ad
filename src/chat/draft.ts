import * as z from 'zod/mini';
import { visibleTurns, type Conversation } from './conversation.ts';
import { attachmentSchema, parametersSchema, taskSchema, toolChoicesSchema } from './conversationEvent.ts';

/** File extension of a draft. */
export const draftExtension = '.draft.json';

/** A message that is queued until the current answer ends. */
const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** The last message before it, which identifies its branch. */
  afterId: z.optional(z.string()),
  /** The endpoint that the user saw when sending it. */
  endpoint: z.optional(z.string()),
});

/** A user's unsent input in a conversation. */
export const draftSchema = z.object({
  /** When the text was typed or inserted. */
  atMs: z.optional(z.number()),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** New text for a message that was already sent. */
  edit: z.optional(z.object({ turnId: z.string(), text: z.string() })),
  /** Results typed for an answer's tool calls, in their order. */
  toolResults: z.optional(z.object({ answerId: z.string(), contents: z.array(z.string()) })),
  queue: z.array(queuedSchema),
  /** Endpoint that a conversation which does not exist yet will start with. */
  endpoint: z.optional(z.string()),
  task: z.optional(taskSchema),
  parameters: z.optional(parametersSchema),
  tools: z.optional(toolChoicesSchema),
});

export type Draft = z.infer<typeof draftSchema>;

export const emptyDraft: Draft = { text: '', attachments: [], queue: [] };

/** Returns the message to send automatically once no answer is being written: the first queued one of the branch on screen. */
export function nextOf({ queue }: Draft, conversation: Conversation): Draft['queue'][number] | undefined {
  const shown = visibleTurns(conversation).map(({ id }) => id);
  return queue.find(({ afterId }) => afterId === undefined || shown.includes(afterId));
}

/** Returns whether the draft can be deleted without losing anything. */
export function isEmptyDraft(draft: Draft): boolean {
  return (
    !hasWords(draft) &&
    draft.edit === undefined &&
    (draft.toolResults?.contents ?? []).every((content) => content === '') &&
    draft.endpoint === undefined &&
    draft.parameters === undefined &&
    draft.tools === undefined
  );
}

/** Returns whether the draft contains something to send. */
export function hasWords({ text, attachments, queue }: Draft): boolean {
  return text.trim() !== '' || attachments.length > 0 || queue.length > 0;
}
