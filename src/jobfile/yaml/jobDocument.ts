import type { Problem } from './problem.ts';
import type { TextRange } from './textRange.ts';
import type { YamlNode } from './yamlNode.ts';

/** A job file parsed into nodes with positions. */
export interface JobDocument {
  readonly text: string;
  /** `null` if the file is empty. */
  readonly root: YamlNode | null;
  /** Problems of the YAML itself, regardless of the job schema. */
  readonly problems: readonly Problem[];
  /** Parts of the text with a syntax error: checks for missing fields skip them. */
  readonly broken: readonly TextRange[];
}
