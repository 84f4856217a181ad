import { entryOf } from './document.ts';
import { resolved, type MapEntry, type MapNode, type YamlNode } from './jobDocument.ts';

/** Maximum values of an expanded document: far more than any job needs, while aliases can expand a small text to billions. */
export const maxValues = 20_000;

export interface NodeValue {
  readonly value: unknown;
  /** Whether the limit was exceeded, so that `value` is incomplete. */
  readonly isCut: boolean;
}

/** Returns the JSON value of a node: aliases expanded, merge keys merged, integers exact (bigint beyond ±(2^53 - 1)). */
export function nodeValue(node: YamlNode | null): NodeValue {
  const counter = { left: maxValues };
  const value = node === null ? undefined : valueOf(node, counter);
  return { value, isCut: counter.left < 0 };
}

/** Returns whether a file exceeds the limit of values; called before any other processing. */
export function hasTooManyValues(root: YamlNode | null): boolean {
  const open = root === null ? [] : [root];
  let count = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (++count > maxValues) return true;
    if (node.kind === 'seq') for (const item of node.items) open.push(item);
    if (node.kind === 'map') for (const { value } of node.entries) open.push(value);
  }
  return false;
}

function valueOf(node: YamlNode, counter: { left: number }): unknown {
  counter.left--;
  if (counter.left < 0) return null;
  const target = resolved(node);
  switch (target?.kind) {
    case 'scalar':
      return target.value;
    case 'seq': {
      const items: unknown[] = [];
      for (const item of target.items) {
        if (counter.left < 0) break;
        items.push(valueOf(item, counter));
      }
      return items;
    }
    case 'map':
      return mapValue(target, counter);
    default:
      return null;
  }
}

function mapValue(map: MapNode, counter: { left: number }): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  let own: ReadonlySet<string> | undefined;
  for (const entry of map.entries) {
    if (counter.left < 0) break;
    if (isMerge(entry.key.name, entry.value)) {
      own ??= new Set(map.entries.map(({ key }) => key.name));
      for (const [name, merged] of Object.entries(mergedFields(entry.value, counter)))
        if (!own.has(name)) set(value, name, merged);
    } else {
      set(value, entry.key.name, valueOf(entry.value, counter));
    }
  }
  return value;
}

/** Returns whether an entry is a YAML 1.1 merge key, which job files in the wild use with anchors. */
export function isMerge(name: string, value: YamlNode): boolean {
  const node = resolved(value);
  if (name !== '<<') return false;
  return node?.kind === 'map' || (node?.kind === 'seq' && node.items.every((item) => resolved(item)?.kind === 'map'));
}

function mergedFields(node: YamlNode, counter: { left: number }): Record<string, unknown> {
  const target = resolved(node);
  if (target?.kind === 'map') return mapValue(target, counter);
  const fields: Record<string, unknown> = {};
  if (target?.kind !== 'seq') return fields;
  // If several sources have a field, the first wins.
  for (const item of [...target.items].reverse()) {
    if (resolved(item)?.kind === 'map') Object.assign(fields, mergedFields(item, counter));
  }
  return fields;
}

/** Sets an own property, even for `__proto__`. */
function set(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Maximum depth of merges, since mappings may merge each other in a cycle. */
const maxMerges = 20;

/** Returns an entry of a mapping, its own or a merged one. */
export function fieldOf(node: YamlNode | null | undefined, name: string, left = maxMerges): MapEntry | undefined {
  const own = entryOf(node, name);
  const map = resolved(node ?? undefined);
  if (own || map?.kind !== 'map' || left === 0) return own;
  for (const { key, value } of map.entries) {
    if (!isMerge(key.name, value)) continue;
    const target = resolved(value);
    for (const item of target?.kind === 'seq' ? target.items : [value]) {
      const found = fieldOf(item, name, left - 1);
      if (found) return found;
    }
  }
  return undefined;
}
