import assert from 'node:assert/strict';
import type { LiveKind, LiveValue } from '../../../../src/jobfile/model/liveValues.ts';
import { complete, type Completion } from '../../../../src/jobfile/services/complete.ts';

describe('values that are offered', () => {
  let asked: unknown[];
  const at = (
    marked: string,
    live: Partial<Record<LiveKind, readonly LiveValue[]>> = {},
    signal?: AbortSignal,
  ): Promise<readonly Completion[]> => {
    const list = async (kind: LiveKind, options: { signal?: AbortSignal } = {}): Promise<readonly LiveValue[]> => (
      asked.push([kind, options.signal]),
      live[kind] ?? []
    );
    return complete(marked.replace('‸', ''), marked.indexOf('‸'), { liveValues: { list }, signal });
  };
  beforeEach(() => (asked = []));

  it('are quoted where they would be read as something else, and only there', async () => {
    const snippets = async (text: string, values: readonly string[]): Promise<string[]> =>
      (await at(text, { cluster: values.map((value) => ({ value })) })).map(({ snippet }) => snippet);
    const odd = [
      '1',
      '-1.5',
      '+3',
      '&a',
      '*a',
      '!a',
      '|',
      '>',
      '%a',
      '@a',
      '`a',
      '{a',
      '[a',
      '?',
      'true',
      'No',
      'ON',
      'null',
      '~',
      'a: b',
      'a #b',
      '',
    ];
    assert.deepEqual(
      await snippets('existing_cluster_id: ‸\n', odd),
      odd.map((value) => `"${value.replace(/[$}]/g, '\\$&')}"`),
    );
    const plain = ['a', '1a', 'a1', 'a-b', 'a:b', 'a#b', 'nothing', 'a&b', '0815-1200-x', 'a,b', 'a]b', 'a{b'];
    assert.deepEqual(await snippets('existing_cluster_id: ‸\n', plain), plain);
    assert.deepEqual(await snippets('{existing_cluster_id: ‸}\n', ['a', 'a,b', 'a]b', '[', 'a{b']), [
      'a',
      '"a,b"',
      '"a]b"',
      '"["',
      '"a{b"',
    ]);
    assert.deepEqual(await snippets('existing_cluster_id:‸\n', ['a', '1']), [' a', ' "1"']);
    assert.deepEqual(await snippets('existing_cluster_id: ‸\n', ['a$b}c\\d']), ['a\\$b\\}c\\\\d']);
    assert.deepEqual(await snippets('{"existing_cluster_id": ‸}\n', ['a']), ['"a"']);
    // What is no text is never quoted.
    const job = await at('run_job_task: {job_id: ‸}\n', { job: [{ value: '7' }] });
    assert.equal(job[0]?.snippet, '7');
  });

  it('are what a field cannot do without, to be filled in from one to the next', async () => {
    const snippet = async (marked: string, name: string): Promise<string | undefined> =>
      (await at(marked)).find(({ label }) => label === name)?.snippet;
    const cluster = 'new_cluster:\n  ‸';
    for (const [marked, name, wanted] of [
      ['new_cluster:\n  cluster_log_conf:\n    ‸', 'objstore', 'objstore:\n  destination: $1\n  region: $2'],
      [cluster, 'autoscale', 'autoscale:\n  min_workers: ${1:1}\n  max_workers: ${2:4}'],
      [cluster, 'spark_conf', 'spark_conf:\n  ${1:name}: ${2:value}'],
      ['name: x\n‸', 'notebook_task', 'notebook_task:\n  notebook_path: ${1:/notebook}'],
      ['name: x\n‸', 'spark_python_task', 'spark_python_task:\n  python_file: ${1:/main.py}'],
      ['name: x\n‸', 'email_notifications', 'email_notifications:\n  $1'],
      ['name: x\n‸', 'libraries', 'libraries:\n  - $1'],
      [
        'health:\n  ‸',
        'rules',
        'rules:\n  - metric: ${1:RUN_DURATION_SECONDS}\n    operator: ${2:GREATER_THAN}\n    value: ${3:3600}',
      ],
      ['{"schedule": {"timezone_id": "UTC"}, "‸"}', 'new_cluster', '"new_cluster": {$1\\}'],
      ['{"‸"}', 'libraries', '"libraries": [$1]'],
      ['{"‸"}', 'name', '"name": "$1"'],
      ['{"‸"}', 'max_retries', '"max_retries": $1'],
      ['{‸}', 'name', 'name: $1'],
      [
        'health:\n  rules:\n    ‸',
        '- ',
        '- metric: ${1:RUN_DURATION_SECONDS}\n  operator: ${2:GREATER_THAN}\n  value: ${3:3600}',
      ],
      ['libraries:\n  ‸', '- ', '- $1'],
    ] as const)
      assert.equal(await snippet(marked, name), wanted, `${marked} ${name}`);
  });
});
