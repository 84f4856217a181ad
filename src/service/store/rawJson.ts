import { endOfString, skipSpace } from '../../shared/jsonText.ts';

/**
 * Returns the members of a JSON object as their original text, so that settings are returned digit for digit. The text must have been
 * parsed as JSON before; of several members with one name, the last counts.
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

/** Returns the entries of a JSON array as their original text. */
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

/** Joins members to an object. */
export function joinMembers(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/**
 * Removes all but the last of several members with one name, at every level, as `JSON.parse` does. A text without such members is returned
 * unchanged.
 *
 * @param text JSON that was parsed before and is nested no deeper than a request may be
 */
export function withoutRepeatedMembers(text: string): string {
  let hasRepeated = false;
  let at = 0;

  function value(): string {
    at = skipSpace(text, at);
    const start = at;
    if (text[at] === '{') return object();
    if (text[at] === '[') return array();
    at = text[at] === '"' ? endOfString(text, at) : endOfValue(text, at);
    return text.slice(start, at).trimEnd();
  }

  function object(): string {
    const members = new Map<string, string>();
    at = skipSpace(text, at + 1);
    while (text[at] !== '}') {
      const keyEnd = endOfString(text, at);
      const key = JSON.parse(text.slice(at, keyEnd)) as string;
      at = text.indexOf(':', keyEnd) + 1;
      hasRepeated ||= members.has(key);
      members.set(key, value());
      skipComma();
    }
    at += 1;
    return joinMembers(members);
  }

  function array(): string {
    const elements: string[] = [];
    at = skipSpace(text, at + 1);
    while (text[at] !== ']') {
      elements.push(value());
      skipComma();
    }
    at += 1;
    return `[${elements.join(',')}]`;
  }

  function skipComma(): void {
    at = skipSpace(text, at);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }

  const once = value();
  return hasRepeated ? once : text;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character <= ' ') {
      at = skipSpace(text, at);
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
