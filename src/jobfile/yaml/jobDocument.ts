import type { TextRange } from './textRange.ts';

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

/** A value of a job file with its position in the text. Offsets count UTF-16 units from 0; `end` is one past the last. */
export type YamlNode = ScalarNode | MapNode | SeqNode | AliasNode;

export type ScalarValue = string | number | bigint | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  /** Integers beyond ±(2^53 - 1) are bigint, so that INT64 values keep every digit. */
  readonly value: ScalarValue;
  /** `empty` if there is no text, as for `key:` at the end of a line. */
  readonly style: 'plain' | 'single' | 'double' | 'block' | 'empty';
}

export interface KeyNode {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

export interface MapEntry {
  readonly key: KeyNode;
  readonly value: YamlNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly start: number;
  readonly end: number;
  /** Whether it is written with braces. */
  readonly flow: boolean;
  readonly entries: readonly MapEntry[];
}

export interface SeqNode {
  readonly kind: 'seq';
  readonly start: number;
  readonly end: number;
  /** Whether it is written with brackets. */
  readonly flow: boolean;
  readonly items: readonly YamlNode[];
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** The node that the alias refers to, or `undefined` if no such anchor precedes it. */
  readonly target: YamlNode | undefined;
}

/** Position of a node in its document: mapping keys and list indexes. */
export type YamlPath = readonly (string | number)[];

/** Returns the node that an alias refers to, or the node itself. */
export function resolved(node: YamlNode | undefined): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  let current = node;
  while (current?.kind === 'alias') current = current.target;
  return current;
}

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
