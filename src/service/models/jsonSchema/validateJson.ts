import { sameJson } from '../../../shared/sameJson.ts';
import { isObject, nodeOf, nodesOf, resolveReference, typesOf, type SchemaNode } from './schemaNode.ts';

/** Where a value breaks its schema. */
export interface SchemaProblem {
  /** As in `address.lines[0]`; empty for the value itself. */
  path: string;
  message: string;
}

/** Schemas may refer to themselves; values are finite, but a reference without a step into the value is not. */
const deepestNesting = 200;

/**
 * Checks a value against the subset of JSON Schema that models are asked for: type, enum, const, properties, required,
 * additionalProperties, patternProperties, propertyNames, items, prefixItems, contains, the size and range keywords,
 * pattern, format, allOf, anyOf, oneOf, not, if/then/else and `$ref` within the document. Other keywords say nothing.
 */
export function validateJson(value: unknown, schema: SchemaNode): SchemaProblem[] {
  return check(value, schema, { root: schema, path: '', depth: 0 });
}

interface Place {
  root: SchemaNode;
  path: string;
  depth: number;
}

function check(value: unknown, schema: SchemaNode, place: Place): SchemaProblem[] {
  if (schema === true) return [];
  if (schema === false) return [problem(place, 'is not allowed')];
  if (place.depth > deepestNesting) return [problem(place, 'is nested too deeply to be checked')];
  const inner = { ...place, depth: place.depth + 1 };
  const problems: SchemaProblem[] = [];
  if (schema['$ref'] !== undefined) {
    const target = resolveReference(place.root, schema['$ref']);
    if (target === undefined) return [problem(place, `cannot be checked: the schema refers to ${String(schema['$ref'])}, which is not in it`)];
    problems.push(...check(value, target, inner));
  }
  const types = typesOf(schema);
  if (types && !types.some((type) => hasType(value, type))) return [...problems, problem(place, `must be ${types.join(' or ')}, not ${typeName(value)}`)];
  if (Array.isArray(schema['enum']) && !schema['enum'].some((item) => sameJson(item, value))) problems.push(problem(place, `must be one of ${schema['enum'].map((item) => JSON.stringify(item)).join(', ')}`));
  if ('const' in schema && !sameJson(schema['const'], value)) problems.push(problem(place, `must be ${JSON.stringify(schema['const'])}`));
  if (typeof value === 'string') problems.push(...checkText(value, schema, place));
  if (typeof value === 'number' || typeof value === 'bigint') problems.push(...checkNumber(Number(value), schema, place));
  if (Array.isArray(value)) problems.push(...checkList(value, schema, inner));
  if (isObject(value)) problems.push(...checkObject(value, schema, inner));
  problems.push(...checkCombinations(value, schema, inner));
  return problems;
}

function problem(place: Place, message: string): SchemaProblem {
  return { path: place.path, message };
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null': return value === null;
    case 'array': return Array.isArray(value);
    case 'object': return isObject(value);
    case 'integer': return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
    case 'number': return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
    default: return typeof value === type;
  }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function checkText(value: string, schema: Readonly<Record<string, unknown>>, place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const length = [...value].length;
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === 'number' && length < minLength) problems.push(problem(place, `must have at least ${minLength} characters`));
  if (typeof maxLength === 'number' && length > maxLength) problems.push(problem(place, `must have at most ${maxLength} characters`));
  if (typeof pattern === 'string' && !matches(pattern, value)) problems.push(problem(place, `must match ${pattern}`));
  if (typeof format === 'string' && !hasFormat(value, format)) problems.push(problem(place, `must be a ${format}`));
  return problems;
}

/** A pattern that this platform cannot read says nothing. */
export function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

const formats: Record<string, RegExp> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$/i,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i,
  duration: /^P(?!$)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  hostname: /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i,
};

function hasFormat(value: string, format: string): boolean {
  return formats[format]?.test(value) ?? true;
}

