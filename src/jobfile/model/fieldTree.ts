import type * as z from 'zod';
import type { FieldMeta } from '../../api/schema/field.ts';
import { int64 } from '../../api/schema/field.ts';
import { jobSettingsFields } from '../../api/schema/jobs/schemas.ts';

/**
 * The schemas of the Jobs API 2.0 as a tree for the editor: the allowed fields at each position, and their documentation. It is derived
 * from the zod schemas, so nothing is defined twice.
 */
export type FieldType = ObjectType | ListType | MapType | LeafType;

export interface ObjectType {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, Field>;
}

export interface ListType {
  readonly kind: 'list';
  readonly element: FieldType;
  /** Checks the length of the list. */
  readonly schema: z.ZodType;
}

/** User-defined names with values of one type. */
export interface MapType {
  readonly kind: 'map';
  readonly key: LeafType;
  readonly value: LeafType;
  readonly schema: z.ZodType;
}

export interface LeafType {
  readonly kind: 'leaf';
  readonly type: 'text' | 'integer' | 'boolean' | 'choice' | 'int64' | 'scalar';
  /** The values of an enumeration. */
  readonly values: readonly string[];
  readonly schema: z.ZodType;
  readonly min?: number;
  readonly max?: number;
}

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly meta: FieldMeta;
}

interface Unwrapped {
  readonly schema: z.ZodType;
  readonly meta: Partial<FieldMeta>;
  readonly optional: boolean;
}

/** The parts of zod's definitions that the walk uses. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly checks?: readonly {
    readonly _zod: { readonly def: { readonly check: string; readonly value?: unknown; readonly inclusive?: boolean } };
  }[];
}

function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}

function unwrap(schema: z.ZodType): Unwrapped {
  let current = schema;
  let meta: Partial<FieldMeta> = {};
  let optional = false;
  for (;;) {
    meta = { ...(current.meta() as Partial<FieldMeta> | undefined), ...meta };
    const definition = definitionOf(current);
    if (definition.innerType === undefined) return { schema: current, meta, optional };
    optional ||= definition.type === 'optional' || definition.type === 'nullable';
    current = definition.innerType;
  }
}

function typeOf(schema: z.ZodType): FieldType {
  const inner = unwrap(schema).schema;
  const definition = definitionOf(inner);
  switch (definition.type) {
    case 'object':
      return { kind: 'object', fields: fieldsOf(definition.shape ?? {}) };
    case 'array':
      if (!definition.element) break;
      return { kind: 'list', element: typeOf(definition.element), schema: inner };
    case 'record':
      if (!definition.keyType || !definition.valueType) break;
      return { kind: 'map', key: leafOf(definition.keyType), value: leafOf(definition.valueType), schema: inner };
    default:
  }
  return leafOf(inner);
}

const leafTypes: Readonly<Record<string, LeafType['type']>> = {
  string: 'text',
  number: 'integer',
  int: 'integer',
  boolean: 'boolean',
  enum: 'choice',
  pipe: 'int64',
};

function leafOf(schema: z.ZodType): LeafType {
  const definition = definitionOf(schema);
  const limits: { min?: number; max?: number } = {};
  for (const { _zod } of definition.type === 'number' ? (definition.checks ?? []) : []) {
    const { check, value } = _zod.def;
    if (typeof value !== 'number') continue;
    if (check === 'greater_than') limits.min = Math.max(limits.min ?? -Infinity, value);
    if (check === 'less_than') limits.max = Math.min(limits.max ?? Infinity, value);
  }
  return {
    kind: 'leaf',
    type: leafTypes[definition.type] ?? 'scalar',
    values: Object.values(definition.entries ?? {}),
    schema,
    ...limits,
  };
}

function fieldsOf(shape: Readonly<Record<string, z.ZodType>>): ReadonlyMap<string, Field> {
  return new Map(Object.entries(shape).map(([name, schema]) => [name, fieldOf(name, schema)]));
}

function fieldOf(name: string, schema: z.ZodType): Field {
  const { meta, optional } = unwrap(schema);
  return { name, type: typeOf(schema), required: !optional, meta: { description: '', ...meta } };
}

/** The job's own ID may be given beside the settings; it is not one of them. */
const jobIdField: Field = {
  name: 'job_id',
  type: leafOf(int64().refine((id) => !id.startsWith('-'), { error: 'must not be negative' })),
  required: false,
  meta: {
    description:
      'Identifier of the job that this file is deployed to. It is not one of the settings. Left out, the ' +
      'editor remembers the job for each profile, so that the file fits them all.',
    documentType: 'INT64',
  },
};

const settings = fieldsOf(jobSettingsFields);

/** The top level of a job file. */
export const jobFileType: ObjectType = { kind: 'object', fields: new Map([...settings, ['job_id', jobIdField]]) };

/** The fields of JobSettings only, in the document's order. */
export const settingsType: ObjectType = { kind: 'object', fields: settings };

/** Returns the field at a path of keys and indexes with its owner, or `undefined` below fields that the document does not define. */
export function fieldAt(
  path: readonly (string | number)[],
): { readonly field?: Field; readonly type: FieldType } | undefined {
  let type: FieldType = jobFileType;
  let field: Field | undefined;
  for (const step of path) {
    if (type.kind === 'object' && typeof step === 'string') {
      field = type.fields.get(step);
      if (!field) return undefined;
      type = field.type;
    } else if (type.kind === 'list' && typeof step === 'number') {
      type = type.element;
    } else if (type.kind === 'map' && typeof step === 'string') {
      type = type.value;
    } else return undefined;
  }
  return { field, type };
}

/** The dotted paths at which each field name of the document occurs; `[]` marks a list. */
export const fieldHomes: ReadonlyMap<string, readonly string[]> = (() => {
  const homes = new Map<string, string[]>();
  const visit = (type: FieldType, path: string): void => {
    if (type.kind === 'list') visit(type.element, path);
    if (type.kind !== 'object') return;
    for (const field of type.fields.values()) {
      homes.set(field.name, [...(homes.get(field.name) ?? []), path]);
      visit(field.type, path === '' ? field.name : `${path}.${field.name}`);
    }
  };
  visit(settingsType, '');
  return homes;
})();
