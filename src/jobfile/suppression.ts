import type { Problem } from './problem.ts';

const marker = 'millrace-ignore';
const comment = /#\s*millrace-ignore(?::\s*([\w, -]+))?/;

/**
 * Leaves out what a comment asks to leave out: `# millrace-ignore: code` (several with commas; without any, all),
 * on the problem's line or alone on the line above.
 */
export function withoutSuppressed(text: string, problems: readonly Problem[]): readonly Problem[] {
  if (problems.length === 0 || !text.includes(marker)) return problems;
  return problems.filter((problem) => {
    const lineStart = text.lastIndexOf('\n', problem.start - 1) + 1;
    const lineEnd = text.indexOf('\n', problem.start);
    const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
    const above = text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, Math.max(0, lineStart - 1));
    return !suppresses(line, problem.code) && !(above.trimStart().startsWith('#') && suppresses(above, problem.code));
  });
}

function suppresses(line: string, code: string): boolean {
  const match = comment.exec(line);
  if (!match) return false;
  const codes = match[1]?.split(/[,\s]+/).filter((item) => item !== '');
  return codes === undefined || codes.length === 0 || codes.includes(code);
}
