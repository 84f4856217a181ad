import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

const task = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const cluster = (more: string): string =>
  `spark_python_task: {python_file: "dfs:/a.py"}\nnew_cluster:\n  spark_version: a\n${more}`;

describe('rules of a job file at their borders', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs: 0 });
  const marks = (text: string): string[] =>
    problems(text).map(
      ({ code, severity, start, end }) => `${code} ${severity} ${JSON.stringify(text.slice(start, end))}`,
    );
  /** The job as jobs/get returns it. */
  const nested = (text: string): string => `job_id: 5\nsettings:\n${text.replace(/^(?=.)/gm, '  ')}`;

  for (const [what, text, expected] of [
    ['no task', 'existing_cluster_id: c\n', ['noTask error "existing_cluster_id"']],
    ['two tasks', `${task}notebook_task: {notebook_path: /a}\n`, ['oneTask error "spark_python_task"']],
    [
      'a cluster twice',
      `${cluster('  node_type_id: n\n  num_workers: 1\n')}existing_cluster_id: c\n`,
      ['oneCluster error "existing_cluster_id"'],
    ],
    [
      'a submit task on a cluster that is there, told once',
      `spark_submit_task: {parameters: [a]}\nexisting_cluster_id: c\nnew_cluster: {spark_version: a, node_type_id: n, num_workers: 1}\n`,
      ['submitNeedsNewCluster error "existing_cluster_id"'],
    ],
    ['no size', cluster('  node_type_id: n\n'), ['noSize error "new_cluster"']],
    [
      'a size without a value, told as that',
      cluster('  node_type_id: n\n  num_workers:\n'),
      ['noValue error "num_workers"'],
    ],
    [
      'a mistyped size, told as that',
      cluster('  node_type_id: n\n  num_worker: 1\n'),
      ['unknownField error "num_worker"'],
    ],
    [
      'a wrong size beside a missing kind of node',
      cluster('  num_workers: x\n'),
      ['noNodeType error "new_cluster"', 'wrongType error "x"'],
    ],
    [
      'a library of two kinds',
      `${task}libraries:\n  - jar: dfs:/a.jar\n    egg: dfs:/b.egg\n`,
      ['oneLibraryKind error "egg"'],
    ],
    ['a library of no kind', `${task}libraries:\n  - {}\n`, ['oneLibraryKind error "{}"']],
    [
      'an order of limits',
      cluster('  node_type_id: n\n  autoscale: {min_workers: 3, max_workers: 2}\n'),
      ['autoscaleOrder error "2"'],
    ],
  ] as const)
    it(`are kept by their place: ${what}`, () => {
      const shown = (each: string): string[] => marks(each).sort();
      assert.deepEqual(shown(text), expected);
      // Below the settings of a job, too.
      assert.deepEqual(shown(nested(text)), expected);
    });

});

