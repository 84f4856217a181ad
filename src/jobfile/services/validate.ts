import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { findQuartzProblem, findTimeZoneProblem, nextFireTimes, type QuartzError } from '../../shared/quartz/quartz.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { jobFileType, settingsType } from '../model/fieldTree.ts';
import { isBundle, jobPaths, targetJobPaths } from '../model/settingsRoot.ts';
import { foundWords, keyText } from '../model/words.ts';
import { findPath, type JobDocument, nodeAt, parseDocument } from '../yaml/document.ts';
import {
  unreadFrom,
  resolved,
  type Problem,
  type ScalarNode,
  type YamlNode,
  type YamlPath,
} from '../yaml/jobDocument.ts';
import { fieldOf, hasTooManyValues, isMerge, maxValues, nodeValue } from '../yaml/nodeValue.ts';
import type { TextRange } from '../yaml/textRange.ts';
import { advice } from './advice.ts';
import { isMergeKey } from './brokenKeys.ts';
import { withoutConsequences } from './consequences.ts';
import { quartzOf } from './otherCron.ts';
import { ruleProblems } from './ruleProblems.ts';
import { StructureCheck } from './structure.ts';
import { withoutSuppressed } from './suppression.ts';

export interface ValidateOptions {
  /** Epoch milliseconds; a schedule that never fires after this time gets a warning. */
  readonly nowMs?: number;
  /** Whether to keep problems that `# millrace-ignore` comments suppress. */
  readonly ignoreSuppression?: boolean;
}

/**
 * Returns the problems of a job file in document order: its YAML, its structure, the rules between fields, and advice. Each mistake is
 * reported once. Never throws, needs no network.
 */
export function validate(document: JobDocument, options: ValidateOptions = {}): readonly Problem[] {
  const jobs = jobPaths(document.root);
  const ofTargets = targetJobPaths(document.root);
  // The rest of a bundle is checked by its own command line.
  if (jobs.length + ofTargets.length === 0) return [];
  if (hasTooManyValues(document.root)) return [tooManyValues(document.root?.start ?? 0), ...document.problems];
  const nowMs = options.nowMs ?? Date.now();
  const ofJobs = jobs.flatMap((base) => settingsProblems(document, base, nowMs));
  const ofChanges = ofTargets
    .flatMap((base) => settingsProblems(document, base, nowMs))
    .filter(({ code }) => !needsWhole.has(code));
  const found = [...ofJobs, ...ofChanges];
  const problems = [
    ...document.problems,
    ...duplicateKeys(document.root),
    ...(isBundle(document.root) ? found.filter((problem) => !isRightInBundle(problem, document)) : found),
  ].map((problem) => visible(problem, document.text));
  problems.sort((one, other) => one.start - other.start || one.end - other.end);
  const distinct = problems.filter((problem, index) => {
    const before = problems[index - 1];
    // Aliases in several fields can lead to the same place.
    return !before || before.start !== problem.start || before.end !== problem.end || before.code !== problem.code;
  });
  const shown = options.ignoreSuppression === true ? distinct : withoutSuppressed(document.text, distinct);
  return shown.length <= maxProblems ? shown : firstOf(shown);
}

/** Problems of something that is missing, which a target or another file of a bundle can add. */
const addedInBundle: ReadonlySet<string> = new Set(['noTask', 'noCluster', 'noSize', 'noNodeType', 'unknownParameter']);

/** Problems that only the whole of a job can have, and not the part of it that a target changes. */
const needsWhole: ReadonlySet<string> = new Set([
  'missingField',
  'unknownKey',
  'taskNotBefore',
  'noMainClass',
  'noDurationRule',
  'neverRetried',
  'driverPoolNeedsPool',
]);

/**
 * Returns whether a problem of a job does not hold in a bundle, whose command line replaces `${…}` and relative paths, merges jobs with
 * those of targets and knows later versions of the API.
 */
