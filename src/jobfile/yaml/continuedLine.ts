import { l10n } from '../../shared/l10n.ts';
import type { TextRange } from './textRange.ts';

/** How many lines are searched for a second key. */
const maxLines = 20;
const maxLength = 2000;

/**
 * Returns a key that is indented more than the keys above it, so that YAML reads it as part of the text before it, and the message for it.
 * Returns `undefined` if the text at `offset` holds a second key on its own line.
 */
export function continuedLine(source: string, offset: number): (TextRange & { message: string }) | undefined {
  const lineEnd = source.indexOf('\n', offset);
  if (lineEnd < 0 || /:(?:\s|$)/.test(source.slice(offset, lineEnd))) return undefined;
  const lines = source.slice(lineEnd, lineEnd + maxLength).split('\n', maxLines);
  for (let index = 0, start = lineEnd; index < lines.length; start += (lines[index]?.length ?? 0) + 1, index++) {
    const [all = '', indent = '', key = ''] = /^([ \t]*)([^\s:]+)[ \t]*:(?:\s|$)/.exec(lines[index] ?? '') ?? [];
    if (all === '') continue;
    const message = l10n.t(
      "{0} is indented more than the key above it, so it would continue that key's text. Start it in the same column as the other keys of its mapping.",
      key,
    );
    return { start: start + indent.length, end: start + indent.length + key.length, message };
  }
  return undefined;
}
