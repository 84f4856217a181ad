/** Changes, which are one a line, where there is one line only. */
export function oneLine(lines: string): string {
  return lines.replaceAll('\n', '  ');
}
