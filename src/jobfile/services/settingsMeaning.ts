import { isFields } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import type { FieldType, LeafType } from '../model/fieldTree.ts';

/** A place in the settings: its allowed type, and the documented default. */
export interface SettingsPlace {
  readonly type?: FieldType;
  readonly fallback?: unknown;
  /** Whether it is the value of a field rather than an item of a list or of a user-defined mapping: blanks around it are ignored. */
  readonly isField?: boolean;
  readonly name?: string;
}

/**
 * Returns the value to compare: equal for two spellings that mean the same to a service, and `undefined` if it means the same as an absent
 * value: null, a default, an empty value, or a 0 or false without another meaning.
 */
export function meaningOf(value: unknown, place: SettingsPlace): unknown {
  const { type } = place;
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => meaningOf(item, itemPlace(type)) ?? {});
    return items.length === 0 ? undefined : items;
  }
  if (isFields(value)) {
    const said = Object.keys(value)
      .sort()
      .map((name): [string, unknown] => [name, meaningOf(value[name], fieldPlace(type, name))])
      .filter(([, item]) => item !== undefined);
    return said.length === 0 ? undefined : Object.fromEntries(said);
  }
  if (type?.kind !== 'leaf') return String(value);
  const said = leafMeaning(value, type, place);
  return place.fallback !== undefined && said === leafMeaning(place.fallback, type, {}) ? undefined : said;
}

export function itemPlace(type: FieldType | undefined): SettingsPlace {
  return type?.kind === 'list' ? { type: type.element } : {};
}

export function fieldPlace(type: FieldType | undefined, name: string): SettingsPlace {
  if (type?.kind === 'map') return { type: type.value };
  const field = type?.kind === 'object' ? type.fields.get(name) : undefined;
  return { type: field?.type, fallback: field?.meta.default, isField: field !== undefined, name };
}

function leafMeaning(value: unknown, type: LeafType, { fallback, isField, name }: SettingsPlace): string | undefined {
  const text = String(value);
  switch (type.type) {
    case 'integer':
    case 'int64': {
      const digits = text.trim();
      const number = /^-?[0-9]{1,30}(?:\.0{1,9})?$/.test(digits) ? String(BigInt(digits.replace(/\..*/, ''))) : digits;
      return number === '0' && typeof fallback !== 'number' ? undefined : number;
    }
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return word === 'false' && fallback !== true ? undefined : word;
    }
    case 'choice':
      return text.trim().toUpperCase();
    default:
      break;
  }
  if (name === 'quartz_cron_expression') return text.trim().split(/\s+/).join(' ').toUpperCase();
  if (!isField) return text;
  return text.trim() === '' ? undefined : text.trim();
}

/** Returns the same text for values with the same meaning. */
export function meaningText(value: unknown): string {
  return stringifyJson(value ?? null);
}

const wholeMask =
  /^(?:[*•●]{3,}|[xX]{4,}|[[(<{*]{1,3} ?(?:redacted|hidden|masked|secret|sensitive) ?[\])>}*]{1,3}|REDACTED)$/i;

/** Replacement for a text that must not be shown. */
export const mask = '********';

/** Returns whether a value looks like a service's mask of a secret. */
export function isMask(shown: unknown): boolean {
  return typeof shown === 'string' && (wholeMask.test(shown) || /[*•●]{3}/.test(shown));
}

/** Returns whether part of the value may be a mask. */
export function hidesSome(shown: unknown): boolean {
  return /[*•●]{3}|redacted|hidden|masked/i.test(stringifyJson(shown ?? null));
}

/** Returns whether the shown text is a service's mask of the given one. */
export function isMaskOf(shown: unknown, given: unknown): boolean {
  if (typeof shown !== 'string' || given === undefined || given === null || typeof given === 'object') return false;
  if (wholeMask.test(shown)) return true;
  // Some services keep the first and last characters visible for recognition.
  const from = shown.search(/[*•●]{3}/);
  if (from < 0) return false;
  const to = Math.max(shown.lastIndexOf('*'), shown.lastIndexOf('•'), shown.lastIndexOf('●')) + 1;
  const text = String(given);
  const [start, end] = [shown.slice(0, from), shown.slice(to)];
  const isMasked = /^[*•●]+$/.test(shown.slice(from, to));
  return isMasked && start.length + end.length < text.length && text.startsWith(start) && text.endsWith(end);
}
