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
  assert.equal(
    text,
    approved,
    `Not what test/fixtures/approved/${name}.txt has. Where that is meant, run this test with MILLRACE_APPROVE=1 and read the difference.`,
  );
}
