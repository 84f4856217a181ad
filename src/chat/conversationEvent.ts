import * as z from 'zod/mini';
import { maxCompletions } from '../api/schema/inference/requestLimits.ts';

/**
 * Everything that happens to a conversation, one record each. The same record is a line of the history file, a numbered delta for the view
 * and the input of the reducer, so the three cannot disagree.
 */

const nodeId = z.string().check(z.minLength(1), z.maxLength(100));
const timeMs = z.number();

/** The profile whose service a conversation is held with. */
const profileSchema = z.object({ id: z.string(), name: z.string() });

/** JSON values that can be stored as a conversation's parameters. */
export const parametersSchema = z.record(z.string(), z.json());

/** Tasks of an endpoint that does not chat: each request is independent and includes nothing from earlier ones. */
export const taskSchema = z.enum(['completion', 'embedding']);

/** The functions that each endpoint may call in one conversation, keyed by `toolKey`. */
export const toolChoicesSchema = z.record(
  z.string(),
  z.object({
    names: z.array(z.string()),
    /** Those that ask only the first time and were allowed. */
    allowed: z.optional(z.array(z.string())),
  }),
);

/** Usage (Inference API, Usage). Each count is absent if the server did not report it. */
const usageSchema = z.object({
  prompt_tokens: z.optional(z.number()),
  completion_tokens: z.optional(z.number()),
  total_tokens: z.optional(z.number()),
});

/** Text attached to a user's turn: a selection, a file, a run's error. */
export const attachmentSchema = z.object({
  label: z.string(),
  language: z.optional(z.string()),
  text: z.string(),
});

/** A run mentioned in a tool result. */
const toolRunSchema = z.object({
  profileId: z.string().check(z.maxLength(200)),
  runId: z.string().check(z.regex(/^\d{1,19}$/)),
  label: z.string(),
  isBad: z.optional(z.boolean()),
});

/** A link below the answer to a command: the page of a run, a section of the manual, or another command. */
const answerLinkSchema = z.object({
  title: z.string(),
  detail: z.optional(z.string()),
  run: z.optional(toolRunSchema),
  section: z.optional(z.string()),
  command: z.optional(z.string()),
  /** Shows the command as a button, until the conversation goes on. */
  isAction: z.optional(z.boolean()),
});

export const toolResultSchema = z.object({
  toolCallId: z.string(),
  content: z.string(),
  /** Name of the function; absent in files from before this field existed. */
  name: z.optional(z.string()),
  runs: z.optional(z.array(toolRunSchema)),
});

const toolCallDeltaSchema = z.object({
  index: z.number().check(z.int(), z.gte(0), z.lte(1000)),
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  arguments: z.optional(z.string()),
});

const tokenLogprobSchema = z.object({
  token: z.string(),
  logprob: z.number(),
  alternatives: z.array(z.object({ token: z.string(), logprob: z.number() })),
});

/** Additions to one choice of an answer, from one or more chunks. */
const choiceDeltaSchema = z.object({
  choice: z.number().check(z.int(), z.gte(0), z.lte(maxCompletions)),
  text: z.optional(z.string()),
  /** The model's reasoning before its answer; shown and stored, never sent back. */
  reasoning: z.optional(z.string()),
  toolCalls: z.optional(z.array(toolCallDeltaSchema)),
  logprobs: z.optional(z.array(tokenLogprobSchema)),
  /** Empty if the choice is complete and the server sent none. */
  finishReason: z.optional(z.string()),
});

/** A failure as shown: what happened, what was not done, and what to do next. */
const failureSchema = z.object({
  kind: z.string(),
  message: z.string(),
  remedy: z.optional(z.string()),
  /** The servers' original messages. */
  details: z.optional(z.string()),
});

/** How an answer ended. The four cases differ, and each is shown differently. */
const answerEndSchema = z.enum(['done', 'stopped', 'cutOff', 'failed']);

