/** How a terminal would draw a text; colors are 0 to 15, the standard terminal palette. */
export interface TextStyle {
  readonly color?: number;
  readonly background?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export interface StyledText {
  readonly text: string;
  readonly style: TextStyle;
}

export const plain: TextStyle = {};

/**
 * Control sequences, titles and links of terminals, and controls that do not occur in text. Each alternative is bounded by what it may
 * contain.
 */
const sequence =
  /\x1b\[([0-9;:?<=>]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()*+][ -~]|\x1b[@-Z\\^_`-~]?|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;

/** Returns the text as a terminal would show it, without colors. */
export function withoutAnsi(text: string): string {
  return isPlain(text) ? text : text.replace(sequence, '');
}

const control = /[\0-\x08\x0b-\x1f\x7f]/;

function isPlain(text: string): boolean {
  return !control.test(text);
}

/** Returns the styled parts of a line, and the style in which the next line starts. */
export function styledParts(line: string, start: TextStyle): { parts: StyledText[]; end: TextStyle } {
  if (isPlain(line)) return { parts: line === '' ? [] : [{ text: line, style: start }], end: start };
  const parts: StyledText[] = [];
  let style = start;
  let from = 0;
  const add = (to: number): void => {
    if (to > from) parts.push({ text: line.slice(from, to), style });
  };
  for (const match of line.matchAll(sequence)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') style = withCodes(style, match[1] ?? '');
  }
  add(line.length);
  return { parts, end: style };
}

/** Returns the style at the end of a text, without building its parts. */
export function styleAfter(text: string, start: TextStyle): TextStyle {
  let style = start;
  for (const match of text.matchAll(sequence)) if (match[2] === 'm') style = withCodes(style, match[1] ?? '');
  return style;
}

const flags: Readonly<Record<number, TextStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  27: { inverse: undefined },
  39: { color: undefined },
  49: { background: undefined },
};

function withCodes(style: TextStyle, text: string): TextStyle {
  const codes = text.split(/[;:]/).map(Number);
  let result = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { color, length } = extended(codes.slice(at + 1, at + 5));
      if (color !== undefined) result = { ...result, [code === 38 ? 'color' : 'background']: color };
      at += length;
    } else if (code === 0) result = plain;
    else if (code >= 30 && code <= 37) result = { ...result, color: code - 30 };
    else if (code >= 90 && code <= 97) result = { ...result, color: code - 82 };
    else if (code >= 40 && code <= 47) result = { ...result, background: code - 40 };
    else if (code >= 100 && code <= 107) result = { ...result, background: code - 92 };
    else if (Object.hasOwn(flags, code)) result = { ...result, ...flags[code] };
  }
  return Object.values(result).every((value) => value === undefined) ? plain : result;
}

/** Returns the nearest palette color for an extended color, because not every theme shows extended colors well. */
function extended(codes: readonly number[]): { color?: number; length: number } {
  const [kind, first = 0, second = 0, third = 0] = codes;
  if (kind === 5) return { color: ofTable(first), length: 2 };
  return kind === 2 ? { color: ofPalette(first, second, third), length: 4 } : { length: codes.length };
}

function ofTable(index: number): number {
  if (index < 16) return index;
  if (index >= 232) return ofPalette(...([0, 0, 0].fill((index - 232) * 10 + 8) as [number, number, number]));
  const rest = index - 16;
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  return ofPalette(level(Math.floor(rest / 36)), level(Math.floor(rest / 6) % 6), level(rest % 6));
}

function ofPalette(red: number, green: number, blue: number): number {
  const max = Math.max(red, green, blue);
  const min = Math.min(red, green, blue);
  if (max - min < 40) return max < 64 ? 0 : max < 128 ? 8 : max < 208 ? 7 : 15;
  const bit = (value: number, weight: number): number => (value > (max + min) / 2 ? weight : 0);
  return bit(red, 1) + bit(green, 2) + bit(blue, 4) + (max > 200 && min > 80 ? 8 : 0);
}
