import { textForPattern } from './patternText.ts';
import { isObject, nodeOf, nodesOf, resolveReference, typesOf, type SchemaNode } from './schemaNode.ts';
import { matches, validateJson } from './validateJson.ts';

/** Where values come from: asked with a property's name and description. */
export interface ValueSource {
  /** A text for a property, or undefined where there is nothing to say. */
  text(name: string, description: string, asked: TextAsked): string | undefined;
  number(name: string, description: string, index: number): number | undefined;
  boolean(name: string, description: string): boolean | undefined;
  list(name: string, description: string): readonly string[] | undefined;
}

export interface TextAsked {
  /** Values of which one is wanted. */
  choices?: readonly string[];
}

/** Below this depth only what is required is written, and lists end. */
const fullDepth = 6;
const deepestNesting = 40;

/**
 * A value that satisfies the schema, filled from a source. The same input always gives the same value.
 * @returns undefined where no value was found; what is returned has been checked
 */
export function generateJson(schema: SchemaNode, source: ValueSource): { value: unknown } | undefined {
  const writer = new Writer(schema, source);
  for (const onlyRequired of [false, true]) {
    const value = writer.write(schema, '', 0, onlyRequired);
    if (value !== undefined && validateJson(value, schema).length === 0) return { value };
  }
  return undefined;
}

class Writer {
  readonly #root: SchemaNode;
  readonly #source: ValueSource;
  #numbers = 0;

  constructor(root: SchemaNode, source: ValueSource) {
    this.#root = root;
    this.#source = source;
  }

  write(schema: SchemaNode, name: string, depth: number, onlyRequired: boolean): unknown {
    if (typeof schema === 'boolean') return schema ? (this.#source.text(name, '', {}) ?? '') : undefined;
    if (depth > deepestNesting) return undefined;
    const merged = this.#resolve(schema, 0);
    if ('const' in merged) return merged['const'];
    const description = typeof merged['description'] === 'string' ? merged['description'] : '';
    if (Array.isArray(merged['enum'])) return this.#choose(merged['enum'], name, description);
    const choices = [...nodesOf(merged['anyOf']), ...nodesOf(merged['oneOf'])];
    if (choices.length > 0) return this.#firstFitting(merged, choices, name, depth, onlyRequired);
    switch (this.#typeOf(merged)) {
      case 'object': return this.#object(merged, depth, onlyRequired || depth >= fullDepth);
      case 'array': return this.#list(merged, name, description, depth, onlyRequired);
      case 'integer': return this.#number(merged, name, description, true);
      case 'number': return this.#number(merged, name, description, false);
      case 'boolean': return this.#source.boolean(name, description) ?? false;
      case 'null': return null;
      default: return this.#text(merged, name, description);
    }
  }

  /** The schema with its reference and `allOf` parts taken in. */
  #resolve(schema: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
    if (depth > deepestNesting) return schema;
    const { $ref, allOf, ...rest } = schema;
    const parts = [...nodesOf(allOf)];
    const target = $ref === undefined ? undefined : resolveReference(this.#root, $ref);
    if (target !== undefined) parts.unshift(target);
    let merged: Record<string, unknown> = rest;
    for (const part of parts) {
      if (!isObject(part)) continue;
      const inner = this.#resolve(part, depth + 1);
      merged = {
        ...inner,
        ...merged,
        ...((inner['properties'] ?? merged['properties']) !== undefined && { properties: { ...(inner['properties'] as object), ...(merged['properties'] as object) } }),
        ...((inner['required'] ?? merged['required']) !== undefined && { required: [...strings(inner['required']), ...strings(merged['required'])] }),
      };
    }
    return merged;
  }

  #typeOf(schema: Readonly<Record<string, unknown>>): string {
    const types = typesOf(schema);
    if (types) return types.find((type) => type !== 'null') ?? 'null';
    if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
    if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
    if (schema['minimum'] !== undefined || schema['maximum'] !== undefined) return 'number';
    return 'string';
  }

