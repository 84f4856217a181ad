import { dereference, validate, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { isFields } from '../fields.ts';
import { type SchemaNode } from './schemaNode.ts';

/**
 * Checks values against one schema, with @cfworker/json-schema: it interprets, so neither a schema nor its patterns become code. Schemas and their
 * patterns come from outside, and either can take any time: this runs in a thread with a time limit and nowhere else.
 */
export class JsonChecker {
  readonly #root: SchemaNode;
  readonly #places: ReturnType<typeof dereference>;

  /** @throws Error if the schema cannot be read */
  constructor(schema: SchemaNode) {
    this.#root = readable(schema) as SchemaNode;
    this.#places = dereference(this.#root);
  }

  /** The schema as it is checked: whatever is asked about a part of it has to be a part of this one. */
  get schema(): SchemaNode {
    return this.#root;
  }

  /**
   * What is wrong with a value, such as `"address.lines[0]": String is too long (12 > 10)`; undefined if it fits. @param
   * part the whole schema if it is left out
   */
  problemOf(value: unknown, part: SchemaNode = this.#root): string | undefined {
    let errors: OutputUnit[];
    try {
      errors = validate(value, part as Schema | boolean, '2020-12', this.#places).errors;
    } catch (error) {
      // Nested or referring without an end, a reference that leads nowhere, or a keyword of another type than it has.
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

/** Keywords whose errors only say that there is one further down. */
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

/** `#/address/lines/0` as `address.lines[0]`. */
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
 * A copy that the checker takes: whole numbers beyond 2^53 as numbers, and without patterns that this platform cannot read, which say nothing. The copy is
 * also what the checker marks with addresses of its own.
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
