/** A place in code that a line of output names. */
export interface Place {
  /** Offset of the place's text in the line. */
  readonly start: number;
  readonly end: number;
  /**
   * The file as written; a path of the package if the line names one (`com/acme/Job.scala`); `<cell 3>` of a notebook, `In[3]` as IPython
   * counts.
   */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Returns the third input of IPython, which need not be the third cell, in every form that IPython prints. */
export const inputOf = (file: string): string =>
  file.replace(/^(?:<ipython-input-(\d{1,6})-[0-9a-f]{1,64}>|(?:Cell )?In ?\[(\d{1,6})\])$/, 'In[$1$2]');

type Reader = (match: RegExpExecArray) => { file: string; line: number; text: string } | undefined;

const readers: readonly (readonly [pattern: RegExp, read: Reader])[] = [
  // Python, and its message about an unreadable file.
  [
    /File "([^"\n]{1,500})", line (\d{1,9})/g,
    ([text, file = '', line]) => ({ file: inputOf(file), line: Number(line), text }),
  ],
  [
    / in file ([^"\n]{1,500}?) on line (\d{1,9}), /g,
    ([text, file = '', line]) => ({ file, line: Number(line), text: text.slice(' in file '.length, -2) }),
  ],
  // IPython, in its newer and its older form.
  [
    /\b(?:Cell |Input )?In ?\[(\d{1,6})\], line (\d{1,9})/g,
    ([text, cell, line]) => ({ file: `In[${cell}]`, line: Number(line), text }),
  ],
  [
    /(?:^File ((?:[A-Za-z]:)?[^:,"]{1,300})|File ([^\s:,"]{1,300})):(\d{1,9})/g,
    ([text, file, other = '', line]) => ({ file: inputOf(file ?? other), line: Number(line), text }),
  ],
  // Java, Scala, Kotlin: the class's package is the folder; a loader and a module may precede it.
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
  // R, pytest, compilers, warnings: a file with a line.
  [
    /((?:[A-Za-z]:)?[\w./\\~+@-]{1,300}\.(?:py|R|r|scala|java|kt|sql|ipynb|ya?ml|sh))(?:#|:| line )(\d{1,9})\b/g,
    ([text, file = '', line]) => ({ file, line: Number(line), text }),
  ],
];

/** Longer lines are data and are not searched for places. */
const maxSearchedLength = 2000;

/** Finds the places that a line names, from left to right. */
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
