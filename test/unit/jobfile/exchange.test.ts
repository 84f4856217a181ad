import assert from 'node:assert/strict';
import { jobFileJsonSchema } from '../../../src/jobfile/model/jsonSchema.ts';
import { pasteJson } from '../../../src/jobfile/services/pasteJson.ts';
import { symbols, type JobSymbol } from '../../../src/jobfile/services/symbols.ts';
import { jsonToYaml, toYaml } from '../../../src/jobfile/services/toYaml.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';

describe('toYaml', () => {
  it("writes fields in the document's order, exact numbers, and quotes where tools differ", () => {
    assert.equal(
      toYaml(
        { colour: 'no', max_retries: 1, run_job_task: { job_id: '9223372036854775807' }, name: '0123' },
        { jobId: '9007199254740993' },
      ),
      'job_id: 9007199254740993\nname: "0123"\nrun_job_task:\n  job_id: 9223372036854775807\nmax_retries: 1\ncolour: "no"\n',
    );
  });

  it('takes over the order of a file, where it is asked to', () => {
    const like = 'max_retries: 1\nspark_python_task:\n  parameters: []\n  python_file: /a.py\nname: x\n';
    assert.equal(
      toYaml(
        {
          name: 'z',
          timeout_seconds: 5,
          spark_python_task: { python_file: '/b.py', parameters: ['a'] },
          max_retries: 2,
        },
        { like },
      ),
      'max_retries: 2\nspark_python_task:\n  parameters:\n    - a\n  python_file: /b.py\nname: z\ntimeout_seconds: 5\n',
    );
  });

  it('takes JSON of settings, of a job and of a reset', () => {
    const yaml = 'job_id: 7\nname: x\n';
    assert.deepEqual(
      [
        jsonToYaml('{"name":"x","job_id":7}'),
        jsonToYaml('{"job_id":7,"settings":{"name":"x"}}'),
        jsonToYaml('{"job_id":"7","new_settings":{"name":"x"},}'),
      ],
      [yaml, yaml, yaml],
    );
  });

  it('takes comments wherever they stand, trailing commas, tabs and keys of any length', () => {
    const long = 'k'.repeat(1100);
    const text =
      '\ufeff// a job\n{\n\t"name": "x // no comment", // yes: one\n\t/* "max_retries": 1, */\n' +
      '\t"spark_conf": {"a": "/* none */",}, "url": "http://h/#x", "list": [1, 2,],\n\t"big": ' +
      `9007199254740993, "${long}": "\\u00e9\\/",\n} // end`;
    assert.equal(
      jsonToYaml(text),
      `name: x // no comment\nspark_conf:\n  a: /* none */\nurl: http://h/#x\nlist:\n  - 1\n  - 2\nbig: 9007199254740993\n? ${long}\n: é/\n`,
    );
  });

  it('refuses commas that stand for nothing', () => {
    for (const text of ['{"a": [,]}', '{,}', '{"a": 1,,}', '{"a": 1} // c\n{'])
      assert.throws(() => jsonToYaml(text), { kind: 'invalid' }, text);
  });

  it('refuses what is no job', () => {
    assert.throws(() => jsonToYaml('[1]'), {
      kind: 'invalid',
      message: 'The text is not the JSON of a job, so no job file was made.',
    });
    assert.throws(() => jsonToYaml('{"a": '), { kind: 'invalid' });
  });
});

describe('pasteJson', () => {
  it('turns a whole job into a file', () =>
    assert.equal(pasteJson('{"settings": {"max_retries": 1, "name": "x"}}', '\n', 0), 'name: x\nmax_retries: 1\n'));

  it('indents for the place', () => {
    assert.equal(
      pasteJson('{"timezone_id": "UTC", "quartz_cron_expression": "0 0 8 * * ?"}', 'schedule:\n  \n', 12),
      'quartz_cron_expression: 0 0 8 * * ?\n  timezone_id: UTC',
    );
    assert.equal(pasteJson('{"timezone_id": "UTC"}', 'schedule: \n', 10), '\n  timezone_id: UTC');
    assert.equal(pasteJson('["a", "b"]', 'spark_python_task:\n  parameters: \n', 33), '\n    - a\n    - b');
  });

  it('leaves everything else as it is', () => {
    assert.deepEqual(
      [
        pasteJson('name: x', '', 0),
        pasteJson('{ x', '', 0),
        pasteJson('{"a": 1}', '{"b": }', 6),
        pasteJson('{"a": 1}', '# ', 2),
      ],
      [undefined, undefined, undefined, undefined],
    );
  });
});

describe('a clipboard that is too long', () => {
  it('is pasted as it is', () => assert.equal(pasteJson(`{"name": "${'x'.repeat(1_000_001)}"}`, '', 0), undefined));
});

describe('symbols', () => {
  it('outlines a file', () => {
    const shown = (items: readonly JobSymbol[]): unknown[] =>
      items.map((item) => [item.name, item.detail, item.kind, shown(item.children)]);
    assert.deepEqual(
      shown(symbols(parseDocument('name: x\nlibraries:\n  - pypi: {package: y}\nretry_on_timeout: true\nhealth:\n'))),
      [
        ['name', 'x', 'text', []],
        [
          'libraries',
          '1',
          'list',
          [['pypi', '', 'mapping', [['pypi', '', 'mapping', [['package', 'y', 'text', []]]]]]],
        ],
        ['retry_on_timeout', 'true', 'boolean', []],
        ['health', '', 'empty', []],
      ],
    );
  });
});

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

  it('says types, limits, requirements and descriptions', () => {
    const { properties } = jobFileJsonSchema() as { properties: Record<string, unknown> };
    assert.deepEqual(properties['max_concurrent_runs'], {
      description: 'Maximum number of concurrent runs. 0 makes every new run skipped. Affects only new runs.',
      default: 1,
      type: 'integer',
      minimum: 0,
      maximum: 1000,
    });
    const { patternProperties, ...runJobTask } = properties['run_job_task'] as { patternProperties: object };
    assert.deepEqual(runJobTask, {
      description: 'Runs another job.',
      type: 'object',
      properties: { job_id: { description: 'Identifier of the job to run.', type: 'integer' } },
      required: ['job_id'],
      additionalProperties: false,
    });
    assert.equal(Object.keys(patternProperties).length, 1);
  });
});
