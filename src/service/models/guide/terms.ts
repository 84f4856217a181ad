/** Turns text into search terms: lowercase, without English endings, without stop words. */

const stopWords = new Set(
  (
    'a an and are as at be been but by can cannot could did do does for from get give go had has have hello hi how i if in into is it its just know ' +
    'like make may me might mine my need of on one or our out please shall should so some tell than thank thanks that the their them then there these ' +
    'they thing this those to too up us use used using very want was way we were what when where which while who why will with would you your let ' +
    'about explain describe difference different show not many mean means work works working possible also here any all only between inside im id ive ' +
    'dont doesnt isnt help write put set find default defaults value values type types field fields option options example examples setting settings ' +
    'see view look say happen happens please really'
  ).split(' '),
);

/** Groups of synonyms for jobs and models. A search for one word of a group finds the others. */
const synonymGroups = [
  'schedule cron periodic timer recurring daily nightly weekly hourly monthly automatically regularly',
  'retry retries attempt again rerun repeat',
  'email mail address notify notification alert inform',
  'webhook slack destination callback',
  'timeout limit deadline hang stuck',
  'cluster compute machine worker node vm hardware',
  'parameter argument param args arg widget input',
  'concurrent parallel simultaneous overlap concurrency once',
  'library package dependency wheel pip install jar maven pypi requirement',
  'cancel stop abort kill terminate interrupt',
  'delete remove drop',
  'export html download save',
  'token idempotency idempotent duplicate twice',
  'state status lifecycle result outcome',
  'fail failure error failed unsuccessful crash broken',
  'pause disable suspend paused off',
  'stream streaming sse event chunk',
  'tool function',
  'json schema structured format',
  'embedding embed vector similarity',
  'temperature randomness creative deterministic sampling',
  'endpoint model serving llm',
  'upstream ollama vllm lmstudio llamacpp openai local',
  'env environment variable',
  'autoscale scale scaling elastic',
  'spot cheap price bid availability',
  'timezone zone utc tz',
  'log logs logging driver',
  'health slow long warning duration',
  'python script py',
  'notebook ipynb',
  'delay wait interval backoff',
  'run execute start launch trigger',
  'update change modify edit',
  'quota maximum max most limit large big size',
  'authenticate authentication login signin credential profile',
  'attempt retry',
  'secret password credential key',
  'usage tokens billing cost',
  'sdk client curl http rest',
  'init bootstrap script setup',
  'tag label',
  'ssh login',
  'workspace folder directory path root',
] as const;

const synonyms = new Map<string, Set<string>>();

/** Removes a word's English ending. Coarse, but consistent between questions and documents. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 6 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 5 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 4 && word.endsWith('es') && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return finalE(word.slice(0, -1));
  return finalE(word);
}

function undouble(word: string): string {
  return finalE(/([bdfglmnprt])\1$/.test(word) ? word.slice(0, -1) : word);
}

function finalE(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

for (const group of synonymGroups) {
  const terms = group.split(' ').map(stem);
  for (const term of terms) {
    const others = synonyms.get(term) ?? new Set<string>();
    for (const other of terms) if (other !== term) others.add(other);
    synonyms.set(term, others);
  }
}

/** Returns all words of the synonym groups. */
export function knownWords(): string {
  return [...synonymGroups, ...stopWords].join(' ');
}

/** Returns the synonyms of a term. */
export function synonymsOf(term: string): ReadonlySet<string> {
  return synonyms.get(term) ?? new Set();
}

/** Returns the terms of a text in order. A name with underscores is a term, and so are its parts. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  const prepared = text
    .toLowerCase()
    .replace(/\btim(?:e|ed)[- ]?outs?\b/g, 'timeout')
    // Windows the operating system, not a window on the screen.
    .replace(/\bwindows\b/g, 'mswindows')
    .replace(/e-mails?\b/g, 'email')
    .replace(/life[- ]?cycle/g, 'lifecycle')
    .replace(/time zones?\b/g, 'timezone')
    .replace(/lm studio/g, 'lmstudio')
    .replace(/llama\.cpp/g, 'llamacpp')
    .replace(/run[- ]now\b/g, 'run_now')
    .replace(/['’]s\b/g, '');
  for (const [word] of prepared.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const parts = word.split('_').filter((part) => part !== '');
    if (parts.length > 1) terms.push(word);
    for (const part of parts) {
      if ((part.length < 2 && part !== 'r') || stopWords.has(part)) continue;
      terms.push(stem(part));
    }
  }
  return terms;
}
