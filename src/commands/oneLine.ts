/** Changes, which are one a line, for a place that has one line only. */
export function oneLine(lines: string): string {
  return lines.replaceAll('\n', '  ');
}
