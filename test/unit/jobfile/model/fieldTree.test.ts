import assert from 'node:assert/strict';
import { taskKinds } from '../../../../src/api/schema/jobs/taskKinds.ts';
import {
  type FieldType,
  fieldAt,
  fieldHomes,
  jobFileType,
  settingsType,
  taskKindNames,
} from '../../../../src/jobfile/model/fieldTree.ts';
import { assertApproved } from '../../../support/approved.ts';

describe('the fields of a job file', () => {
  it('are at home where the document has them, each with the names above it', () => {
    for (const [name, ...homes] of [
      ['name', ''],
      ['quartz_cron_expression', 'schedule'],
      ['min_workers', 'new_cluster.autoscale'],
      // Below a list.
      ['jar', 'libraries'],
      ['coordinates', 'libraries.maven'],
    ] as const)
      assert.deepEqual(fieldHomes.get(name), homes, name);
    // Of several homes, each is named once, those that come first in the document first.
    assert.deepEqual(fieldHomes.get('notebook_path'), ['notebook_task']);
    assert.deepEqual(fieldHomes.get('parameters'), ['spark_jar_task', 'spark_python_task', 'spark_submit_task']);
    // The number of the file's own job is no setting; that of another one is.
    assert.deepEqual([fieldHomes.get('job_id'), fieldHomes.get('other')], [['run_job_task'], undefined]);
    for (const homes of fieldHomes.values()) assert.equal(new Set(homes).size, homes.length, String(homes));
  });

  it('are found by the path of keys and positions, and nothing is below what is unknown', () => {
    const kind = (...path: (string | number)[]): string | undefined => fieldAt(path)?.type.kind;
    assert.equal(fieldAt([])?.type, jobFileType);
    assert.deepEqual(
      [
        kind('libraries'),
        kind('libraries', 0),
        kind('libraries', 0, 'jar'),
        fieldAt(['libraries', 3, 'jar'])?.field?.name,
      ],
      ['list', 'object', 'leaf', 'jar'],
    );
    assert.deepEqual(
      [kind('new_cluster', 'spark_conf'), kind('new_cluster', 'spark_conf', 'any.name')],
      ['map', 'leaf'],
    );
    for (const path of [
      ['no_such_field'],
      ['libraries', 'jar'],
      ['schedule', 0],
      ['new_cluster', 'spark_conf', 1],
      ['name', 'more'],
      ['name', 0],
      ['schedule', 'none', 'more'],
    ])
      assert.equal(fieldAt(path), undefined, path.join('.'));
  });

  it('know their numbers’ limits, the values of a choice, and what must be there', () => {
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

  it('are a tree that was approved, in its order, with what the document says of each', () => {
    const lines: string[] = [];
    const walk = (type: FieldType, indent: string): void => {
      switch (type.kind) {
        case 'object':
          for (const { name, type: inner, required, meta } of type.fields.values()) {
            const { description, ...facts } = meta;
            lines.push(`${indent}${name}${required ? '!' : ''} ${JSON.stringify(facts)} ${description.length}`);
            walk(inner, `${indent}  `);
          }
          break;
        case 'list':
          lines.push(`${indent}[] ${type.schema._zod.def.type}`);
          walk(type.element, `${indent}  `);
          break;
        case 'map':
          lines.push(`${indent}{} ${type.schema._zod.def.type}`);
          walk(type.key, `${indent}  `);
          walk(type.value, `${indent}  `);
          break;
        case 'leaf': {
          const { kind: _kind, schema, ...facts } = type;
          // What it takes tells the schema.
          const taken = [-1, 0, 1, 1001, '', 'x', true].filter((value) => schema.safeParse(value).success);
          lines.push(`${indent}${JSON.stringify(facts)} ${JSON.stringify(taken)}`);
        }
      }
    };
    walk(jobFileType, '');
    const homes = [...fieldHomes].map(([name, places]) => `${name}: ${places.join(' ')}`);
    assertApproved('job-file-field-tree', `${lines.join('\n')}\n\n${homes.join('\n')}\n`);
    assert.deepEqual(taskKindNames, taskKinds);
    assert.equal([...jobFileType.fields.keys()].at(-1), 'job_id');
    assert.equal(jobFileType.fields.get('job_id')?.meta.documentType, 'INT64');
  });
});
