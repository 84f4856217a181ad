import { l10n } from '../../shared/l10n.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { listed, listedOr, sentence } from '../../shared/text.ts';
import {
  jobFileType,
  type Field,
  type FieldType,
  type ListType,
  type MapType,
  type ObjectType,
} from '../model/fieldTree.ts';
import { foreignFields } from '../model/foreignFields.ts';
import { foundWords, keyText, wantedWords } from '../model/words.ts';
import {
  resolved,
  type Problem,
  type KeyNode,
  type MapEntry,
  type MapNode,
  type YamlNode,
  type YamlPath,
} from '../yaml/jobDocument.ts';
import { isMerge, maxValues } from '../yaml/nodeValue.ts';
import { closeColon, unmerged, withoutValue } from './brokenKeys.ts';
import { leafProblem, nameProblem, placeholder, swallowedItem } from './leafProblem.ts';
import { cronProblem, fieldMeant, scheduleOf, unplacedProblem } from './unknownName.ts';

/** Maximum steps of a walk: aliases can expand a small text. */
const maxSteps = maxValues;

/** Maximum unknown names reported for one mapping: more would add nothing new. */
const maxUnknown = 100;

/** The keys of a mapping, and the names that its mistyped keys stand for. */
interface FoundKeys {
  readonly given: Set<string>;
  readonly meant: Map<string, Problem>;
}

/**
 * Walks a file's nodes along the tree of fields and reports each mistake once, at the smallest place that shows it. The keys of a mapping
 * decide which branch it takes, so a deep error is never reported as "none of the alternatives".
 */
export class StructureCheck {
  readonly problems: Problem[] = [];
  /** The probable names of mistyped keys, with the problem of each, by their mapping. */
  readonly meant = new Map<MapNode, ReadonlyMap<string, Problem>>();
  readonly #seen = new Set<YamlNode>();
  readonly #text: string;
  readonly #isUnreadable: boolean;
  #steps = 0;

  /**
   * Creates a check.
   * @param isUnreadable whether syntax errors hide parts of the file
   */
  constructor(text: string, isUnreadable = false) {
    this.#text = text;
    this.#isUnreadable = isUnreadable;
  }

