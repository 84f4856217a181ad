import type { LookUpAnswer } from '../../chat/chatTools.ts';
import type { EditorModels } from '../../chat/editorModel.ts';
import type { CommandServices } from '../services.ts';
import type { ChatAttachment } from '../ui.ts';

/** Commands of the prompt, in the order of the list. */
export const lookUpNames = ['failed', 'why', 'fix', 'new', 'run', 'cancel', 'cron', 'check', 'help'] as const;
export type LookUpName = (typeof lookUpNames)[number];

/** A command with its argument, such as `/why etl #3`. */
export interface LookUpCommand {
  readonly name: LookUpName;
  readonly given: string;
}

/** Something that `/help` finds by its words: a section of a manual, a command, a setting, or a field of job files. */
export interface ManualEntry {
  readonly title: string;
  readonly text: string;
  /** Where a click leads: `README.md#runs`, `command:ID` or `setting:NAME`. */
  readonly target?: string;
}

export interface LookUpContext {
  readonly services: CommandServices;
  /** Reads the manual. */
  readonly manual: () => Promise<readonly ManualEntry[]>;
  readonly attachments: readonly ChatAttachment[];
  /** The look-up's answer that the command follows. */
  readonly before?: LookUpAnswer;
  readonly models?: EditorModels;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** An answer, with the run or job that it is about if the argument did not name it. */
export interface FoundAnswer extends LookUpAnswer {
  readonly about?: string;
}

/** Answers a command. Throws an AppError `notFound` or `invalid` if its argument names nothing. */
export type LookUp = (given: string, context: LookUpContext) => Promise<FoundAnswer>;

/** Returns the command in a text, or `undefined` if the text does not begin with one. */
export function readCommand(text: string): LookUpCommand | undefined {
  const trimmed = text.trim();
  const word = /^\/([a-z]+)(?!\S)/.exec(trimmed)?.[1];
  const name = lookUpNames.find((each) => each === word);
  return name && { name, given: trimmed.slice(name.length + 1).trim() };
}

/** Returns a text as one line of code in markdown. */
export function inCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('`', "'").trim();
  return `\`${line}\``;
}

export function commandText({ name, given }: LookUpCommand): string {
  return `/${name} ${given}`.trimEnd();
}
