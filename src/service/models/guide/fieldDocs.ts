import * as z from 'zod';
import * as inference from '../../../api/schema/inference/schemas.ts';
import * as jobs from '../../../api/schema/jobs/schemas.ts';

/** One field of the Jobs API or the Inference API, as its schema documents it. */
export interface FieldDoc {
  readonly kind: 'field';
  /** The request, response or file that has the field, in plain words. */
  readonly area: string;
  /** Names from the area's root, with `[]` after an array. */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly default?: string;
  readonly unit?: string;
  readonly limits: string[];
  readonly values: readonly string[];
  readonly required: boolean;
  readonly deprecated: boolean;
  /** Names of the fields directly below. */
  readonly children: string[];
}

/** The part of JSON Schema that zod generates, plus Millrace's own metadata. */
interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly unit?: string;
  readonly deprecated?: boolean;
  readonly knownValues?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: SchemaNode[];
  readonly properties?: Record<string, SchemaNode>;
  readonly required?: string[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
}

export const jobFileArea = 'job file';

const roots: readonly (readonly [area: string, schema: z.ZodType])[] = [
  [jobFileArea, jobs.jobSettingsShape],
  ['run-now request', jobs.runNowRequest],
  ['runs/submit request', jobs.submitRequest],
  ['update request', jobs.updateRequest],
  ['runs/list request', jobs.listRunsRequest],
  ['runs/export request', jobs.exportRequest],
  ['run', jobs.run],
  ['run output', jobs.getOutputResponse],
  ['job', jobs.job],
  ['chat request', inference.chatRequest],
  ['completion request', inference.completionRequest],
  ['embedding request', inference.embeddingRequest],
  ['endpoint creation', inference.createEndpointRequest],
  ['chat response', inference.chatResponse],
];

/** Returns every described field once per path. A field shared by two areas appears in the first. */
export function readFieldDocs(): FieldDoc[] {
  const docs = new Map<string, FieldDoc>();
  for (const [area, schema] of roots) {
    const root = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as SchemaNode;
    visit(root, area, '', docs);
  }
  return [...docs.values()];
}

function visit(node: SchemaNode, area: string, prefix: string, docs: Map<string, FieldDoc>): void {
  const required = new Set(node.required ?? []);
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const inner = unwrap(property);
    const item = inner.items ? unwrap(inner.items) : undefined;
    const description = property.description ?? inner.description;
    // Requests that contain complete settings repeat the job file's fields.
    if (name === 'new_settings' || name === 'settings') continue;
    const key = `${path}|${description ?? ''}`;
    if (description !== undefined && !docs.has(key))
      docs.set(key, docOf(area, path, name, property, inner, required.has(name)));
    // The metadata of a run's output repeats the fields of a run.
    if (name === 'metadata') continue;
    visit(inner, area, path, docs);
    if (item) visit(item, area, `${path}[]`, docs);
  }
}

/** Returns the non-null branch of `x or null`. */
function unwrap(node: SchemaNode): SchemaNode {
  const branches = (node.anyOf ?? []).filter((branch) => branch.type !== 'null');
  const [first] = branches;
  return branches.length === 1 && first ? unwrap(first) : node;
}

function docOf(
  area: string,
  path: string,
  name: string,
  outer: SchemaNode,
  inner: SchemaNode,
  required: boolean,
): FieldDoc {
  const values = outer.knownValues ?? inner.knownValues ?? inner.enum?.map(String) ?? [];
  const standard = outer.default ?? inner.default;
  const objectNode = inner.items ? unwrap(inner.items) : inner;
  return {
    kind: 'field',
    area,
    path,
    name,
    type: typeText(inner),
    description: outer.description ?? inner.description ?? '',
    default: standard === undefined ? undefined : typeof standard === 'string' ? standard : JSON.stringify(standard),
    unit: outer.unit ?? inner.unit,
    limits: limitsOf(inner),
    values,
    required,
    deprecated: outer.deprecated ?? inner.deprecated ?? false,
    children: Object.keys(objectNode.properties ?? {}),
  };
}

function typeText(node: SchemaNode): string {
  if (node.anyOf) {
    // zod writes an INT64 as three alternatives, one of which JSON Schema cannot express.
    if (node.anyOf.some((branch) => Object.keys(branch).length === 0)) return 'whole number (64 bits)';
    const names = [...new Set(node.anyOf.filter((branch) => branch.type !== 'null').map(typeText))];
    return names.join(' or ');
  }
  if (node.const !== undefined) return `the text \`${String(node.const)}\``;
  switch (node.type) {
    case 'array':
      return node.items ? `list of ${plural(typeText(unwrap(node.items)))}` : 'list';
    case 'object':
      return node.properties ? 'object' : 'map of names to values';
    case 'integer':
      return 'whole number';
    case 'number':
      return 'number';
    case 'boolean':
      return 'true or false';
    case 'string':
      return node.enum ? 'one of the named values' : 'text';
    default:
      return 'any value';
  }
}

function plural(type: string): string {
  return (
    (
      { text: 'texts', object: 'objects', 'whole number': 'whole numbers', number: 'numbers' } as Record<string, string>
    )[type] ?? type
  );
}

const int32 = 2_147_483_647;

function limitsOf(node: SchemaNode): string[] {
  const limits: string[] = [];
  if (node.minimum !== undefined && node.minimum > -int32) limits.push(`at least ${node.minimum}`);
  if (node.exclusiveMinimum !== undefined) limits.push(`greater than ${node.exclusiveMinimum}`);
  if (node.maximum !== undefined && node.maximum < int32) limits.push(`at most ${node.maximum}`);
  if (node.minItems !== undefined)
    limits.push(`at least ${node.minItems} ${node.minItems === 1 ? 'entry' : 'entries'}`);
  if (node.maxItems !== undefined) limits.push(`at most ${node.maxItems} entries`);
  return limits;
}
