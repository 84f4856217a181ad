import { dereference, validate, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { isFields } from '../fields.ts';
import { type SchemaNode } from './schemaNode.ts';

/**
 * Validates values against one schema with @cfworker/json-schema, which interprets the schema: neither a schema nor its patterns are
 * compiled to code. Schemas and patterns come from outside and can take arbitrarily long, so this runs only on a thread with a time limit.
 */
export class JsonChecker {
  readonly #root: SchemaNode;
  readonly #places: ReturnType<typeof dereference>;

  /** @throws Error if the schema cannot be parsed */
  constructor(schema: SchemaNode) {
    this.#root = readable(schema) as SchemaNode;
    this.#places = dereference(this.#root);
  }

  /** Returns the schema in the form that is validated. Parts passed to other methods must come from it. */
  get schema(): SchemaNode {
    return this.#root;
  }

  /**
   * Returns the problem with a value, such as `"address.lines[0]": String is too long (12 > 10)`, or `undefined` if the value is valid.
   * @param part default: the whole schema
   */
  problemOf(value: unknown, part: SchemaNode = this.#root): string | undefined {
    let errors: OutputUnit[];
    try {
      errors = validate(value, part as Schema | boolean, '2020-12', this.#places).errors;
    } catch (error) {
      // Endless nesting or references, a dangling reference, or a keyword of the wrong type.
      return `it cannot be checked: ${firstLine(error)}`;
    }
    const [first] = errors;
    if (!first) return undefined;
    const told = errors.find(({ keyword }) => !passesOn.has(keyword)) ?? first;
    const place = placeOf(told.instanceLocation);
    const text = told.keyword === 'false' ? 'This is not allowed' : told.error.replace(/\.$/, '');
    return place === '' ? text : `"${place}": ${text}`;
  }

  fits(value: unknown, part: SchemaNode): boolean {
    return this.problemOf(value, part) === undefined;
  }
}

/** Keywords whose errors only repeat that a nested value has an error. */
const passesOn = new Set([
  '$ref',
  '$recursiveRef',
  'allOf',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'if',
  'then',
  'else',
]);

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').slice(0, 300);
}

/** Converts `#/address/lines/0` to `address.lines[0]`. */
function placeOf(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('')
    .slice(0, 300);
}

/**
 * Returns a copy that the checker accepts: integers beyond 2^53 become numbers, and patterns that this platform cannot compile are removed.
 * The checker adds its own addresses to the copy.
 */
function readable(schema: unknown): unknown {
  if (typeof schema === 'bigint') return Number(schema);
  if (Array.isArray(schema)) return schema.map(readable);
  if (!isFields(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'pattern' && typeof value === 'string' && !isPattern(value)))
      .map(([key, value]) => [
        key,
        key === 'patternProperties' && isFields(value) ? withReadableNames(value) : readable(value),
      ]),
  );
}

function withReadableNames(properties: object): unknown {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([pattern]) => isPattern(pattern))
      .map(([pattern, schema]) => [pattern, readable(schema)]),
  );
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