export const conversationEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('created'),
    id: nodeId,
    title: z.string(),
    profile: z.optional(profileSchema),
    atMs: timeMs,
  }),
  z.object({ type: z.literal('renamed'), title: z.string(), atMs: timeMs }),
  /** Continues with the service of another profile, which has other endpoints. */
  z.object({ type: z.literal('profileChosen'), profile: profileSchema, atMs: timeMs }),
  z.object({
    type: z.literal('endpointChosen'),
    endpoint: z.string(),
    /** Absent for a chat. */
    task: z.optional(taskSchema),
    atMs: timeMs,
  }),
  z.object({ type: z.literal('parametersChanged'), parameters: parametersSchema, atMs: timeMs }),
  z.object({ type: z.literal('toolsChosen'), tools: toolChoicesSchema }),
  z.object({
    type: z.literal('userAdded'),
    id: nodeId,
    parentId: z.nullable(nodeId),
    text: z.string(),
    attachments: z.optional(z.array(attachmentSchema)),
    toolResults: z.optional(z.array(toolResultSchema)),
    atMs: timeMs,
  }),
  z.object({
    type: z.literal('answerStarted'),
    id: nodeId,
    parentId: nodeId,
    endpoint: z.string(),
    /** How the answer was requested; both fields are absent in files from before they existed. */
    parameters: z.optional(parametersSchema),
    /** Names of the functions that were offered; true in older files, which offered all. */
    offersTools: z.optional(z.union([z.boolean(), z.array(z.string())])),
    /** Set if a look-up answers and not a model. */
    isLookUp: z.optional(z.boolean()),
    atMs: timeMs,
  }),
  z.object({
    type: z.literal('answerDelta'),
    id: nodeId,
    choices: z.array(choiceDeltaSchema),
    model: z.optional(z.string()),
    usage: z.optional(usageSchema),
    /** When the first part of an answer arrived. */
    atMs: z.optional(timeMs),
  }),
  z.object({ type: z.literal('linksAdded'), id: nodeId, links: z.array(answerLinkSchema) }),
  z.object({
    type: z.literal('answerEnded'),
    id: nodeId,
    status: answerEndSchema,
    failure: z.optional(failureSchema),
    atMs: timeMs,
  }),
  /** Shows one of several variants below the same parent. */
  z.object({ type: z.literal('variantSelected'), id: nodeId }),
  /** Shows one of an answer's choices; the conversation continues from the shown one. */
  z.object({ type: z.literal('choiceSelected'), id: nodeId, choice: z.number() }),
]);

export type ConversationEvent = z.infer<typeof conversationEventSchema>;
export type AnswerDeltaEvent = Extract<ConversationEvent, { type: 'answerDelta' }>;
export type TokenLogprob = z.infer<typeof tokenLogprobSchema>;
export type PlaygroundTask = z.infer<typeof taskSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type Attachment = z.infer<typeof attachmentSchema>;
export type ToolChoices = z.infer<typeof toolChoicesSchema>;
export type ToolRun = z.infer<typeof toolRunSchema>;
export type AnswerLink = z.infer<typeof answerLinkSchema>;
export type ToolResult = z.infer<typeof toolResultSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type AnswerEnd = z.infer<typeof answerEndSchema>;
export type Parameters = z.infer<typeof parametersSchema>;

/** Icon for the subject of a suggestion: a failed run, a running one, a selection, or a file that is not deployed. */
export type SuggestionIcon = 'error' | 'loading' | 'lines' | 'cloud';

/** A completion of a command in the prompt, or of what is attached by a `#`. */
export interface CommandCompletion {
  /** The prompt's text once it is chosen, or `#` and the name of what is attached instead; with a `:` at the end, names follow. */
  readonly text: string;
  readonly detail: string;
  /** The file to attach. */
  readonly uri?: string;
  /** The run or job to attach, by kind and ID: `run:5`. */
  readonly named?: string;
}
