import assert from 'node:assert/strict';
import { withParamMaps } from '../../../../../src/api/schema/jobs/paramPairs.ts';
import { readSparkSubmit } from '../../../../../src/api/schema/jobs/sparkSubmitOptions.ts';
import {
  parameterKindOfTask,
  runParameterKinds,
  taskKindOf,
  taskKinds,
} from '../../../../../src/api/schema/jobs/taskKinds.ts';

describe('parameters and kinds of tasks', () => {
  it('a list of pairs is the object of them, wherever it stands', () => {
    const pairs = [
      { key: 'a', value: '1' },
      { name: 'b', value: '2' },
      { key: 'a', value: '3' },
    ];
    const map = { a: '3', b: '2' };
    assert.deepEqual(withParamMaps({ notebook_params: pairs }), { notebook_params: map });
    assert.deepEqual(withParamMaps({ notebook_task: { notebook_path: '/n', base_parameters: pairs } }), {
      notebook_task: { notebook_path: '/n', base_parameters: map },
    });
    assert.deepEqual(withParamMaps({ job_id: '1', new_settings: { notebook_task: { base_parameters: pairs } } }), {
      job_id: '1',
      new_settings: { notebook_task: { base_parameters: map } },
    });
  });

  it('what is no list of pairs stays, and what needs no change is the same object', () => {
    for (const odd of [
      [{ key: 'a' }],
      [{ value: 'a' }],
      [{ key: 5, value: 'a' }],
      ['a'],
      [null],
      [{ key: 'a', value: 'b' }, 5],
      'text',
      { a: 'b' },
    ]) {
      const fields = { notebook_params: odd, notebook_task: 'x', new_settings: [] };
      assert.equal(withParamMaps(fields), fields);
    }
    const named = JSON.parse('{"notebook_params":[{"key":"__proto__","value":"x"}]}') as Record<string, unknown>;
    assert.deepEqual(Object.entries(withParamMaps(named)['notebook_params'] as object), [['__proto__', 'x']]);
  });

  it("spark-submit's options end where the application stands", () => {
    const { options, application } = readSparkSubmit([
      '-v',
      '--supervise',
      '--class',
      'A',
      '--conf=a=b',
      '-h',
      '--master',
      'x',
      '--usage-error',
      'app.jar',
      '--name',
      'n',
    ]);
    assert.equal(application, 9);
    assert.deepEqual(options, [
      { index: 0, name: '-v', isFlag: true, isReserved: false },
      { index: 1, name: '--supervise', isFlag: true, isReserved: false },
      { index: 2, name: '--class', value: 'A', isFlag: false, isReserved: false },
      { index: 4, name: '--conf', value: 'a=b', isFlag: false, isReserved: false },
      { index: 5, name: '-h', isFlag: true, isReserved: false },
      { index: 6, name: '--master', value: 'x', isFlag: false, isReserved: true },
      { index: 8, name: '--usage-error', isFlag: true, isReserved: false },
    ]);
    assert.deepEqual(readSparkSubmit(['--verbose=true', 'app.jar']), {
      options: [{ index: 0, name: '--verbose', isFlag: true, isReserved: false }],
      application: 1,
    });
    assert.deepEqual(readSparkSubmit(['--class']), {
      options: [{ index: 0, name: '--class', isFlag: false, isReserved: false }],
      application: 2,
    });
    assert.deepEqual(readSparkSubmit([5, '--class', 'A']), { options: [], application: 0 });
    assert.deepEqual(readSparkSubmit(['-c', 'a', 'b']).application, 2);
    for (const flag of ['--verbose', '--help', '--version']) assert.equal(readSparkSubmit([flag, 'x']).application, 1);
    for (const reserved of ['--master', '--deploy-mode', '--executor-cores'])
      assert.equal(readSparkSubmit([`${reserved}=1`]).options[0]?.isReserved, true);
  });

  it('a task kind has its parameters, and the kind of a task is the one that is not null', () => {
    assert.deepEqual(
      taskKinds.map((kind) => parameterKindOfTask[kind]),
      ['notebook_params', 'jar_params', 'python_params', 'spark_submit_params', undefined, undefined],
    );
    assert.deepEqual(runParameterKinds, ['jar_params', 'notebook_params', 'python_params', 'spark_submit_params']);
    for (const kind of taskKinds) assert.equal(taskKindOf({ [kind]: {} }), kind);
    assert.equal(taskKindOf({ notebook_task: null, run_job_task: {} }), 'run_job_task');
    assert.equal(taskKindOf(undefined), undefined);
    assert.equal(taskKindOf({}), undefined);
  });
});
