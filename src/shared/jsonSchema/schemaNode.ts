import { isFields } from '../fields.ts';

/** A JSON schema: an object, or `true` or `false`. */
export type SchemaObject = Readonly<Record<string, unknown>>;
export type SchemaNode = SchemaObject | boolean;

export function nodeOf(value: unknown): SchemaNode {
  return typeof value === 'boolean' || isFields(value) ? value : true;
}

export function nodesOf(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}

/** Returns the types that a schema's `type` allows, or `undefined` if it allows all types. */
export function typesOf(schema: SchemaObject): string[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((item) => typeof item === 'string') : undefined;
}

export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}

/** Resolves a `$ref` within the document, such as `#/$defs/address`. Returns `undefined` for anything else. */
export function resolveReference(root: SchemaNode, reference: unknown): SchemaNode | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let node: unknown = root;
  for (const part of reference
    .slice(1)
    .split('/')
    .filter((item) => item !== '')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isFields(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return typeof node === 'boolean' || isFields(node) ? node : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
