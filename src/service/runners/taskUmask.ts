/** Tasks write files as the user's other programs do; only the service's own are private. */
let given: number | undefined;

/** From now on the files of this process are readable by its owner only. */
export function keepFilesPrivate(): void {
  given = process.umask(0o077);
}

/** Starts a process that makes files with the mode the service was given. */
export function withTaskUmask<T>(start: () => T): T {
  if (given === undefined) return start();
  const own = process.umask(given);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}
