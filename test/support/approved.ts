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

/** The difference of long texts, as assert shows it, is cut off before it is reached. */
function firstDifference(
  approved: readonly string[],
  lines: readonly string[],
): [line: number, was: string, now: string] {
  const index = lines.findIndex((line, at) => line !== approved[at]);
  const at = index === -1 ? lines.length : index;
  return [at + 1, approved[at] ?? '(the end)', lines[at] ?? '(the end)'];
}
