/** The user interface of commands. The editor implements it; tests script it. */
export interface PickItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly value: T;
  /** Whether it is shown as a heading above the following items. */
  readonly separator?: boolean;
}

export interface InputOptions {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** Returns an error message, or `undefined` if the value is valid. */
  validate?(value: string): string | undefined;
}

/** A file as seen by commands: its location and its text, including unsaved edits. */
export interface OpenFile {
  /** The URI as text, the file's ID. */
  readonly uri: string;
  /** Display name. */
  readonly name: string;
  readonly text: string;
  /** Whether the editor treats it as a job file: by its name, or by its language if it was never saved. */
  readonly isJobFile: boolean;
}

/** A workspace file that may be changed. */
export interface WorkspaceFile extends OpenFile {
  /** Workspace path. */
  readonly path: string;
  /** Whether the editor has unsaved changes of it. */
  readonly isDirty: boolean;
}

/** A text attached to a chat message. */
export interface ChatAttachment {
  readonly label: string;
  readonly language?: string;
  readonly text: string;
}

/** Workspace files; those that local jobs use, by their workspace paths. */
export interface ProgramFiles {
  /** Lists Python files and notebooks. */
  programFiles(): Promise<readonly string[]>;
  /** Reads the text of one of them. */
  readProgram(path: string): Promise<string>;
  /** Returns the path by which jobs of the local service name a file, or `undefined` outside its folder. */
  pathOf(uri: string): string | undefined;
  /** Returns the name of the user of this machine. */
  userName(): string;
  pythonFiles(): Promise<readonly { path: string; isActive: boolean }[]>;
  /**
   * Creates a file under this name, or a similar one if it is taken.
   * @returns its path, or `undefined` without a folder
   */
  createFile(name: string, content: string): Promise<string | undefined>;
  /**
   * Creates and shows a job file in the workspace folder, or where the user chooses, under this name or a similar one if it is taken.
   * @returns its URI, or `undefined` if the user canceled
   */
  createJobFile(name: string, content: string): Promise<string | undefined>;
}

export interface Ui extends ProgramFiles {
  pick<T>(title: string, placeholder: string, items: readonly PickItem<T>[]): Promise<T | undefined>;
  /** Lets the user pick several items; returns `undefined` if the user canceled. */
  pickMany<T>(
    title: string,
    placeholder: string,
    items: readonly (PickItem<T> & { picked?: boolean })[],
  ): Promise<T[] | undefined>;
  input(options: InputOptions): Promise<string | undefined>;
  /** Shows an unobtrusive message; resolves to the chosen action. */
  info(message: string, ...actions: string[]): Promise<string | undefined>;
  warn(message: string, ...actions: string[]): Promise<string | undefined>;
  /** Shows a modal question; resolves to true for the action. */
  confirm(message: string, detail: string, action: string): Promise<boolean>;
  /** Shows a modal question with several actions; resolves to `undefined` if the user canceled. */
  decide<A extends string>(message: string, detail: string, actions: readonly A[]): Promise<A | undefined>;
  progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Returns the file of the URI, or of the active editor. */
  file(uri?: string): Promise<OpenFile | undefined>;
  /** Lists workspace files below one of its folders by their workspace paths. */
  workspaceFiles(folder: string): Promise<readonly string[]>;
  /**
   * Reads the text of a workspace file.
   * @throws AppError if the path leads out of the workspace or the file is not text
   */
  workspaceText(path: string): Promise<string>;
  /**
   * Returns a workspace file.
   * @throws AppError if the path leads out of the workspace or the file is not text
   */
  workspaceFile(path: string): Promise<WorkspaceFile>;
  /**
   * Returns the active editor's file if it is in the workspace.
   * @throws AppError if it is not text
   */
  activeFile(): Promise<WorkspaceFile | undefined>;
  /** Lists the job files of the workspace. */
  jobFiles(): Promise<readonly { uri: string; name: string }[]>;
  /** Reads the saved text of a file without opening it; returns `undefined` if the file does not exist. */
  textOf(uri: string): Promise<string | undefined>;
  openFile(uri: string): Promise<void>;
  /**
   * Saves the file.
   * @returns false if saving failed; a file that was never saved stays unsaved and returns true
   */
  save(uri: string): Promise<boolean>;
  /** Moves the cursor to a problem and shows the list of problems. */
  showProblem(uri: string, offset: number): Promise<void>;
  /** Opens an unsaved file with the text. */
  openUntitled(languageId: string, text: string): Promise<void>;
  /**
   * Replaces the file's text as one undoable edit, unsaved, and shows it.
   * @param before the text on which the change is based
   * @throws AppError if the file has a different text by now
   */
  replaceText(uri: string, before: string, text: string): Promise<void>;
  compare(leftUri: string, rightText: string, title: string): Promise<void>;
  /**
   * Shows the file beside its proposed text.
   * @returns a function that closes the comparison
   */
  previewText(uri: string, text: string, title: string): Promise<() => Promise<void>>;
  /**
   * Shows the file beside its proposed text. The diff title has buttons for the first action and for rejecting; the message has all
   * actions.
   * @returns the action, or `undefined` if the change is discarded or its tab closed
   */
  review(
    uri: string,
    text: string,
    title: string,
    message: string,
    actions: readonly string[],
  ): Promise<string | undefined>;
  /**
   * Handles a button in the title of such a comparison.
   * @param uri URI of the proposed text
   */
  settleReview(uri: string | undefined, isWanted: boolean): Promise<void>;
  /** Shows two texts side by side. */
  compareTexts(left: string, right: string, title: string): Promise<void>;
  /** Shows the page of a run in a tab with this name. */
  openRun(profileId: string, runId: string, name: string, taskKey?: string): Promise<void>;
  /** Shows the page of a job in a tab with this name. */
  openJob(profileId: string, jobId: string, name: string): Promise<void>;
  /** Shows the output of a run as text in a tab with this name. */
  showRunOutput(profileId: string, runId: string, name: string): Promise<void>;
  /** Compares the outputs of two runs in the editor's diff view. */
  compareOutputs(profileId: string, runIds: readonly [string, string], title: string): Promise<void>;
  chooseFolder(title: string): Promise<string | undefined>;
  /** Writes a file in the folder under a safe name that is not taken; returns its path. */
  writeExport(folder: string, name: string, content: string): Promise<string>;
  /** Shows HTML without its scripts. */
  previewHtml(title: string, html: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** Opens an address in the browser, after the editor's own confirmation. */
  openExternal(url: string): Promise<void>;
  /** Opens a new conversation with the prompt and the attachments. The user sends it, unless it is a command to be sent at once. */
  askChat(prompt: string, attachments: readonly ChatAttachment[], isSent?: boolean): Promise<void>;
  /** Attaches texts to the next message of the open conversation. */
  attachToChat(attachments: readonly ChatAttachment[]): Promise<void>;
  /** Whether commands may act on the workspace's content. */
  readonly workspaceTrusted: boolean;
}
