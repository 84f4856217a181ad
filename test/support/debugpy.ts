import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Whether debugpy can be had from PyPI on this machine, where debugged runs take it from; skips the tests of a suite if not. */
export function needsDebugpy(suite: Mocha.Context): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-debugpy-'));
  try {
    const download = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, 'debugpy'];
    execFileSync('python3', download, { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    // Python, pip and the network each say what is missing.
    const { message, stderr } = error as Error & { stderr?: string };
    const reason = (stderr || message).trim().split('\n').at(-1) ?? '';
    console.log(`      skipped: debugpy could not be downloaded with pip (${reason})`);
    suite.skip();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
