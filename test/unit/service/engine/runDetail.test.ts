import assert from 'node:assert/strict';
import { runDetail } from '../../../../src/service/engine/runCreation.ts';

describe('what is fixed when a run is created', () => {
  for (const [settings, parameters, withSchedule, detail] of [
    ['{}', '{}', true, '"task":{},"cluster_spec":{}'],
    [
      '{"name":"n","spark_python_task":{"python_file":"/a.py"},"existing_cluster_id":"c","libraries":[{"jar":"/a.jar"}]}',
      '{}',
      true,
      '"task":{"spark_python_task":{"python_file":"/a.py"}},"cluster_spec":{"existing_cluster_id":"c","libraries":[{"jar":"/a.jar"}]}',
    ],
    [
      '{"new_cluster":{"num_workers":1.0},"notebook_task":null}',
      '{}',
      false,
      '"task":{},"cluster_spec":{"new_cluster":{"num_workers":1.0}}',
    ],
    [
      '{"run_job_task":{"job_id":12345678901234567890}}',
      '{}',
      false,
      '"task":{"run_job_task":{"job_id":12345678901234567890}},"cluster_spec":{}',
    ],
    [
      '{"schedule":{"a":1}}',
      '{"jar_params":["x"]}',
      true,
      '"schedule":{"a":1},"task":{},"cluster_spec":{},"overriding_parameters":{"jar_params":["x"]}',
    ],
    ['{"schedule":{"a":1}}', '{}', false, '"task":{},"cluster_spec":{}'],
  ] as const)
    it(`${settings} ${parameters}`, () => assert.equal(runDetail(settings, parameters, { withSchedule }), detail));
});
