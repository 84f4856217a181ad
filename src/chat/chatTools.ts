import type { ToolObject } from '../api/schema/inference/schemas.ts';
import type { Event } from '../shared/event.ts';
import type { UserTurn } from './conversation.ts';
import type { AnswerLink, CommandCompletion, SuggestionIcon, ToolRun } from './conversationEvent.ts';
import type { EditorModels } from './editorModel.ts';

/** A function that a model may call and that this extension runs, as listed in a chat request (Inference API, ToolObject). */
export type ToolDefinition = ToolObject & { function: { parameters: Record<string, unknown> } };

export interface BuiltInTool {
  readonly definition: ToolDefinition;
  /** Name for users. */
  readonly title: string;
  /** When the user is asked: each time for a change, the first time in a conversation for a file; otherwise never. */
  readonly asks?: 'always' | 'first';
}

export interface ToolOutcome {
  /** Result as the model reads it. */
  readonly content: string;
  /** Runs mentioned in the result, for links to their pages. */
  readonly runs?: ToolRun[];
}

/** A suggested question or action. */
export interface Suggestion {
  readonly title: string;
  readonly prompt: string;
  readonly icon?: SuggestionIcon;
  /** Short name of the action. */
  readonly deed?: string;
  /** Runs the action; without it, the suggestion is sent as a question. */
  readonly take?: () => Promise<unknown>;
}

/** The functions that models may call. They use the service of the current profile and the files of the workspace. */
export interface ChatTools {
  readonly tools: readonly BuiltInTool[];
  /**
   * Returns what a call would change and where, or what it would read, for the confirmation: "Run job "etl" (5) on Local".
   * @param given the arguments as the model wrote them
   * @param endpoint the endpoint that gets the result
   * @throws AppError if they name something that does not exist
   */
  describe(name: string, given: string, endpoint: string): Promise<string>;
  /**
   * Runs a function. If the user declines a confirmation of the command itself, that is a normal outcome.
   * @throws AppError if it cannot be run
   */
  run(name: string, given: string, signal: AbortSignal): Promise<ToolOutcome>;
  /**
   * Returns suggestions for the present state, such as asking why a run failed today, or none. Does not start a service.
   * @throws AppError if the service cannot be queried
   */
  suggest(): Promise<Suggestion[]>;
  /** Fires when the suggestions may have changed. */
  readonly onDidChangeSuggestions: Event<unknown>;
  openRun(run: Pick<ToolRun, 'profileId' | 'runId'>): Promise<void>;
}

export interface LookUpAnswer {
  readonly markdown: string;
  readonly links?: readonly AnswerLink[];
}

/** Commands of the prompt, such as `/failed`: look-ups that are answered at once, without a model. */
export interface ChatLookUps {
  /** Endpoint of the local service that is no model, so that look-ups answer its free text as well. */
  readonly endpoint: string;
  isCommand(text: string): boolean;
  /**
   * Answers a command, or finds the commands that fit a free text.
   * @param question with the look-up's answer that it follows, and the models that it may offer
   */
  answer(
    question: Pick<UserTurn, 'text' | 'attachments'> & { before?: LookUpAnswer; models?: EditorModels },
    signal: AbortSignal,
  ): Promise<LookUpAnswer>;
  /** Returns completions of the command that the prompt begins with. */
  complete(text: string): Promise<CommandCompletion[]>;
  /** Returns the known runs and jobs that a word after a `#` may mean: of a kind, as in `run:etl`, or of any kind, as in `etl`. */
  completeNames(begun: string): CommandCompletion[];
  /** Opens a section of the manual, as named by a link. */
  openSection(section: string): Promise<void>;
}
