/** Asks on the terminal; without one the answer is no. */
export async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal tells of Ctrl+C by itself while it asks.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    terminal.close();
  }
}
