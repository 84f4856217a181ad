import type { ToolObject } from '../api/schema/inference/schemas.ts';
import type { Event } from '../shared/event.ts';
import type { SuggestionIcon, ToolRun } from './conversationEvent.ts';

/** A function that a model may call and that this extension runs, as a chat request lists it (Inference API, ToolObject). */
export type ToolDefinition = ToolObject & { function: { parameters: Record<string, unknown> } };

export interface BuiltInTool {
  readonly definition: ToolDefinition;
  /** It changes something: the user is asked each time. */
  readonly isChange: boolean;
}

export interface ToolOutcome {
  /** What the model reads. */
  readonly content: string;
  /** Runs that it tells of, for links to their pages. */
  readonly runs?: ToolRun[];
}

/** What somebody may want to ask or do now. */
export interface Suggestion {
  readonly title: string;
  readonly prompt: string;
  readonly icon?: SuggestionIcon;
  /** What taking it up does, in a word. */
  readonly deed?: string;
  /** It is not asked, but done. */
  readonly take?: () => Promise<unknown>;
}

/** The functions that models may call, done with the service of the current profile and the files of the workspace. */
export interface ChatTools {
  readonly tools: readonly BuiltInTool[];
  /**
   * What a call would change and where, for the question before it: "Run job "etl" (5) on Local".
   * @param given the arguments as the model wrote them
   * @throws AppError if they name nothing that is there
   */
  describe(name: string, given: string): Promise<string>;
  /** @throws AppError if it cannot be done; what the user declined at the command's own question is an outcome */
  run(name: string, given: string, signal: AbortSignal): Promise<ToolOutcome>;
  /**
   * What the present state suggests, such as to ask why a run failed today; none if nothing is to be told. It starts no service.
   * @throws AppError if the service cannot be asked
   */
  suggest(): Promise<Suggestion[]>;
  /** The state may suggest something else now. */
  readonly onDidChangeSuggestions: Event<unknown>;
  openRun(run: Pick<ToolRun, 'profileId' | 'runId'>): Promise<void>;
}