function isRightInBundle({ code, start, data }: Problem, { root }: JobDocument): boolean {
  if (code === 'relativePath' || code === 'unquoted' || code.startsWith('foreign') || addedInBundle.has(code))
    return true;
  if (code === 'unknownField') return data?.replacements === undefined;
  // A cluster policy may give it.
  if (code === 'missingField') return data?.missing?.join() === 'spark_version';
  const at = nodeAt(root, start);
  const text = at?.onKey === false && at.node.kind === 'scalar' ? String(at.node.value) : '';
  // A variable may be a whole list or mapping.
  if (/^\$\{[^}]*\}$/.test(text)) return true;
  // It converts single values to the type that is needed.
  const [replacement, ...others] = data?.replacements ?? [];
  if (code === 'wrongType' && replacement !== undefined && others.length === 0) return !/^[[{]/.test(replacement);
  if (
    code === 'notAllowed' &&
    at?.node.kind === 'scalar' &&
    data?.replacements?.[0] === JSON.stringify(String(at.node.value))
  )
    return true;
  if (code === 'unknownKey') return at?.path.includes('depends_on') === false;
  if (code === 'oneCluster') return at?.path.at(-1) === 'environment_key';
  return text.includes('${');
}

/** The editor's own limit for one file. */
const maxProblems = 500;

/** Returns the first problems in document order, preferring errors, because they prevent a deploy. */
function firstOf(problems: readonly Problem[]): readonly Problem[] {
  const isError = ({ severity }: Problem): boolean => severity === 'error';
  const kept = new Set(
    [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))].slice(0, maxProblems),
  );
  return problems.filter((problem) => kept.has(problem));
}

/** Extends the range to at least one character, so that there is something to underline; at the end of the file, the last one. */
function visible(problem: Problem, text: string): Problem {
  if (problem.end > problem.start) return problem;
  const start = Math.max(0, Math.min(problem.start, text.length - 1));
  return { ...problem, start, end: start + 1 };
}

/** Parses and validates a text. */
export function validateText(text: string, options: ValidateOptions = {}): readonly Problem[] {
  return validate(parseDocument(text), options);
}

/** @param base path of the settings */
function settingsProblems(document: JobDocument, base: YamlPath, nowMs: number): Problem[] {
  const root = findPath(document.root, base);
  const isBroken = document.problems.length > 0;
  // In a file that cannot be parsed, missing fields are unknown, and an empty file is probably new.
  if (!root) return [];
  const settings = root.node;
  if (settings.kind !== 'map') {
    if (isBroken) return [];
    const message = l10n.t(
      'A job file is a mapping of settings, but this is {0}. Write "name: value" lines, such as "name: my job".',
      foundWords(root.node),
    );
    const lineEnd = document.text.indexOf('\n', root.node.start);
    return [
      {
        code: 'wrongType',
        message,
        start: root.node.start,
        end: Math.min(Math.max(root.node.end, root.node.start + 1), lineEnd < 0 ? Infinity : lineEnd),
        severity: 'error',
      },
    ];
  }
  const structure = new StructureCheck(document.text, isBroken);
  structure.check(root.node, base.length === 0 ? jobFileType : settingsType, base, l10n.t('the job'), root.key);
  const around = base.length === 1 ? resolved(document.root ?? undefined) : undefined;
  if (around?.kind === 'map') structure.checkAround(around);
  const { value, isCut } = nodeValue(root.node);
  if (isCut) return [tooManyValues(root.node.start)];
  const rules = ruleProblems(root.node, value, base, structure);
  const found = [
    // A mistyped key that prevents a deploy is an error, not a warning.
    ...structure.problems.map((problem): Problem =>
      rules.causes.has(problem) ? { ...problem, severity: 'error' } : problem,
    ),
    ...rules.problems,
    ...scheduleProblems(root.node, document.text, nowMs),
    ...advice(root.node, (name) => structure.meant.get(settings)?.has(name) === true),
  ];
  const startsOf = (code: string): ReadonlySet<number> =>
    new Set(found.filter((problem) => problem.code === code).map(({ start }) => start));
  const [templates, relative] = [startsOf('template'), startsOf('relativePath')];
  const said = new Set(found.filter(({ code }) => code !== 'foreignField').map(({ start }) => start));
  const telling = withoutConsequences(found, document.text, base)
    // That a field belongs to another version adds nothing to the problem of its meaning.
    .filter(({ code, start }) => code !== 'foreignField' || !said.has(start))
    // The placeholder already explains why the path is not valid.
    .filter(({ code, start }) => code !== 'relativePath' || !templates.has(start))
    .map((problem): Problem =>
      problem.code === 'template' && relative.has(problem.start) ? { ...problem, severity: 'error' } : problem,
    );
  return isBroken ? telling.filter((problem) => isKnown(problem, document)) : telling;
}

