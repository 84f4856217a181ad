import { isFields } from '../../../shared/fields.ts';
import { JsonChecker } from '../../../shared/jsonSchema/checkJson.ts';
import {
  nodeOf,
  nodesOf,
  numberOr,
  stringsOf,
  type SchemaNode,
  type SchemaObject,
} from '../../../shared/jsonSchema/schemaNode.ts';
import { textForPattern } from './patternText.ts';
import { minimalType, propertiesOf, propertyOf, SchemaShapes, TooComplex, typeOf } from './schemaShapes.ts';

/** Supplies values by a property's name and description. */
export interface ValueSource {
  /** Returns a text for a property, or `undefined` if the source has none. */
  text(name: string, description: string, asked: TextAsked): string | undefined;
  number(name: string, description: string, index: number): number | undefined;
  boolean(name: string, description: string): boolean | undefined;
  list(name: string, description: string): readonly string[] | undefined;
}

interface TextAsked {
  /** The values to choose from. */
  readonly choices?: readonly string[];
}

/** Maximum depth for optional properties and list items. */
const fullDepth = 6;
/** Maximum number of values in an answer. A schema whose smallest value is larger is refused. */
const maxValues = 5_000;
/** Maximum number of failed validations, because validating one value can cost as much as the whole schema. */
const maxMisfits = 50;
const maxListItems = 50;
const maxTextLength = 10_000;
/** Maximum length of a text that is matched against a pattern, because matching time can grow polynomially with the length. */
const maxMatchedLength = 200;

/**
 * Returns a value that satisfies the schema, filled from a source. The same input always gives the same value.
 * @returns a validated value, or `undefined` if none was found
 */
export function generateJson(schema: SchemaNode, source: ValueSource): { value: unknown } | undefined {
  const checker = checkerFor(schema);
  if (!checker) return undefined;
  try {
    const shapes = new SchemaShapes(checker.schema);
    if (shapes.height(checker.schema) === Infinity) return undefined;
    for (const isMinimal of [false, true]) {
      const value = new Writer(checker, shapes, source, isMinimal).begin();
      if (value !== undefined && checker.fits(value, checker.schema)) return { value };
    }
  } catch (error) {
    // The schema is too large, or nested more deeply than the stack.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error;
  }
  return undefined;
}

function checkerFor(schema: SchemaNode): JsonChecker | undefined {
  try {
    return new JsonChecker(schema);
  } catch {
    // The schema is invalid, for example because it defines an address twice.
    return undefined;
  }
}

/** The position of a value in the generated document. */
interface Place {
  readonly name: string;
  readonly depth: number;
  /** Whether to write only required values. */
  readonly isMinimal: boolean;
}

class Writer {
  readonly #checker: JsonChecker;
  readonly #shapes: SchemaShapes;
  readonly #source: ValueSource;
  readonly #isMinimal: boolean;
  /** The nodes from the root down to the value being written. */
  readonly #above = new Set<SchemaNode>();
  #numbers = 0;
  #values = 0;
  #misfits = 0;

  constructor(checker: JsonChecker, shapes: SchemaShapes, source: ValueSource, isMinimal: boolean) {
    this.#checker = checker;
    this.#shapes = shapes;
    this.#source = source;
    this.#isMinimal = isMinimal;
  }

  #fits(value: unknown, schema: SchemaNode): boolean {
    if (this.#checker.fits(value, schema)) return true;
    this.#misfits += 1;
    if (this.#misfits > maxMisfits) throw new TooComplex();
    return false;
  }

  begin(): unknown {
    try {
      return this.#write(this.#checker.schema, { name: '', depth: 0, isMinimal: this.#isMinimal });
    } catch (error) {
      if (error instanceof TooComplex) return undefined;
      throw error;
    }
  }

  #write(schema: SchemaNode, place: Place): unknown {
    if (typeof schema === 'boolean') return schema ? (this.#source.text(place.name, '', {}) ?? '') : undefined;
    this.#values += 1;
    if (this.#values > maxValues) throw new TooComplex();
    const node = this.#shapes.resolved(schema);
    const description = typeof node['description'] === 'string' ? node['description'] : '';
    if ('const' in node) return node['const'];
    if (Array.isArray(node['enum'])) return this.#choose(node['enum'], place.name, description);
    const isAbove = this.#above.has(node);
    this.#above.add(node);
    try {
      const forms = this.#shapes.forms(node);
      return forms.length > 0 ? this.#firstFitting(node, forms, place) : this.#writeType(node, place, description);
    } finally {
      if (!isAbove) this.#above.delete(node);
    }
  }

  #writeType(node: SchemaObject, place: Place, description: string): unknown {
    const { name } = place;
    switch (place.isMinimal ? minimalType(node) : typeOf(node)) {
      case 'object':
        return this.#object(node, { ...place, isMinimal: place.isMinimal || place.depth >= fullDepth });
      case 'array':
        return this.#list(node, place, description);
      case 'integer':
        return this.#number(node, name, description, true);
      case 'number':
        return this.#number(node, name, description, false);
      case 'boolean':
        return this.#source.boolean(name, description) ?? false;
      case 'null':
        return null;
      case undefined:
        return undefined;
      default:
        return this.#text(node, name, description);
    }
  }

  #choose(values: readonly unknown[], name: string, description: string): unknown {
    const texts = values.filter((value) => typeof value === 'string');
    const chosen = texts.length > 0 ? this.#source.text(name, description, { choices: texts }) : undefined;
    return chosen !== undefined && texts.includes(chosen) ? chosen : values[0];
  }

