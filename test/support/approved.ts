import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

/**
 * Holds what somebody is told as it was approved: in test/fixtures/approved, one file for each name. With `MILLRACE_APPROVE=1` the files are
 * written anew, and their differences are read before they are committed.
 */
export function assertApproved(name: string, text: string): void {
  const file = path.join(root, 'test', 'fixtures', 'approved', `${name}.txt`);
  if (process.env['MILLRACE_APPROVE'] === '1') {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  const approved = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  if (text === approved) return;
  const [line, was, now] = firstDifference(approved.split('\n'), text.split('\n'));
  assert.equal(
    text,
    approved,
    `Not what test/fixtures/approved/${name}.txt has.\nLine ${line} was approved as: ${was}\nIt is now:${' '.repeat(12)}${now}\n` +
      'Where that is meant, run this test again with MILLRACE_APPROVE=1, and read what git diff shows before you commit it.',
  );
}

/** The same for one of the parts of a file, which have an empty line between them; it begins with the part's own name. */
export function assertApprovedPart(name: string, text: string): void {
  const file = path.join(root, 'test', 'fixtures', 'approved', `${name}.txt`);
  const [title] = text.split('\n');
  const parts = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n\n') : [];
  assert.equal(text, parts.find((part) => part === text) ?? parts.find((part) => part.split('\n')[0] === title));
}

/** The first line that is another, from shortly before the place: what assert shows of long texts and lines is cut off before it is reached. */
function firstDifference(
  approved: readonly string[],
  lines: readonly string[],
): [line: number, was: string, now: string] {
  const found = lines.findIndex((line, at) => line !== approved[at]);
  const at = found === -1 ? lines.length : found;
  const [was = '(the end)', now = '(the end)'] = [approved[at], lines[at]];
  const column = now.split('').findIndex((unit, index) => unit !== was[index]);
  const start = Math.max(0, (column === -1 ? now.length : column) - 60);
  const cut = (line: string): string => (start > 0 ? '…' : '') + line.slice(start, start + 160);
  return [at + 1, cut(was), cut(now)];
}