/** Returns whether a problem of a file with a syntax error holds whatever the broken parts contain. */
function isKnown(problem: Problem, { root, broken, text }: JobDocument): boolean {
  if (broken.some((range) => problem.start >= range.start && problem.start < range.end)) return false;
  // The value may be in the part that could not be parsed.
  const isEmpty = problem.code === 'noValue';
  if (isEmpty && broken.some(({ start }) => text.slice(problem.end, start).trim() === ':')) return false;
  const { missing, path = [] } = problem.data ?? {};
  if (!missing) return true;
  if (broken.some(({ start, end }) => missing.some((name) => text.slice(start, end).includes(`${name}:`))))
    return false;
  // The target of an alias may be in the part that could not be parsed.
  const node = findPath(root, path)?.node;
  if (node?.kind === 'alias' || (node?.kind === 'map' && node.entries.some(({ key }) => isMergeKey(key.name))))
    return false;
  const extent = extentOf(root, path, text.length);
  return !broken.some((range) => range.start >= extent.start && range.start < extent.end);
}

/** Returns all lines that may belong to the value at a path, including those that could not be parsed. */
function extentOf(root: YamlNode | null, path: YamlPath, textEnd: number): TextRange {
  let extent = { start: 0, end: textEnd };
  let node = resolved(root ?? undefined);
  for (const step of path) {
    const starts =
      node?.kind === 'map'
        ? node.entries.map(({ key }) => key.start)
        : node?.kind === 'seq'
          ? node.items.map((item) => item.start)
          : [];
    const index = node?.kind === 'map' ? node.entries.findIndex(({ key }) => key.name === step) : Number(step);
    extent = { start: starts[index] ?? extent.start, end: starts[index + 1] ?? extent.end };
    node = resolved(
      node?.kind === 'map' ? node.entries[index]?.value : node?.kind === 'seq' ? node.items[index] : undefined,
    );
  }
  return extent;
}

function tooManyValues(start: number): Problem {
  const message = l10n.t(
    'This file has more than {0} values, including those of its aliases, which no job has. The rest was not checked. Shorten it.',
    maxValues,
  );
  return unreadFrom(start, 'tooLarge', message);
}

/** Maximum reported problems; more would add nothing new. */
const maxReported = 200;

/** Returns problems for duplicate keys, including those in mappings without known fields: otherwise one value would be dropped silently. */
function duplicateKeys(root: YamlNode | null): readonly Problem[] {
  const problems: Problem[] = [];
  const open: YamlNode[] = root === null ? [] : [root];
  for (let node = open.pop(); node !== undefined && problems.length < maxReported; node = open.pop()) {
    if (node.kind === 'seq') for (const item of node.items) open.push(item);
    if (node.kind !== 'map') continue;
    const first = new Set<string>();
    for (const { key, value } of node.entries) {
      open.push(value);
      // A repeated merge key merges both values and drops neither.
      if (first.has(key.name) && problems.length < maxReported && !isMerge(key.name, value)) {
        problems.push({
          code: 'duplicateKey',
          message: l10n.t('{0} is given twice in this mapping, but only one can count. Remove one.', keyText(key.name)),
          start: key.start,
          end: key.end,
          severity: 'error',
        });
      }
      first.add(key.name);
    }
  }
  return problems;
}

