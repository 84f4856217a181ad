import type { ToolResult, ToolRun } from '../conversationEvent.ts';
import type { CodeActions } from './markdown/codeBlock.ts';

/** Actions that a message on screen can request. */
export interface ViewActions extends CodeActions {
  editAndResend(turnId: string, text: string): Promise<boolean>;
  /** Returns an edit of a message that was unfinished when the view was recreated. */
  begunEdit(turnId: string): string | undefined;
  /** Stores the edit of a message; `undefined` removes it. */
  keepEdit(turnId: string, text: string | undefined): void;
  begunResults(answerId: string): readonly string[];
  keepResults(answerId: string, contents: string[]): void;
  regenerate(turnId: string): void;
  selectVariant(turnId: string): void;
  selectChoice(turnId: string, choice: number): void;
  sendToolResults(results: ToolResult[]): void;
  /** Runs the calls of an answer. */
  runTools(answerId: string, isAllowed: boolean): void;
  openRun(run: Pick<ToolRun, 'profileId' | 'runId'>): void;
  /** Opens a section of the manual, or a command or setting that it names. */
  openSection(section: string): void;
  stop(): void;
  /** Sends a message on the user's behalf. */
  ask(text: string): void;
  /** Lets the user choose another endpoint, and requests another answer from it. */
  askElsewhere(turnId: string): void;
  /** Lets the user copy or view the request of an answer, or shows it with the response at once. */
  more(turnId: string, showsExchange?: boolean): void;
  signIn(): void;
  /** Replaces the API key of the answer's model server, then asks again. */
  setKey(turnId: string): void;
  /** Returns the token limit of answers in this conversation. */
  maxTokens(): number | undefined;
  /** Returns the maximum tokens of a request to an endpoint and its answer, if it is known. */
  contextLength(endpoint: string): number | undefined;
  /** Retries an unhealthy service at once. */
  retryNow(): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** Redraws because an element changed its own height. */
  redraw(): void;
}
