import assert from 'node:assert/strict';
import { taskKinds } from '../../../../src/api/schema/jobs/taskKinds.ts';
import {
  fieldAt, fieldHomes, jobFileType, settingsType,
} from '../../../../src/jobfile/model/fieldTree.ts';

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

});
