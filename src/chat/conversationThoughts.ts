/** A model's answer, separated from the thoughts that precede it. */
type ThoughtAndText = Readonly<Record<'thought' | 'text', string>>;

const opening = '<think>';
const closing = '</think>';

/**
 * Splits a `<think>` part from the beginning of an answer: models on many servers write their thoughts there. Some templates write the
 * opening tag themselves, so that only the closing one arrives. A partly received tag is not shown.
 */
export function splitThoughts(text: string): ThoughtAndText {
  const start = text.length - text.trimStart().length;
  const begins = text.startsWith(opening, start);
  if (!begins) {
    const isArriving = start < text.length && opening.startsWith(text.slice(start));
    return isArriving ? { thought: '', text: '' } : withoutOpening(text);
  }
  const from = start + opening.length;
  const end = text.indexOf(closing, from);
  if (end === -1) return { thought: text.slice(from).trimStart(), text: '' };
  return { thought: text.slice(from, end).trim(), text: text.slice(end + closing.length).trimStart() };
}

/** Splits at a closing tag on a line of its own without an opening one before it. */
function withoutOpening(text: string): ThoughtAndText {
  const end = text.indexOf(`\n${closing}\n`);
  if (end === -1 || text.includes(opening)) return { thought: '', text };
  return { thought: text.slice(0, end).trim(), text: text.slice(end + closing.length + 2).trimStart() };
}
