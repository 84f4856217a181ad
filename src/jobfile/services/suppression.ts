import type { Problem } from '../yaml/jobDocument.ts';
import { lineStart } from '../yaml/textRange.ts';

const marker = 'millrace-ignore';
/** The codes after the marker; the list is never longer than this. */
const codeList = /^:\s*([\w, -]+)/;
const maxCodesLength = 500;

/** The problems that a comment suppresses: some codes, or all. */
type Suppressed = ReadonlySet<string> | 'all' | undefined;

/**
 * Leaves out suppressed problems: `# millrace-ignore: code` (several codes separated by commas; all problems if there is none), on the
 * problem's line or alone on the line above.
 */
export function withoutSuppressed(text: string, problems: readonly Problem[]): readonly Problem[] {
  if (problems.length === 0 || !text.includes(marker)) return problems;
  // Cached by line, since a line may be long and have many problems.
  const known = new Map<number, readonly Suppressed[]>();
  return problems.filter(({ code, start }) => {
    const from = lineStart(text, start);
    const suppressed = known.get(from) ?? [onLine(text, from), above(text, from)];
    known.set(from, suppressed);
    return !suppressed.some((codes) => codes === 'all' || codes?.has(code) === true);
  });
}

function onLine(text: string, from: number): Suppressed {
  const end = text.indexOf('\n', from);
  return codesOf(text.slice(from, end < 0 ? text.length : end));
}

/** Returns what the line above suppresses, if it holds only a comment. */
function above(text: string, from: number): Suppressed {
  const line = text.slice(lineStart(text, from - 1), Math.max(0, from - 1));
  return line.trimStart().startsWith('#') ? codesOf(line) : undefined;
}

function codesOf(line: string): Suppressed {
  const at = line.indexOf(marker);
  if (at < 0 || !line.slice(0, at).trimEnd().endsWith('#')) return undefined;
  const list = codeList.exec(line.slice(at + marker.length, at + marker.length + maxCodesLength))?.[1] ?? '';
  const codes = list.split(/[,\s]+/).filter((item) => item !== '');
  return codes.length === 0 ? 'all' : new Set(codes);
}
