import type { Problem } from './problem.ts';
import type { TextRange } from './textRange.ts';
import type { YamlNode } from './yamlNode.ts';

/** A job file's text as positioned nodes. */
export interface JobDocument {
  readonly text: string;
  /** Null if nothing is written. */
  readonly root: YamlNode | null;
  /** What is wrong as YAML, whatever a job is. */
  readonly problems: readonly Problem[];
  /** Parts of the text that hold a syntax error: nothing is known about what is missing there. */
  readonly broken: readonly TextRange[];
}
