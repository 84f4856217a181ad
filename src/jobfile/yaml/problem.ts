import type { YamlPath } from './yamlNode.ts';

/** `hint` is shown faintly; only `error` keeps a file from being deployed. */
export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** A mistake in a job file: a value, never thrown. Offsets count UTF-16 units; `end` is one past the last. */
export interface Problem {
  /** Stable name of the rule, which `# millrace-ignore: code` takes. */
  readonly code: string;
  /** Rule, value and remedy in plain words. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly severity: Severity;
  readonly tags?: readonly ('deprecated' | 'unnecessary')[];
  /** What quick fixes are made of. */
  readonly data?: ProblemData;
}

export interface ProblemData {
  /** The mapping that the problem is about. */
  readonly path?: YamlPath;
  /** Keys that can be added to the mapping at `path`, best first. */
  readonly missing?: readonly string[];
  /** Keys of the mapping at `path` of which one can be kept. */
  readonly oneOf?: readonly string[];
  /** Texts that can stand in place of the marked one, best first. */
  readonly replacements?: readonly string[];
  /** The file of the workspace that can be made, if it is what is missing. */
  readonly newFile?: string;
  /** The entry at this path can be removed. */
  readonly removable?: YamlPath;
}

/** What is told of a file that is read no further: it marks the character at which that was seen. */
export function unreadFrom(start: number, code: 'tooDeep' | 'tooLarge', message: string): Problem {
  return { code, message, start, end: start + 1, severity: 'error' };
}
