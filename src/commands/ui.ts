/** What a command asks of whoever sits in front of it. The editor implements it; tests script it. */
export interface PickItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: T;
  /** Shown as a heading above the items that follow. */
  readonly separator?: boolean;
}

export interface InputOptions {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** A text that says what is wrong, or undefined if the value can be used. */
  validate?(value: string): string | undefined;
}

/** A file as the commands see it: where it is and what stands in it, unsaved edits included. */
export interface OpenFile {
  /** The URI as text, which identifies the file. */
  readonly uri: string;
  /** Name to show. */
  readonly name: string;
  readonly text: string;
  /** Whether the editor takes it for a job file: by its name, or by its language if it was never saved. */
  readonly isJobFile: boolean;
}

/** A file of the workspace that may be changed. */
export interface WorkspaceFile extends OpenFile {
  /** In the workspace. */
  readonly path: string;
  /** Whether the editor has changes of it that are not saved. */
  readonly isDirty: boolean;
}

/** A text that goes with a question to the chat. */
export interface ChatAttachment {
  readonly label: string;
  readonly language?: string;
  readonly text: string;
}

/** Files of the workspace; those that jobs of the local service take from its folder, by their workspace paths. */
export interface ProgramFiles {
  /** Python files and notebooks. */
  programFiles(): Promise<readonly string[]>;
  /** What stands in one of them. */
  readProgram(path: string): Promise<string>;
  pythonFiles(): Promise<readonly { path: string; isActive: boolean }[]>;
  /** Makes a file under this name or one like it that is not taken. @returns its path, or undefined without a folder */
  createFile(name: string, content: string): Promise<string | undefined>;
  /**
   * Makes a job file in the folder of the workspace, or where the user says, under this name or one like it that is not taken,
   * and shows it. @returns its URI; undefined if the user gave up
   */
  createJobFile(name: string, content: string): Promise<string | undefined>;
}

export interface Ui extends ProgramFiles {
  pick<T>(title: string, placeholder: string, items: readonly PickItem<T>[]): Promise<T | undefined>;
  /** Several of the items; undefined if the user gives up. */
  pickMany<T>(
    title: string,
    placeholder: string,
    items: readonly (PickItem<T> & { picked?: boolean })[],
  ): Promise<T[] | undefined>;
  input(options: InputOptions): Promise<string | undefined>;
  /** A quiet message; resolves to the action chosen. */
  info(message: string, ...actions: string[]): Promise<string | undefined>;
  warn(message: string, ...actions: string[]): Promise<string | undefined>;
  /** A question that must be answered; true for the action. */
  confirm(message: string, detail: string, action: string): Promise<boolean>;
  /** A question that must be answered, with several answers; undefined if it was given up. */
  decide<A extends string>(message: string, detail: string, actions: readonly A[]): Promise<A | undefined>;
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The file of the URI, or of the active editor. */
  file(uri?: string): Promise<OpenFile | undefined>;
  /** Files of the workspace by their paths in it, below a folder of it. */
  workspaceFiles(folder: string): Promise<readonly string[]>;
  /** The text of a file of the workspace. @throws AppError if the path leads out of it, or to no text */
  workspaceText(path: string): Promise<string>;
  /** A file of the workspace. @throws AppError if the path leads out of the workspace, or to no text */
  workspaceFile(path: string): Promise<WorkspaceFile>;
  /** The file of the active editor, if it is one of the workspace. @throws AppError if it is not text */
  activeFile(): Promise<WorkspaceFile | undefined>;
  /** Job files of the workspace. */
  jobFiles(): Promise<readonly { uri: string; name: string }[]>;
  /** What the file says where it is kept, read without opening it; undefined if it is not there. */
  textOf(uri: string): Promise<string | undefined>;
  openFile(uri: string): Promise<void>;
  /** Saves the file. @returns false if that was not done; what was never saved stays so, and true is returned */
  save(uri: string): Promise<boolean>;
  /** Puts the cursor on a problem and shows the list of problems. */
  showProblem(uri: string, offset: number): Promise<void>;
  /** An unsaved file with the text. */
  openUntitled(languageId: string, text: string): Promise<void>;
  /**
   * Puts another text into the file as one edit that can be undone, unsaved, and shows it.
   * @param before what the change was made of
   * @throws AppError if the file says something else by now
   */
  replaceText(uri: string, before: string, text: string): Promise<void>;
  compare(leftUri: string, rightText: string, title: string): Promise<void>;
  /** Shows the file beside the text that it would get. @returns closes that again */
  previewText(uri: string, text: string, title: string): Promise<() => Promise<void>>;
  /**
   * Shows the file beside the text that it would get. The comparison's title has buttons for the first action and for none, the message all.
   * @returns the action; undefined if it is discarded, or its tab closed
   */
  review(
    uri: string,
    text: string,
    title: string,
    message: string,
    actions: readonly string[],
  ): Promise<string | undefined>;
  /** A button in the title of such a comparison was used. @param uri of the proposed text */
  settleReview(uri: string | undefined, isWanted: boolean): Promise<void>;
  /** Shows two texts side by side. */
  compareTexts(left: string, right: string, title: string): Promise<void>;
  /** Shows the page of a run, in a tab of this name. */
  openRun(profileId: string, runId: string, name: string): Promise<void>;
  /** The same for a job. */
  openJob(profileId: string, jobId: string, name: string): Promise<void>;
  /** Shows the output of a run as a text, in a tab of this name. */
  showRunOutput(profileId: string, runId: string, name: string): Promise<void>;
  /** Shows the outputs of two runs side by side in the editor's compare. */
  compareOutputs(profileId: string, runIds: readonly [string, string], title: string): Promise<void>;
  chooseFolder(title: string): Promise<string | undefined>;
  /** Writes a file below the folder under a safe name that is not taken; returns its path. */
  writeExport(folder: string, name: string, content: string): Promise<string>;
  /** Shows HTML without its scripts. */
  previewHtml(title: string, html: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** Opens an address in the browser, after the editor's own question. */
  openExternal(url: string): Promise<void>;
  /** Opens a new conversation with the prompt and the attachments; the user sends it. */
  askChat(prompt: string, attachments: readonly ChatAttachment[]): Promise<void>;
  /** Puts texts into the conversation on screen, to go with its next message. */
  attachToChat(attachments: readonly ChatAttachment[]): Promise<void>;
  /** Whether commands may act on what the workspace says. */
  readonly workspaceTrusted: boolean;
}
