/** Code from an answer, with the file that the answer names for it. */
export interface AnswerCode {
  readonly text: string;
  /** Language as written above the code; may be empty. */
  readonly language: string;
  /** Path relative to the workspace as the answer wrote it; it may not exist or may lie outside the workspace. */
  readonly path?: string;
}

const fence = /^ {0,30}(`{3,20}|~{3,20})([^`~]*)$/;
const pathPattern = String.raw`(?:[\w.@-]{1,100}\/){0,20}[\w.@-]{1,100}\.[A-Za-z]\w{0,9}`;
const onlyPath = new RegExp(`^/?${pathPattern}$`);
const paths = new RegExp(`(?<![\\w./@-])/?${pathPattern}(?![\\w/@-])`, 'g');

/**
 * Returns the file that an answer names for its code: after the language, in a diff's header, in a comment at the start of the code, or in
 * the line above the code if that names exactly one file.
 * @param answers the answers to search for the code, newest last
 */
export function namedFile(answers: readonly string[], code: string): string | undefined {
  const wanted = linesOf(code);
  for (const answer of answers.toReversed()) {
    const lines = answer.split(/\r?\n/);
    for (let start = 0; start < lines.length; start += 1) {
      const open = fence.exec(lines[start] ?? '');
      if (!open) continue;
      const mark = open[1] ?? '';
      const length = lines.slice(start + 1).findIndex((line) => isEnd(line, mark));
      const end = length === -1 ? lines.length : start + 1 + length;
      const block = lines.slice(start + 1, end);
      if (linesOf(block.join('\n')) === wanted)
        return ofInfo(open[2] ?? '') ?? ofCode(block) ?? ofLineAbove(lines.slice(0, start));
      start = end;
    }
  }
  return ofCode(code.split('\n'));
}

function isEnd(line: string, mark: string): boolean {
  const end = line.trim();
  return end.startsWith(mark) && end.replaceAll(mark.charAt(0), '') === '';
}

/** Normalizes spaces at the ends of lines, which differ between a list in an answer and the screen. */
function linesOf(code: string): string {
  return code
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

function ofInfo(info: string): string | undefined {
  const named = /(?:title|file|filename|path)=["']?([^"'\s]{1,300})/.exec(info)?.[1];
  const [first = '', second] = info.trim().split(/\s+/);
  return [named, first.split(':')[1], second, first].find((each) => each !== undefined && onlyPath.test(each));
}

function ofCode(block: readonly string[]): string | undefined {
  const head = block.find((line) => line.startsWith('+++ '));
  const [first = ''] = block;
  const name = head
    ? head.slice(4).replace(/^b\//, '').split('\t')[0]
    : /^(?:#|\/\/|--|;) ?(\S{1,300})$/.exec(first.trim())?.[1];
  return name !== undefined && onlyPath.test(name.trim()) ? name.trim() : undefined;
}

function ofLineAbove(above: readonly string[]): string | undefined {
  const line = above.findLast((each) => each.trim() !== '') ?? '';
  if (line.length > 500) return undefined;
  const found = [...new Set([...line.matchAll(paths)].map(([path]) => path))];
  return found.length === 1 ? found[0] : undefined;
}
