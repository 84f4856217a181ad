import assert from 'node:assert/strict';
import { mergeSettings } from '../../../../src/service/engine/mergeSettings.ts';

describe('jobs/update', () => {
  it('replaces top-level fields completely and keeps the rest as it was written', () => {
    const current = '{"name":"a","schedule":{"quartz_cron_expression":"0 0 0 * * ?","timezone_id":"UTC"},"big":9007199254740993,"x": 1.50}';
    const after = mergeSettings(current, '{"schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"new":[1]}', []);
    assert.equal(after, '{"name":"a","schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"big":9007199254740993,"x":1.50,"new":[1]}');
  });

  it('merges keyed arrays and replaces the entries of the same key', () => {
    const current = '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","y":2}],"libraries":[{"jar":"dfs:/a.jar"}]}';
    const changes = '{"tasks":[{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}';
    assert.equal(mergeSettings(current, changes, []), '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}');
  });

  it('removes top-level fields and entries of keyed arrays', () => {
    const current = '{"name":"a","libraries":[],"schedule":{},"tasks":[{"task_key":"a"},{"task_key":"b/c"}],"job_clusters":[{"job_cluster_key":"k"}]}';
    assert.equal(mergeSettings(current, '{}', ['libraries', 'schedule', 'tasks/a', 'job_clusters/k', 'missing', 'tasks/none']), '{"name":"a","tasks":[{"task_key":"b/c"}],"job_clusters":[]}');
  });

  it('refuses to remove what is nested elsewhere', () => {
    assert.throws(() => mergeSettings('{"new_cluster":{"spark_conf":{}}}', '{}', ['new_cluster/spark_conf']), /only top-level fields and entries of tasks and job_clusters can/);
    for (const field of ['environments/a', 'parameters/a', 'tasks/a/libraries', 'email_notifications/on_start']) assert.throws(() => mergeSettings('{}', '{}', [field]), /cannot be removed/, field);
  });
});
