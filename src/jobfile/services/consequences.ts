import { l10n } from '../../shared/l10n.ts';
import { fieldHomes } from '../model/fieldTree.ts';
import { keyText } from '../model/words.ts';
import type { Problem, YamlPath } from '../yaml/jobDocument.ts';

/** A key at a position where it has no meaning. */
interface Misplaced {
  readonly problem: Problem;
  readonly name: string;
  readonly parent: string;
  readonly homes: readonly string[];
}

const placeOf = (path: YamlPath): string => path.filter((step) => typeof step === 'string').join('.');
/** Only a colon, an anchor and a comment after the key. */
const onlyColon = /^:(?: +&\w+)?[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/;

/**
 * Leaves out problems that only follow from another one. If a key has the wrong indentation, it is missing where it belongs, the key above
 * it has no value, or the keys below it are misplaced too: only the indentation is reported.
 * @param base path of the settings
 */
export function withoutConsequences(problems: readonly Problem[], text: string, base: YamlPath): readonly Problem[] {
  const isEmpty = ({ end }: Problem): boolean => onlyColon.test(text.slice(end, end + 200));
  const misplaced = problems.filter(({ code }) => code === 'misplacedField').flatMap((problem) => keyOf(problem, base));
  const causes = new Set<Problem>();
  const told = problems.flatMap((problem): Problem[] => {
    const cause = causeOf(problem, misplaced, base, isEmpty);
    if (cause && problem.severity === 'error') causes.add(cause);
    return cause ? [] : [problem];
  });
  const hungry = problems.filter((problem) => problem.code === 'noValue' && isEmpty(problem));
  // A user-defined name that belongs below the key above it.
  const strays = new Map(
    told
      .filter(({ code }) => code === 'unknownField')
      .flatMap((stray) => {
        const owner = hungry.find(({ end }) => end < stray.start && /^:\s*$/.test(text.slice(end, stray.start)));
        return owner ? [[stray, owner] as const] : [];
      }),
  );
  const owners = new Set(strays.values());
  return told
    .filter((problem) => !owners.has(problem))
    .map((problem) => {
      const owner = strays.get(problem);
      if (owner) return { ...problem, code: 'misplacedField', message: strayMessage(problem, owner, text) };
      return causes.has(problem) ? { ...problem, severity: 'error' } : problem;
    });
}

/** Returns the misplaced key that a problem is about, if any. */
function keyOf(problem: Problem, base: YamlPath): Misplaced[] {
  const path = problem.data?.removable;
  const name = String(path?.at(-1) ?? '');
  const parent = placeOf(path?.slice(base.length, -1) ?? []);
  return path ? [{ problem, name, parent, homes: fieldHomes.get(name) ?? [] }] : [];
}

function causeOf(
  told: Problem,
  misplaced: readonly Misplaced[],
  base: YamlPath,
  isEmpty: (problem: Problem) => boolean,
): Problem | undefined {
  const { code, data, start, end, severity } = told;
  if (data?.missing) {
    const place = placeOf(data.path?.slice(base.length) ?? []);
    const found = misplaced.filter(({ name, homes }) => data.missing?.includes(name) && homes.includes(place));
    const isAll = code !== 'missingField' || found.length >= data.missing.length;
    return isAll ? found[0]?.problem : undefined;
  }
  if (code === 'noValue' && severity === 'warning') {
    const place = placeOf(data?.removable?.slice(base.length) ?? []);
    return misplaced.find(({ problem, homes }) => homes.includes(place) && problem.start > end)?.problem;
  }
  const [own] = code === 'noValue' ? [] : keyOf(told, base);
  const above = misplaced.find(
    ({ problem, name, parent }) =>
      problem.end < start &&
      parent === own?.parent &&
      own.homes.some((home) => home === name || home.endsWith(`.${name}`)) &&
      isEmpty(problem),
  );
  return above?.problem;
}

function strayMessage({ start, end }: Problem, owner: Problem, text: string): string {
  const [name, home] = [keyText(text.slice(start, end)), keyText(text.slice(owner.start, owner.end))];
  return l10n.t('{0} has no meaning here. It belongs below {1}. Move it.', name, home);
}
