import * as z from 'zod';
import type { FieldMeta } from '../../api/schema/field.ts';
import { jobSettingsShape } from '../../api/schema/jobs/schemas.ts';
import { bundleKeys } from '../../shared/bundleKeys.ts';
import { foreignFields } from './foreignFields.ts';

/**
 * Rejects every name that Millrace warns about, because other tools can only accept or reject a name. Mistyped names therefore never pass.
 * Fields of other API versions are accepted anywhere, and fields that hold shared anchors at the top level.
 */
const strictness = {
  additionalProperties: false,
  patternProperties: { [`^(?:${[...foreignFields].join('|')})$`]: {} },
};
/** Files of a bundle can have the same names as job files, so a bundle's top-level keys are accepted. */
const topFields = {
  [`^(?:${bundleKeys.join('|')})$`]: {},
  '^x-': {},
  '^(?:settings|new_settings)$': { type: 'object' },
};

/** Rules that the schema cannot express, or only unreadably, with Millrace's codes for these problems. */
const onlyHere: readonly (readonly [what: string, codes: readonly string[]])[] = [
  ['which fields a job needs one of', ['noTask', 'noCluster', 'noSize', 'noNodeType', 'driverPoolNeedsPool']],
  ['which fields exclude each other', ['oneTask', 'oneCluster', 'oneSize', 'oneLibraryKind', 'initScriptPlace']],
  ['where cluster logs go', ['logDestination', 'objstoreRegion']],
  ['limits between fields', ['autoscaleOrder', 'volumeSize', 'volumeSpeed']],
  ['the texts of schedules', ['cron', 'unknownTimezone', 'neverFires']],
  [
    'what spark-submit tasks may hold',
    ['submitNeedsNewCluster', 'submitLibraries', 'submitSparkConf', 'submitReservedFlag'],
  ],
  ['lengths in bytes, characters and names of packages', ['limit', 'asciiOnly', 'value', 'wheelName']],
  ['keys that are given twice', ['duplicateKey']],
  ['paths that are not in the folder', ['missingFile']],
  ['lists of tasks', ['tooManyTasks', 'duplicateEntry', 'unknownKey', 'taskNotBefore', 'circle']],
  [
    'settings that do not do what they seem to',
    ['noDurationRule', 'neverRetried', 'everyRunSkipped', 'plainSecret', 'unquoted', 'swallowedItem', 'deprecated'],
  ],
];

function description(): string {
  const found = onlyHere.map(([what, codes]) => `${what} (${codes.join(', ')})`).join('; ');
  return `Settings of one job (Jobs API 2.0, JobSettings). What this schema does not find and Millrace does: ${found}.`;
}

/**
 * Returns the job file's JSON Schema for other editors and tools, in draft 7 because all tools support it. It is generated from the zod
 * schemas. Its description lists the rules between fields that only Millrace checks.
 */
export function jobFileJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(jobSettingsShape, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    // Clusters and libraries occur in many places.
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      const type = zodSchema._zod.def.type;
      // Exact integers and single values are zod unions that would accept anything.
      if (type === 'pipe') Object.assign(jsonSchema, { type: 'integer' });
      else if (type === 'union') Object.assign(jsonSchema, { type: ['string', 'number', 'boolean'] });
      if (type === 'pipe' || type === 'union') delete jsonSchema.anyOf;
      // A reference to a shared object has no properties of its own.
      if (type === 'object' && jsonSchema.properties) Object.assign(jsonSchema, strictness);
      describe(jsonSchema as Record<string, unknown>);
    },
  }) as Record<string, unknown>;
  const properties = schema['properties'] as Record<string, unknown>;
  return {
    ...schema,
    title: 'Millrace job file',
    description: description(),
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

/** Converts metadata to JSON Schema keywords; anything without a keyword goes into the description. */
function describe(schema: Record<string, unknown> & Partial<FieldMeta>): void {
  const { unit } = schema;
  const isText = typeof schema.default === 'string' && schema.default.includes(' ');
  const additions = [
    unit === undefined ? '' : `Unit: ${unit}.`,
    isText ? `Default: ${String(schema.default)}.` : '',
  ].filter((part) => part !== '');
  if (additions.length > 0) schema.description = [schema.description, ...additions].join(' ');
  if (isText) delete schema.default;
  delete schema.unit;
  delete schema.refersTo;
  delete schema.documentType;
}
