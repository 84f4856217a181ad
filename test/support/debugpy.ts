import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Whether debugpy can be had from PyPI on this machine, where debugged runs take it from; skips the tests of a suite if not. */
export function needsDebugpy(suite: Mocha.Context): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debugpy-'));
  try {
    execFileSync('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, 'debugpy'], { stdio: 'ignore' });
  } catch {
    console.log('      skipped: debugpy cannot be had from PyPI on this machine');
    suite.skip();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