  #choose(values: readonly unknown[], name: string, description: string): unknown {
    const texts = values.filter((value) => typeof value === 'string');
    const chosen = texts.length > 0 ? this.#source.text(name, description, { choices: texts }) : undefined;
    return chosen !== undefined && texts.includes(chosen) ? chosen : values[0];
  }

  #firstFitting(schema: Readonly<Record<string, unknown>>, choices: readonly SchemaNode[], name: string, depth: number, onlyRequired: boolean): unknown {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
    const candidates = [...choices].sort((left, right) => Number(isNull(left)) - Number(isNull(right)));
    for (const choice of candidates) {
      if (choice === false) continue;
      const combined = choice === true ? rest : { ...rest, allOf: [...nodesOf(rest['allOf']), choice] };
      const value = this.write(combined, name, depth + 1, onlyRequired);
      const whole: SchemaNode = isObject(this.#root) ? { ...schema, $defs: this.#root['$defs'], definitions: this.#root['definitions'] } : schema;
      if (value !== undefined && validateJson(value, whole).length === 0) return value;
    }
    return undefined;
  }

  #object(schema: Readonly<Record<string, unknown>>, depth: number, onlyRequired: boolean): unknown {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(strings(schema['required']));
    const result: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(properties), ...required])) {
      if (onlyRequired && !required.has(key)) continue;
      const value = this.write(nodeOf(properties[key] ?? schema['additionalProperties']), key, depth + 1, onlyRequired);
      // A key such as __proto__ is a property like any other.
      if (value !== undefined) Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
    }
    for (let index = 1; Object.keys(result).length < numberOr(schema['minProperties'], 0) && index <= 50; index += 1) {
      result[`key${index}`] = this.write(nodeOf(schema['additionalProperties']), `key${index}`, depth + 1, true);
    }
    return result;
  }

  #list(schema: Readonly<Record<string, unknown>>, name: string, description: string, depth: number, onlyRequired: boolean): unknown {
    const leading = nodesOf(schema['prefixItems']).map((item) => this.write(item, name, depth + 1, onlyRequired));
    const items = nodeOf(schema['items']);
    const least = numberOr(schema['minItems'], 0);
    const most = numberOr(schema['maxItems'], 50);
    const itemType = isObject(items) ? this.#typeOf(this.#resolve(items, 0)) : 'string';
    const found = itemType === 'string' && leading.length === 0 ? (this.#source.list(name, description) ?? []) : [];
    const usable = [...new Set(found)].filter((text) => validateJson(text, this.#withRoot(items)).length === 0).slice(0, most);
    const result: unknown[] = [...leading, ...usable];
    const wanted = Math.min(most, Math.max(least, depth >= fullDepth || leading.length > 0 || result.length > 0 ? least : 1));
    for (let attempt = 0; result.length < wanted && attempt < wanted * 2; attempt += 1) {
      const value = this.write(items, name, depth + 1, onlyRequired);
      if (value === undefined) break;
      if (schema['uniqueItems'] !== true || !result.includes(value)) result.push(value);
      else result.push(typeof value === 'number' ? value + result.length : typeof value === 'string' ? `${value} ${result.length + 1}` : value);
    }
    return result;
  }

  #withRoot(schema: SchemaNode): SchemaNode {
    return isObject(schema) && isObject(this.#root) ? { ...schema, $defs: this.#root['$defs'], definitions: this.#root['definitions'] } : schema;
  }

  #number(schema: Readonly<Record<string, unknown>>, name: string, description: string, whole: boolean): number {
    const step = numberOr(schema['multipleOf'], whole ? 1 : 0);
    const unit = step > 0 ? step : 0.5;
    const least = Math.max(numberOr(schema['minimum'], -Infinity), numberOr(schema['exclusiveMinimum'], -Infinity) + (schema['exclusiveMinimum'] === undefined ? 0 : unit));
    const most = Math.min(numberOr(schema['maximum'], Infinity), numberOr(schema['exclusiveMaximum'], Infinity) - (schema['exclusiveMaximum'] === undefined ? 0 : unit));
    let value = this.#source.number(name, description, this.#numbers) ?? 0;
    this.#numbers += 1;
    value = Math.min(Math.max(value, least), most);
    if (step > 0) {
      value = Math.round(value / step) * step;
      if (value < least) value += step;
      if (value > most) value -= step;
    }
    return Number.isFinite(value) ? value : 0;
  }

  #text(schema: Readonly<Record<string, unknown>>, name: string, description: string): string {
    const { pattern, format } = schema;
    const found = this.#source.text(name, description, {});
    if (typeof format === 'string' && format in formatSamples) return found !== undefined && validateJson(found, schema).length === 0 ? found : (formatSamples[format] ?? '');
    if (typeof pattern === 'string') {
      const word = found?.split(/\s+/).find((part) => matches(pattern, part));
      const candidate = found !== undefined && matches(pattern, found) ? found : (word ?? textForPattern(pattern));
      return fitLength(candidate, schema, pattern);
    }
    return fitLength(found ?? name, schema, undefined);
  }
}

const formatSamples: Record<string, string> = {
  date: '2026-01-31',
  time: '02:30:00Z',
  'date-time': '2026-01-31T02:30:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '127.0.0.1',
  uri: 'https://example.com/',
  hostname: 'example.com',
};

function fitLength(text: string, schema: Readonly<Record<string, unknown>>, pattern: string | undefined): string {
  const least = Math.min(numberOr(schema['minLength'], 0), 10_000);
  let characters = [...text].slice(0, numberOr(schema['maxLength'], Infinity));
  if (characters.length < least) {
    const filler = pattern === undefined ? '.' : (characters.at(-1) ?? 'a');
    characters = [...characters, ...Array.from({ length: least - characters.length }, () => filler)];
  }
  return characters.join('');
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}

function isNull(schema: SchemaNode): boolean {
  return isObject(schema) && schema['type'] === 'null';
}
