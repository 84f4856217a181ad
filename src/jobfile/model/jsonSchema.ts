import * as z from 'zod';
import type { FieldMeta } from '../../api/schema/field.ts';
import { jobSettingsShape } from '../../api/schema/jobs/schemas.ts';
import { foreignFields } from './foreignFields.ts';

/**
 * Other tools can only take a name or refuse it, so that they refuse those that Millrace warns about: mistyped ones pass nowhere.
 * Fields of other versions of the API pass, wherever they stand, and at the top those that hold what anchors share.
 */
const strictness = {
  additionalProperties: false,
  patternProperties: { [`^(?:${[...foreignFields].join('|')})$`]: {} },
};
const topFields = { '^x-': {}, '^(?:settings|new_settings)$': { type: 'object' } };

/**
 * The job file's JSON Schema (draft 2020-12) for other editors and tools, made from the schemas that everything here is
 * made from. The rules between fields that JSON Schema says badly are left to Millrace.
 */
export function jobFileJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(jobSettingsShape, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const meta = zodSchema._zod.def.type === 'pipe' ? ({ type: 'integer' } as const) : {};
      Object.assign(jsonSchema, meta);
      if (zodSchema._zod.def.type === 'pipe') delete jsonSchema.anyOf;
      if (zodSchema._zod.def.type === 'object') Object.assign(jsonSchema, strictness);
      describe(jsonSchema as Record<string, unknown>);
    },
  }) as Record<string, unknown>;
  const properties = schema['properties'] as Record<string, unknown>;
  return {
    ...schema,
    title: 'Millrace job file',
    description: 'Settings of one job (Jobs API 2.0, JobSettings).',
    patternProperties: { ...strictness.patternProperties, ...topFields },
    properties: {
      job_id: {
        type: 'integer',
        description: 'Identifier of the job that the file is deployed to; not one of the settings.',
      },
      ...properties,
    },
  };
}

/** Metadata of ours in JSON Schema's own words; what it has no word for goes into the description. */
function describe(schema: Record<string, unknown> & Partial<FieldMeta>): void {
  const { unit, knownValues } = schema;
  const isText = typeof schema.default === 'string' && schema.default.includes(' ');
  const additions = [
    unit === undefined ? '' : `Unit: ${unit}.`,
    isText ? `Default: ${String(schema.default)}.` : '',
  ].filter((part) => part !== '');
  if (additions.length > 0 && schema.description !== undefined)
    schema.description = [schema.description, ...additions].join(' ');
  if (isText) delete schema.default;
  if (knownValues) schema.examples ??= [...knownValues];
  delete schema.unit;
  delete schema.knownValues;
  delete schema.refersTo;
  delete schema.documentType;
}
