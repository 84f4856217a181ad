import { shortened } from '../../shared/text.ts';
import type { JobDocument } from '../yaml/document.ts';
import { resolved, type YamlNode } from '../yaml/jobDocument.ts';

export interface JobSymbol {
  readonly name: string;
  readonly detail: string;
  readonly kind: 'mapping' | 'list' | 'text' | 'number' | 'boolean' | 'empty';
  readonly start: number;
  readonly end: number;
  /** Start of the key, or the item's first character. */
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly children: readonly JobSymbol[];
}

/** Maximum symbols of an outline: nobody reads more, and the editor rebuilds it after each pause in typing. */
const maxSymbols = 1000;

/** Returns the outline of a file. */
export function symbols(document: JobDocument): readonly JobSymbol[] {
  return document.root === null ? [] : childrenOf(document.root, { left: maxSymbols });
}

function childrenOf(node: YamlNode, budget: { left: number }): JobSymbol[] {
  if (node.kind === 'map') {
    return node.entries
      .slice(0, Math.max(0, budget.left))
      .map(({ key, value }) => symbolOf(key.name === '' ? '""' : key.name, value, key.start, key.end, budget));
  }
  if (node.kind !== 'seq') return [];
  return node.items
    .slice(0, Math.max(0, budget.left))
    .map((item, index) =>
      symbolOf(
        itemName(item, index),
        item,
        item.start,
        Math.max(item.start, Math.min(item.end, item.start + 1)),
        budget,
      ),
    );
}

function symbolOf(
  name: string,
  value: YamlNode,
  nameStart: number,
  nameEnd: number,
  budget: { left: number },
): JobSymbol {
  budget.left--;
  const children = childrenOf(value, budget);
  const target = resolved(value);
  const end = Math.max(value.end, nameEnd);
  const place = { name, start: nameStart, end, nameStart, nameEnd, children };
  if (target?.kind === 'map')
    return { ...place, kind: 'mapping', detail: value.kind === 'alias' ? `*${value.name}` : '' };
  if (target?.kind === 'seq') return { ...place, kind: 'list', detail: `${target.items.length}` };
  if (target?.kind !== 'scalar' || target.value === null) return { ...place, kind: 'empty', detail: '' };
  const kind = typeof target.value === 'string' ? 'text' : typeof target.value === 'boolean' ? 'boolean' : 'number';
  return { ...place, kind, detail: shortened(String(target.value).replaceAll('\n', ' '), 80) };
}

/** Fields that name an entry of a list. */
const itemNames = new Set(['task_key', 'job_cluster_key', 'environment_key', 'name']);

/** Returns the name of an item: its own name or key if it has one, otherwise that of its first field. */
function itemName(item: YamlNode, index: number): string {
  const target = resolved(item);
  if (target?.kind === 'scalar' && target.value !== null)
    return shortened(String(target.value).split('\n')[0] ?? '') || `${index + 1}`;
  const entries = target?.kind === 'map' ? target.entries : [];
  const own = resolved(entries.find(({ key }) => itemNames.has(key.name))?.value);
  if (own?.kind === 'scalar' && typeof own.value === 'string' && own.value !== '') return shortened(own.value);
  return entries[0]?.key.name ?? `${index + 1}`;
}
