const [quote, backslash] = [34, 92] as const;

/** Returns the position after the quote that closes the JSON string that opens there, or the end of the text. */
export function endOfString(text: string, start: number): number {
  const first = text.indexOf('"', start + 1);
  if (first < 0) return text.length;
  return text.charCodeAt(first - 1) === backslash ? endOfEscaped(text, start + 1) : first + 1;
}

const encoder = new TextEncoder();
const bytes = new Uint8Array(48 * 1024);
/** At most three bytes per character. */
const maxCharacters = bytes.length / 3;

/**
 * Does the same for a string with escapes, of which each character is checked: it may consist of quotes. It checks bytes, a piece at a
 * time, because reading each character of a text of millions can take ten times as long.
 */
function endOfEscaped(text: string, from: number): number {
  let isEscaped = false;
  // Most strings are short.
  for (let [at, characters] = [from, 64]; at < text.length; characters = Math.min(2 * characters, maxCharacters)) {
    const { written } = encoder.encodeInto(text.slice(at, at + characters), bytes);
    const end = Math.min(at + characters, text.length);
    for (let position = 0; position < written; position += 1) {
      const byte = bytes[position] ?? 0;
      // The first byte of a character counts for it, and that of a surrogate pair for both.
      if ((byte & 0xc0) !== 0x80) at += byte < 0xf0 ? 1 : 2;
      if (isEscaped) isEscaped = false;
      else if (byte === quote) return at;
      else if (byte === backslash) isEscaped = true;
    }
    at = end;
  }
  return text.length;
}

/** Returns the position after white space. */
export function skipSpace(text: string, from: number): number {
  if (!(text.charCodeAt(from) <= 32)) return from;
  const other = /[^\0- ]/g;
  other.lastIndex = from;
  return other.test(text) ? other.lastIndex - 1 : text.length;
}
