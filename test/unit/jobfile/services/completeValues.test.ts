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
  const given = (items: readonly Completion[]): object[] =>
    items.map((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)));
  beforeEach(() => (asked = []));

  it('are whole: what is shown, written, replaced and searched', async () => {
    const text = 'run_job_task:\n  job_id: ‸\n';
    const place = { start: 24, end: 24 };
    assert.deepEqual(
      given(
        await at(text, {
          job: [{ value: '7', label: 'Nightly', detail: 'old' }, { value: '8' }, { value: '9', detail: 'new' }],
        }),
      ),
      [
        {
          label: 'Nightly',
          kind: 'reference',
          snippet: '7',
          ...place,
          order: 0,
          value: '7',
          detail: '7 · old',
          filter: '7 Nightly',
        },
        { label: '8', kind: 'reference', snippet: '8', ...place, order: 1, value: '8' },
        { label: '9', kind: 'reference', snippet: '9', ...place, order: 2, value: '9', detail: 'new' },
      ],
    );
    const file = 'spark_python_task:\n  python_file: "/m‸"\n';
    assert.deepEqual(given(await at(file, { pythonFile: [{ value: '/m.py' }] })), [
      {
        label: '/m.py',
        kind: 'file',
        snippet: '"/m.py"',
        start: 34,
        end: 38,
        order: 0,
        value: '/m.py',
        filter: '"/m.py',
      },
    ]);
    assert.equal(
      (await at(file.replace('"/m‸"', "'/m‸'"), { pythonFile: [{ value: '/m.py' }] }))[0]?.snippet,
      "'/m.py'",
    );
    assert.deepEqual(given(await at('retry_on_timeout: ‸\n')), [
      { label: 'true', kind: 'value', snippet: 'true', start: 18, end: 18, order: 0 },
      { label: 'false', kind: 'value', snippet: 'false', start: 18, end: 18, order: 1, detail: 'default' },
    ]);
    assert.deepEqual(
      (await at('schedule:\n  pause_status: ‸\n')).map(({ label, detail, order }) => [label, detail, order]),
      [
        ['PAUSED', undefined, 0],
        ['UNPAUSED', 'default', 1],
      ],
    );
  });

  it('are asked for by what the field refers to, as long as somebody waits', async () => {
    const { signal } = new AbortController();
    const cluster = (field: string): string => `new_cluster:\n  ${field}: ‸\n`;
    for (const [text, ...kinds] of [
      ['existing_cluster_id: ‸\n', 'cluster'],
      ['run_job_task: {job_id: ‸}\n', 'job'],
      ['notebook_task:\n  notebook_path: ‸\n', 'notebook'],
      ['spark_python_task:\n  python_file: ‸\n', 'pythonFile'],
      [cluster('spark_version'), 'sparkVersion'],
      [cluster('node_type_id'), 'nodeType'],
      [cluster('driver_node_type_id'), 'nodeType'],
      [cluster('cloud_attributes:\n    zone_id'), 'zone'],
      ['name: ‸\n'],
      ['schedule:\n  timezone_id: ‸\n'],
      ['schedule:\n  quartz_cron_expression: ‸\n'],
      ['', 'pythonFile', 'notebook'],
    ]) {
      asked = [];
      await at(text === '' ? '‸' : (text ?? ''), {}, signal);
      assert.deepEqual(
        asked,
        kinds.map((kind) => [kind, signal]),
        text,
      );
    }
  });

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

  it('are all shown where what stands there is one of them as it is written', async () => {
    const live = { job: [{ value: '7', label: 'Nightly' }, { value: '8' }] };
    const filters = async (written: string): Promise<unknown[]> =>
      (await at(`run_job_task:\n  job_id: ${written}‸\n`, live)).map(({ filter, isPartial }) => [filter, isPartial]);
    assert.deepEqual(await filters('7'), [
      ['7', true],
      ['7', true],
    ]);
    assert.deepEqual(await filters('Nightly'), [
      ['7 Nightly', undefined],
      [undefined, undefined],
    ]);
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
