import * as z from 'zod/mini';
import { visibleTurns, type Conversation } from './conversation.ts';
import { attachmentSchema, parametersSchema, taskSchema } from './conversationEvent.ts';

/** How the file of a draft ends. */
export const draftExtension = '.draft.json';

/** A message that waits for the end of the answer before it. */
const queuedSchema = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** The last message before it, which only its own branch has. */
  afterId: z.optional(z.string()),
});

/** What a user has begun in a conversation and not sent. */
export const draftSchema = z.object({
  /** When the text was typed, or put there. */
  atMs: z.optional(z.number()),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** New words for a message that was sent. */
  edit: z.optional(z.object({ turnId: z.string(), text: z.string() })),
  /** What was typed as the results of an answer's tool calls, in their order. */
  toolResults: z.optional(z.object({ answerId: z.string(), contents: z.array(z.string()) })),
  queue: z.array(queuedSchema),
  /** What a conversation that does not exist yet will start with. */
  endpoint: z.optional(z.string()),
  task: z.optional(taskSchema),
  parameters: z.optional(parametersSchema),
});

export type Draft = z.infer<typeof draftSchema>;

export const emptyDraft: Draft = { text: '', attachments: [], queue: [] };

/** The message that is sent by itself once nothing is written any more: the first one of the branch on screen. */
export function nextOf({ queue }: Draft, conversation: Conversation): Draft['queue'][number] | undefined {
  const shown = visibleTurns(conversation).map(({ id }) => id);
  return queue.find(({ afterId }) => afterId === undefined || shown.includes(afterId));
}

/** Whether nothing would be lost without it. */
export function isEmptyDraft(draft: Draft): boolean {
  return (
    !hasWords(draft) &&
    draft.edit === undefined &&
    (draft.toolResults?.contents ?? []).every((content) => content === '') &&
    draft.endpoint === undefined &&
    draft.parameters === undefined
  );
}

/** Whether there is something in it that is still to be sent. */
export function hasWords({ text, attachments, queue }: Draft): boolean {
  return text.trim() !== '' || attachments.length > 0 || queue.length > 0;
}