  /**
   * Checks a node.
   * @param owner the key whose value is the node, if any
   */
  check(node: YamlNode, type: FieldType, path: YamlPath, name: string, owner?: KeyNode): void {
    if (++this.#steps > maxSteps) return;
    const target = resolved(node);
    if (!target) return;
    // The target of an alias was checked at its anchor, if that has a position of the same type.
    if (node.kind === 'alias' && this.#seen.has(target)) return;
    if (node.kind === 'alias') this.#seen.add(target);
    switch (type.kind) {
      case 'object':
        if (target.kind === 'map') this.#object(target, type, path, name, owner);
        else this.#wrongType(target, type, name, owner);
        break;
      case 'list':
        if (target.kind === 'seq') {
          this.#items(target.items, type.element, path, name);
          this.#whole(target, type, name, owner, target.items.length);
        } else this.#wrongType(target, type, name, owner);
        break;
      case 'map':
        if (target.kind === 'map') this.#names(target, type, path, name, owner);
        else this.#wrongType(target, type, name, owner);
        break;
      case 'leaf': {
        const problem = leafProblem(target, type, name, this.#text);
        const other =
          target.kind === 'scalar' ? (swallowedItem(target, this.#text) ?? placeholder(target, name)) : undefined;
        // A placeholder is the reason why its value does not fit.
        const told = other && problem ? { ...other, severity: problem.severity } : (problem ?? other);
        if (told) this.problems.push(told);
      }
    }
  }

  /** Checks the items of a list. If several are texts in place of mappings, only the first is reported. */
  #items(items: readonly YamlNode[], type: FieldType, path: YamlPath, name: string): void {
    let isReported = false;
    const entry = l10n.t('An entry of {0}', name);
    for (const [index, item] of items.entries()) {
      const isWrong = type.kind === 'object' && resolved(item)?.kind !== 'map';
      const words = isWrong || type.kind === 'leaf' ? entry : name;
      if (!isWrong || !isReported) this.check(item, type, [...path, index], words);
      isReported ||= isWrong;
    }
  }

  #object(map: MapNode, type: ObjectType, path: YamlPath, name: string, owner: KeyNode | undefined): void {
    const given = new Set<string>();
    const unknown: MapEntry[] = [];
    const meant = new Map<string, Problem>();
    for (const entry of map.entries) {
      const key = entry.key.name;
      const field = type.fields.get(key);
      if (isMerge(key, entry.value)) this.#merged(entry.value, type, path, { given, meant });
      else if (field) {
        given.add(key);
        this.#field(entry, field, path);
      } else if (!isOwn(key, type)) unknown.push(entry);
    }
    const others = unknown.filter((entry) => !this.#isBroken(entry, type, { given, meant }));
    const missing = [...type.fields.values()]
      .filter((field) => field.required && !given.has(field.name))
      .map((field) => field.name);
    const absent = [...type.fields.keys()].filter((field) => !given.has(field));
    for (const entry of others.slice(0, maxUnknown))
      this.#unknown(withoutValue(entry, absent), path, absent, missing, meant);
    if (meant.size > 0) this.meant.set(map, meant);
    const really = missing.filter((field) => !meant.has(field));
    if (really.length === 0) return;
    const place = owner ?? map.entries[0]?.key ?? { start: map.start, end: Math.max(map.end, map.start + 1) };
    this.problems.push({
      code: 'missingField',
      message:
        really.length > 1
          ? l10n.t('{0} needs {1}. Add them below {0}.', name, listed(really))
          : l10n.t('{0} needs {1}. Add it below {0}.', name, listed(really)),
      start: place.start,
      end: place.end,
      severity: 'error',
      data: { path, missing: really },
    });
  }

  /** Returns whether the entry is a broken key: its colon has no space after it, or it is a failed merge. */
  #isBroken(entry: MapEntry, type: ObjectType, { given, meant }: FoundKeys): boolean {
    const { key, value } = entry;
    const close = resolved(value)?.end === value.start ? closeColon(key.name, key.start, type, this.#text) : undefined;
    const problem = close?.problem ?? unmerged(entry);
    if (!problem) return false;
    const isField = close !== undefined && type.fields.has(close.name);
    if (isField) given.add(close.name);
    for (const name of isField ? [close.name] : type.fields.keys()) meant.set(name, problem);
    // If the file has syntax errors, they may be the reason why the merge fails.
    if (close || !this.#isUnreadable) this.problems.push(problem);
    return true;
  }

  /** Checks the fields around the settings in a job as jobs/get returns it: only its ID has a meaning here. */
  checkAround(map: MapNode): void {
    const field = jobFileType.fields.get('job_id');
    for (const entry of map.entries) {
      if (field && entry.key.name === field.name) this.#field(entry, field, []);
      else if (entry.key.name.replace(/[-_]/g, '').toLowerCase() === 'jobid')
        this.#unknown(entry, [], ['job_id'], [], new Map());
    }
  }

  /** Checks merged values, which were not checked at their anchors, since these usually have user-defined names. */
  #merged(value: YamlNode, type: ObjectType, path: YamlPath, found: FoundKeys): void {
    // Mappings that merge others repeatedly can have as many entries as there are values.
    if (++this.#steps > maxSteps) return;
    const target = resolved(value);
    if (target?.kind === 'seq')
      for (const item of target.items) if (resolved(item)?.kind === 'map') this.#merged(item, type, path, found);
    if (target?.kind !== 'map') return;
    const isNew = !this.#seen.has(target);
    this.#seen.add(target);
    const unknown: MapEntry[] = [];
    for (const entry of target.entries) {
      const key = entry.key.name;
      const field = type.fields.get(key);
      found.given.add(key);
      if (isMerge(key, entry.value)) this.#merged(entry.value, type, path, found);
      else if (!isNew) continue;
      else if (field) this.#field(entry, field, path);
      else if (!isOwn(key, type)) unknown.push(entry);
    }
    const names = [...type.fields.keys()];
    // Fields merged in by mistake are not reported as the mapping's own.
    if (!this.#isUnreadable)
      for (const entry of unknown.slice(0, maxUnknown)) this.#unknown(entry, path, names, [], found.meant);
  }

  #field({ key, value }: MapEntry, field: Field, path: YamlPath): void {
    const fieldPath = [...path, field.name];
    if (field.meta.deprecated === true) {
      this.problems.push({
        code: 'deprecated',
        message: l10n.t(
          '{0} is deprecated. {1}',
          field.name,
          field.meta.description.replace(/^Deprecated: (.)/, (_all, first: string) => first.toUpperCase()),
        ),
        start: key.start,
        end: key.end,
        severity: 'hint',
        tags: ['deprecated'],
        data: { removable: fieldPath },
      });
    }
    const target = resolved(value);
    if (target?.kind === 'scalar' && target.value === null) {
      this.#noValue(key, field, fieldPath);
      return;
    }
    this.check(value, field.type, fieldPath, field.name, key);
  }

  #noValue(key: KeyNode, field: Field, path: YamlPath): void {
    const wanted = wantedWords(field.type);
    const message = field.required
      ? l10n.t('{0} has no value. It must be {1}. Write it after the colon.', field.name, wanted)
      : l10n.t(
          '{0} has no value and is left out of the deploy. Give it {1}, or remove the key.',
          field.name,
          field.type.kind === 'leaf' && field.type.type === 'text' ? l10n.t('a text') : wanted,
        );
    this.problems.push({
      code: 'noValue',
      message,
      start: key.start,
      end: key.end,
      severity: field.required ? 'error' : 'warning',
      data: field.required ? undefined : { removable: path },
    });
  }

  #unknown(
    entry: MapEntry,
    path: YamlPath,
    absent: readonly string[],
    missing: readonly string[],
    meant: Map<string, Problem>,
  ): void {
    const { key } = entry;
    const at = [...path, key.name];
    const cron = cronProblem(entry, at, absent);
    if (cron) {
      this.problems.push(cron);
      return;
    }
    const other = fieldMeant(key.name, absent);
    const similar = other !== undefined ? [other] : foreignFields.has(key.name) ? [] : similarNames(key.name, absent);
    const best = similar[0];
    if (best !== undefined) {
      const message = l10n.t(
        '{0} is not a field of the Jobs API. Did you mean {1}?',
        keyText(key.name),
        listedOr(similar),
      );
      const severity = missing.includes(best) ? 'error' : 'warning';
      const problem: Problem = {
        code: 'unknownField',
        message,
        start: key.start,
        end: key.end,
        severity,
        data: { replacements: similar, removable: at },
      };
      meant.set(best, problem);
      this.problems.push(problem);
      return;
    }
    this.problems.push(unplacedProblem(key, at, absent));
  }

  #names(map: MapNode, type: MapType, path: YamlPath, name: string, owner: KeyNode | undefined): void {
    for (const { key, value } of map.entries) {
      if (isMerge(key.name, value)) continue;
      const inKey = nameProblem(key, type.key, name);
      if (inKey) this.problems.push(inKey);
      const target = resolved(value);
      if (target?.kind === 'scalar' && target.value === null) {
        this.problems.push({
          code: 'noValue',
          message: l10n.t(
            '{0} in {1} has no value. Write one after the colon, or "" for an empty text.',
            keyText(key.name),
            name,
          ),
          start: key.start,
          end: key.end,
          severity: 'error',
          data: { removable: [...path, key.name] },
        });
      } else {
        this.check(value, type.value, [...path, key.name], key.name, key);
        if (type.value.type === 'scalar') this.#unquoted(key, target);
      }
    }
    this.#whole(map, type, name, owner, map.entries.length);
  }

  /** Warns about unquoted Spark settings, which are texts: services also accept numbers, but reformat them. */
  #unquoted(key: KeyNode, value: YamlNode | undefined): void {
    if (value?.kind !== 'scalar' || value.style !== 'plain' || typeof value.value === 'string') return;
    const source = this.#text.slice(value.start, value.end);
    const quoted = JSON.stringify(source);
    const message = l10n.t(
      '{0} is {1}, but Spark settings are texts. Quote it: {2}.',
      keyText(key.name),
      foundWords(value, source),
      quoted,
    );
    this.problems.push({
      code: 'unquoted',
      message,
      start: value.start,
      end: value.end,
      severity: 'information',
      data: { replacements: [quoted] },
    });
  }

  /** Checks a list or mapping as a whole, such as its number of items. */
  #whole(node: YamlNode, type: ListType | MapType, name: string, owner: KeyNode | undefined, count: number): void {
    const checks = (type.schema._zod.def as unknown as { checks?: readonly unknown[] }).checks;
    if (checks === undefined || checks.length === 0) return;
    // Placeholders of the right type and size: the contents are checked separately.
    const value =
      type.kind === 'map' && node.kind === 'map'
        ? Object.fromEntries(node.entries.map((entry) => [entry.key.name, textOf(entry.value)]))
        : undefined;
    const issues =
      type.kind === 'map'
        ? type.schema.safeParse(value).error?.issues
        : type.schema.safeParse(Array.from({ length: count })).error?.issues.filter((issue) => issue.path.length === 0);
    for (const issue of issues ?? []) {
      const key = node.kind === 'map' ? node.entries.find((entry) => entry.key.name === issue.path[0])?.key : undefined;
      const place = key ?? owner ?? node;
      this.problems.push({
        code: 'limit',
        message: sentence(key ? issue.message : `${name} ${issue.message}`),
        start: place.start,
        end: place.end,
        severity: 'error',
      });
    }
  }

