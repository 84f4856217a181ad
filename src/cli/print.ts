/** Where a command writes: results on standard output, words about them on standard error. */
export interface Output {
  write(text: string): void;
  say(text: string): void;
}

export const output: Output = {
  write: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(`${text}\n`),
};

/** Resolves once all that was written is on its way, so that the end of the process cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
}

const colours = /\u001b\[[0-9;]*[A-Za-z]/;

/** A text of others on one line, without characters that a terminal would obey. */
export function plainLine(text: string): string {
  return text.replace(new RegExp(colours.source, 'g'), '').replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
