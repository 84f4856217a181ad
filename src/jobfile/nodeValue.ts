import { resolved, type MapNode, type YamlNode } from './yamlNode.ts';

/** Values an expanded document may have: aliases can make a small text stand for billions. */
const maxValues = 200_000;

export interface NodeValue {
  readonly value: unknown;
  /** Aliases stand for more values than are expanded; `value` is not complete. */
  readonly isCut: boolean;
}

/** What a node means as JSON: aliases expanded, merge keys merged, integers exact (bigint beyond ±(2^53 - 1)). */
export function nodeValue(node: YamlNode | null): NodeValue {
  const counter = { left: maxValues };
  const value = node === null ? undefined : valueOf(node, counter);
  return { value, isCut: counter.left < 0 };
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
  for (const entry of map.entries) {
    if (counter.left < 0) break;
    if (isMerge(entry.key.name, entry.value)) {
      for (const [name, merged] of Object.entries(mergedFields(entry.value, counter))) {
        if (!map.entries.some(({ key }) => key.name === name)) set(value, name, merged);
      }
    } else {
      set(value, entry.key.name, valueOf(entry.value, counter));
    }
  }
  return value;
}

/** Whether an entry is a YAML 1.1 merge key, which job files in the wild use with anchors. */
export function isMerge(name: string, value: YamlNode): boolean {
  const node = resolved(value);
  return name === '<<' && (node?.kind === 'map' || node?.kind === 'seq');
}

function mergedFields(node: YamlNode, counter: { left: number }): Record<string, unknown> {
  const target = resolved(node);
  if (target?.kind === 'map') return mapValue(target, counter);
  const fields: Record<string, unknown> = {};
  if (target?.kind !== 'seq') return fields;
  // Of several, the first that has a field wins.
  for (const item of [...target.items].reverse()) {
    if (resolved(item)?.kind === 'map') Object.assign(fields, mergedFields(item, counter));
  }
  return fields;
}

/** An own property even for `__proto__`. */
function set(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}