function checkNumber(value: number, schema: Readonly<Record<string, unknown>>, place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) problems.push(problem(place, `must be at least ${minimum}`));
  if (typeof maximum === 'number' && value > maximum) problems.push(problem(place, `must be at most ${maximum}`));
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) problems.push(problem(place, `must be greater than ${exclusiveMinimum}`));
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) problems.push(problem(place, `must be less than ${exclusiveMaximum}`));
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf)) problems.push(problem(place, `must be a multiple of ${multipleOf}`));
  return problems;
}

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function checkList(value: readonly unknown[], schema: Readonly<Record<string, unknown>>, place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const { minItems, maxItems, uniqueItems, contains } = schema;
  if (typeof minItems === 'number' && value.length < minItems) problems.push(problem(place, `must have at least ${minItems} items`));
  if (typeof maxItems === 'number' && value.length > maxItems) problems.push(problem(place, `must have at most ${maxItems} items`));
  if (uniqueItems === true && value.some((item, index) => value.slice(0, index).some((earlier) => sameJson(item, earlier)))) problems.push(problem(place, 'must not hold an item twice'));
  if (contains !== undefined && !value.some((item) => check(item, nodeOf(contains), place).length === 0)) problems.push(problem(place, 'lacks an item that the schema asks for'));
  const leading = nodesOf(schema['prefixItems']);
  value.forEach((item, index) => {
    const itemSchema = leading[index] ?? (schema['items'] === undefined ? true : nodeOf(schema['items']));
    problems.push(...check(item, itemSchema, { ...place, path: `${place.path}[${index}]` }));
  });
  return problems;
}

function checkObject(value: Readonly<Record<string, unknown>>, schema: Readonly<Record<string, unknown>>, place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const { required, minProperties, maxProperties, propertyNames } = schema;
  const keys = Object.keys(value);
  if (typeof minProperties === 'number' && keys.length < minProperties) problems.push(problem(place, `must have at least ${minProperties} properties`));
  if (typeof maxProperties === 'number' && keys.length > maxProperties) problems.push(problem(place, `must have at most ${maxProperties} properties`));
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) problems.push(problem(below(place, name), 'is required'));
  }
  for (const key of keys) {
    const here = below(place, key);
    if (propertyNames !== undefined) problems.push(...check(key, nodeOf(propertyNames), here));
    const known = Object.hasOwn(properties, key);
    if (known) problems.push(...check(value[key], nodeOf(properties[key]), here));
    const fitting = patterns.filter(([pattern]) => matches(pattern, key));
    for (const [, patternSchema] of fitting) problems.push(...check(value[key], nodeOf(patternSchema), here));
    if (known || fitting.length > 0 || schema['additionalProperties'] === undefined) continue;
    if (schema['additionalProperties'] === false) problems.push(problem(here, 'is not a property of the schema'));
    else problems.push(...check(value[key], nodeOf(schema['additionalProperties']), here));
  }
  return problems;
}

function below(place: Place, name: string): Place {
  return { ...place, path: place.path === '' ? name : `${place.path}.${name}` };
}

function checkCombinations(value: unknown, schema: Readonly<Record<string, unknown>>, place: Place): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const part of nodesOf(schema['allOf'])) problems.push(...check(value, part, place));
  const anyOf = nodesOf(schema['anyOf']).map((part) => check(value, part, place));
  if (anyOf.length > 0 && !anyOf.some((found) => found.length === 0)) problems.push(...nearest(anyOf));
  const oneOf = nodesOf(schema['oneOf']).map((part) => check(value, part, place));
  const fitting = oneOf.filter((found) => found.length === 0).length;
  if (oneOf.length > 0 && fitting === 0) problems.push(...nearest(oneOf));
  if (fitting > 1) problems.push(problem(place, 'fits more than one of the forms of which exactly one is allowed'));
  if (schema['not'] !== undefined && check(value, nodeOf(schema['not']), place).length === 0) problems.push(problem(place, 'has a form that is not allowed'));
  if (schema['if'] !== undefined) {
    const branch = check(value, nodeOf(schema['if']), place).length === 0 ? schema['then'] : schema['else'];
    if (branch !== undefined) problems.push(...check(value, nodeOf(branch), place));
  }
  return problems;
}

/** Of several forms that do not fit, the one that is told: that with the fewest problems. */
function nearest(alternatives: readonly SchemaProblem[][]): SchemaProblem[] {
  return [...alternatives].sort((left, right) => left.length - right.length)[0] ?? [];
}

export function describeProblem({ path, message }: SchemaProblem): string {
  return path === '' ? `it ${message}` : `"${path}" ${message}`;
}
