import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
import { jobFileJsonSchema } from '../../../../src/jobfile/model/jsonSchema.ts';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { stringifyJson } from '../../../../src/shared/json.ts';
import { jsonSchemaFile, jsonSchemaText } from '../../../support/jsonSchemaFile.ts';
import { root } from '../../../support/paths.ts';

const schema = jobFileJsonSchema();
const validator = new Validator(schema as Schema, '7');
const passes = (text: string): boolean =>
  validator.validate(JSON.parse(stringifyJson(nodeValue(parseDocument(text).root).value))).valid;

const task = 'spark_python_task:\n  python_file: /a.py\n';
const job = `${task}existing_cluster_id: c\n`;
const cluster = (more: string): string => `${task}new_cluster:\n  spark_version: v\n${more}`;

describe('the JSON Schema of job files', () => {
  it('is in the package as it is shown: npm run texts brings it up to date', () => {
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
    it(`takes ${name} as far as Millrace finds no unknown name in it`, () => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      const unknown = validateText(text).some(({ code }) => code === 'unknownField' || code === 'noValue');
      assert.equal(passes(text), !unknown);
    });
  }

  it('finds mistyped names and values of the wrong type wherever they stand', () => {
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

  it('describes every field', () => {
    const nameless: string[] = [];
    const walk = (part: unknown, at: string): void => {
      const { properties, items } = part as { properties?: Record<string, { description?: string }>; items?: unknown };
      for (const [name, field] of Object.entries(properties ?? {})) {
        if (!field.description) nameless.push(`${at}${name}`);
        walk(field, `${at}${name}.`);
      }
      if (items !== undefined) walk(items, at);
    };
    walk(schema, '');
    assert.deepEqual(nameless, []);
  });

  const named = String(schema['description']);
  const beyond: Record<string, string> = {
    noTask: 'existing_cluster_id: c\n',
    noCluster: task,
    noSize: cluster('  node_type_id: n\n'),
    noNodeType: cluster('  num_workers: 1\n'),
    oneTask: `${job}notebook_task: {notebook_path: /a}\n`,
    oneCluster: `${cluster('  node_type_id: n\n  num_workers: 1\n')}existing_cluster_id: c\n`,
    oneSize: cluster('  node_type_id: n\n  num_workers: 1\n  autoscale: {min_workers: 1, max_workers: 2}\n'),
    oneLibraryKind: `${job}libraries:\n  - jar: dbfs:/a.jar\n    egg: dbfs:/b.egg\n`,
    autoscaleOrder: cluster('  node_type_id: n\n  autoscale: {min_workers: 2, max_workers: 1}\n'),
    cron: `${job}schedule: {quartz_cron_expression: 0 0 25 * * ?, timezone_id: UTC}\n`,
    unknownTimezone: `${job}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: Nowhere}\n`,
    neverFires: `${job}schedule: {quartz_cron_expression: 0 0 8 * * ? 2000, timezone_id: UTC}\n`,
    submitNeedsNewCluster: 'spark_submit_task: {parameters: [a]}\nexisting_cluster_id: c\n',
    duplicateKey: `${job}name: a\nname: b\n`,
    severalTasks: 'tasks: [{task_key: a}]\n',
    everyRunSkipped: `${job}max_concurrent_runs: 0\n`,
    neverRetried: `${job}retry_on_timeout: true\n`,
  };
  for (const [code, text] of Object.entries(beyond)) {
    it(`names ${code}, which it does not find`, () => {
      assert.equal(passes(text), true);
      assert.ok(validateText(text).some((problem) => problem.code === code));
      assert.match(named, new RegExp(`[ (]${code}[,)]`));
    });
  }
});
