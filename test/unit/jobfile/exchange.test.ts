import assert from 'node:assert/strict';
import { jobFileJsonSchema } from '../../../src/jobfile/model/jsonSchema.ts';
import { pasteJson } from '../../../src/jobfile/services/pasteJson.ts';
import { symbols } from '../../../src/jobfile/services/symbols.ts';
import { toYaml } from '../../../src/jobfile/services/toYaml.ts';

/** The names that the schema lets pass at a path of fields. */
function passes(schema: Schema, path: readonly string[], name: string): boolean {
  const [first, ...rest] = path;
  if (first !== undefined)
    return passes((schema.properties?.[first]?.items ?? schema.properties?.[first]) as Schema, rest, name);
  return (
    Object.hasOwn(schema.properties ?? {}, name) ||
    Object.keys(schema.patternProperties ?? {}).some((pattern) => new RegExp(pattern).test(name)) ||
    schema.additionalProperties !== false
  );
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
}

describe('jobFileJsonSchema', () => {
  it('lets mistyped names pass nowhere, and those of other versions everywhere', () => {
    const schema = jobFileJsonSchema() as Schema;
    const typos: [string[], string][] = [
      [[], 'max_retrys'],
      [[], 'spark_pyton_task'],
      [['spark_python_task'], 'python_fil'],
      [['new_cluster'], 'num_worker'],
      [['libraries'], 'jars'],
      [['new_cluster', 'autoscale'], 'min_worker'],
    ];
    assert.deepEqual(
      typos.filter(([path, name]) => passes(schema, path, name)),
      [],
    );
    const right: [string[], string][] = [
      [[], 'x-shared'],
      [[], 'settings'],
      [[], 'tags'],
      [[], 'job_id'],
      [['new_cluster'], 'aws_attributes'],
      [['new_cluster', 'spark_conf'], 'spark.any'],
      [['notebook_task'], 'source'],
    ];
    assert.deepEqual(
      right.filter(([path, name]) => !passes(schema, path, name)),
      [],
    );
  });

});
