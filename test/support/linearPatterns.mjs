/**
 * A rule for the linter: a regular expression takes time in proportion to its text, whatever the text is. Patterns meet notebooks,
 * models' answers and servers' words of any length, and one that tries every start again, or one ending after another, stops everything else in its process.
 *
 * The verdict is recheck's. One pattern can take a second, so verdicts are kept in `.cache/`, and those of patterns that were found linear with
 * the recheck of this version in the repository too. What recheck can't decide in its time counts as linear.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { checkSync } from 'recheck';

const root = path.resolve(import.meta.dirname, '..', '..');
const cacheFile = path.join(root, '.cache', 'patterns.json');
/** A share of them, another with each commit, is examined anew all the same: see `isOfToday`. */
const approvedFile = path.join(root, 'test', 'fixtures', 'linearPatterns.json');
const verdicts = readVerdicts();
const seen = new Set();
const maxMicroseconds = 100_000;

/** What is wrong with a pattern, such as "2nd degree polynomial", or an empty text. */
function slowness(source, flags) {
  const key = `/${source}/${flags}`;
  see(key);
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
  const kept = read(cacheFile)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const { recheck, linear } = JSON.parse(read(approvedFile) || '{}');
  const approved = recheck === versionOfRecheck() ? linear.filter((key) => !isOfToday(key)) : [];
  return new Map([...approved.map((key) => [key, '']), ...kept]);
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function versionOfRecheck() {
  return JSON.parse(read(path.join(root, 'package.json'))).devDependencies.recheck;
}

/** MILLRACE_PATTERNS: one hexadecimal digit. The patterns whose digest begins with it are examined whatever is known of them. */
function isOfToday(key) {
  const digit = process.env.MILLRACE_PATTERNS;
  return digit !== undefined && createHash('sha256').update(key).digest('hex').startsWith(digit);
}

/** MILLRACE_APPROVE=1: what was found linear is written down. */
function see(key) {
  if (process.env.MILLRACE_APPROVE !== '1') return;
  process.nextTick(() => {
    if (verdicts.get(key) !== '' || seen.has(key)) return;
    seen.add(key);
    const approved = {
      recheck: versionOfRecheck(),
      linear: [...seen].toSorted((left, right) => (left < right ? -1 : 1)),
    };
    fs.writeFileSync(approvedFile, `${JSON.stringify(approved, undefined, 2)}\n`);
  });
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
