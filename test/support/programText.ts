/** Programs whose docstrings a notebook reads with `help(…)`. */
const helpful = /\/(?:dbutils|display|files)\.py$/;

/**
 * A program in Python, Perl or R without its comments and, if nobody asks for them, without its docstrings; one in Python is indented by
 * one space a level. It has as many lines as before, so that a traceback tells the lines of the source.
 *
 * @param name of the file, with its ending
 */
export function withoutComments(name: string, text: string): string {
  const losesDocstrings = name.endsWith('.py') && !helpful.test(name);
  let isInDocstring = false;
  const lines = text.split('\n').map((whole, index) => {
    const words = whole.trim();
    if (isInDocstring) {
      isInDocstring = !words.endsWith('"""');
      return losesDocstrings ? '' : whole;
    }
    const line = name.endsWith('.py') ? whole.replace(/^(?: {4})+/, ({ length }) => ' '.repeat(length / 4)) : whole;
    if (words.startsWith('"""')) {
      isInDocstring = words.length < 6 || !words.endsWith('"""');
      // A class or function may have nothing else in it.
      return losesDocstrings ? line.replace(/".*/, '""') : line;
    }
    // The first line may name the program that reads it.
    return words.startsWith('#') && index > 0 ? '' : line;
  });
  return lines.join('\n');
}
