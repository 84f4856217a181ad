import type { YamlPath } from './yamlNode.ts';

/** `hint` is shown faintly; only `error` prevents a deploy. */
export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** A mistake in a job file: a value that is never thrown. Offsets count UTF-16 units; `end` is one past the last. */
export interface Problem {
  /** Stable name of the rule, as in `# millrace-ignore: code`. */
  readonly code: string;
  /** The rule, the value and the remedy in plain words. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly severity: Severity;
  readonly tags?: readonly ('deprecated' | 'unnecessary')[];
  /** Input for the quick fixes. */
  readonly data?: ProblemData;
}

export interface ProblemData {
  /** Path of the mapping with the problem. */
  readonly path?: YamlPath;
  /** Keys that can be added to the mapping at `path`, best first. */
  readonly missing?: readonly string[];
  /** Keys of the mapping at `path` of which only one may be kept. */
  readonly oneOf?: readonly string[];
  /** Replacements for the marked text, best first. */
  readonly replacements?: readonly string[];
  /** The missing workspace file, if it can be created. */
  readonly newFile?: string;
  /** Path of an entry that can be removed. */
  readonly removable?: YamlPath;
}

/** Returns the problem of a file that is not read further; it marks the character at which the limit was reached. */
export function unreadFrom(start: number, code: 'tooDeep' | 'tooLarge', message: string): Problem {
  return { code, message, start, end: start + 1, severity: 'error' };
}