/**
 * Returns problems of the schedule's expression and time zone (Jobs API 2.0, CronSchedule), with the wrong part of an expression
 * underlined.
 */
function scheduleProblems(settings: YamlNode, text: string, nowMs: number): Problem[] {
  const schedule = fieldOf(settings, 'schedule')?.value;
  const expression = textNode(schedule, 'quartz_cron_expression');
  const zone = textNode(schedule, 'timezone_id');
  const problems: Problem[] = [];
  const zoneError = zone ? findTimeZoneProblem(zone.value) : undefined;
  if (zone && zoneError) {
    const city = `/${zone.value.toLowerCase().replaceAll(' ', '_')}`;
    const similar = [
      ...timeZoneNames().filter((name) => name.toLowerCase().endsWith(city)),
      ...similarNames(zone.value, timeZoneNames()),
    ];
    const remedy = similar[0] === undefined ? (zoneError.remedy ?? '') : l10n.t('Did you mean {0}?', similar[0]);
    problems.push({
      code: 'unknownTimezone',
      message: `${zoneError.message} ${remedy}`,
      start: zone.node.start,
      end: zone.node.end,
      severity: 'error',
      data: { replacements: similar },
    });
  }
  const cronError = expression ? findQuartzProblem(expression.value) : undefined;
  if (expression && cronError) {
    const quartz = quartzOf(expression.value);
    const remedy = quartz === undefined ? cronError.remedy : l10n.t('In Quartz this is {0}.', quartz);
    problems.push({
      code: 'cron',
      message: `${cronError.message} ${remedy ?? ''}`.trim(),
      ...(quartz === undefined ? insideText(expression.node, cronError, text) : rangeOf(expression.node)),
      severity: 'error',
      ...(quartz !== undefined && { data: { replacements: [JSON.stringify(quartz)] } }),
    });
  }
  if (
    expression &&
    zone &&
    !zoneError &&
    !cronError &&
    nextFireTimes(expression.value, zone.value, nowMs, 1).length === 0
  ) {
    problems.push({
      code: 'neverFires',
      message: l10n.t('"{0}" never fires again. Change the expression, or remove the schedule.', expression.value),
      start: expression.node.start,
      end: expression.node.end,
      severity: 'warning',
    });
  }
  return problems;
}

/** Longer than any schedule; limits the character-by-character parsing. */
const maxLength = 4096;

function textNode(schedule: YamlNode | undefined, name: string): { node: ScalarNode; value: string } | undefined {
  const node = resolved(fieldOf(schedule, name)?.value);
  // An empty text and one that is too long are reported separately.
  return node?.kind === 'scalar' &&
    typeof node.value === 'string' &&
    node.value !== '' &&
    node.value.length <= maxLength
    ? { node, value: node.value }
    : undefined;
}

/** Returns the wrong characters inside the scalar, if the text contains no escapes. */
function insideText(node: ScalarNode, error: QuartzError, text: string): { start: number; end: number } {
  const source = text.slice(node.start, node.end);
  const offset = node.style === 'plain' ? 0 : 1;
  const { start, end } = error.problem;
  const isLiteral = typeof node.value === 'string' && source.slice(offset, offset + node.value.length) === node.value;
  if (!isLiteral || end <= start) return { start: node.start, end: node.end };
  return { start: node.start + offset + start, end: node.start + offset + end };
}

function rangeOf({ start, end }: TextRange): TextRange {
  return { start, end };
}

let names: readonly string[] | undefined;

/** Returns all time zone IDs of this platform, `UTC` first. */
export function timeZoneNames(): readonly string[] {
  names ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
  return names;
}

/** Returns the time zone of this machine. */
export function ownTimeZone(): string {
  return dateTimeFormat(undefined, {}).resolvedOptions().timeZone;
}
