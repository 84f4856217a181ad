/** A place in the code that a line of an output names. */
export interface Place {
  /** Where in the line its text stands. */
  readonly start: number;
  readonly end: number;
  /** As it is written; a path of the package if the line gives one (`com/acme/Job.scala`); `<cell 3>` of a notebook, `In[3]` of what IPython counts. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** The third input that IPython was given, which need not be the third cell, in each way that it names that. */
export const inputOf = (file: string): string =>
  file.replace(/^(?:<ipython-input-(\d{1,6})-[0-9a-f]{1,64}>|(?:Cell )?In ?\[(\d{1,6})\])$/, 'In[$1$2]');

type Reader = (match: RegExpExecArray) => { file: string; line: number; text: string } | undefined;

const readers: readonly (readonly [pattern: RegExp, read: Reader])[] = [
  // Python, and what it says of a file that it cannot read.
  [
    /File "([^"\n]{1,500})", line (\d{1,9})/g,
    ([text, file = '', line]) => ({ file: inputOf(file), line: Number(line), text }),
  ],
  [
    / in file ([^"\n]{1,500}?) on line (\d{1,9}), /g,
    ([text, file = '', line]) => ({ file, line: Number(line), text: text.slice(' in file '.length, -2) }),
  ],
  // IPython, in its newer form and its older one.
  [
    /\b(?:Cell |Input )?In ?\[(\d{1,6})\], line (\d{1,9})/g,
    ([text, cell, line]) => ({ file: `In[${cell}]`, line: Number(line), text }),
  ],
  [
    /(?:^File ((?:[A-Za-z]:)?[^:,"]{1,300})|File ([^\s:,"]{1,300})):(\d{1,9})/g,
    ([text, file, other = '', line]) => ({ file: inputOf(file ?? other), line: Number(line), text }),
  ],
  // Java, Scala, Kotlin: the class's package is the folder; a loader and a module may stand before it.
  [
    /\bat (?:[\w$.@-]{0,100}\/){0,2}([\w$.]{1,300})\.[\w$<>]{1,200}\(([\w$-]{1,200}\.(?:java|scala|kt)):(\d{1,9})\)/g,
    ([whole, name = '', file = '', line]) => {
      const folder = name.split('.').slice(0, -1).join('/');
      return {
        file: folder === '' ? file : `${folder}/${file}`,
        line: Number(line),
        text: whole.slice(whole.lastIndexOf('(') + 1, -1),
      };
    },
  ],
  // R, pytest, compilers, warnings: a file with its line.
  [
    /((?:[A-Za-z]:)?[\w./\\~+@-]{1,300}\.(?:py|R|r|scala|java|kt|sql|ipynb|ya?ml|sh))(?:#|:| line )(\d{1,9})\b/g,
    ([text, file = '', line]) => ({ file, line: Number(line), text }),
  ],
];

/** Longer lines are data, in which no places are looked for. */
const maxSearchedLength = 2000;

/** The places that a line names, from left to right. */
export function placesIn(text: string): Place[] {
  if (text.length > maxSearchedLength || !/\d/.test(text)) return [];
  const found: Place[] = [];
  for (const [pattern, read] of readers) {
    for (const match of text.matchAll(pattern)) {
      const place = read(match);
      if (!place || place.line < 1) continue;
      const start = match.index + match[0].lastIndexOf(place.text);
      const end = start + place.text.length;
      if (found.every((other) => end <= other.start || start >= other.end))
        found.push({ start, end, file: place.file, line: place.line });
    }
  }
  return found.sort((left, right) => left.start - right.start);
}
