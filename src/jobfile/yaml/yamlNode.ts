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
