import { nodeAt, type JobDocument } from '../yaml/document.ts';
import type { TextRange } from '../yaml/textRange.ts';

/** What an alias at an offset stands for: the place of its anchor's value. */
export function anchorOf(document: JobDocument, offset: number): TextRange | undefined {
  const node = nodeAt(document.root, offset)?.node;
  if (node?.kind !== 'alias' || !node.target) return undefined;
  return { start: node.target.start, end: node.target.end };
}