  /** Returns whether the schema contains itself at this position. */
  #leadsBack(schema: SchemaNode): boolean {
    return isFields(schema) && this.#above.has(this.#shapes.resolved(schema));
  }

  /** Returns the first alternative that fits. Recursive alternatives come last, so that each tree ends at its first leaf. */
  #firstFitting(node: SchemaObject, forms: readonly SchemaNode[], place: Place): unknown {
    const rank = (form: SchemaNode): number => {
      const height = this.#shapes.height(form);
      return place.isMinimal
        ? height
        : height === Infinity
          ? Infinity
          : (this.#leadsBack(form) ? 2 : 0) + (isNull(form) ? 1 : 0);
    };
    const candidates = forms
      .map((form) => ({ form, rank: rank(form) }))
      .filter((candidate) => candidate.rank < Infinity);
    for (const { form } of candidates.sort((left, right) => left.rank - right.rank)) {
      const again = this.#leadsBack(form);
      const value = this.#write(form, { ...place, depth: place.depth + 1, isMinimal: place.isMinimal || again });
      if (value !== undefined && this.#fits(value, node)) return value;
    }
    return undefined;
  }

  #object(node: SchemaObject, place: Place): unknown {
    const required = new Set(stringsOf(node['required']));
    const result: Record<string, unknown> = {};
    // `defineProperty` treats a key such as __proto__ like any other.
    const put = (key: string, value: unknown): void =>
      void Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
    const below = (name: string): Place => ({ ...place, name, depth: place.depth + 1 });
    const optional: string[] = [];
    for (const key of new Set([...Object.keys(propertiesOf(node)), ...required])) {
      const schema = propertyOf(node, key);
      if (
        !required.has(key) &&
        (place.isMinimal || this.#leadsBack(schema) || this.#shapes.height(schema) === Infinity)
      ) {
        optional.push(key);
        continue;
      }
      const value = this.#write(schema, below(key));
      if (value !== undefined && (required.has(key) || this.#fits(value, schema))) put(key, value);
      else if (required.has(key)) return undefined;
    }
    const wanted = numberOr(node['minProperties'], 0);
    const names = [
      ...optional.sort(
        (left, right) => this.#shapes.height(propertyOf(node, left)) - this.#shapes.height(propertyOf(node, right)),
      ),
      ...this.#freeNames(node, wanted),
    ];
    for (const name of names) {
      if (Object.keys(result).length >= wanted) break;
      if (Object.hasOwn(result, name)) continue;
      const value = this.#write(propertyOf(node, name), { ...below(name), isMinimal: true });
      if (value !== undefined) put(name, value);
    }
    return result;
  }

  /** Returns names for properties that the schema does not name. */
  #freeNames(node: SchemaObject, count: number): string[] {
    const asked = node['propertyNames'];
    const given = isFields(asked) ? stringsOf(this.#shapes.resolved(asked)['enum']) : [];
    const shaped =
      isFields(asked) && typeof asked['pattern'] === 'string' ? textForPattern(asked['pattern']) : undefined;
    const numbered = Array.from({ length: Math.min(count, maxListItems) }, (_unused, index) => `key${index + 1}`);
    return [...given, ...(shaped === undefined ? [] : [shaped]), ...numbered];
  }

  #list(node: SchemaObject, place: Place, description: string): unknown {
    const below: Place = { ...place, depth: place.depth + 1 };
    const min = numberOr(node['minItems'], 0);
    const max = Math.min(numberOr(node['maxItems'], Infinity), Math.max(min, maxListItems));
    if (min > maxValues) throw new TooComplex();
    const prefix = nodesOf(node['prefixItems']);
    const result: unknown[] = (place.isMinimal ? prefix.slice(0, min) : prefix.slice(0, max)).map((item) =>
      this.#write(item, below),
    );
    if (result.includes(undefined)) return undefined;
    if (node['contains'] !== undefined && numberOr(node['minContains'], 1) > 0)
      result.push(this.#write(nodeOf(node['contains']), below));
    const items = nodeOf(node['items']);
    result.push(...this.#found(items, place, description).slice(0, Math.max(0, max - result.length)));
    const ends =
      place.isMinimal ||
      place.depth >= fullDepth ||
      result.length > 0 ||
      this.#leadsBack(items) ||
      this.#shapes.height(items) === Infinity;
    const wanted = Math.min(max, Math.max(min, ends ? min : 1));
    for (let attempt = 0; result.length < wanted && attempt < wanted * 2; attempt += 1) {
      const value = this.#write(items, { ...below, isMinimal: below.isMinimal || this.#leadsBack(items) });
      if (value === undefined) break;
      if (node['uniqueItems'] !== true || !result.includes(value)) result.push(value);
      else
        result.push(
          typeof value === 'number'
            ? value + result.length
            : typeof value === 'string'
              ? `${value} ${result.length + 1}`
              : value,
        );
    }
    return result;
  }

  /** Returns the source's values for a list of texts. */
  #found(items: SchemaNode, place: Place, description: string): string[] {
    const isTexts = !isFields(items) || typeOf(this.#shapes.resolved(items)) === 'string';
    if (place.isMinimal || items === false || !isTexts) return [];
    return [...new Set(this.#source.list(place.name, description) ?? [])].filter((text) => this.#fits(text, items));
  }

  #number(node: SchemaObject, name: string, description: string, whole: boolean): number | undefined {
    const step = numberOr(node['multipleOf'], whole ? 1 : 0);
    const unit = step > 0 ? step : 0.5;
    const above =
      node['exclusiveMinimum'] === undefined ? -Infinity : numberOr(node['exclusiveMinimum'], -Infinity) + unit;
    const below =
      node['exclusiveMaximum'] === undefined ? Infinity : numberOr(node['exclusiveMaximum'], Infinity) - unit;
    const min = Math.max(numberOr(node['minimum'], -Infinity), above);
    const max = Math.min(numberOr(node['maximum'], Infinity), below);
    let value = this.#source.number(name, description, this.#numbers) ?? 0;
    this.#numbers += 1;
    value = min > max && step === 0 ? (min + max) / 2 : Math.min(Math.max(value, min), max);
    if (step > 0) {
      value = Math.round(value / step) * step;
      if (value < min) value += step;
      if (value > max) value -= step;
      // Without rounding, 0.30000000000000004 would not be a multiple of 0.1.
      if (!whole) value = Number(value.toPrecision(12));
    }
    return Number.isFinite(value) ? value : undefined;
  }

  #text(node: SchemaObject, name: string, description: string): string {
    const { pattern, format } = node;
    const found = this.#source.text(name, description, {});
    if (typeof format === 'string' && format in formatSamples)
      return found !== undefined && this.#fits(found, node) ? found : (formatSamples[format] ?? '');
    if (typeof pattern !== 'string') return fitLength(found ?? name, node, '.');
    const words = found === undefined ? [] : [found, ...found.slice(0, maxTextLength).split(/\s+/, maxListItems)];
    const matching = words.find((word) => word.length <= maxMatchedLength && matches(pattern, word));
    const text = matching ?? textForPattern(pattern);
    return fitLength(text, node, text.at(-1) ?? 'a');
  }
}

function matches(pattern: string, text: string): boolean {
  // The checker has removed patterns that this platform cannot compile.
  return new RegExp(pattern, 'u').test(text);
}

const formatSamples: Record<string, string> = {
  date: '2026-01-31',
  time: '02:30:00Z',
  'date-time': '2026-01-31T02:30:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.com/',
  hostname: 'example.com',
};

function fitLength(text: string, node: SchemaObject, filler: string): string {
  const minLength = Math.min(numberOr(node['minLength'], 0), maxTextLength);
  const characters = [...text.slice(0, 4 * maxTextLength)].slice(0, Math.max(0, numberOr(node['maxLength'], Infinity)));
  return characters.join('') + filler.repeat(Math.max(0, minLength - characters.length));
}

function isNull(schema: SchemaNode): boolean {
  return isFields(schema) && schema['type'] === 'null';
}
