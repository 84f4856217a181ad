/**
 * A rule for the linter: a regular expression takes time in proportion to its text, whatever the text is. Patterns meet notebooks,
 * models' answers and servers' words of any length, and one that tries every start again, or one ending after another, stops everything else in its process.
 *
 * The verdict is recheck's. It is kept in `.cache/`, for one pattern can take a second. What recheck can't decide in its time counts as linear.
 */
import fs from 'node:fs';
import path from 'node:path';
import { checkSync } from 'recheck';

const cacheFile = path.resolve(import.meta.dirname, '..', '..', '.cache', 'patterns.json');
const verdicts = readVerdicts();
const maxMicroseconds = 100_000;

/** What is wrong with a pattern, such as "2nd degree polynomial", or an empty text. */
function slowness(source, flags) {
  const key = `/${source}/${flags}`;
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const { status, checker, complexity, attack } = checkSync(source, flags, { timeout: 10_000 });
  const slow = status === 'vulnerable' && (checker === 'automaton' || isSlow(source, flags, attack.string));
  const verdict = slow ? complexity.summary : '';
  if (status !== 'unknown') keepVerdict(key, verdict);
  return verdict;
}

/** When recheck guesses (patterns that look around themselves), the text that it found says whether it is right: a slow one takes seconds. */
function isSlow(source, flags, text) {
  const before = process.cpuUsage();
  new RegExp(source, flags.replace('g', '')).test(text);
  return process.cpuUsage(before).user > maxMicroseconds;
}

function readVerdicts() {
  try {
    const lines = fs
      .readFileSync(cacheFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return new Map(lines.map((line) => JSON.parse(line)));
  } catch {
    return new Map();
  }
}

/** One line is added for each verdict, so that linters that run side by side lose nothing of each other's. */
function keepVerdict(key, verdict) {
  verdicts.set(key, verdict);
  fs.mkdirSync(path.dirname(cacheFile), { recursive: true });
  fs.appendFileSync(cacheFile, `${JSON.stringify([key, verdict])}\n`);
}

const linear = {
  create(context) {
    const check = (node, source, flags) => {
      const found = slowness(source, flags);
      if (found !== '')
        context.report({
          node,
          message: `This pattern can take far longer than its text is long (${found}). Make it linear, or match with plain code.`,
        });
    };
    /** `new RegExp('text')`: only what is written out can be judged. */
    const checkConstructor = (node) => {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
      const [source, flags] = node.arguments;
      if (typeof source?.value === 'string')
        check(node, source.value, typeof flags?.value === 'string' ? flags.value : '');
    };
    return {
      Literal: (node) => node.regex && check(node, node.regex.pattern, node.regex.flags),
      NewExpression: checkConstructor,
      CallExpression: checkConstructor,
    };
  },
};

// The linter takes a plugin from this export.
// oxlint-disable-next-line import/no-default-export
export default { meta: { name: 'patterns' }, rules: { linear } };
