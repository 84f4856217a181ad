import { getVocabulary } from './knowledge.ts';

/** Maximum number of questions to look up per text. A pasted page contains more sentences, but asks about none of them. */
const maxQuestions = 12;
/** Maximum number of words to check for typos. The question comes first, pasted text after it. */
const maxSpelled = 200;

/** Splits a text into its questions. A single question is returned whole. */
export function questionsOf(text: string): string[] {
  return text
    .split(
      /[?;]\s+|,? and (?=(?:how|what|can|where|why|which|when|is|do|does|get|install|set|send|may|did|was)\b)/i,
      maxQuestions,
    )
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns the text with typos corrected to known words. */
export function spelled(text: string): string {
  const known = getVocabulary();
  let looked = 0;
  return text.replace(/(?<![\w./-])[a-z]{4,20}(?![\w./-])/gi, (word) => {
    looked += 1;
    const lower = word.toLowerCase();
    if (looked > maxSpelled || known.has(lower)) return word;
    const slips = [...known].map((other) => ({ other, slip: slipOf(lower, other) })).filter(({ slip }) => slip > 0);
    const likeliest = slips.filter(({ slip }) => slip === Math.min(...slips.map((one) => one.slip)));
    return likeliest.length === 1 ? (likeliest[0]?.other ?? word) : word;
  });
}

/**
 * Rates how likely `word` is a typo of `other`; lower is likelier. Swapped letters: 1, missing letter: 2, wrong letter: 3, extra letter: 4,
 * no typo: 0.
 */
function slipOf(word: string, other: string): number {
  if (word[0] !== other[0] || Math.abs(word.length - other.length) > 1) return 0;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at += 1;
  const [rest, meant] = [word.slice(at), other.slice(at)];
  if (rest.length < meant.length) return rest === meant.slice(1) ? 2 : 0;
  if (rest.length > meant.length) return word.length > 5 && rest.slice(1) === meant ? 4 : 0;
  if (rest[0] === meant[1] && rest[1] === meant[0] && rest.slice(2) === meant.slice(2)) return 1;
  return word.length > 5 && rest.slice(1) === meant.slice(1) ? 3 : 0;
}

/** Replies to questions in other languages. */
const languages: readonly (readonly [words: RegExp, reply: string])[] = [
  [
    /(?<!\p{L})(?:wie|was|welche[nrs]?|warum|kannst?|ich|mein\w*|jeden?|nicht|und|der|das|eine?n?|mir|ist|sind|heute)(?!\p{L})/giu,
    'Ich verstehe nur Englisch: Bitte frag mich auf Englisch, oder wähle einen Endpunkt mit einem Sprachmodell.',
  ],
  [
    /(?<!\p{L})(?:c[oó]mo|qu[eé]|cu[aá]l(?:es)?|mis?|una?|el|los|las|puedo|cada|para|se|est[aá]|hoy|tarea|trabajo)(?!\p{L})/giu,
    'Solo entiendo inglés: pregúntame en inglés o elige un endpoint con un modelo de lenguaje.',
  ],
  [
    /(?<!\p{L})(?:comment|pourquoi|quel(?:le)?s?|je|mon|mes|une?|les|des|chaque|puis|est|sont|pour|tâche|aujourd)(?!\p{L})/giu,
    "Je ne comprends que l'anglais : posez-moi la question en anglais, ou choisissez un endpoint avec un modèle de langue.",
  ],
];

/** Returns a reply for a text in another language, or `undefined` if the text may be English. */
export function otherLanguage(text: string): string | undefined {
  const found = languages
    .map(([words, reply]) => ({ reply, count: new Set(text.toLowerCase().match(words)).size }))
    .sort((left, right) => right.count - left.count)[0];
  if (found && found.count > 1) return found.reply;
  return /[^\P{L}\p{Script=Latin}]/u.test(text) ? 'I understand English only.' : undefined;
}
