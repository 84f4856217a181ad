/** Tasks create files like the user's other programs; only the service's own files are private. */
let given: number | undefined;

/** Makes the files that this process creates readable by their owner only. */
export function keepFilesPrivate(): void {
  given = process.umask(0o077);
}

/** Starts a process that creates files with the mode that the service was started with. */
export function withTaskUmask<T>(start: () => T): T {
  if (given === undefined) return start();
  const own = process.umask(given);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}
