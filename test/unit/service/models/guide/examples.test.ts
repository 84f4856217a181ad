import assert from 'node:assert/strict';
import { jobsRoutes } from '../../../../../src/api/schema/jobs/routes.ts';
import { decodeChecked } from '../../../../../src/api/schema/problems.ts';
import { exampleSettings, exampleYaml } from '../../../../../src/service/models/guide/exampleJob.ts';

describe('an example of a field in a job file', () => {
  for (const path of [
    'name',
    'schedule',
    'schedule.timezone_id',
    'libraries[].pypi.package',
    'spark_jar_task.main_class_name',
    'spark_submit_task.parameters',
    'run_job_task.job_id',
    'pipeline_task',
    'notebook_task.base_parameters',
    'new_cluster.autoscale',
    'new_cluster.autoscale.min_workers',
    'new_cluster.instance_pool_id',
    'new_cluster.driver_instance_pool_id',
    'new_cluster.cloud_attributes.availability',
    'email_notifications',
    'email_notifications.on_duration_warning_threshold_exceeded',
    'webhook_notifications.on_failure[].id',
    'notification_settings',
    'health.rules',
    'timeout_seconds',
  ])
    it(`shows ${path}, with all that it needs`, () => {
      const settings = exampleSettings(path);
      const checked = decodeChecked(jobsRoutes.create.request, settings);
      assert.ok(checked.ok, JSON.stringify([settings, checked]));
      let place: unknown = settings;
      for (const part of path.split('.')) {
        place = (place as Record<string, unknown>)[part.replace('[]', '')];
        if (part.endsWith('[]')) [place] = place as unknown[];
      }
      assert.notEqual(place, undefined);
    });

  it('has one size of a cluster', () => {
    const cluster = (path: string): unknown[] =>
      Object.keys((exampleSettings(`new_cluster.${path}`)?.['new_cluster'] ?? {}) as object);
    assert.ok(!cluster('autoscale').includes('num_workers'));
    assert.ok(!cluster('instance_pool_id').includes('node_type_id'));
    const pools = cluster('driver_instance_pool_id');
    assert.deepEqual([pools.includes('instance_pool_id'), pools.includes('node_type_id')], [true, false]);
    assert.ok(cluster('num_workers').includes('node_type_id'));
  });

  it('is none of what is not there', () => {
    for (const path of ['', 'nonsense', 'schedule.nonsense.more'])
      assert.equal(exampleSettings(path)?.[path.split('.')[0] ?? ''] === undefined || path.includes('.'), true, path);
  });

  it('has each text on its line, however long it is', () => {
    const text = 'a word and '.repeat(20).trim();
    assert.equal(exampleYaml({ description: text, tags: ['a'] }), `description: ${text}\ntags:\n  - a\n`);
  });
});
