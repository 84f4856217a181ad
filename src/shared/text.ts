import { l10n } from './l10n.ts';

/** Joins names: "a", "a and b", "a, b and c". */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : l10n.t('{0} and {1}', names.slice(0, -1).join(', '), names.at(-1) ?? '');
}

/** Joins names: "a", "a or b", "a, b or c". */
export function listedOr(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : l10n.t('{0} or {1}', names.slice(0, -1).join(', '), names.at(-1) ?? '');
}

/** Returns the trimmed text, with a full stop unless it already ends like a sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/**
 * Returns the text, or its beginning and an ellipsis, without splitting a character.
 * @param max in UTF-16 units; default: as much as a message shows of a value or a name
 */
export function shortened(text: string, max = 60): string {
  if (text.length <= max) return text;
  const isHalf = (text.charCodeAt(max - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? max - 1 : max)}…`;
}

/** Joins the texts that are not blank, with an empty line between them. */
export function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/** Formats a size, of bytes or characters, in the unit that makes it short. */
export function sizeText(size: number): string {
  if (size < 1_000_000) {
    const kilobytes = size / 1000;
    return `${kilobytes < 10 ? Math.max(0.1, Math.round(kilobytes * 10) / 10) : Math.round(kilobytes)} KB`;
  }
  return `${Math.round(size / 100_000) / 10} MB`;
}

/**
 * Removes everything that the editor's messages would show as a link: `[text](command:…)` from a server, a job's name or a model would
 * otherwise become a button that runs a command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Formats a duration in its two largest units, such as "850 ms", "12 s", "3 min 5 s" or "2 d 4 h". */
export function formatDuration(durationInMs: number): string {
  if (durationInMs < 1000) return l10n.t('{0} ms', Math.round(durationInMs));
  const seconds = Math.floor(durationInMs / 1000);
  if (seconds < 60) return l10n.t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return l10n.t('{0} min {1} s', minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return l10n.t('{0} h {1} min', hours, minutes % 60);
  return l10n.t('{0} d {1} h', Math.floor(hours / 24), hours % 24);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, inside an element or a quoted attribute. NUL, which HTML does not allow, becomes the replacement character. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character).replaceAll('\0', '\ufffd');
}

/** Joins a list of changes, one per line, into a single line. */
export function oneLine(lines: string): string {
  return lines.replaceAll('\n', '  ');
}
