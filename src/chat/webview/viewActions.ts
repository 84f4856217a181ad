import type { ToolResult, ToolRun } from '../conversationEvent.ts';
import type { CodeActions } from './markdown/codeBlock.ts';

/** What a message on screen can ask for. */
export interface ViewActions extends CodeActions {
  editAndResend(turnId: string, text: string): Promise<boolean>;
  /** The words that were begun in place of a message's, before the view was made anew. */
  begunEdit(turnId: string): string | undefined;
  /** Keeps what is typed in place of a message; undefined if nothing is any more. */
  keepEdit(turnId: string, text: string | undefined): void;
  begunResults(answerId: string): readonly string[];
  keepResults(answerId: string, contents: string[]): void;
  regenerate(turnId: string): void;
  selectVariant(turnId: string): void;
  selectChoice(turnId: string, choice: number): void;
  sendToolResults(results: ToolResult[]): void;
  /** Does what the calls of an answer ask for. */
  runTools(answerId: string, isAllowed: boolean): void;
  openRun(run: Pick<ToolRun, 'profileId' | 'runId'>): void;
  stop(): void;
  /** Asks something in the user's name. */
  ask(text: string): void;
  /** Lets the user choose another endpoint, and asks that for another answer. */
  askElsewhere(turnId: string): void;
  /** Lets the user copy the request of an answer, or look at it. */
  more(turnId: string): void;
  signIn(): void;
  /** The limit that answers of this conversation have. */
  maxTokens(): number | undefined;
  /** Asks a service that is not well again at once. */
  retryNow(): void;
  /** Says something to screen readers. */
  announce(text: string): void;
  /** Something on screen changed its height by itself. */
  redraw(): void;
}
