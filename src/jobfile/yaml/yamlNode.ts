/** A value of a job file with its place in the text. Offsets count UTF-16 units from 0; `end` is one past the last. */
export type YamlNode = ScalarNode | MapNode | SeqNode | AliasNode;

export type ScalarValue = string | number | bigint | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  /** Integers beyond ±(2^53 - 1) are bigint, so that INT64 values keep every digit. */
  readonly value: ScalarValue;
  /** `empty` if nothing is written: `key:` at the end of a line. */
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
  /** Written with braces. */
  readonly flow: boolean;
  readonly entries: readonly MapEntry[];
}

export interface SeqNode {
  readonly kind: 'seq';
  readonly start: number;
  readonly end: number;
  /** Written with brackets. */
  readonly flow: boolean;
  readonly items: readonly YamlNode[];
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** What the alias stands for, or undefined if there is no such anchor before it. */
  readonly target: YamlNode | undefined;
}

/** Where a node is in its document: keys of mappings and positions in lists. */
export type YamlPath = readonly (string | number)[];

/** The node that an alias stands for, or the node itself. */
export function resolved(node: YamlNode | undefined): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  let current = node;
  while (current?.kind === 'alias') current = current.target;
  return current;
}
