/** Joins a list of changes, one a line, into a single line. */
export function oneLine(lines: string): string {
  return lines.replaceAll('\n', '  ');
}
