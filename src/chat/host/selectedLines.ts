import type * as vscode from 'vscode';

/** First and last line of what is selected, counted from 1. A line of which only the start is reached is not selected. */
export function selectedLines({ start, end }: vscode.Range): [from: number, to: number] {
  return [start.line + 1, end.line + (end.character === 0 && end.line > start.line ? 0 : 1)];
}