  #wrongType(node: YamlNode, type: FieldType, name: string, owner: KeyNode | undefined): void {
    const isScalar = node.kind === 'scalar';
    const place = isScalar && node.end > node.start ? node : (owner ?? firstLine(node));
    const example =
      type.kind === 'list'
        ? l10n.t('Write its items on separate lines that start with "- ".')
        : l10n.t('Write "name: value" on lines of their own, indented below it.');
    const text = isScalar && typeof node.value === 'string' ? node.value : undefined;
    const close = type.kind === 'object' && text !== undefined && closeColon(text, node.start, type, this.#text);
    if (close) {
      this.problems.push(close.problem);
      return;
    }
    const replacements =
      type.kind === 'list' && type.element.kind === 'leaf' && text !== undefined && isScalar && node.style !== 'block'
        ? [`[${JSON.stringify(text)}]`]
        : name === 'schedule' && text !== undefined
          ? scheduleOf(text)
          : undefined;
    this.problems.push({
      code: 'wrongType',
      message: l10n.t('{0} must be {1}, but it is {2}. {3}', name, wantedWords(type), foundWords(node), example),
      start: place.start,
      end: place.end,
      severity: 'error',
      data: replacements ? { replacements } : undefined,
    });
  }
}

/** Returns whether a name is the file's own and means nothing to a service. */
function isOwn(name: string, type: ObjectType): boolean {
  return type === jobFileType && name.startsWith('x-');
}

function textOf(node: YamlNode): string {
  const target = resolved(node);
  return target?.kind === 'scalar' ? String(target.value) : '';
}

/** Returns the range of the first entry of a node without a key, so that not a whole block is underlined. */
function firstLine(node: YamlNode): { start: number; end: number } {
  if (node.kind === 'map' && !node.flow && node.entries[0]) return node.entries[0].key;
  if (node.kind === 'seq' && !node.flow && node.items[0]) return firstLine(node.items[0]);
  return { start: node.start, end: Math.max(node.end, node.start + 1) };
}
