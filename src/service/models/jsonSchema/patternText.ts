/**
 * Returns a text that matches a regular expression of the simple kind used in schemas: literals, classes, groups, alternatives and
 * quantifiers. Skips syntax that it does not support; the caller checks the result.
 */
export function textForPattern(pattern: string): string {
  const source = { text: pattern, at: 0 };
  return alternatives(source);
}

interface Source {
  readonly text: string;
  at: number;
}

const maxRepeats = 64;
/** Maximum length of a text in characters: nested repetitions multiply. */
const maxLength = 10_000;

function alternatives(source: Source): string {
  let first: string | undefined;
  for (;;) {
    const branch = sequence(source);
    first ??= branch;
    if (source.text[source.at] !== '|') return first;
    source.at += 1;
  }
}

function sequence(source: Source): string {
  let result = '';
  while (source.at < source.text.length && !'|)'.includes(source.text[source.at] ?? '')) {
    const item = atom(source);
    const count = repeats(source);
    if (result.length + item.length * count <= maxLength) result += item.repeat(count);
  }
  return result;
}

function atom(source: Source): string {
  const character = source.text[source.at] ?? '';
  source.at += 1;
  switch (character) {
    case '^':
    case '$':
      return '';
    case '.':
      return 'a';
    case '[':
      return characterClass(source);
    case '\\':
      return escaped(source);
    case '(':
      return group(source);
    default:
      return character;
  }
}

function group(source: Source): string {
  const prefix = /^\?(?::|=|!|<=|<!|<\w+>)/.exec(source.text.slice(source.at))?.[0] ?? '';
  source.at += prefix.length;
  const inner = alternatives(source);
  if (source.text[source.at] === ')') source.at += 1;
  return prefix === '' || prefix === '?:' || /^\?<\w/.test(prefix) ? inner : '';
}

function escaped(source: Source): string {
  const character = source.text[source.at] ?? '';
  source.at += 1;
  const classes: Record<string, string> = {
    d: '1',
    D: 'a',
    w: 'a',
    W: '-',
    s: ' ',
    S: 'a',
    b: '',
    B: '',
    n: '\n',
    t: '\t',
    r: '\r',
  };
  if (character !== 'p' && character !== 'P') return classes[character] ?? character;
  const end = source.text.indexOf('}', source.at);
  const name = source.text.slice(source.at + 1, end);
  source.at = end < 0 ? source.text.length : end + 1;
  return name.startsWith('N') ? '1' : name === 'Lu' ? 'A' : 'a';
}

function characterClass(source: Source): string {
  const negated = source.text[source.at] === '^';
  if (negated) source.at += 1;
  const start = source.at;
  const members: string[] = [];
  while (source.at < source.text.length && source.text[source.at] !== ']') {
    const character = source.text[source.at] ?? '';
    source.at += 1;
    members.push(character === '\\' ? escaped(source) : character);
  }
  const body = source.text.slice(start, source.at);
  source.at += 1;
  if (!negated) return members.find((member) => member !== '') ?? '';
  const excluded = new RegExp(`[${body}]`, 'u');
  return ['a', '1', 'A', '-', '_', ' ', '!'].find((candidate) => !excluded.test(candidate)) ?? '';
}

function repeats(source: Source): number {
  const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})[?+]?/.exec(source.text.slice(source.at));
  if (!quantifier) return 1;
  source.at += quantifier[0].length;
  if (quantifier[1] !== undefined) return Math.min(Number(quantifier[1]), maxRepeats);
  return 1;
}
