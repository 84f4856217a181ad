import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const cluster =
  'spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: v\n  node_type_id: n\n  num_workers: 1\n';

const within = (text: string): string => `settings:\n${text.replace(/^(?=.)/gm, '  ')}`;

describe('keys that stand where they have no meaning', () => {
  const told = (text: string): string[] =>
    validateText(text, { nowMs: 0 }).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${text.slice(start, end)}`,
    );
  const schedule = 'misplacedField warning schedule';
  const status = 'misplacedField warning pause_status';

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

});
