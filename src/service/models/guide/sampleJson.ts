import { isFields } from '../../../shared/fields.ts';
import { JsonChecker } from '../../../shared/jsonSchema/checkJson.ts';
import {
  nodeOf,
  nodesOf,
  numberOr,
  resolveReference,
  type SchemaNode,
  type SchemaObject,
  stringsOf,
  typesOf,
} from '../../../shared/jsonSchema/schemaNode.ts';

/** Maximum nesting and number of values; deeper schemas refer to themselves. */
const maxDepth = 30;
const maxValues = 1000;

/**
 * Returns a value that a JSON schema accepts: only what is required, and texts are the given one. Knows types, required, enum, const,
 * items, lengths and limits. Returns `undefined` for a schema that needs more, such as a pattern.
 */
export function sampleJson(schema: SchemaNode, text: string): { value: unknown } | undefined {
  try {
    const checker = new JsonChecker(schema);
    const value = new Sampler(checker.schema, text).of(checker.schema, 0);
    return checker.problemOf(value) === undefined ? { value } : undefined;
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}

class TooComplex extends Error {}

class Sampler {
  readonly #root: SchemaNode;
  readonly #text: string;
  #count = 0;

  constructor(root: SchemaNode, text: string) {
    [this.#root, this.#text] = [root, text];
  }

  of(node: SchemaNode, depth: number): unknown {
    this.#count += 1;
    if (depth > maxDepth || this.#count > maxValues) throw new TooComplex();
    if (typeof node === 'boolean') return this.#text;
    const { $ref: reference } = node;
    if (reference !== undefined) return this.of(resolveReference(this.#root, reference) ?? true, depth + 1);
    if (node['const'] !== undefined) return node['const'];
    if (Array.isArray(node['enum'])) return node['enum'][0];
    const choices = [...nodesOf(node['anyOf']), ...nodesOf(node['oneOf'])];
    // `null` ends a schema that refers to itself.
    const choice = choices.find((each) => isFields(each) && each['type'] === 'null') ?? choices[0];
    if (choice !== undefined) return this.of(merged(node, [choice]), depth + 1);
    const parts = nodesOf(node['allOf']);
    if (parts.length > 0) return this.of(merged(node, parts), depth + 1);
    switch (typesOf(node)?.[0] ?? (isFields(node['properties']) ? 'object' : 'string')) {
      case 'object':
        return this.#object(node, depth);
      case 'array': {
        const items = nodeOf(node['items']);
        return Array.from({ length: Math.min(numberOr(node['minItems'], 0), maxValues) }, () =>
          this.of(items, depth + 1),
        );
      }
      case 'integer':
      case 'number':
        return numberIn(node);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return textIn(node, this.#text);
    }
  }

  #object(node: SchemaObject, depth: number): Record<string, unknown> {
    const properties = isFields(node['properties']) ? node['properties'] : {};
    const names = stringsOf(node['required']);
    return Object.fromEntries(names.map((name) => [name, this.of(nodeOf(properties[name]), depth + 1)]));
  }
}

/** Joins a schema with parts of its `allOf` or the first of its `anyOf`. */
function merged(
  { anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...rest }: SchemaObject,
  parts: SchemaNode[],
): SchemaObject {
  const all = [rest, ...parts].filter((part): part is SchemaObject => typeof part === 'object');
  const properties = Object.assign({}, ...all.map((part) => part['properties'])) as SchemaObject;
  const required = all.flatMap((part) => stringsOf(part['required']));
  return { ...(Object.assign({}, ...all) as SchemaObject), properties, required };
}

function numberIn(node: SchemaObject): number {
  const step = numberOr(node['multipleOf'], 1);
  const above = node['exclusiveMinimum'] === undefined ? -Infinity : numberOr(node['exclusiveMinimum'], 0) + step;
  const below = node['exclusiveMaximum'] === undefined ? Infinity : numberOr(node['exclusiveMaximum'], 0) - step;
  const max = Math.min(numberOr(node['maximum'], Infinity), below);
  const value = Math.max(numberOr(node['minimum'], -Infinity), above, Math.min(0, max));
  return Math.ceil(value / step) * step;
}

function textIn(node: SchemaObject, text: string): string {
  const length = Math.min(numberOr(node['minLength'], 0), maxValues);
  return text.slice(0, numberOr(node['maxLength'], Infinity)).padEnd(length, '.');
}
