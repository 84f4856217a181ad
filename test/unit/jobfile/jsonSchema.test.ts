import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
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
