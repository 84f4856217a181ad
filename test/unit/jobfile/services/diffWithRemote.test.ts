import assert from 'node:assert/strict';
import { differencesOf, overlapping, type Difference } from '../../../../src/jobfile/services/diffWithRemote.ts';

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

  it('compares names of the user by what they mean, and tells each that differs', () => {
    const cluster = (conf: object, env: object) => ({ new_cluster: { spark_conf: conf, spark_env_vars: env } });
    assert.deepEqual(differencesOf(cluster({ a: 1, b: 'x' }, { E: 2 }), cluster({ b: 'x', a: '1' }, { E: '2' })), []);
    assert.deepEqual(told(differencesOf(cluster({ a: 1 }, {}), cluster({ a: '2', c: '' }, {}))).length, 2);
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

  it('sees another case in a name, and none in an address', () => {
    const mail = (address: string): object => ({ email_notifications: { on_start: [address] } });
    assert.deepEqual(told(differencesOf({ name: 'Etl', ...mail('A@x') }, { name: 'etl', ...mail('a@X') })), [
      ['name', 'Etl', 'etl'],
    ]);
    assert.equal(differencesOf(task('A'), task('a')).length, 1);
  });

  it('sees a blank that says something, a 0 that is no default, and a number in a name', () => {
    const found = differencesOf(
      { ...task('a '), max_concurrent_runs: 0, new_cluster: { spark_conf: { a: ' ' } } },
      { ...task('a'), max_concurrent_runs: 1, new_cluster: { spark_conf: { a: '' } } },
    );
    assert.deepEqual(
      found.map(({ path }) => path),
      ['new_cluster.spark_conf.a', 'spark_python_task.parameters[0]', 'max_concurrent_runs'],
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

  it('tells which of them touch places of others', () => {
    const at = (...paths: string[]) =>
      paths.map((path) => ({ path, scope: path, file: 1, job: 2, fallback: undefined, unknown: undefined }));
    const touched = overlapping(at('a.b', 'ab', 'c[0].d', 'e'), at('a', 'c[0]', 'e.f', 'x'));
    assert.deepEqual(
      touched.map(({ path }) => path),
      ['a.b', 'c[0].d', 'e'],
    );
    // When an item came or went, the positions of all others moved.
    const grown = differencesOf(task('a'), task('z', 'a'));
    assert.equal(overlapping(differencesOf(task('a', 'b'), task('a')), grown).length, 1);
  });
});
