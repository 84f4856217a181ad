import assert from 'node:assert/strict';
import { mergeSettings } from '../../../../src/service/engine/mergeSettings.ts';

describe('Job update', () => {
  it('replaces top-level fields and keeps the rest as it was written', () => {
    const current =
      '{"name":"a","schedule":{"quartz_cron_expression":"0 0 0 * * ?","timezone_id":"UTC"},"big":9007199254740993,"x": 1.50}';
    const after = mergeSettings(current, '{"schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"new":[1]}', []);
    assert.equal(
      after,
      '{"name":"a","schedule":{"quartz_cron_expression":"0 0 1 * * ?"},"big":9007199254740993,"x":1.50,"new":[1]}',
    );
  });

  it('merges keyed arrays and replaces entries of the same key', () => {
    const current = '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","y":2}],"libraries":[{"jar":"dfs:/a.jar"}]}';
    const changes = '{"tasks":[{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}';
    assert.equal(
      mergeSettings(current, changes, []),
      '{"tasks":[{"task_key":"a","x":1},{"task_key":"b","z":3},{"task_key":"c"}],"libraries":[{"jar":"dfs:/b.jar"}]}',
    );
  });

  it('removes top-level fields and entries of keyed arrays', () => {
    const current =
      '{"name":"a","libraries":[],"schedule":{},"tasks":[{"task_key":"a"},{"task_key":"b/c"}],"job_clusters":[{"job_cluster_key":"k"}]}';
    assert.equal(
      mergeSettings(current, '{}', ['libraries', 'schedule', 'tasks/a', 'job_clusters/k', 'health']),
      '{"name":"a","tasks":[{"task_key":"b/c"}]}',
    );
  });

  it('refuses to remove what does not exist and suggests a name', () => {
    const current = '{"name":"a","note":1,"tasks":[{"task_key":"a"},{"task_key":"b"}]}';
    const refused: [string, RegExp][] = [
      ['schedul', /Did you mean schedule\?/],
      ['Notes', /Did you mean note\?/],
      ['email_notifications.on_success', /top-level fields.*send the whole field in new_settings/],
      ['tasks/nothere', /there is no tasks\/nothere in the job.*Its tasks are "a" and "b"\./],
      ['job_clusters/x', /The job has no job_clusters\./],
      ['x'.repeat(5000), /x{100}… cannot be removed/],
    ];
    for (const [field, words] of refused) assert.throws(() => mergeSettings(current, '{}', [field]), words);
    assert.equal(
      mergeSettings(current, '{}', ['schedule', 'note']),
      '{"name":"a","tasks":[{"task_key":"a"},{"task_key":"b"}]}',
    );
  });
});
