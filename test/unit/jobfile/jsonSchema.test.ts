import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
import { fieldAt, jobFileType, settingsType } from '../../../src/jobfile/model/fieldTree.ts';
import { jobFileJsonSchema } from '../../../src/jobfile/model/jsonSchema.ts';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../src/jobfile/yaml/nodeValue.ts';
import { stringifyJson } from '../../../src/shared/json.ts';
import { jsonSchemaFile, jsonSchemaText } from '../../support/jsonSchemaFile.ts';
import { root } from '../../support/paths.ts';

describe('Job file JSON Schema', () => {
  const schema = jobFileJsonSchema();

  const validator = new Validator(schema as Schema, '7');

  const passes = (text: string): boolean =>
    validator.validate(JSON.parse(stringifyJson(nodeValue(parseDocument(text).root).value))).valid;

  const task = 'spark_python_task:\n  python_file: /a.py\n';

  const job = `${task}existing_cluster_id: c\n`;

  const cluster = (more: string): string => `${task}new_cluster:\n  spark_version: v\n${more}`;

  it('is up to date in the package (run npm run texts)', () => {
    assert.equal(fs.readFileSync(jsonSchemaFile, 'utf8'), jsonSchemaText());
    const { contributes } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      contributes: Record<'jsonValidation' | 'yamlValidation', { fileMatch: string; url: string }[]>;
    };
    const both = [...contributes.jsonValidation, ...contributes.yamlValidation];
    assert.deepEqual(
      both.map(({ fileMatch }) => fileMatch),
      ['*.job.json', '*.job.yml', '*.job.yaml'],
    );
    for (const { url } of both) assert.equal(path.join(root, url), jsonSchemaFile);
  });

  const folder = path.join(root, 'test', 'fixtures', 'jobfiles');
  for (const name of fs.readdirSync(folder)) {
    it(`accepts ${name} if it has no unknown fields`, () => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      const unknown = validateText(text).some(({ code }) => code === 'unknownField' || code === 'noValue');
      assert.equal(passes(text), !unknown);
    });
  }

  it('rejects mistyped names and wrong types', () => {
    for (const wrong of [
      `${job}max_retrys: 1\n`,
      `${job}max_retries: many\n`,
      `${job}max_concurrent_runs: 1001\n`,
      `spark_python_task:\n  python_fil: /a.py\nexisting_cluster_id: c\n`,
      `${job}schedule:\n  quartz_cron_expression: 0 0 8 * * ?\n`,
      `${job}health:\n  rules:\n    - metrics: a\n`,
      cluster('  num_worker: 1\n'),
      cluster('  spark_conf:\n    a: [1]\n'),
      cluster('  autoscale: {min_workers: 1, max_worker: 2}\n'),
      `${job}libraries:\n  - jars: a\n`,
      'run_job_task: {job_id: five}\n',
    ])
      assert.equal(passes(wrong), false, wrong);
    for (const right of [job, `${cluster('  spark_conf:\n    a: 1\n    b: "x"\n    c: true\n')}`, 'x-any: {a: [1]}\n'])
      assert.equal(passes(right), true, right);
  });
});

describe('jobFileJsonSchema', () => {
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

  it('rejects mistyped names and accepts those of other versions', () => {
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

describe('Job file fields', () => {
  it('know limits, choices and requirements', () => {
    const leaf = (...path: (string | number)[]): object => {
      const type = fieldAt(path)?.type;
      assert.equal(type?.kind, 'leaf', path.join('.'));
      const { type: of, values, min, max } = type as never;
      return { of, values, min, max };
    };
    assert.deepEqual(leaf('max_concurrent_runs'), { of: 'integer', values: [], min: 0, max: 1000 });
    assert.deepEqual(leaf('schedule', 'pause_status'), {
      of: 'choice',
      values: ['PAUSED', 'UNPAUSED'],
      min: undefined,
      max: undefined,
    });
    assert.deepEqual(leaf('name'), { of: 'text', values: [], min: undefined, max: undefined });
    const required = (path: string[]): boolean | undefined => fieldAt(path)?.field?.required;
    assert.deepEqual(
      [required(['schedule', 'timezone_id']), required(['schedule', 'pause_status']), required(['schedule'])],
      [true, false, false],
    );
    assert.equal(jobFileType.fields.get('job_id')?.required, false);
    assert.deepEqual(
      [...jobFileType.fields.keys()].filter((name) => !settingsType.fields.has(name)),
      ['job_id'],
    );
  });
});
