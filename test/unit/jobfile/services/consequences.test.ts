import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const cluster =
  'spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n';
const notebook = 'existing_cluster_id: c\nnotebook_task:\n  notebook_path: /n\n';

const within = (text: string): string => `settings:\n${text.replace(/^(?=.)/gm, '  ')}`;

describe('keys that stand where they have no meaning', () => {
  const told = (text: string): string[] =>
    validateText(text, { nowMs: 0 }).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${text.slice(start, end)}`,
    );
  const schedule = 'misplacedField warning schedule';
  const status = 'misplacedField warning pause_status';

  it('are told alone where the key above them is empty for their sake, whatever stands behind its colon', () => {
    for (const behind of ['', ' ', ' # words', ` # ${'w'.repeat(150)}`, ' &s', ' &s # a', ' &s\t# a\r', '\r'])
      assert.deepEqual(told(`${job}schedule:${behind}\npause_status: PAUSED\n`), [status], behind);
    assert.deepEqual(told(`${job}schedule: {}\npause_status: PAUSED\n`), ['missingField error schedule', status]);
    assert.deepEqual(told(`${job}schedule: 5\npause_status: PAUSED\n`), ['wrongType error 5', status]);
  });

  it('are the cause of what needs them, and no other key without a value is', () => {
    for (const [text, ...wanted] of [
      [
        'timeout_seconds:\nspark_python_task: {python_file: "dfs:/a.py"}\n',
        'noValue warning timeout_seconds',
        'noCluster error timeout_seconds',
      ],
      ['existing_cluster_id: c\nmax_retries:\n', 'noTask error existing_cluster_id', 'noValue warning max_retries'],
      ['existing_cluster_id:\nspark_python_task: {python_file: "dfs:/a.py"}\n', 'noValue error existing_cluster_id'],
    ] as const)
      assert.deepEqual(told(text), wanted, text);
  });

  it('are told once with those that they take along', () => {
    for (const behind of ['', '\r', ' # words', ` # ${'w'.repeat(250)}`, ' &s', ' &s\r'])
      assert.deepEqual(told(`${cluster}  schedule:${behind}\n  pause_status: PAUSED\n`), [schedule], behind);
    for (const [text, ...wanted] of [
      ['  schedule:\n  pause_status: PAUSED\n  timezone_id: UTC\n', schedule],
      // Before it, behind a value, or of another home.
      ['  pause_status: PAUSED\n  schedule:\n', status, schedule],
      ['  schedule: {}\n  pause_status: PAUSED\n', schedule, status],
      ['  schedule:\n  name: a\n', schedule, 'misplacedField warning name'],
      // Of another mapping.
      ['  schedule:\npause_status: PAUSED\n', schedule, status],
    ] as const)
      assert.deepEqual(told(cluster + text), wanted, text);
    assert.deepEqual(told(within(`${cluster}  schedule:\n  pause_status: PAUSED\n`)), [schedule]);
    // Of a mapping within one that has no meaning here.
    assert.deepEqual(told(`${job}autoscale:\nmin_workers: 1\n`), ['misplacedField warning autoscale']);
  });

  it('are told beside an empty key for whose sake they are not there', () => {
    assert.deepEqual(told(`${job}timeout_seconds:\npause_status: PAUSED\n`), [
      'noValue warning timeout_seconds',
      status,
    ]);
    assert.deepEqual(told(`${job}schedule:\non_start: [a@b.c]\n`), [
      'noValue warning schedule',
      'misplacedField warning on_start',
    ]);
  });

  it('hide no empty key that stands behind them', () => {
    assert.deepEqual(told(`${job}pause_status: PAUSED\nschedule:\n`), [status, 'noValue warning schedule']);
  });

  it('are names of the user’s own below a key that is empty for their sake', () => {
    const found = validateText(`${notebook}  base_parameters:\n  my_name: 1\n`, { nowMs: 0 });
    assert.deepEqual(
      found.map(({ code, message }) => [code, message]),
      [['misplacedField', 'my_name has no meaning here; it belongs below base_parameters. Move it.']],
    );
    const [long] = validateText(`${notebook}  base_parameters:\n  ${'n'.repeat(900)}: 1\n`, { nowMs: 0 });
    assert.match(long?.message ?? '', /^n{9,200}… has no meaning here; it belongs below base_parameters\. Move it\.$/);
    for (const [text, ...wanted] of [
      [
        `${notebook}  base_parameters: # c\n  my_name: 1\n`,
        'noValue warning base_parameters',
        'unknownField warning my_name',
      ],
      [
        `${notebook}  my_name: 1\n  base_parameters:\n`,
        'unknownField warning my_name',
        'noValue warning base_parameters',
      ],
      [`${cluster}  spark_conf:\n  a.b: "1"\n`, 'misplacedField warning a.b'],
      [`${cluster}  spark_conf:\n  a.b: "1"\n  c.d: "2"\n`, 'misplacedField warning a.b', 'unknownField warning c.d'],
    ] as const)
      assert.deepEqual(told(text), wanted, text);
  });

  it('are why what needs them lacks them', () => {
    for (const [text, ...wanted] of [
      [
        'spark_python_task:\npython_file: /a.py\nexisting_cluster_id: c\n',
        'noValue error spark_python_task',
        'misplacedField warning python_file',
      ],
      [`${cluster.replace('  num_workers', 'num_workers')}`, 'misplacedField error num_workers'],
      [within(cluster.replace('  num_workers', 'num_workers')), 'misplacedField error num_workers'],
      [within(`${job}schedule:\npause_status: PAUSED\n`), status],
      [`${job}libraries:\n  - maven: {repo: x}\n    coordinates: "a:b:1"\n`, 'misplacedField error coordinates'],
      [
        `${cluster.replace('  num_workers', 'num_workers').replace('  spark_version: v\n', '')}`,
        'missingField error new_cluster',
        'misplacedField error num_workers',
      ],
      [
        `${job}schedule:\n  pause_status: PAUSED\ntimezone_id: UTC\nquartz_cron_expression: 0 0 8 * * ?\n`,
        'misplacedField error timezone_id',
        'misplacedField warning quartz_cron_expression',
      ],
      [
        `${job}schedule:\n  pause_status: PAUSED\ntimezone_id: UTC\n`,
        'missingField error schedule',
        'misplacedField warning timezone_id',
      ],
    ] as const)
      assert.deepEqual(told(text), wanted, text);
  });
});
