/** Of the languages that notebooks are written in. */
const comment = String.raw`(?:#|--|\/\/)`;
const command = new RegExp(`^${comment} COMMAND -{5,}\\s*$`);
const heading = new RegExp(`^${comment}\\s*Databricks notebook source\\s*$`);
const cellTitle = new RegExp(`^${comment} DBTITLE \\d+,`);
const percent = /^#\s*%%/;
const words = new RegExp(`^${comment} MAGIC %md\\b|^#\\s*%%.*\\[(?:markdown|md)\\]`);

/**
 * The line of a source notebook that is so many lines into a cell.
 * @param cell counted from 1, as runs count them: cells that hold nothing are none
 * @param line of the cell, counted from 1
 * @param isInput whether cells of text are not counted, as IPython is not given them
 * @returns counted from 1; undefined if the text has no such cell
 */
export function lineOfCell(text: string, cell: number, line: number, isInput = false): number | undefined {
  const lines = text.split('\n').map((each) => each.trimEnd());
  const isCommands = lines.some((each) => command.test(each) || heading.test(each));
  const border = isCommands ? command : percent;
  let count = 0;
  /** Index of the first line of the cell that is being read. */
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
