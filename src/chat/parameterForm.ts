/** One field of the parameter form, derived from the schema of the chat request. */
export interface ParameterField {
  readonly name: string;
  readonly kind: 'number' | 'integer' | 'boolean' | 'text' | 'lines' | 'choice' | 'json';
  readonly description: string;
  minimum?: number;
  /** Whether the minimum itself is excluded. */
  readonly aboveMinimum?: boolean;
  maximum?: number;
  /** The value that the service uses if the field is empty, as text. */
  defaultText?: string;
  options?: string[];
}

/** The part of JSON Schema that the form reads. */
interface JsonSchema {
  readonly type?: string | string[];
  readonly description?: string;
  minimum?: number;
  readonly exclusiveMinimum?: number;
  maximum?: number;
  readonly default?: unknown;
  readonly enum?: unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: JsonSchema[];
  readonly oneOf?: JsonSchema[];
  readonly properties?: Record<string, JsonSchema>;
  readonly $ref?: string;
  readonly $defs?: Record<string, JsonSchema>;
}

/** Fields that the prompt provides. */
const inputs = ['messages', 'prompt', 'input'];

/**
 * Derives the form for a request (Inference API, Chat, Completion and Embedding request) from its JSON Schema, with the schema's types,
 * limits and descriptions. Fields provided by the prompt and the conversation are left out; `own` takes their place.
 */
export function describeParameters(schema: unknown, own: ParameterField): ParameterField[] {
  const root = schema as JsonSchema;
  const fields: ParameterField[] = [own];
  for (const [name, property] of Object.entries(root.properties ?? {})) {
    if (!inputs.includes(name)) fields.push(describeField(name, property, root.$defs ?? {}));
  }
  return fields;
}

function describeField(name: string, property: JsonSchema, definitions: Record<string, JsonSchema>): ParameterField {
  const branches = flatten(property, definitions).filter((branch) => branch.type !== 'null');
  const description = property.description ?? branches.find((branch) => branch.description)?.description ?? '';
  const field: ParameterField = { name, kind: kindOf(name, branches), description };
  if (field.kind === 'number' || field.kind === 'integer') addLimits(field, branches);
  if (field.kind === 'choice') field.options = branches.flatMap(optionsOf);
  const value = property.default ?? branches.find((branch) => branch.default !== undefined)?.default;
  if (value !== undefined && value !== null)
    field.defaultText = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return field;
}

function kindOf(name: string, branches: readonly JsonSchema[]): ParameterField['kind'] {
  const types = new Set(branches.map((branch) => (Array.isArray(branch.type) ? branch.type[0] : branch.type)));
  if (name === 'stop' || (types.has('array') && types.has('string'))) return 'lines';
  if (branches.some((branch) => branch.properties) || types.has('object') || types.has('array')) return 'json';
  if (types.has('boolean')) return 'boolean';
  if (types.has('integer')) return 'integer';
  if (types.has('number')) return 'number';
  if (branches.length > 0 && branches.every((branch) => optionsOf(branch).length > 0)) return 'choice';
  return types.has('string') ? 'text' : 'json';
}

function addLimits(field: ParameterField, branches: readonly JsonSchema[]): void {
  for (const branch of branches) {
    if (branch.exclusiveMinimum !== undefined)
      Object.assign(field, { minimum: branch.exclusiveMinimum, aboveMinimum: true });
    else if (branch.minimum !== undefined && branch.minimum > Number.MIN_SAFE_INTEGER) field.minimum = branch.minimum;
    if (branch.maximum !== undefined && branch.maximum < Number.MAX_SAFE_INTEGER) field.maximum = branch.maximum;
  }
}

function optionsOf(branch: JsonSchema): string[] {
  const values = branch.enum ?? (branch.const === undefined ? [] : [branch.const]);
  return values.filter((value): value is string => typeof value === 'string');
}

function flatten(schema: JsonSchema, definitions: Record<string, JsonSchema>, depth = 0): JsonSchema[] {
  if (depth > 8) return [schema]; // A recursive definition; the form shows it as JSON.
  if (schema.$ref) {
    const target = definitions[schema.$ref.replace('#/$defs/', '')];
    return target ? flatten(target, definitions, depth + 1) : [schema];
  }
  const branches = schema.anyOf ?? schema.oneOf;
  return branches ? branches.flatMap((branch) => flatten(branch, definitions, depth + 1)) : [schema];
}
