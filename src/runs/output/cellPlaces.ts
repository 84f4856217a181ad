/** Comment markers of the notebook languages. */
const comment = String.raw`(?:#|--|\/\/)`;
const command = new RegExp(`^${comment} COMMAND -{5,}\\s*$`);
const heading = new RegExp(`^${comment}\\s*Databricks notebook source\\s*$`);
const cellTitle = new RegExp(`^${comment} DBTITLE \\d+,`);
const percent = /^#\s*%%/;
const words = new RegExp(`^${comment} MAGIC %md\\b|^#\\s*%%.*\\[(?:markdown|md)\\]`);

/**
 * Returns the line in a source notebook of a line in a cell.
 * @param cell number of the cell, counted from 1 as runs count them: empty cells are skipped
 * @param line line in the cell, counted from 1
 * @param isInput whether text cells are skipped too, because IPython does not receive them
 * @returns the line, counted from 1, or `undefined` if the text has no such cell
 */
export function lineOfCell(text: string, cell: number, line: number, isInput = false): number | undefined {
  const lines = text.split('\n').map((each) => each.trimEnd());
  const isCommands = lines.some((each) => command.test(each) || heading.test(each));
  const border = isCommands ? command : percent;
  let count = 0;
  /** Index of the first line of the current cell. */
  let first: number | undefined;
  for (let index = 0; index <= lines.length; index += 1) {
    const each = lines[index];
    if (each === undefined || border.test(each)) {
      const isText =
        isInput && first !== undefined && [lines[first], lines[first - 1]].some((it = '') => words.test(it));
      if (first !== undefined && !isText) {
        count += 1;
        if (count === cell) return Math.min(first + line, index);
      }
      first = undefined;
    } else if (each !== '' && first === undefined && !heading.test(each) && !cellTitle.test(each)) first = index;
  }
  return undefined;
}
