import assert from 'node:assert/strict';
import {
  differencesOf, type Difference,
} from '../../../../src/jobfile/services/diffWithRemote.ts';

const told = (found: readonly Difference[]) => found.map(({ path, file, job }) => [path, file, job]);
const task = (...parameters: string[]) => ({ spark_python_task: { parameters } });

describe('differencesOf', () => {
  it('finds what a deploy adds, changes and removes, by meaning, in the order of the document', () => {
    const job = {
      name: 'x',
      max_concurrent_runs: 1,
      timeout_seconds: 60,
      new_cluster: { num_workers: 1, spark_version: 'v' },
      email_notifications: { no_alert_for_skipped_runs: false },
      format: 'MULTI_TASK',
    };
    const file = { new_cluster: { spark_version: 'v', num_workers: 2 }, name: 'x', max_retries: 3 };
    assert.deepEqual(told(differencesOf(file, job)), [
      ['new_cluster.num_workers', 2, 1],
      ['timeout_seconds', undefined, 60],
      ['max_retries', 3, undefined],
      ['format', undefined, 'MULTI_TASK'],
    ]);
  });

  it('sees no difference in order that says nothing, defaults and spellings', () => {
    const file = {
      run_job_task: { job_id: '7' },
      libraries: [{ jar: 'a' }, { pypi: { package: 'b' } }],
      name: 'Untitled',
      email_notifications: { on_start: ['a@x', 'B@x'] },
      schedule: { quartz_cron_expression: '0 0 8 ? * mon', timezone_id: 'UTC' },
      new_cluster: { num_workers: 0, spark_conf: { 'a.b': true, n: 1 }, spark_version: '15' },
    };
    const job = {
      run_job_task: { job_id: 7n },
      max_concurrent_runs: '1',
      timeout_seconds: 0,
      max_retries: '0',
      retry_on_timeout: 'false',
      format: 'SINGLE_TASK',
      health: null,
      webhook_notifications: { on_start: [] },
      libraries: [{ pypi: { package: 'b', repo: '' } }, { jar: 'a' }],
      email_notifications: { on_start: ['b@x', 'a@x', 'a@x'], no_alert_for_skipped_runs: 'false' },
      schedule: { quartz_cron_expression: '0  0 8 ? * MON', timezone_id: ' UTC ', pause_status: 'unpaused' },
      new_cluster: { spark_conf: { 'a.b': 'true', n: '1' }, spark_version: ' 15', custom_tags: {} },
    };
    assert.deepEqual(told(differencesOf(file, job)), []);
  });

  it('sees no order in the lists that have none, and one in all others', () => {
    const nested = (path: string, value: unknown): Record<string, unknown> =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
    const maven = (...exclusions: string[]): object => ({ maven: { coordinates: 'c', exclusions } });
    for (const [path, one, other, isSame] of [
      ['email_notifications.on_failure', ['a@x', 'b@x'], ['b@x', 'a@x', 'b@x'], true],
      ['webhook_notifications.on_start', [{ id: '1' }, { id: '2' }], [{ id: '2' }, { id: '1' }], true],
      ['libraries', [{ jar: 'a' }, { jar: 'b' }], [{ jar: 'b' }, { jar: 'a' }], true],
      ['libraries', [maven('a', 'b')], [maven('b', 'a')], true],
      ['libraries', [maven('a', 'b'), { jar: 'x' }], [maven('b', 'a'), { jar: 'y' }], false],
      ['health.rules', [{ metric: 'a' }, { metric: 'b' }], [{ metric: 'b' }, { metric: 'a' }], true],
      ['new_cluster.ssh_public_keys', ['a', 'b'], ['b', 'a'], true],
      ['new_cluster.init_scripts', [{ a: '1' }, { a: '2' }], [{ a: '2' }, { a: '1' }], false],
      ['spark_jar_task.parameters', ['a', 'b'], ['b', 'a'], false],
      ['other.libraries', ['a', 'b'], ['b', 'a'], false],
    ] as const)
      assert.equal(differencesOf(nested(path, one), nested(path, other)).length === 0, isSame, path);
    const [changed, ...more] = differencesOf(
      { libraries: [maven('a', 'b', 'c'), { jar: 'x' }] },
      { libraries: [maven('b', 'a', 'd'), { jar: 'x' }] },
    );
    assert.deepEqual(
      [changed?.path, changed?.file, changed?.job, changed?.scope, more],
      ['libraries[0].maven.exclusions[2]', 'c', 'd', 'libraries', []],
    );
  });

  it('sees the order of parameters, and tells of the item that came or went alone', () => {
    assert.deepEqual(told(differencesOf(task('a', 'b'), task('b', 'a'))), [
      ['spark_python_task.parameters[0]', 'a', 'b'],
      ['spark_python_task.parameters[1]', 'b', 'a'],
    ]);
    assert.deepEqual(told(differencesOf(task('a', 'b', 'c'), task('a', 'c'))), [
      ['spark_python_task.parameters[1]', 'b', undefined],
    ]);
    assert.deepEqual(told(differencesOf(task('a', 'c'), task('x', 'c', 'd'))), [
      ['spark_python_task.parameters[0]', 'a', 'x'],
      ['spark_python_task.parameters[2]', undefined, 'd'],
    ]);
    assert.deepEqual(told(differencesOf({ libraries: [] }, { libraries: [{ jar: 'a' }] })), [
      ['libraries', [], [{ jar: 'a' }]],
    ]);
  });

  it('tells of long lists with nothing in common as a whole, in bounded time', () => {
    const words = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => prefix + index);
    const found = differencesOf(task(...words('a', 20_000)), task(...words('b', 20_001)));
    assert.deepEqual(
      found.map(({ path }) => path),
      ['spark_python_task.parameters'],
    );
  });

  it('takes a mask for the secret that it stands for, and for nothing else', () => {
    const cluster = (password: string) => ({ new_cluster: { spark_env_vars: { password } } });
    for (const mask of ['***', '••••••', '[REDACTED]', '*** redacted ***', '<hidden>', 'ab****yz', 'xxxxxxxx'])
      assert.deepEqual(told(differencesOf(cluster('abcxyz'), cluster(mask))), [], mask);
    for (const other of ['hidden', 'ab****zz', '**', 'abcxyz****', 'xx'])
      assert.equal(differencesOf(cluster('abcxyz'), cluster(other)).length, 1, other);
    // The service shows no such thing by itself, and the file's own asterisks are a text as any other.
    assert.equal(differencesOf({}, cluster('***')).length, 1);
    assert.equal(differencesOf(cluster('***'), cluster('abc')).length, 1);
  });

});
