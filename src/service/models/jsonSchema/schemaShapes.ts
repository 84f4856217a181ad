import { isFields } from '../../../shared/fields.ts';
import {
  nodeOf,
  nodesOf,
  numberOr,
  resolveReference,
  stringsOf,
  typesOf,
  type SchemaNode,
  type SchemaObject,
} from '../../../shared/jsonSchema/schemaNode.ts';

/** Maximum number of schema nodes, above what anybody writes by hand. Combining the parts of a schema can exceed it. */
const maxNodes = 20_000;
const maxReferences = 40;

/** Thrown when a schema has too many nodes to process. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/** Key for `allOf` parts that are not merged yet because both sides have alternatives. */
const pending = '$pending';

/** Functions that return the stricter of two limits. */
const stricter: Readonly<Record<string, (left: number, right: number) => number>> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
};

/**
 * Resolves a schema's references and `allOf` parts, and computes the height of each node's smallest value. The same node always yields the
 * same object, so that recursion can be detected.
 */
export class SchemaShapes {
  readonly #root: SchemaNode;
  readonly #resolved = new Map<SchemaObject, SchemaObject>();
  readonly #forms = new Map<SchemaObject, SchemaNode[]>();
  readonly #pairs = new Map<SchemaNode, Map<SchemaNode, SchemaNode>>();
  readonly #heights = new Map<SchemaNode, number>();
  #made = 0;

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** Returns the schema with its reference and its `allOf` parts merged in. */
  resolved(schema: SchemaObject): SchemaObject {
    return this.#resolve(schema, 0);
  }

  #resolve(schema: SchemaObject, depth: number): SchemaObject {
    const known = this.#resolved.get(schema);
    if (known !== undefined) return known;
    if (schema['$ref'] === undefined && schema['allOf'] === undefined && schema[pending] === undefined) return schema;
    if (depth > maxReferences) return schema;
    const { $ref: reference, allOf, [pending]: left, ...rest } = schema;
    const target = reference === undefined ? undefined : resolveReference(this.#root, reference);
    const parts = [...(target === undefined ? [] : [target]), ...nodesOf(allOf), ...nodesOf(left)];
    let merged: SchemaObject = rest;
    // A schema with only a reference resolves to the reference's target, so that both share one object.
    const [only] = parts;
    if (parts.length === 1 && isFields(only) && asksNothing(rest)) merged = this.#resolve(only, depth + 1);
    else
      for (const part of parts)
        merged =
          part === false
            ? { ...merged, enum: [] }
            : isFields(part)
              ? this.#merge(this.#resolve(part, depth + 1), merged)
              : merged;
    this.#note();
    this.#resolved.set(schema, merged);
    return merged;
  }

