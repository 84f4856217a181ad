/** Something that exists and that a field can refer to. */
export interface LiveValue {
  /** What is written into the file. */
  readonly value: string;
  /** A name for people, such as a job's. */
  readonly label?: string;
  readonly detail?: string;
}

/** What a field refers to, as far as somebody can list it. */
export type LiveKind = 'job' | 'cluster' | 'sparkVersion' | 'nodeType' | 'zone' | 'notebook' | 'pythonFile';

/** Lists what exists: ids from the service, files from the workspace. An empty list if nothing can be known now. */
export interface LiveValues {
  list(kind: LiveKind, options?: { signal?: AbortSignal }): Promise<readonly LiveValue[]>;
}
