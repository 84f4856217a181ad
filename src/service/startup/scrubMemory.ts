import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/**
 * Overwrites a secret where the system keeps this process's command line and environment, which every program of the same user can read in
 * /proc for as long as the process lives: deleting it from `process.env` changes nothing there. Does nothing except on Linux.
 *
 * @throws if the system does not let the process write there
 */
export function scrubFromProcess(secret: string): void {
  if (process.platform !== 'linux') return;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // proc(5): arg_start, arg_end, env_start and env_end are the fields 48 to 51; the third follows the command's parentheses.
  const places = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(45, 49)
    .map(BigInt);
  const [argumentStart = 0n, argumentEnd = 0n, environmentStart = 0n, environmentEnd = 0n] = places;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const [start, end] of [
      [argumentStart, argumentEnd],
      [environmentStart, environmentEnd],
    ] as const)
      overwrite(memory, start, Number(end - start), secret);
  } finally {
    closeSync(memory);
  }
}

function overwrite(memory: number, start: bigint, length: number, secret: string): void {
  const text = Buffer.alloc(length);
  const { length: size } = Buffer.from(secret);
  const readBytes = readSync(memory, text, 0, length, start);
  for (let at = text.indexOf(secret); at >= 0 && at < readBytes; at = text.indexOf(secret, at + size)) {
    // At most 2^47, so exact as a number.
    writeSync(memory, Buffer.alloc(size, 'x'), 0, size, Number(start) + at);
  }
}
