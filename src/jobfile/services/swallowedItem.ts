import { l10n } from '../../shared/l10n.ts';
import { shortened } from '../../shared/text.ts';
import type { Problem } from '../yaml/problem.ts';
import type { ScalarNode } from '../yaml/yamlNode.ts';

/**
 * Returns a problem for a list item that is indented more than the one above it: YAML reads it, dash and all, as part of the text above.
 */
export function swallowedItem(node: ScalarNode, text: string): Problem | undefined {
  if (node.style !== 'plain' || typeof node.value !== 'string') return undefined;
  const source = text.slice(node.start, node.end);
  const found = /\n[ \t]*(?=- )/.exec(source);
  if (!found) return undefined;
  const start = node.start + found.index + found[0].length;
  const lineEnd = text.indexOf('\n', start);
  const message = l10n.t(
    'This line continues the text above it: both are read as one, "{0}". Align its dash with the dash above, or quote the text.',
    shortened(node.value),
  );
  return {
    code: 'swallowedItem',
    message,
    start,
    end: Math.min(node.end, lineEnd < 0 ? node.end : lineEnd),
    severity: 'warning',
  };
}