  /** Combines two schemas. Keywords that cannot be combined are copied from `outer`; the finished value is validated anyway. */
  #merge(inner: SchemaObject, outer: SchemaObject): SchemaObject {
    const merged: Record<string, unknown> = { ...inner, ...outer };
    for (const [key, choose] of Object.entries(stricter)) {
      const [left, right] = [inner[key], outer[key]];
      if (typeof left === 'number' && typeof right === 'number') merged[key] = choose(left, right);
    }
    const [innerTypes, outerTypes] = [typesOf(inner), typesOf(outer)];
    if (innerTypes && outerTypes) merged['type'] = commonTypes(innerTypes, outerTypes);
    if (isFields(inner['properties']) && isFields(outer['properties']))
      merged['properties'] = this.#mergeProperties(inner['properties'], outer['properties']);
    if (inner['required'] !== undefined && outer['required'] !== undefined)
      merged['required'] = [...new Set([...stringsOf(inner['required']), ...stringsOf(outer['required'])])];
    if (inner['items'] !== undefined && outer['items'] !== undefined)
      merged['items'] = this.#both(nodeOf(inner['items']), nodeOf(outer['items']));
    const alternatives = (['anyOf', 'oneOf'] as const).filter(
      (key) => inner[key] !== undefined && outer[key] !== undefined && inner[key] !== outer[key],
    );
    if (alternatives.length > 0)
      merged[pending] = [
        ...nodesOf(inner[pending]),
        ...nodesOf(outer[pending]),
        ...alternatives.map((key) => ({ [key]: inner[key] })),
      ];
    return merged;
  }

  #mergeProperties(inner: SchemaObject, outer: SchemaObject): SchemaObject {
    // `fromEntries` treats a name such as __proto__ like any other.
    const names = new Set([...Object.keys(inner), ...Object.keys(outer)]);
    return Object.fromEntries(
      [...names].map((name) => {
        const [left, right] = [own(inner, name), own(outer, name)];
        return [
          name,
          left === undefined ? right : right === undefined ? left : this.#both(nodeOf(left), nodeOf(right)),
        ];
      }),
    );
  }

  #both(left: SchemaNode, right: SchemaNode): SchemaNode {
    if (left === right || left === true) return right;
    if (right === true) return left;
    const others = this.#pairs.get(left) ?? new Map<SchemaNode, SchemaNode>();
    this.#pairs.set(left, others);
    const both = others.get(right) ?? { allOf: [left, right] };
    others.set(right, both);
    return both;
  }

  /**
   * Returns the alternatives of a schema, each combined with the keywords beside them, or an empty list if there are none.
   * @param schema a resolved schema
   */
  forms(schema: SchemaObject): readonly SchemaNode[] {
    const known = this.#forms.get(schema);
    if (known) return known;
    const key = ['anyOf', 'oneOf'].find((name) => nodesOf(schema[name]).length > 0);
    const forms = key === undefined ? [] : this.#formsOf(schema, key);
    this.#forms.set(schema, forms);
    return forms;
  }

  #formsOf(schema: SchemaObject, key: string): SchemaNode[] {
    const { [key]: choices, ...rest } = schema;
    return nodesOf(choices).map((choice) => {
      this.#note();
      if (choice === false) return false;
      if (asksNothing(rest)) return choice;
      return choice === true ? rest : { ...rest, allOf: [choice] };
    });
  }

  /** Returns the nesting depth of the smallest valid value: 0 for a string, Infinity if every value is infinite. */
  height(schema: SchemaNode): number {
    if (typeof schema === 'boolean') return schema ? 0 : Infinity;
    const known = this.#heights.get(schema);
    if (known !== undefined) return known;
    const nodes = this.#reachable(schema).reverse();
    for (const node of nodes) this.#heights.set(node, Infinity);
    // Each round computes heights one level further up. Nodes whose height stays infinite have no finite value.
    for (let changed = true; changed;) {
      changed = false;
      for (const node of nodes) {
        const height = this.#heightOf(node);
        if (height >= (this.#heights.get(node) ?? Infinity)) continue;
        this.#heights.set(node, height);
        changed = true;
      }
    }
    return this.#heights.get(schema) ?? Infinity;
  }

  /** Returns every node whose height is unknown, parents before children. */
  #reachable(start: SchemaObject): SchemaObject[] {
    const found = new Set<SchemaObject>([start]);
    for (const schema of found) {
      const node = this.resolved(schema);
      for (const below of [node, ...this.forms(node), ...this.#needed(node).flat()]) {
        if (isFields(below) && !this.#heights.has(below)) found.add(below);
      }
      if (found.size > maxNodes) throw new TooComplex();
    }
    return [...found];
  }

  #heightOf(schema: SchemaObject): number {
    const node = this.resolved(schema);
    if ('const' in node) return 0;
    if (Array.isArray(node['enum'])) return node['enum'].length > 0 ? 0 : Infinity;
    const forms = this.forms(node);
    if (forms.length > 0) return Math.min(...forms.map((form) => this.#known(form)));
    const type = minimalType(node);
    if (type === undefined) return Infinity;
    if (type !== 'object' && type !== 'array') return 0;
    return (
      1 +
      Math.max(-1, ...this.#needed(node).map((choices) => Math.min(...choices.map((choice) => this.#known(choice)))))
    );
  }

  #known(schema: SchemaNode): number {
    return typeof schema === 'boolean' ? (schema ? 0 : Infinity) : (this.#heights.get(schema) ?? Infinity);
  }

  /** Returns the schemas of the required items or properties. Of each inner list, one schema is enough. */
  #needed(node: SchemaObject): SchemaNode[][] {
    const type = minimalType(node);
    if (type === 'array') {
      const leading = nodesOf(node['prefixItems']);
      const count = numberOr(node['minItems'], 0);
      const contained =
        node['contains'] === undefined || numberOr(node['minContains'], 1) === 0 ? [] : [[nodeOf(node['contains'])]];
      return [
        ...leading.slice(0, count).map((item) => [item]),
        ...(count > leading.length ? [[nodeOf(node['items'])]] : []),
        ...contained,
      ];
    }
    if (type !== 'object') return [];
    const properties = propertiesOf(node);
    const required = stringsOf(node['required']);
    const extra =
      numberOr(node['minProperties'], 0) > required.length
        ? [[...Object.values(properties).map(nodeOf), nodeOf(node['additionalProperties'])]]
        : [];
    return [...required.map((name) => [propertyOf(node, name)]), ...extra];
  }

  #note(): void {
    this.#made += 1;
    if (this.#made > maxNodes) throw new TooComplex();
  }
}

const saysNothing = new Set([
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

function asksNothing(schema: SchemaObject): boolean {
  return Object.keys(schema).every((key) => saysNothing.has(key));
}

function own(fields: SchemaObject, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function propertiesOf(node: SchemaObject): SchemaObject {
  return isFields(node['properties']) ? node['properties'] : {};
}

/** Returns the schema of a property's value. */
export function propertyOf(node: SchemaObject, name: string): SchemaNode {
  return nodeOf(own(propertiesOf(node), name) ?? node['additionalProperties']);
}

/** Returns the type of the value to generate, or `undefined` if no type is allowed. */
export function typeOf(node: SchemaObject): string | undefined {
  const types = typesOf(node);
  if (types) return types.find((type) => type !== 'null') ?? types[0];
  if (
    ['properties', 'required', 'minProperties', 'additionalProperties', 'patternProperties', 'propertyNames'].some(
      (key) => node[key] !== undefined,
    )
  )
    return 'object';
  if (['items', 'prefixItems', 'minItems', 'contains'].some((key) => node[key] !== undefined)) return 'array';
  if (
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some((key) => node[key] !== undefined)
  )
    return 'number';
  return 'string';
}

/** Returns the type with the smallest valid value. */
export function minimalType(node: SchemaObject): string | undefined {
  const types = typesOf(node) ?? [typeOf(node)];
  return types.find((type) => type !== 'object' && type !== 'array') ?? types[0];
}

function commonTypes(left: readonly string[], right: readonly string[]): string[] {
  const has = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...left.filter((type) => has(right, type)), ...right.filter((type) => has(left, type))])];
}
