/**
 * The members of a JSON object as the text they were written with, so that settings can be kept and given back
 * digit for digit. The text must have been parsed as JSON before; the last of several members of one name counts.
 */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (at < text.length && text[at] !== '}') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, text.indexOf(':', keyEnd) + 1);
    const end = endOfValue(text, start);
    members.set(key, text.slice(start, end).trimEnd());
    at = skipSpace(text, text[end] === ',' ? end + 1 : end);
  }
  return members;
}

/** The entries of a JSON array as the text they were written with. */
export function rawElements(text: string): string[] {
  const elements: string[] = [];
  let at = skipSpace(text, text.indexOf('[') + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push(text.slice(at, end).trimEnd());
    at = skipSpace(text, text[end] === ',' ? end + 1 : end);
  }
  return elements;
}

/** The object of these members. */
export function joinMembers(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
    } else if (character === ',' && depth === 0) return at;
    at += 1;
  }
  return at;
}
