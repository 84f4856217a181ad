import { createScanner } from 'jsonc-parser';
import { parseJson } from './json.ts';

/**
 * Parses JSON with comments and trailing commas, as people and other tools write settings. Integers stay exact.
 * @throws SyntaxError for anything else
 */
export function readJsonc(text: string): unknown {
  const tokens: string[] = [];
  for (const token of tokensOf(text.startsWith('\ufeff') ? text.slice(1) : text)) {
    if (token.trim() === '' || token.startsWith('//') || token.startsWith('/*')) continue;
    // A comma between a value and the end of its container.
    if (/^[\]}]$/.test(token) && tokens.at(-1) === ',' && !/^[[{,]$/.test(tokens.at(-2) ?? ',')) tokens.pop();
    tokens.push(token);
  }
  return parseJson(tokens.join(' '));
}

function* tokensOf(text: string): Iterable<string> {
  const scanner = createScanner(text);
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    yield text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
  }
}
