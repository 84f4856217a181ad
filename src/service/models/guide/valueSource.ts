import type { ValueSource } from '../jsonSchema/generateJson.ts';
import type { GuideAnswer } from './guideReply.ts';
import { emailAddresses } from './jobComposer.ts';
import { termsOf } from './terms.ts';

/** Returns the words of a property's name, in any naming convention. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .toLowerCase();
}

/** Creates a source that fills a JSON answer from the guide's answer. */
export function answerSource(question: string, answer: GuideAnswer): ValueSource {
  const facts = answer.facts;
  const fact = (key: string): string | undefined =>
    typeof facts[key] === 'string' && facts[key] !== '' ? facts[key] : undefined;
  return {
    text(name, _description, { choices }) {
      if (choices)
        return (
          mentioned(choices, question) ?? mentioned(choices, `${answer.summary} ${Object.values(facts).join(' ')}`)
        );
      const words = wordsOf(name);
      if (/\bquestion|query\b/.test(words)) return question;
      if (/\b(?:path|field|key|property)\b/.test(words)) return fact('path') ?? fact('name') ?? answer.summary;
      if (/\b(?:name|title)\b/.test(words)) return fact('name') ?? fact('title') ?? answer.summary;
      if (/\b(?:example|yaml|code|snippet)\b/.test(words)) return fact('example') ?? answer.summary;
      return fact(name) ?? fact(words) ?? answer.summary;
    },
    number: (name, _description, index) =>
      name in facts && typeof facts[name] === 'number'
        ? facts[name]
        : numbersIn(`${fact('default') ?? ''} ${question} ${answer.summary}`)[index],
    boolean: (name) => (typeof facts[name] === 'boolean' ? facts[name] : answer.found),
    list(name) {
      const words = wordsOf(name);
      const value =
        facts[name] ??
        (/\bvalues?\b/.test(words)
          ? facts['values']
          : /\bproblems?|errors?\b/.test(words)
            ? facts['problems']
            : facts['related']);
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
    },
  };
}

/** Creates a source that fills a function's arguments from the user's words. */
export function argumentSource(question: string): ValueSource {
  const quoted = [...question.matchAll(/"([^"]+)"|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)/g)].map(
    ([, double, code, single]) => double ?? code ?? single ?? '',
  );
  let taken = 0;
  return {
    text(name, description, { choices }) {
      if (choices) return mentioned(choices, question);
      const words = `${wordsOf(name)} ${description.toLowerCase()}`;
      const special = specialText(words, question);
      if (special !== undefined) return special;
      if (/\b(?:query|question|prompt|text|message|input|search|sentence)\b/.test(words) && quoted.length === 0)
        return question;
      const next = quoted[taken];
      taken += next === undefined ? 0 : 1;
      return next ?? placeName(question) ?? question;
    },
    number(name, _description, index) {
      const near = new RegExp(
        `\\b${wordsOf(name).replace(/[^a-z\d ]/g, '')}\\W{0,4}(?:is|of|to|=|:)?\\s*(-?\\d+(?:\\.\\d+)?)`,
        'i',
      ).exec(question);
      return near ? Number(near[1]) : (numbersIn(question)[index] ?? numbersIn(question)[0]);
    },
    boolean(name) {
      // A name can contain any text, so remove characters with a meaning in patterns.
      const words = wordsOf(name).replace(/[^a-z\d ]/g, '');
      if (new RegExp(`\\b(?:not?|without|don't|never)\\s+(?:\\w+\\s+)?${words}`, 'i').test(question)) return false;
      return termsOf(words).some((term) => termsOf(question).includes(term)) ? true : undefined;
    },
    list: () => (quoted.length > 0 ? quoted : undefined),
  };
}

function specialText(words: string, question: string): string | undefined {
  if (/\be-?mail\b/.test(words)) return emailAddresses(question)[0];
  if (/\b(?:url|uri|link)\b/.test(words))
    return /\bhttps?:\/\/\S+/.exec(question)?.[0].replace(/(?<![.,;:!?)])[.,;:!?)]+$/, '');
  if (/\b(?:path|file|folder|directory|notebook)\b/.test(words))
    return /(?<![\w./-])(?:(?:\w+:)?\/[\w./-]*\w|\w[\w-]*\.(?:py|ipynb|yml|yaml|json|txt|csv|jar|ts|md)\b)/.exec(
      question,
    )?.[0];
  if (/\bdate\b|\bday\b/.test(words))
    return /\b\d{4}-\d{2}-\d{2}\b|\b(?:today|tomorrow|yesterday|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b/i.exec(
      question,
    )?.[0];
  if (/\bids?\b|\bidentifier\b/.test(words)) return /\b\d+\b|\b[a-z]+[-_]\d+\b/i.exec(question)?.[0];
  if (/\b(?:city|location|place|town|country|region)\b/.test(words)) return placeName(question);
  return undefined;
}

/** Returns capitalized words after a preposition, otherwise any capitalized words that do not start the sentence. */
function placeName(text: string): string | undefined {
  const name = String.raw`\p{Lu}[\p{L}'-]+(?:[ ,]+\p{Lu}[\p{L}'-]+)*`;
  return (
    new RegExp(String.raw`\b(?:in|at|for|from|to|near|of|named|called)\s+(${name})`, 'u').exec(text)?.[1] ??
    new RegExp(String.raw`(?<=\S\s)${name}`, 'u').exec(text)?.[0]
  );
}

function mentioned(choices: readonly string[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const found = choices.filter((choice) => choice !== '' && lower.includes(choice.toLowerCase()));
  return found.sort((left, right) => right.length - left.length)[0];
}

function numbersIn(text: string): number[] {
  const words = text.match(/(?<![\w.])-?\d[\w.]*/g) ?? [];
  // Skip parts of versions, hashes and names: another digit follows in them.
  const numbers = words
    .map((word) => /^-?\d{1,15}(?:\.\d+)?(?=[^\d]*$)/.exec(word)?.[0])
    .filter((digits) => digits !== undefined);
  return numbers.map(Number);
}
