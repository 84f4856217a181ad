import { l10n } from '../../shared/l10n.ts';
import { keyText } from '../model/words.ts';
import { isMerge } from '../yaml/nodeValue.ts';
import type { Problem } from '../yaml/problem.ts';
import type { YamlNode } from '../yaml/yamlNode.ts';

/** More tell nothing new. */
const maxReported = 200;

/** Keys that a mapping has twice, in mappings without known fields too: otherwise one value would be dropped in silence. */
export function duplicateKeys(root: YamlNode | null): readonly Problem[] {
  const problems: Problem[] = [];
  const open: YamlNode[] = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined && problems.length < maxReported; node = open.pop()) {
    if (node.kind === 'seq') for (const item of node.items) open.push(item);
    if (node.kind !== 'map') continue;
    const first = new Set<string>();
    for (const { key, value } of node.entries) {
      open.push(value);
      // What is merged twice is merged, and nothing of it dropped.
      if (first.has(key.name) && problems.length < maxReported && !isMerge(key.name, value)) {
        problems.push({
          code: 'duplicateKey',
          message: l10n.t('{0} is given twice in this mapping; only one can count. Remove one.', keyText(key.name)),
          start: key.start,
          end: key.end,
          severity: 'error',
        });
      }
      first.add(key.name);
    }
  }
  return problems;
}
