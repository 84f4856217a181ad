import { isFields } from './fields.ts';
/** Length of text that can be escaped and written within a few milliseconds. */
const pieceCharacters = 64 * 1024;

/** Yields a text in pieces that do not split surrogate pairs. */
export function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + pieceCharacters, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}

/** Yields JSON in pieces, whose long texts are escaped one piece after another. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield '"';
    for (const piece of textPieces(value)) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  } else if (isFields(value)) {
    let before = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(field);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}
